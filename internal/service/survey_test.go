package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/worker"
)

// surveyed is a helpdesk whose collection sends surveys, with an answered request.
func surveyed(w *workplace, change func(*desk.SurveyRulesChange)) (h *helpdesk, first sandbox.Message) {
	w.t.Helper()
	rules := desk.SurveyRulesChange{Enabled: ptr(true)}
	if change != nil {
		change(&rules)
	}
	h = newHelpdesk(w, func(n *desk.NewCollection) { n.Settings.Surveys = rules })
	first = h.says(h.oskar, h.help, "The scanner in the hall is broken")
	h.become("open <The scanner in the hall is broken")
	return h, first
}

func (h *helpdesk) enters(state desk.State) {
	h.t.Helper()
	_, err := h.UpdateRequest(ctx, h.caller(), h.requests()[0].ID, desk.RequestChange{State: &state})
	must(h.t, err)
}

// asked returns the messages of a thread that are surveys.
func (h *helpdesk) asked(first sandbox.Message) (all []sandbox.Message) {
	h.t.Helper()
	messages, err := h.box.As(h.maya).Thread(ctx, h.help, first.TS)
	must(h.t, err)
	return slices.DeleteFunc(messages, func(m sandbox.Message) bool { return !strings.Contains(string(m.Blocks), worker.ButtonRate) })
}

// survey returns the survey of the only request.
func (h *helpdesk) survey() desk.Survey {
	h.t.Helper()
	if s := h.requests()[0].Survey; s != nil {
		return *s
	}
	return desk.Survey{}
}

// surveySays waits until there is one survey message, and it shows these.
func (h *helpdesk) surveySays(first sandbox.Message, want ...string) (at sandbox.Message) {
	h.t.Helper()
	become(h.t, "a survey with "+strings.Join(want, ", "), func() []sandbox.Message { return h.asked(first) }, func(got []sandbox.Message) bool {
		if len(got) != 1 {
			return false
		}
		at = got[0]
		return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(at.Text+string(at.Blocks), w) })
	})
	return at
}

// rates presses a button of a survey as it is shown. It retries if the message
// changes at that moment, because then the button is another one.
func (h *helpdesk) rates(user string, first sandbox.Message, points int) {
	h.t.Helper()
	button := fmt.Sprint(worker.ButtonRate, points)
	become(h.t, "a press of "+button, func() []error {
		at := h.asked(first)[0]
		var blocks []struct {
			BlockID  string `json:"block_id"`
			Elements []struct {
				ActionID string `json:"action_id"`
			} `json:"elements"`
		}
		must(h.t, json.Unmarshal(at.Blocks, &blocks))
		for _, b := range blocks {
			for _, e := range b.Elements {
				if e.ActionID == button {
					return []error{h.box.As(user).Press(ctx, sandbox.Press{Channel: h.help, TS: at.TS, BlockID: b.BlockID, ActionID: button})}
				}
			}
		}
		return []error{errors.New("there is no such button")}
	}, func(got []error) bool { return got[0] == nil })
}

func (h *helpdesk) whispered(user string, want string) {
	h.t.Helper()
	become(h.t, "a whisper", func() (texts []string) {
		all, err := h.box.As(user).Ephemerals(ctx, h.help)
		must(h.t, err)
		for _, m := range all {
			texts = append(texts, m.Text)
		}
		return texts
	}, func(got []string) bool { return len(got) == 1 && strings.Contains(got[0], want) })
}

// received returns the survey answers that the feed reports, in order.
func (h *helpdesk) received() (answers []string) {
	h.t.Helper()
	for _, e := range h.events() {
		if e.Type == desk.SurveyReceived {
			var data struct {
				Request struct {
					CSAT struct {
						Status   string
						Response struct{ Value int }
						Comment  *string
					} `json:"csat_survey"`
				}
			}
			must(h.t, json.Unmarshal(e.Data, &data))
			line := fmt.Sprint(e.Source, " ", data.Request.CSAT.Status, " ", data.Request.CSAT.Response.Value)
			if c := data.Request.CSAT.Comment; c != nil {
				line += " " + *c
			}
			answers = append(answers, line)
		}
	}
	return answers
}

