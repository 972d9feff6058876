package service

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// sendSurvey sends the survey that is due since a request was solved.
type sendSurvey struct {
	Account desk.AccountID
	Request desk.RequestID
	Solved  int64 // when, in milliseconds: once it was opened again, this one is void
}

func (sendSurvey) Kind() string { return "survey.send" }

// surveyLater has a survey sent in its time when a request has become solved.
func surveyLater(tx *store.Tx, before, after desk.Request) error {
	if !after.BecomesResolved(before) {
		return nil
	}
	col, err := collectionOf(tx, after)
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
	return job.Add(tx.Tx, sendSurvey{tx.Account, after.ID, after.SolvedAt.UnixMilli()}, tx.Now, job.At(*due))
}

func (s *Service) sendSurvey(ctx context.Context, _ *job.Job, a sendSurvey) error {
	return s.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		r, col, err := requestOf(tx, a.Request)
		if err != nil || !col.Surveys.SendsSurvey(r, time.UnixMilli(a.Solved)) {
			return err
		}
		_, _, err = ask(tx, desk.Actor{Name: "Frontdesk", Source: desk.SourceSystem}, col.Surveys, r)
		return err
	})
}

// SendSurvey sends a survey of a request that the caller may see. It gives
// Refused where there is one already, or the collection has surveys off.
func (s *Service) SendSurvey(ctx context.Context, c Caller, id desk.RequestID) (desk.ShownSurvey, error) {
	if err := c.may(desk.SendSurvey); err != nil {
		return desk.ShownSurvey{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (shown desk.ShownSurvey, err error) {
		r, err := tx.Request(id, c.reach(desk.SendSurvey))
		if err != nil {
			return shown, err
		}
		col, err := collectionOf(tx, r)
		if err != nil {
			return shown, err
		}
		if err := r.Surveyable(col.Surveys); err != nil {
			return shown, err
		}
		survey, nonce, err := ask(tx, c.Actor, col.Surveys, r)
		return desk.ShownSurvey{Survey: survey, URL: s.surveyURL(tx.Account, survey.ID, nonce)}, err
	})
}

// ask keeps a new survey of a request, and has it asked in the request's thread
// where there is one.
func ask(tx *store.Tx, by desk.Actor, rules desk.SurveyRules, r desk.Request) (survey desk.Survey, nonce string, err error) {
	survey, nonce = rules.NewSurvey(r, tx.Now), rand.Text()
	if err := tx.AddSurvey(&survey, nonce); err != nil {
		return survey, "", err
	}
	if r.InChat() {
		if err := tx.AddPosting(desk.Posting{Request: r.ID, Kind: desk.PostedSurvey, Place: desk.InThread, AsBot: true}, rand.Text()); err != nil {
			return survey, "", err
		}
		if err := tellSoon(tx, r.ID); err != nil {
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

// answer takes an answer to a survey, has it shown where the survey was asked,
// and tells the feed. An answer is no change of the request.
func answer(tx *store.Tx, by desk.Actor, survey *desk.Survey, a desk.SurveyAnswer) error {
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
		if err := tellSoon(tx, survey.Asked); err != nil {
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
	markSize   = 16
)

var linkEncoding = base64.RawURLEncoding

func (s *Service) surveyURL(account desk.AccountID, id desk.SurveyID, nonce string) string {
	b := binary.AppendUvarint(nil, uint64(account))
	b = binary.AppendUvarint(b, uint64(id))
	b = append(b, nonce...)
	return s.publicURL + surveyPath + linkEncoding.EncodeToString(append(b, s.links.Sign(b)[:markSize]...))
}

// errNoSurvey is for everything that is no link to a survey, and does not say why.
var errNoSurvey = desk.Errorf(desk.NotFound, "This link leads nowhere. It may have been cut off on its way to you.")

// surveyLink reads what surveyURL has made. It gives NotFound for anything else.
func (s *Service) surveyLink(token string) (account desk.AccountID, id desk.SurveyID, nonce string, err error) {
	b, err := linkEncoding.DecodeString(token)
	if err != nil || len(b) < markSize || linkEncoding.EncodeToString(b) != token { // several texts would be the same link
		return 0, 0, "", errNoSurvey
	}
	body, mark := b[:len(b)-markSize], b[len(b)-markSize:]
	if !s.links.Check(mark, body) {
		return 0, 0, "", errNoSurvey
	}
	a, n := binary.Uvarint(body)
	i, m := binary.Uvarint(body[max(n, 0):])
	if n <= 0 || m <= 0 {
		return 0, 0, "", errNoSurvey
	}
	return desk.AccountID(a), desk.SurveyID(i), string(body[n+m:]), nil
}

// SurveyPage is what whoever has the link to a survey sees. It gives NotFound for
// what is no such link.
func (s *Service) SurveyPage(ctx context.Context, token string) (page desk.SurveyPage, err error) {
	account, id, nonce, err := s.surveyLink(token)
	if err != nil {
		return page, err
	}
	err = s.store.Read(ctx, account, func(tx *store.Tx) (err error) {
		page, _, err = surveyPage(tx, id, nonce)
		return err
	})
	return page, err
}

func surveyPage(tx *store.Tx, id desk.SurveyID, nonce string) (page desk.SurveyPage, r desk.Request, err error) {
	survey, its, err := tx.Survey(id)
	if desk.KindOf(err) == desk.NotFound || err == nil && its != nonce {
		return page, r, errNoSurvey
	}
	if err != nil {
		return page, r, err
	}
	r, err = tx.Request(survey.Asked, desk.Everything)
	return desk.SurveyPage{Survey: survey, Title: r.Title, Open: survey.Open(tx.Now)}, r, err
}

// AnswerSurvey takes the answer of whoever has the link to a survey. It gives
// NotFound for what is no such link, Refused when it is too late, else Invalid.
func (s *Service) AnswerSurvey(ctx context.Context, token string, a desk.SurveyAnswer) error {
	account, id, nonce, err := s.surveyLink(token)
	if err != nil {
		return err
	}
	a.Channel = desk.AnsweredOnPage
	return s.store.Write(ctx, account, func(tx *store.Tx) error {
		page, r, err := surveyPage(tx, id, nonce)
		if err != nil {
			return err
		}
		return answer(tx, desk.Actor{Name: nameOf(r.Author), Email: r.Author.Email, Source: desk.SourcePage}, &page.Survey, a)
	})
}

// The buttons of a survey in chat, each with its points behind, and the form that
// asks for a comment once one was pressed.
const (
	buttonRate   = "rate_"
	formComment  = "survey"
	inputComment = "comment"
)

// composeSurvey is a survey in the thread of the request that it is about. The
// comment is not shown there: others read along.
func (t telling) composeSurvey(tx *store.Tx, n *display) error {
	survey, nonce, ok, err := tx.SurveyAskedOf(n.Request)
	if err != nil {
		return err
	}
	if !ok || n.request.Thread == nil {
		n.failure = "there is no thread to show it in"
		return nil
	}
	n.post.Channel, n.post.Thread = n.request.Thread.Channel, n.request.Thread.Message
	n.content = surveyContent(n.request, survey, t.s.surveyURL(tx.Account, survey.ID, nonce))
	return nil
}

func surveyContent(r desk.Request, survey desk.Survey, url string) *chat.Content {
	link, title := func(label string) string { return `<a href="` + html.EscapeString(url) + `">` + label + "</a>" }, html.EscapeString(r.Title)
	c := &chat.Content{}
	switch {
	case r.Author.User == "" && survey.AnsweredAt == nil: // nobody here is asked
		c.HTML = "<p><b>How did we do?</b> " + html.EscapeString(nameOf(r.Author)) + " can tell us on " + link("this page") + ". Please pass the link on.</p>"
	case survey.AnsweredAt == nil:
		c.HTML = mentions([]string{r.Author.User}) + "<p><b>How did we do?</b> Please rate how we handled “" + title + "”.</p>"
	default:
		c.HTML = "<p><b>Thank you!</b> " + html.EscapeString(nameOf(r.Author)) + " has rated how we handled “" + title + "”: " + rated(survey) + "</p>"
	}
	c.HTML = markup.Sanitize(c.HTML)
	if r.Author.User == "" {
		return c
	}
	for points := 1; points <= survey.Type.Most(); points++ {
		b := chat.Button{ID: buttonRate + strconv.Itoa(points), Label: pointLabel(survey.Type, points), Value: strconv.FormatInt(int64(survey.ID), 10)}
		if points == survey.Value {
			b.Style = chat.Primary
		}
		c.Buttons = append(c.Buttons, b)
	}
	c.Footer = markup.Sanitize("<p>" + link("Answer on a page instead") + "</p>")
	return c
}

var faces = []string{"😞", "🙁", "😐", "🙂", "😀"}

func pointLabel(t desk.SurveyType, points int) string {
	switch {
	case t == desk.FivePointRating:
		return strconv.Itoa(points) + " " + faces[points-1]
	case points == 1:
		return "👎 Not good"
	}
	return "👍 Good"
}

// rated is an answer in words.
func rated(s desk.Survey) string {
	if s.Type == desk.TwoPointRating {
		return pointLabel(s.Type, s.Value)
	}
	return fmt.Sprintf("%s %d of 5", strings.Repeat("★", s.Value)+strings.Repeat("☆", s.Type.Most()-s.Value), s.Value)
}

// rate takes the press of a button of a survey. Who may comment on it is asked
// for that, in a form.
func (s *Service) rate(ctx context.Context, c store.AccountIntegration, id desk.SurveyID, points string, a chat.Action) error {
	value, err := strconv.Atoi(points)
	if err != nil {
		return nil // none of ours
	}
	var survey desk.Survey
	err = s.store.Write(ctx, c.Account, func(tx *store.Tx) (err error) {
		survey, err = answerInChat(tx, id, a.At.Channel, a.User, desk.SurveyAnswer{Value: &value})
		return err
	})
	if kind := desk.KindOf(err); err != nil && (kind == desk.Internal || kind == desk.Unavailable) {
		return err
	}
	if err != nil {
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return whisper(tx, a.At.Channel, a.Thread, a.User, sentence(err)) })
	}
	if !survey.HasComment {
		return nil
	}
	// A trigger is good for seconds, so nothing is kept of it: the page takes
	// comments, too.
	err = s.withChat(ctx, c.Account, func(_ desk.Integration, conn chat.Connector) error {
		return conn.Show(ctx, a.Trigger, commentForm(survey, a.At.Channel))
	})
	if err != nil {
		s.log.WarnContext(ctx, "ask for a comment", "account", int64(c.Account), "survey", int64(id), "error", err)
	}
	return nil
}

func commentForm(s desk.Survey, channel string) chat.Form {
	return chat.Form{ID: formComment, State: strconv.FormatInt(int64(s.ID), 10) + " " + channel, Title: "Thank you!", Submit: "Send",
		Inputs: []chat.Input{{ID: inputComment, Label: "Is there anything to add?", Kind: chat.Paragraph, Value: s.Comment, Optional: true}}}
}

// commentOn takes the comment that somebody adds to their answer.
func (s *Service) commentOn(ctx context.Context, c store.AccountIntegration, sub chat.Submission) error {
	number, channel, ok := strings.Cut(sub.State, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok {
		return nil
	}
	comment := sub.Values[inputComment]
	err = s.store.Write(ctx, c.Account, func(tx *store.Tx) error {
		_, err := answerInChat(tx, desk.SurveyID(n), channel, sub.User, desk.SurveyAnswer{Comment: &comment})
		return err
	})
	if e := (*desk.Error)(nil); errors.As(err, &e) && e.Kind != desk.Unavailable && e.Kind != desk.Internal {
		return rejection(e, inputComment)
	}
	return err
}

// answerInChat takes an answer that was given in a channel, as a user there. A
// survey that was asked elsewhere is not there, and only who asked for something
// can say what they think of the answer.
func answerInChat(tx *store.Tx, id desk.SurveyID, channel, user string, a desk.SurveyAnswer) (desk.Survey, error) {
	survey, _, err := tx.Survey(id)
	if err != nil {
		return survey, err
	}
	r, err := tx.Request(survey.Asked, desk.Everything)
	if err != nil {
		return survey, err
	}
	if r.Thread == nil || r.Thread.Channel != channel {
		return survey, desk.Missing("Survey")
	}
	if r.Author.User == "" || r.Author.User != user {
		return survey, desk.Errorf(desk.Forbidden, "Only %s, who asked for something here, can answer this survey.", nameOf(r.Author))
	}
	a.By, a.Channel = user, desk.AnsweredInChat
	err = answer(tx, desk.Actor{Name: nameOf(r.Author), Email: r.Author.Email, Source: desk.SourceChat}, &survey, a)
	return survey, err
}
