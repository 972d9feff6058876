package slack_test

import (
	"cmp"
	"encoding/json"

	"frontdesk/internal/chat/chattest"
	"frontdesk/internal/sandbox"
)

// field is an input of a modal.
type field struct {
	Type    string
	BlockID string `json:"block_id"`
	Label   text
	Element struct {
		Type     string
		ActionID string `json:"action_id"`
		Initial  string `json:"initial_value"`
		User     string `json:"initial_user"`
		Option   option `json:"initial_option"`
		Options  []option
	}
}

type option struct {
	Text  text
	Value string
}

// value returns what an untouched field sends.
func (f field) value() string {
	return cmp.Or(f.Element.Initial, f.Element.User, f.Element.Option.Value)
}

// picked returns the value of what a person entered.
func (f field) picked(shown string) string {
	for _, o := range f.Element.Options {
		if o.Text.Text == shown {
			return o.Value
		}
	}
	return shown
}

func fieldsOf(v sandbox.View) (all []field) {
	var blocks []field
	json.Unmarshal(v.Blocks, &blocks)
	for _, b := range blocks {
		if b.Type == "input" {
			all = append(all, b)
		}
	}
	return all
}

func (c client) views() ([]sandbox.View, error) {
	var said struct{ Views []sandbox.View }
	err := c.act("views", args{}, &said)
	return said.Views, err
}

func (c client) Forms() (all []chattest.ShownForm, err error) {
	views, err := c.views()
	for _, v := range views {
		var title, submit text
		json.Unmarshal(v.Title, &title)
		json.Unmarshal(v.Submit, &submit)
		form := chattest.ShownForm{ID: v.ID, Title: title.Text, Submit: submit.Text}
		for _, f := range fieldsOf(v) {
			in := chattest.ShownInput{Label: f.Label.Text, Value: cmp.Or(f.Element.Initial, f.Element.User, f.Element.Option.Text.Text)}
			for _, o := range f.Element.Options {
				in.Options = append(in.Options, o.Text.Text)
			}
			form.Inputs = append(form.Inputs, in)
		}
		all = append(all, form)
	}
	return all, err
}

// Submit sends every field, including untouched ones, as Slack's client does.
func (c client) Submit(form string, filled map[string]string) (map[string]string, error) {
	views, err := c.views()
	if err != nil {
		return nil, err
	}
	values, labels := map[string]string{}, map[string]string{}
	for _, v := range views {
		if v.ID != form {
			continue
		}
		for _, f := range fieldsOf(v) {
			labels[f.BlockID] = f.Label.Text
			values[f.Element.ActionID] = f.value()
			if shown, ok := filled[f.Label.Text]; ok {
				values[f.Element.ActionID] = f.picked(shown)
			}
		}
	}
	var done sandbox.Submission
	if err := c.act("submit", map[string]any{"view": form, "values": values}, &done); err != nil {
		return nil, err
	}
	wrong := map[string]string{}
	for id, said := range done.Errors {
		wrong[labels[id]] = said
	}
	return wrong, nil
}
