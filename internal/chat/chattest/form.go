package chattest

import (
	"fmt"
	"maps"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// button posts a message with a button and makes a person press it.
func (r *room) button(by Person, thread, value string) *chat.Action {
	r.t.Helper()
	p := r.draft("press " + value)
	p.Thread = thread
	p.Buttons = []chat.Button{{ID: "other", Label: "No"}, {ID: "edit", Label: "Edit it", Value: value}}
	at := r.post(p)
	r.must(by.Press(at, "Edit it"))
	got := r.Inbox.event(r.t, "a button", func(e chat.Event) bool { return e.Action != nil && e.Action.Value == value }).Action
	want := chat.Action{User: by.ID, Button: "edit", Value: value, At: at, Thread: thread, Trigger: got.Trigger}
	if *got != want || got.Trigger == "" {
		r.t.Errorf("a button is told as %+v, want %+v with a trigger", *got, want)
	}
	return got
}

func formButton(r *room) {
	r.button(r.customer, "", "at the top level")
	coloured := r.draft("press, in colour")
	coloured.Colour = "#e01e5a"
	coloured.Buttons = []chat.Button{{ID: "paint", Label: "Paint it", Value: "red"}}
	at := r.post(coloured)
	r.must(r.customer.Press(at, "Paint it"))
	got := r.Inbox.event(r.t, "a button", func(e chat.Event) bool { return e.Action != nil && e.Action.Button == "paint" }).Action
	if got.User != r.customer.ID || got.Value != "red" || got.At != at || got.Thread != "" || got.Trigger == "" {
		r.t.Errorf("a button beside a bar is told as %+v", got)
	}
	r.button(r.agent, r.say(r.customer, "a thread").ID, `in a thread <&> "'漢字🙂`)
	p := r.draft("press")
	toPerson(r, &p)
	p.Buttons = []chat.Button{{ID: "rate", Label: "Great", Value: "5"}}
	at = r.post(p)
	r.must(r.customer.Press(at, "Great"))
	got = r.Inbox.event(r.t, "a button", func(e chat.Event) bool { return e.Action != nil && e.Action.Button == "rate" }).Action
	if got.User != r.customer.ID || got.Value != "5" || got.At != at || got.Thread != "" {
		r.t.Errorf("a button in a direct message is told as %+v", got)
	}
}

// form has every kind of input, filled and empty.
func (r *room) form() chat.Form {
	options := []chat.Option{{Value: "p1", Label: "Urgent"}, {Value: "p2", Label: "Normal"}}
	return chat.Form{ID: "edit", State: `{"request":"42","note":"<&> 漢字"}`, Title: "Edit the request", Submit: "Save", Inputs: []chat.Input{
		{ID: "title", Label: "Title", Kind: chat.Line, Value: "Printer <b>on</b> fire & smoke"},
		{ID: "text", Label: "Description", Kind: chat.Paragraph, Value: "line one\nline two"},
		{ID: "priority", Label: "Priority", Kind: chat.Choice, Value: "p2", Options: options},
		{ID: "assignee", Label: "Assignee", Kind: chat.Person, Value: r.agent.ID},
		{ID: "tag", Label: "Tag", Kind: chat.Line, Optional: true},
		{ID: "category", Label: "Category", Kind: chat.Choice, Options: []chat.Option{{Value: "hw", Label: "Hardware"}}, Optional: true},
		{ID: "watcher", Label: "Watcher", Kind: chat.Person, Optional: true},
		{ID: "note", Label: "Note", Kind: chat.Paragraph, Optional: true},
	}}
}

// shown opens a form for a person and returns what they see.
func (r *room) shown(p Person, value string, f chat.Form) ShownForm {
	r.t.Helper()
	r.must(r.Connector.Show(r.ctx, r.button(p, "", value).Trigger, f))
	forms, err := p.Forms()
	r.must(err)
	if len(forms) != 1 {
		r.t.Fatalf("they have the forms %+v, want one", forms)
	}
	return forms[0]
}

func formSubmission(r *room) {
	f := r.form()
	got := r.shown(r.customer, "1", f)
	want := ShownForm{ID: got.ID, Title: f.Title, Submit: f.Submit, Inputs: []ShownInput{
		{Label: "Title", Value: "Printer <b>on</b> fire & smoke"}, {Label: "Description", Value: "line one\nline two"},
		{Label: "Priority", Value: "Normal", Options: []string{"Urgent", "Normal"}}, {Label: "Assignee", Value: r.agent.ID},
		{Label: "Tag"}, {Label: "Category", Options: []string{"Hardware"}}, {Label: "Watcher"}, {Label: "Note"},
	}}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		r.t.Errorf("they see\n\t%+v, want\n\t%+v", got, want)
	}
	submit := func(form string, filled, want map[string]string) {
		r.t.Helper()
		before := len(r.Inbox.all(func(e chat.Event) bool { return e.Submission != nil }))
		wrong, err := r.customer.Submit(form, filled)
		if err != nil || len(wrong) != 0 {
			r.t.Fatalf("submitting gives %v (%v)", wrong, err)
		}
		told := r.Inbox.all(func(e chat.Event) bool { return e.Submission != nil })
		if len(told) != before+1 {
			r.t.Fatalf("a form was told %d times", len(told)-before)
		}
		s := told[before].Submission
		if s.User != r.customer.ID || s.Form != f.ID || s.State != f.State || !maps.Equal(s.Values, want) {
			r.t.Errorf("a form is told as %+v, want the values %v", s, want)
		}
		if forms, err := r.customer.Forms(); err != nil || len(forms) != 0 {
			r.t.Errorf("after it was submitted they have the forms %+v (%v)", forms, err)
		}
	}
	// Submitted unchanged: initial values come back, and empty ones are missing.
	submit(got.ID, nil, map[string]string{"title": f.Inputs[0].Value, "text": f.Inputs[1].Value, "priority": "p2", "assignee": r.agent.ID})
	submit(r.shown(r.customer, "2", f).ID, map[string]string{
		"Title": hostile[0], "Description": "漢字\nשלום 🙂", "Priority": "Urgent", "Assignee": r.owner.ID,
		"Tag": "'; --", "Category": "Hardware", "Watcher": r.customer.ID, "Note": "a\n\nb",
	}, map[string]string{
		"title": hostile[0], "text": "漢字\nשלום 🙂", "priority": "p1", "assignee": r.owner.ID,
		"tag": "'; --", "category": "hw", "watcher": r.customer.ID, "note": "a\n\nb",
	})
}

