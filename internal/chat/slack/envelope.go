package slack

import (
	"encoding/json"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/remote"
)

// envelope is the body of Slack's call when something has happened.
type envelope struct {
	Type           string          `json:"type"`
	Challenge      string          `json:"challenge"`
	TeamID         string          `json:"team_id"`
	APIAppID       string          `json:"api_app_id"`
	EventTime      int64           `json:"event_time"`
	Event          json.RawMessage `json:"event"`
	Authorizations []struct {
		TeamID string `json:"team_id"`
		UserID string `json:"user_id"`
		IsBot  bool   `json:"is_bot"`
	} `json:"authorizations"`
}

// workspace returns the workspace through which we receive the event. In a channel
// that workspaces share, the envelope's own team is where it happened.
func (e *envelope) workspace() string {
	if len(e.Authorizations) > 0 && e.Authorizations[0].TeamID != "" {
		return e.Authorizations[0].TeamID
	}
	return e.TeamID
}

func (e *envelope) identity() identity {
	me := identity{app: e.APIAppID}
	if len(e.Authorizations) > 0 && e.Authorizations[0].IsBot {
		me.user = e.Authorizations[0].UserID
	}
	return me
}

// event returns what happened as a chat.Event. It returns false for an event that
// we do not need or cannot read. base returns the address of a workspace.
func (e *envelope) event(base func(workspace string) string) (chat.Event, bool) {
	var outer struct {
		Type    string `json:"type"`
		EventTS string `json:"event_ts"`
	}
	ev := chat.Event{System: system, Workspace: e.workspace()}
	if remote.ReadPatiently(e.Event, &outer) != nil || ev.Workspace == "" {
		return ev, false
	}
	if ev.At = timeOf(outer.EventTS); ev.At.IsZero() {
		ev.At = time.Unix(e.EventTime, 0).UTC()
	}
	h := &happening{raw: e.Event, me: e.identity(), base: base(ev.Workspace), kind: outer.Type, ts: outer.EventTS}
	return ev, h.read(&ev)
}