func TestSurveyInChat(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first := surveyed(w, nil)
		h.enters(desk.Solved)
		at := h.surveySays(first, "How did we do?", "<@"+h.oskar+">", "The scanner in the hall is broken", "/survey/", "Answer on a page instead")
		if strings.Index(string(at.Blocks), worker.ButtonRate+"5") > strings.Index(string(at.Blocks), "/survey/") {
			t.Errorf("the link is not below the buttons: %s", at.Blocks)
		}
		if s := h.survey(); s.ID == 0 || s.AnsweredAt != nil || s.Type != desk.FivePointRating {
			t.Fatalf("survey: %+v", s)
		}
		solved := h.requests()[0]

		// A press by somebody else does not count.
		h.rates(h.maya, first, 1)
		h.whispered(h.maya, "Only Oskar")
		if s := h.survey(); s.AnsweredAt != nil {
			t.Fatalf("somebody else's answer counted: %+v", s)
		}

		h.rates(h.oskar, first, 4)
		h.surveySays(first, "Thank you!", "★★★★☆ 4 of 5")
		if s := h.survey(); s.Value != 4 || s.AnsweredBy != h.oskar || s.Channel != desk.AnsweredInChat {
			t.Errorf("survey: %+v", s)
		}
		views, err := h.box.As(h.oskar).Views(ctx)
		must(t, err)
		if len(views) != 1 {
			t.Fatalf("there are %d forms", len(views))
		}
		done, err := h.box.As(h.oskar).Submit(ctx, views[0].ID, map[string]string{worker.InputComment: strings.Repeat("x", 2001)})
		must(t, err)
		if len(done.Errors) != 1 {
			t.Errorf("the result for a comment that is too long is %+v", done)
		}
		done, err = h.box.As(h.oskar).Submit(ctx, views[0].ID, map[string]string{worker.InputComment: "Quick & <b>kind</b>"})
		must(t, err)
		if len(done.Errors) != 0 {
			t.Errorf("the result for a comment is %+v", done)
		}
		// A later press replaces the earlier one and keeps the comment. Pressing
		// the same again is not reported.
		h.clock.move(desk.SurveyChangeable - time.Hour)
		h.rates(h.oskar, first, 2)
		h.rates(h.oskar, first, 2)
		at = h.surveySays(first, "★★☆☆☆ 2 of 5")
		if strings.Contains(string(at.Blocks), "Quick") {
			t.Errorf("others can read the comment: %s", at.Blocks)
		}
		if s := h.survey(); s.Value != 2 || s.Comment != "Quick & <b>kind</b>" {
			t.Errorf("survey: %+v", s)
		}
		// Nothing else in the request has changed, and it works for a closed one.
		if r := h.requests()[0]; !r.UpdatedAt.Equal(solved.UpdatedAt) || *r.State != desk.Solved {
			t.Errorf("answers changed the request: %+v", r)
		}
		h.enters(desk.Closed)
		h.rates(h.oskar, first, 5)
		h.surveySays(first, "★★★★★ 5 of 5")

		h.clock.move(2 * time.Hour)
		h.rates(h.oskar, first, 1)
		h.whispered(h.oskar, "for a day")
		if s := h.survey(); s.Value != 5 {
			t.Errorf("an answer that was too late counted: %+v", s)
		}
		h.rests()
		want := []string{"chat received 4", "chat received 4 Quick & <b>kind</b>", "chat received 2 Quick & <b>kind</b>", "chat received 5 Quick & <b>kind</b>"}
		if got := h.received(); !slices.Equal(got, want) {
			t.Errorf("feed: %q", got)
		}
		// The log has who and when, but not what somebody wrote.
		answered := 0
		for _, e := range h.auditLog() {
			if strings.Contains(string(e.Before)+string(e.After), "Quick") {
				t.Errorf("the audit log has the comment: %+v", entryOf(e))
			}
			if e.Action == "survey.answered" {
				answered++
			}
		}
		if answered != len(want) {
			t.Errorf("the audit log has %d answers", answered)
		}
		if got := len(h.asked(first)); got != 1 {
			t.Errorf("the survey was sent %d times", got)
		}
	})
}

