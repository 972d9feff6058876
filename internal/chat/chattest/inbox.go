package chattest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/chat"
)

const (
	// patience is how long a call may take.
	patience = 5 * time.Minute
	// arrival is how long the suite waits for something that must come. It is long
	// because a slow machine is not a failure.
	arrival = 5 * time.Minute
)

// Inbox collects what a connector's edge delivers. The zero Inbox is ready.
type Inbox struct {
	mu      sync.Mutex
	events  []chat.Event
	answer  func(chat.Event) error
	arrived chan struct{} // closed at the next arrival
}

// Deliver implements chat.Deliver.
func (in *Inbox) Deliver(_ context.Context, e chat.Event) error {
	in.mu.Lock()
	answer := in.answer
	in.mu.Unlock()
	var err error
	if answer != nil {
		err = answer(e)
	}
	// A refused event is not kept, because it must come again. A rejected form has
	// been dealt with.
	if rejected := (chat.Rejection)(nil); err != nil && !errors.As(err, &rejected) {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.events = append(in.events, e)
	if in.arrived != nil {
		close(in.arrived)
		in.arrived = nil
	}
	return err
}

// answers makes fn answer events from now on. nil accepts them all.
func (in *Inbox) answers(fn func(chat.Event) error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.answer = fn
}

// now returns what has arrived so far, and a channel that is closed at the next
// arrival.
func (in *Inbox) now() ([]chat.Event, <-chan struct{}) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.arrived == nil {
		in.arrived = make(chan struct{})
	}
	return in.events[:len(in.events):len(in.events)], in.arrived
}

// all returns the arrived events that match.
func (in *Inbox) all(match func(chat.Event) bool) []chat.Event {
	var found []chat.Event
	events, _ := in.now()
	for _, e := range events {
		if match(e) {
			found = append(found, e)
		}
	}
	return found
}

// await waits until done returns true for everything that has arrived.
func (in *Inbox) await(t *testing.T, what string, done func([]chat.Event) bool) {
	t.Helper()
	late := time.After(arrival)
	for {
		events, arrived := in.now()
		if done(events) {
			return
		}
		select {
		case <-arrived:
		case <-late:
			t.Fatalf("nothing told of %s within %v. What was told:\n%s", what, arrival, list(events))
		}
	}
}

// event waits for the first event that matches.
func (in *Inbox) event(t *testing.T, what string, match func(chat.Event) bool) (found chat.Event) {
	t.Helper()
	in.await(t, what, func(events []chat.Event) bool {
		for _, e := range events {
			if match(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// check reports problems that no event may have: a wrong workspace, a missing time,
// or not exactly one thing reported.
func (in *Inbox) check(t *testing.T, w *World) {
	t.Helper()
	events, _ := in.now()
	for _, e := range events {
		if e.System != w.System || e.Workspace != w.Workspace || e.At.IsZero() {
			t.Errorf("an event is of %q in %q at %v, want %q in %q and a time: %s", e.System, e.Workspace, e.At, w.System, w.Workspace, show(e))
		}
		if n := len(parts(e)); n != 1 {
			t.Errorf("an event tells %d things at once: %s", n, show(e))
		}
	}
}

// parts returns the things that an event reports.
func parts(e chat.Event) (told []string) {
	tell := func(is bool, name string, v any) {
		if is {
			told = append(told, fmt.Sprintf("%s%+v", name, v))
		}
	}
	tell(e.Message != nil, "Message", e.Message)
	tell(e.Removed != nil, "Removed", e.Removed)
	tell(e.Reacted != nil, "Reacted", e.Reacted)
	tell(e.User != nil, "User", e.User)
	tell(e.Team != nil, "Team", e.Team)
	tell(e.Changed != nil, "Changed", e.Changed)
	tell(e.Action != nil, "Action", e.Action)
	tell(e.Submission != nil, "Submission", e.Submission)
	tell(e.Lost != nil, "Lost", e.Lost)
	return told
}

func show(e chat.Event) string { return strings.Join(parts(e), " and ") }

func list(events []chat.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "\t%s\n", show(e))
	}
	return b.String()
}
