package slack

import (
	"cmp"
	"time"

	"frontdesk/internal/chat"
)

// interaction is the body of Slack's call when a person has used our button or
// form.
type interaction struct {
	Type string `json:"type"`
	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
	Trigger string `json:"trigger_id"`

	// For a button.
	Container struct {
		Type      string `json:"type"`
		Channel   string `json:"channel_id"`
		MessageTS string `json:"message_ts"`
		ThreadTS  string `json:"thread_ts"`
	} `json:"container"`
	Message struct {
		ThreadTS string `json:"thread_ts"`
	} `json:"message"`
	Actions []struct {
		Type     string `json:"type"`
		ActionID string `json:"action_id"`
		Value    string `json:"value"`
		TS       string `json:"action_ts"`
	} `json:"actions"`

	// For a form.
	View struct {
		CallbackID string `json:"callback_id"`
		State      string `json:"private_metadata"`
		Filled     struct {
			Values map[string]map[string]input `json:"values"` // by block and by action
		} `json:"state"`
	} `json:"view"`
}

// input is what was entered, in the field for its type.
type input struct {
	Value          string `json:"value"`
	SelectedUser   string `json:"selected_user"`
	SelectedOption struct {
		Value string `json:"value"`
	} `json:"selected_option"`
}

// event returns what was done as a chat.Event. It returns false for what we do not
// need. Slack reports the time only for a button.
func (i *interaction) event(now time.Time) (chat.Event, bool) {
	ev := chat.Event{System: system, Workspace: i.Team.ID, At: now}
	if i.Team.ID == "" || i.User.ID == "" {
		return ev, false
	}
	switch i.Type {
	case "block_actions":
		return ev, i.pressed(&ev)
	case "view_submission":
		ev.Submission = &chat.Submission{User: i.User.ID, Form: i.View.CallbackID, State: i.View.State, Values: i.values()}
		return ev, true
	}
	return ev, false
}

// pressed reads a button of a message, which may be in an attachment.
func (i *interaction) pressed(ev *chat.Event) bool {
	at := chat.Ref{Channel: i.Container.Channel, ID: i.Container.MessageTS}
	if len(i.Actions) == 0 || i.Actions[0].Type != "button" || at.Channel == "" || at.ID == "" {
		return false
	}
	a := i.Actions[0]
	if when := timeOf(a.TS); !when.IsZero() {
		ev.At = when
	}
	ev.Action = &chat.Action{User: i.User.ID, Button: a.ActionID, Value: a.Value, At: at,
		Thread: threadOf(at.ID, cmp.Or(i.Container.ThreadTS, i.Message.ThreadTS)), Trigger: i.Trigger}
	return true
}

func (i *interaction) values() map[string]string {
	values := map[string]string{}
	for _, block := range i.View.Filled.Values {
		for id, in := range block {
			if v := cmp.Or(in.Value, in.SelectedUser, in.SelectedOption.Value); v != "" {
				values[id] = v
			}
		}
	}
	return values
}