// A press is rejected if its message is not where the survey was sent, or if it
// names another survey. The same holds for a form.
func TestSurveyOnlyWhereItWasAsked(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first := surveyed(w, func(r *desk.SurveyRulesChange) { r.Type, r.Comment = ptr(desk.TwoPointRating), ptr(false) })
		h.enters(desk.Solved)
		at := h.surveySays(first, "👎 Not good", "👍 Good")
		id := fmt.Sprint(h.survey().ID)
		for _, a := range []chat.Action{
			{User: h.oskar, Button: worker.ButtonRate + "1", Value: id, At: chat.Ref{Channel: h.triage, ID: at.TS}},
			{User: h.oskar, Button: worker.ButtonRate + "1", Value: "999999", At: chat.Ref{Channel: h.help, ID: at.TS}},
			{User: h.oskar, Button: worker.ButtonRate + "3", Value: id, At: chat.Ref{Channel: h.help, ID: at.TS}},
			{User: h.oskar, Button: worker.ButtonRate + "x", Value: id, At: chat.Ref{Channel: h.help, ID: at.TS}},
			{User: h.oskar, Button: worker.ButtonRate + "1", Value: "x", At: chat.Ref{Channel: h.help, ID: at.TS}},
		} {
			must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, Action: &a}))
		}
		for _, state := range []string{"", "x", id, id + " " + h.triage, id + " " + h.help} {
			err := h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID,
				Submission: &chat.Submission{User: h.oskar, Form: worker.FormComment, State: state, Values: map[string]string{worker.InputComment: "x"}}})
			if said, ok := err.(chat.Rejection); err != nil && (!ok || said[worker.InputComment] == "" && len(said) == 0) {
				t.Errorf("a form with %q: %v", state, err)
			}
		}
		if s := h.survey(); s.AnsweredAt != nil || s.Comment != "" {
			t.Errorf("it is %+v", s)
		}
		h.rates(h.oskar, first, 1)
		h.surveySays(first, "Thank you!", "👎 Not good")
		views, err := h.box.As(h.oskar).Views(ctx)
		must(t, err)
		if len(views) != 0 {
			t.Errorf("there is a form although no comment is asked for")
		}
	})
}

// A survey is sent after its delay and once, unless the request was reopened in the
// meantime.
func TestSurveyAfterADelay(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first := surveyed(w, func(r *desk.SurveyRulesChange) { r.DelayMinutes = ptr(30) })
		sends := func() (n int) {
			must(t, h.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
				return tx.Row("SELECT count(*) FROM jobs WHERE kind = 'survey.send' AND dead_at IS NULL").Scan(&n)
			}))
			return n
		}
		none := func(why string) {
			t.Helper()
			become(t, "the end of what waits", func() []int { return []int{sends()} }, func(n []int) bool { return n[0] == 0 })
			if s := h.survey(); s.ID != 0 {
				t.Fatalf("%s, but there is a survey: %+v", why, s)
			}
		}
		h.enters(desk.Solved)
		if sends() != 1 || h.survey().ID != 0 {
			t.Fatalf("%d surveys are to be sent, the survey is %+v", sends(), h.survey())
		}
		h.clock.move(29 * time.Minute)
		h.enters(desk.InProgress)
		h.clock.move(2 * time.Minute)
		none("it was opened again")

		// Solved, then reopened and solved again before the time is up: the newest
		// counts.
		h.enters(desk.Solved)
		h.clock.move(20 * time.Minute)
		h.enters(desk.Open)
		h.enters(desk.Solved)
		h.clock.move(15 * time.Minute)
		become(t, "one that waits", func() []int { return []int{sends()} }, func(n []int) bool { return n[0] == 1 })
		if s := h.survey(); s.ID != 0 {
			t.Fatalf("too soon: %+v", s)
		}
		h.clock.move(16 * time.Minute)
		h.surveySays(first, "How did we do?")

		// At most one for each request.
		h.enters(desk.Open)
		h.enters(desk.Closed)
		h.clock.move(time.Hour)
		become(t, "the end of what waits", func() []int { return []int{sends()} }, func(n []int) bool { return n[0] == 0 })
		h.rests()
		if got := len(h.asked(first)); got != 1 {
			t.Errorf("the survey was sent %d times", got)
		}
	})
}

// Undoing a reopening leaves the request solved as before, so the survey is due.
func TestSurveyAfterUndo(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first := surveyed(w, func(r *desk.SurveyRulesChange) { r.DelayMinutes = ptr(30) })
		h.enters(desk.Solved)
		h.enters(desk.Open)
		h.clock.move(31 * time.Minute)
		h.rests()
		_, err := h.UndoRequest(ctx, h.caller(), h.requests()[0].ID, desk.Undo{})
		must(t, err)
		h.surveySays(first, "How did we do?")
	})
}

