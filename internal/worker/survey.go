package worker

import (
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

func (w *Worker) sendSurvey(ctx context.Context, _ *job.Job, a change.SendSurvey) error {
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		r, col, err := requestOf(tx, a.Request)
		if err != nil || !col.Surveys.SendsSurvey(r, time.UnixMilli(a.Solved)) {
			return err
		}
		_, _, err = change.AskSurvey(tx, desk.Actor{Name: "Frontdesk", Source: desk.SourceSystem}, col.Surveys, r)
		return err
	})
}

// The ids of the buttons of a survey, each followed by its points, and of the form
// that asks for a comment after one was pressed. Messages in chat hold them.
const (
	ButtonRate   = "rate_"
	FormComment  = "survey"
	InputComment = "comment"
)

// composeSurvey composes a survey in the thread of its request. It never shows the
// comment, because others can read the thread.
func (p poster) composeSurvey(tx *store.Tx, n *draft) error {
	survey, nonce, ok, err := tx.SurveyAskedOf(n.Request)
	if err != nil {
		return err
	}
	if !ok || n.request.Thread == nil {
		n.failure = "there is no thread to post it in"
		return nil
	}
	n.post.Channel, n.post.Thread = n.request.Thread.Channel, n.request.Thread.Message
	n.content = surveyContent(n.request, survey, p.w.change.SurveyURL(tx.Account, survey.ID, nonce))
	return nil
}

func surveyContent(r desk.Request, survey desk.Survey, url string) *chat.Content {
	link, title := func(label string) string { return `<a href="` + html.EscapeString(url) + `">` + label + "</a>" }, html.EscapeString(r.Title)
	c := &chat.Content{}
	switch {
	case r.Author.User == "" && survey.AnsweredAt == nil: // the requester is not in the chat system
		c.HTML = "<p><b>How did we do?</b> " + html.EscapeString(change.RequesterName(r.Author)) + " can tell us on " + link("this page") + ". Please pass the link on.</p>"
	case survey.AnsweredAt == nil:
		c.HTML = mentions([]string{r.Author.User}) + "<p><b>How did we do?</b> Please rate how we handled “" + title + "”.</p>"
	default:
		c.HTML = "<p><b>Thank you!</b> " + html.EscapeString(change.RequesterName(r.Author)) + " has rated how we handled “" + title + "”: " + ratingText(survey) + "</p>"
	}
	c.HTML = markup.Sanitize(c.HTML)
	if r.Author.User == "" {
		return c
	}
	for points := 1; points <= survey.Type.Most(); points++ {
		b := chat.Button{ID: ButtonRate + strconv.Itoa(points), Label: pointLabel(survey.Type, points), Value: strconv.FormatInt(int64(survey.ID), 10)}
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

// ratingText returns the answer to a survey in words.
func ratingText(s desk.Survey) string {
	if s.Type == desk.TwoPointRating {
		return pointLabel(s.Type, s.Value)
	}
	return fmt.Sprintf("%s %d of 5", strings.Repeat("★", s.Value)+strings.Repeat("☆", s.Type.Most()-s.Value), s.Value)
}

// rateSurvey handles the press of a button of a survey. If the survey takes
// comments, it then shows a form that asks for one.
func (w *Worker) rateSurvey(ctx context.Context, c store.AccountIntegration, id desk.SurveyID, points string, a chat.Action) error {
	value, err := strconv.Atoi(points)
	if err != nil {
		return nil // not a button of ours
	}
	var survey desk.Survey
	err = w.store.Write(ctx, c.Account, func(tx *store.Tx) (err error) {
		survey, err = answerInChat(tx, id, a.At.Channel, a.User, desk.SurveyAnswer{Value: &value})
		return err
	})
	if err != nil || !survey.HasComment {
		return w.tellPresser(ctx, c, a, err)
	}
	// A trigger is valid only for seconds, so a job could not retry this. The page
	// takes comments too.
	err = w.outside.WithChat(ctx, c.Account, func(_ desk.Integration, conn chat.Connector) error {
		return conn.Show(ctx, a.Trigger, commentForm(survey, a.At.Channel))
	})
	if err != nil {
		w.log.WarnContext(ctx, "the comment form of a survey could not be shown", "account", int64(c.Account), "survey", int64(id), "error", err)
	}
	return nil
}

func commentForm(s desk.Survey, channel string) chat.Form {
	return chat.Form{ID: FormComment, State: formState(s.ID, channel), Title: "Thank you!", Submit: "Send",
		Inputs: []chat.Input{{ID: InputComment, Label: "Is there anything to add?", Kind: chat.Paragraph, Value: s.Comment, Optional: true}}}
}

// commentOnSurvey handles the comment that somebody adds to their answer.
func (w *Worker) commentOnSurvey(ctx context.Context, c store.AccountIntegration, sub chat.Submission) error {
	n, channel, ok := readFormState(sub)
	if !ok {
		return nil
	}
	comment := sub.Values[InputComment]
	err := w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
		_, err := answerInChat(tx, desk.SurveyID(n), channel, sub.User, desk.SurveyAnswer{Comment: &comment})
		return err
	})
	return rejection(err, InputComment)
}

// answerInChat saves an answer that a user gave in a channel. It returns a NotFound
// error if the survey was not asked there, and a Forbidden error unless the user is
// the requester.
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
		return survey, desk.Errorf(desk.Forbidden, "Only %s, who made this request, can answer this survey.", change.RequesterName(r.Author))
	}
	a.By, a.Channel = user, desk.AnsweredInChat
	err = change.AnswerSurvey(tx, desk.Actor{Name: change.RequesterName(r.Author), Email: r.Author.Email, Source: desk.SourceChat}, &survey, a)
	return survey, err
}
