package sandbox

import (
	"context"
	"encoding/json"
)

// Submission is the result of submitting a modal.
type Submission struct {
	// Errors are by block_id. If there are any, the modal stays open.
	Errors map[string]string `json:"errors,omitempty"`
	// View is the modal that is open now, nil if none is.
	View *View `json:"view,omitempty"`
}

// input is an input block of a modal.
type input struct {
	blockID  string
	optional bool
	element  block
}

func inputsOf(blocks json.RawMessage) []input {
	var all []block
	json.Unmarshal(blocks, &all)
	var inputs []input
	for _, b := range all {
		if b.text("type") != "input" {
			continue
		}
		i := input{blockID: b.text("block_id")}
		json.Unmarshal(b["optional"], &i.optional)
		json.Unmarshal(b["element"], &i.element)
		inputs = append(inputs, i)
	}
	return inputs
}

// Submit fills in a modal and submits it. Values are by action_id, with lists
// separated by commas. It returns not_found for a modal that this person does not
// have open, and app_unreachable if the app does not answer correctly.
func (p Person) Submit(ctx context.Context, viewID string, values map[string]string) (done Submission, err error) {
	var app *App
	var payload object
	err = p.do(ctx, func(t *tx, a *actor) error {
		v, err := t.ownView(a, viewID)
		if err != nil {
			return err
		}
		shown := t.showView(v)
		// A person's client does not even send a form with a missing required
		// field.
		if done.Errors = fill(&shown, values); done.Errors != nil {
			done.View = &shown
			return nil
		}
		app, payload = t.interaction(a, "view_submission", v.App, v.ID)
		payload["view"], payload["response_urls"] = shown, []any{}
		return nil
	})
	if err != nil || done.Errors != nil {
		return done, err
	}
	a, err := p.s.interact(ctx, app, payload)
	if err != nil {
		return done, err
	}
	return p.s.respond(ctx, viewID, a.body)
}

// fill puts values into a modal's state, and returns which required ones are
// missing.
func fill(v *View, values map[string]string) (missing map[string]string) {
	for _, in := range inputsOf(v.Blocks) {
		id := in.element.text("action_id")
		value, ok := values[id]
		if !ok {
			value = in.element.initially()
		}
		if value == "" && !in.optional {
			if missing == nil {
				missing = map[string]string{}
			}
			missing[in.blockID] = "Please complete this required field."
		}
		v.State.Values[in.blockID] = map[string]json.RawMessage{id: encode(stateOf(in.element, value))}
	}
	return missing
}

// respond does what an app answered to a submission.
func (s *Sandbox) respond(ctx context.Context, viewID string, body []byte) (done Submission, err error) {
	var said struct {
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		View   json.RawMessage   `json:"view"`
	}
	if len(body) > 0 && json.Unmarshal(body, &said) != nil {
		return done, &Error{Code: "app_unreachable", Messages: []string{"its answer is no JSON"}}
	}
	err = s.write(ctx, func(t *tx) error {
		v, err := t.view(viewID)
		if err != nil {
			return err
		}
		open := v
		switch said.Action {
		case "errors":
			done.Errors = said.Errors
		case "update", "push":
			if open, err = t.respondWithView(v, said.Action, said.View); err != nil {
				return err
			}
		case "clear":
			t.closeAll(v)
			open = nil
		case "":
			t.closeView(v)
			if open = nil; v.Previous != "" {
				open, err = t.view(v.Previous)
			}
		default:
			return &Error{Code: "app_unreachable", Messages: []string{"there is no response_action " + said.Action}}
		}
		if err != nil || open == nil {
			return err
		}
		done.View = new(t.showView(open))
		return nil
	})
	return done, err
}

func (t *tx) respondWithView(v *view, action string, raw json.RawMessage) (*view, error) {
	body, err := readView(raw)
	if err != nil {
		return nil, err
	}
	if action == "update" {
		return v, t.changeView(v, body)
	}
	under, err := t.pushable(v.ID)
	if err != nil {
		return nil, err
	}
	return t.openView(v.App, v.TeamID, v.User, under, body)
}

// CloseView closes a modal or, with clear, the whole stack. The app is notified if
// it asked to be.
func (p Person) CloseView(ctx context.Context, viewID string, clear bool) error {
	var app *App
	var payload object
	err := p.do(ctx, func(t *tx, a *actor) error {
		payload = nil
		v, err := t.ownView(a, viewID)
		if err != nil {
			return err
		}
		if v.NotifyOnClose {
			app, payload = t.interaction(a, "view_closed", v.App, v.ID)
			payload["view"], payload["is_cleared"] = t.showView(v), clear
		}
		if clear || v.ClearOnClose {
			t.closeAll(v)
		} else {
			t.closeView(v)
		}
		return nil
	})
	if err != nil || payload == nil {
		return err
	}
	_, err = p.s.interact(ctx, app, payload)
	return err
}