// Somebody who is not in the chat system is asked through those who read the
// thread: it shows the link, and no buttons.
func TestSurveyOfSomebodyOutside(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, tickets := newDesk(w, func(n *desk.NewCollection) {
			n.Settings.Surveys = desk.SurveyRulesChange{Enabled: ptr(true), Scope: ptr(desk.ScopeTickets)}
		})
		id := h.creates("The door does not open")
		thread, _ := h.posted(id)
		_, err := h.UpdateRequest(ctx, h.caller(), id, desk.RequestChange{State: ptr(desk.Solved)})
		must(t, err)
		become(t, "the link", func() []string { return h.thread(tickets, thread.Message)[1:] }, func(got []string) bool {
			return len(got) == 1 && strings.Contains(got[0], "ines@somewhere.example can tell us on <") && strings.Contains(got[0], "/survey/")
		})
		text := h.thread(tickets, thread.Message)[1]
		token := text[strings.Index(text, "/survey/")+len("/survey/"):]
		token = token[:strings.IndexAny(token, "|>")]
		must(t, h.AnswerSurvey(ctx, token, desk.SurveyAnswer{Value: ptr(5), Comment: ptr("Thanks")}))
		become(t, "the answer", func() []string { return h.thread(tickets, thread.Message)[1:] }, func(got []string) bool {
			return len(got) == 1 && strings.Contains(got[0], "5 of 5")
		})
		if got := h.received(); !slices.Equal(got, []string{"page received 5 Thanks"}) {
			t.Errorf("feed: %q", got)
		}
	})
}

// A link is valid for one survey of one account, and nobody else can make one.
func TestSurveyLinks(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		_, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection, Settings: desk.SettingsChange{Surveys: desk.SurveyRulesChange{Enabled: ptr(true)}}})
		must(t, err)
		var tokens []string
		var ids []desk.RequestID
		for i := range 2 {
			made, err := c.CreateRequest(ctx, c.caller(), desk.NewRequest{Description: "Help", Title: ptr(fmt.Sprint("Title ", i))})
			must(t, err)
			sent, err := c.SendSurvey(ctx, c.caller(), made.ID)
			must(t, err)
			ids, tokens = append(ids, made.ID), append(tokens, sent.URL[strings.LastIndex(sent.URL, "/")+1:])
		}
		for i, token := range tokens {
			p, err := c.SurveyPage(ctx, token)
			if err != nil || p.Title != fmt.Sprint("Title ", i) || !p.Open || p.Survey.Request != ids[i] {
				t.Errorf("%s shows %+v, %v", token, p, err)
			}
		}
		raw, err := change.LinkEncoding.DecodeString(tokens[0])
		must(t, err)
		other, err := change.LinkEncoding.DecodeString(tokens[1])
		must(t, err)
		forged := []string{"", "x", "....", tokens[0] + "A", tokens[0][1:], tokens[0][:len(tokens[0])-1], tokens[0] + "=", strings.ToLower(tokens[0]), tokens[0] + "\n", "\r" + tokens[0],
			change.LinkEncoding.EncodeToString(append(slices.Clone(other[:len(other)-change.MarkSize]), raw[len(raw)-change.MarkSize:]...)), // another link with this mark
			change.LinkEncoding.EncodeToString(raw[:len(raw)-change.MarkSize]), change.LinkEncoding.EncodeToString(raw[len(raw)-change.MarkSize:])}
		for i := range raw {
			changed := slices.Clone(raw)
			changed[i] ^= 1
			forged = append(forged, change.LinkEncoding.EncodeToString(changed))
		}
		for _, token := range forged {
			if _, err := c.SurveyPage(ctx, token); desk.KindOf(err) != desk.NotFound {
				t.Errorf("%q shows something: %v", token, err)
			}
			if err := c.AnswerSurvey(ctx, token, desk.SurveyAnswer{Value: ptr(1)}); desk.KindOf(err) != desk.NotFound {
				t.Errorf("%q answers something: %v", token, err)
			}
		}
		// A valid mark for a survey that does not exist, or from before a backup
		// was restored.
		first, err := c.SurveyPage(ctx, tokens[0])
		must(t, err)
		for _, u := range []string{c.change.SurveyURL(c.account.ID, first.Survey.ID, "another nonce"), c.change.SurveyURL(c.account.ID, 999_999, "x"), c.change.SurveyURL(c.account.ID+1, first.Survey.ID, "x")} {
			if _, err := c.SurveyPage(ctx, u[strings.LastIndex(u, "/")+1:]); desk.KindOf(err) != desk.NotFound {
				t.Errorf("%s shows something: %v", u, err)
			}
		}
		must(t, c.AnswerSurvey(ctx, tokens[1], desk.SurveyAnswer{Value: ptr(3)}))
		for i, want := range []int{0, 3} {
			r, err := c.Request(ctx, c.caller(), ids[i], RequestParts{})
			if err != nil || r.Survey == nil || r.Survey.Value != want {
				t.Errorf("request %d has %+v, %v", i, r.Survey, err)
			}
		}
	})
}
