package slack

import (
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/sandbox"
)

var aForm = chat.Form{ID: "edit", State: `{"request":7}`, Title: "Edit the request, which is very long", Submit: "Save", Inputs: []chat.Input{
	{ID: "title", Label: "Title", Kind: chat.Line, Value: "Printer"},
	{ID: "text", Label: "Text", Kind: chat.Paragraph, Optional: true},
	{ID: "priority", Label: "Priority", Kind: chat.Choice, Value: "low", Options: []chat.Option{{Value: "low", Label: "Low"}, {Value: "high", Label: "High"}}},
	{ID: "who", Label: "Assignee", Kind: chat.Person, Optional: true},
}}

// pressed returns what a person causes who presses our button.
func (w *world) pressed(ch, user string) chat.Action {
	w.t.Helper()
	at := must(w.c.Post(w.ctx, chat.Post{Channel: ch, Mark: "m1", Content: rich}))
	w.check(w.s.As(user).Press(w.ctx, sandbox.Press{Channel: ch, TS: at.ID, ActionID: "take"}))
	return *w.next(func(ev chat.Event) bool { return ev.Action != nil }).Action
}

func TestForm(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	ch := w.channel("desk", maya)
	trigger := w.pressed(ch, maya).Trigger
	w.check(w.c.Show(w.ctx, trigger, aForm))
	wantKind(t, "a trigger that was used", w.c.Show(w.ctx, trigger, aForm), desk.Refused)
	wantKind(t, "a trigger that is none", w.c.Show(w.ctx, "soon", aForm), desk.Refused)
	views := must(w.s.As(maya).Views(w.ctx))
	want(t, "open", len(views), 1)

	w.delivers(func(ev chat.Event) error {
		if ev.Submission != nil && ev.Submission.Values["title"] == "x" {
			return chat.Rejection{"title": "Say a little more."}
		}
		return nil
	})
	values := map[string]string{"title": "x", "priority": "high", "who": w.owner}
	done := must(w.s.As(maya).Submit(w.ctx, views[0].ID, values))
	want(t, "rejected", done.Errors, map[string]string{"title": "Say a little more."})
	values["title"] = "Printer <on> fire"
	done = must(w.s.As(maya).Submit(w.ctx, views[0].ID, values))
	want(t, "closed", []any{done.Errors, done.View}, []any{map[string]string(nil), (*sandbox.View)(nil)})
	ev := w.next(func(ev chat.Event) bool { return ev.Submission != nil })
	want(t, "submission", *ev.Submission, chat.Submission{User: maya, Form: "edit", State: `{"request":7}`,
		Values: map[string]string{"title": "Printer <on> fire", "priority": "high", "who": w.owner}})
}

// A form opens with its initial values.
func TestFormBeginsFilled(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	trigger := w.pressed(w.channel("desk", maya), maya).Trigger
	f := aForm
	f.Inputs = append([]chat.Input{{ID: "other", Label: "Other", Kind: chat.Choice, Value: "gone", Options: []chat.Option{{Value: "a", Label: "A"}}}}, f.Inputs...)
	f.Inputs[4].Value = maya
	w.check(w.c.Show(w.ctx, trigger, f))
	var inputs []struct {
		Element struct {
			Type          string
			Value         string                 `json:"initial_value"`
			User          string                 `json:"initial_user"`
			InitialOption struct{ Value string } `json:"initial_option"`
			Multiline     bool
		}
	}
	w.check(remote.ReadPatiently(must(w.s.As(maya).Views(w.ctx))[0].Blocks, &inputs))
	var got []any
	for _, in := range inputs {
		got = append(got, in.Element.Type, in.Element.Value+in.Element.User+in.Element.InitialOption.Value, in.Element.Multiline)
	}
	want(t, "inputs", got, []any{"static_select", "", false, "plain_text_input", "Printer", false, "plain_text_input", "", true,
		"static_select", "low", false, "users_select", maya, false})
}
