package rest

import (
	"context"
	"net/http"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// quietTracker is a ticket system for the stage. It accepts any token that begins
// with "good", and knows no ticket.
type quietTracker struct{ token string }

func (quietTracker) Name() string                                 { return "linear" }
func (quietTracker) Check(tracker.Credential) error               { return nil }
func (quietTracker) Tracker(c tracker.Credential) tracker.Tracker { return quietTracker{c.Token} }

func (quietTracker) Hear(string, http.Header, []byte, time.Time) (tracker.Heard, error) {
	return tracker.Heard{}, nil
}

func (t quietTracker) Place(context.Context) (tracker.Place, error) {
	if len(t.token) < 4 || t.token[:4] != "good" {
		return tracker.Place{}, tracker.ErrLost
	}
	return tracker.Place{ID: "acme", Name: "Acme Engineering", URL: "https://tickets.example/acme", User: "desk"}, nil
}

func (quietTracker) Ticket(context.Context, string) (tracker.Ticket, error) {
	return tracker.Ticket{}, desk.Missing("Ticket")
}

func (quietTracker) Comments(context.Context, string, string) (tracker.Comments, error) {
	return tracker.Comments{}, desk.Missing("Ticket")
}

func (quietTracker) Say(context.Context, string, tracker.Said) (string, error) {
	return "", desk.Missing("Ticket")
}

func (quietTracker) SetStatus(context.Context, string, desk.State) (tracker.Status, error) {
	return tracker.Status{}, desk.Missing("Ticket")
}

func (quietTracker) Watch(context.Context, string) (string, error) { return "", nil }
func (quietTracker) Unwatch(context.Context, string) error         { return nil }