func formRejection(r *room) {
	form := r.shown(r.customer, "1", r.form())
	r.Inbox.answers(func(e chat.Event) error {
		if e.Submission != nil && e.Submission.Values["title"] == "bad" {
			return fmt.Errorf("update the request: %w", chat.Rejection{"title": "is too bad", "priority": "is too low"})
		}
		return nil
	})
	for range 2 {
		wrong, err := r.customer.Submit(form.ID, map[string]string{"Title": "bad"})
		if want := map[string]string{"Title": "is too bad", "Priority": "is too low"}; err != nil || !maps.Equal(wrong, want) {
			r.t.Errorf("a form that was rejected says %v (%v), want %v", wrong, err, want)
		}
		if forms, err := r.customer.Forms(); err != nil || len(forms) != 1 || forms[0].ID != form.ID {
			r.t.Fatalf("after it was rejected they have the forms %+v (%v), want it open", forms, err)
		}
	}
	if wrong, err := r.customer.Submit(form.ID, map[string]string{"Title": "good"}); err != nil || len(wrong) != 0 {
		r.t.Errorf("then it says %v (%v)", wrong, err)
	}
	if forms, err := r.customer.Forms(); err != nil || len(forms) != 0 {
		r.t.Errorf("then they have the forms %+v (%v), want none", forms, err)
	}
}

func formTrigger(r *room) {
	used := r.button(r.customer, "", "used").Trigger
	r.must(r.Connector.Show(r.ctx, used, r.form()))
	r.wants(desk.Refused, "use a trigger twice", r.Connector.Show(r.ctx, used, r.form()))
	late := r.button(r.agent, "", "late").Trigger
	r.Expire()
	r.wants(desk.Refused, "use a trigger too late", r.Connector.Show(r.ctx, late, r.form()))
	r.wants(desk.Refused, "use a trigger that never was", r.Connector.Show(r.ctx, "nonsense", r.form()))
	if forms, err := r.agent.Forms(); err != nil || len(forms) != 0 {
		r.t.Errorf("a trigger that was too late opened %+v (%v)", forms, err)
	}
	if forms, err := r.customer.Forms(); err != nil || len(forms) != 1 {
		r.t.Errorf("a trigger that was used twice opened %+v (%v)", forms, err)
	}
}
