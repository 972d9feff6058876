package change

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SendSurvey is a job that sends the survey that became due when a request was
// solved.
type SendSurvey struct {
	Account desk.AccountID
	Request desk.RequestID
	Solved  int64 // when it was solved, in Unix milliseconds; the job is void once the request was reopened
}

func (SendSurvey) Kind() string { return "survey.send" }

// ScheduleSurvey queues a job that sends a survey if a request was just solved and
// its collection wants one.
func ScheduleSurvey(tx *store.Tx, before, after desk.Request) error {
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
		due = &tx.Now // it was solved earlier, and its reopening was undone
	}
	return job.Add(tx.Tx, SendSurvey{tx.Account, after.ID, after.SolvedAt.UnixMilli()}, tx.Now, job.At(*due))
}

// AskSurvey adds a survey for a request. If the request is in the chat system, it
// queues a post of the survey in the thread. nonce is the secret part of the
// survey's link.
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
	return survey, nonce, Record(tx, by, "survey.created", nil, survey)
}

// AnswerSurvey saves an answer to a survey, queues a refresh of the survey in the
// chat system, and records the answer. An answer does not count as a change of the
// request. An answer that changes nothing is ignored. AnswerSurvey returns the
// errors of desk.Survey.Answer.
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
	if err := Record(tx, by, "survey.answered", before, *survey); err != nil {
		return err
	}
	r, err := tx.Request(survey.Request, desk.Everything)
	if err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.SurveyReceived, After: r})
}

// A link to the page of a survey contains its account, its id and its nonce,
// followed by a signature.
const (
	surveyPath = "/survey/"
	// MarkSize is how many bytes of the signature a link contains.
	MarkSize = 16
)

// LinkEncoding is the encoding of the links to surveys.
var LinkEncoding = base64.RawURLEncoding

// SurveyURL returns the address of the page of a survey.
func (s Setup) SurveyURL(account desk.AccountID, id desk.SurveyID, nonce string) string {
	b := binary.AppendUvarint(nil, uint64(account))
	b = binary.AppendUvarint(b, uint64(id))
	b = append(b, nonce...)
	return s.PublicURL + surveyPath + LinkEncoding.EncodeToString(append(b, s.Links.Sign(b)[:MarkSize]...))
}
