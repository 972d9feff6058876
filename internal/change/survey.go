package change

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SendSurvey sends the survey that is due since a request was solved.
type SendSurvey struct {
	Account desk.AccountID
	Request desk.RequestID
	Solved  int64 // when, in milliseconds: once it was opened again, this one is void
}

func (SendSurvey) Kind() string { return "survey.send" }

// SurveyLater has a survey sent in its time when a request has become solved.
func SurveyLater(tx *store.Tx, before, after desk.Request) error {
	if !after.BecomesResolved(before) {
		return nil
	}
	col, err := CollectionOf(tx, after)
	if err != nil {
		return err
	}
	due := col.Surveys.SurveyDue(before, after)
	if due == nil {
		return nil
	}
	if due.Before(tx.Now) {
		due = &tx.Now // it was solved before, and somebody took back that it was opened again
	}
	return job.Add(tx.Tx, SendSurvey{tx.Account, after.ID, after.SolvedAt.UnixMilli()}, tx.Now, job.At(*due))
}

// AskSurvey keeps a new survey of a request, and has it asked in the request's thread
// where there is one.
func AskSurvey(tx *store.Tx, by desk.Actor, rules desk.SurveyRules, r desk.Request) (survey desk.Survey, nonce string, err error) {
	survey, nonce = rules.NewSurvey(r, tx.Now), rand.Text()
	if err := tx.AddSurvey(&survey, nonce); err != nil {
		return survey, "", err
	}
	if r.InChat() {
		if err := tx.AddPosting(desk.Posting{Request: r.ID, Kind: desk.PostedSurvey, Place: desk.InThread, AsBot: true}, rand.Text()); err != nil {
			return survey, "", err
		}
		if err := PostSoon(tx, r.ID); err != nil {
			return survey, "", err
		}
	}
	return survey, nonce, tx.Record(surveyChange(by, "survey.created", nil, survey))
}

func surveyChange(by desk.Actor, action string, before *desk.Survey, after desk.Survey) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Survey", ID: strconv.FormatInt(int64(after.ID), 10), After: after}
	if before != nil {
		ch.Before = *before
	}
	return ch
}

// AnswerSurvey takes an answer to a survey, has it shown where the survey was asked,
// and tells the feed. An answer is no change of the request.
func AnswerSurvey(tx *store.Tx, by desk.Actor, survey *desk.Survey, a desk.SurveyAnswer) error {
	before := *survey
	news, err := survey.Answer(a, tx.Now)
	if err != nil || !news {
		return err
	}
	if err := tx.SaveSurvey(*survey); err != nil {
		return err
	}
	shown, err := tx.RenewSurvey(*survey)
	if err != nil {
		return err
	}
	if shown {
		if err := PostSoon(tx, survey.Asked); err != nil {
			return err
		}
	}
	if err := tx.Record(surveyChange(by, "survey.answered", &before, *survey)); err != nil {
		return err
	}
	r, err := tx.Request(survey.Request, desk.Everything)
	if err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.SurveyReceived, After: r})
}

// A link to the page of a survey has its account, its id and its nonce, and
// behind them a mark that nobody else can make.
const (
	surveyPath = "/survey/"
	MarkSize   = 16
)

var LinkEncoding = base64.RawURLEncoding

func (s Setup) SurveyURL(account desk.AccountID, id desk.SurveyID, nonce string) string {
	b := binary.AppendUvarint(nil, uint64(account))
	b = binary.AppendUvarint(b, uint64(id))
	b = append(b, nonce...)
	return s.PublicURL + surveyPath + LinkEncoding.EncodeToString(append(b, s.Links.Sign(b)[:MarkSize]...))
}
