// Package trackertest is the test suite that every tracker must pass. It knows
// trackers only by their interface, and a ticket system only as the people there
// use it; see World.
package trackertest

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// Open makes a fresh world for a test, and removes it when the test ends.
type Open func(t *testing.T) *World

// Run tests the promises of tracker.Tracker and tracker.System, each in a world of
// its own.
func Run(t *testing.T, open Open) {
	for _, p := range []struct {
		name  string
		prove func(*room)
	}{
		{"place", place},
		{"ticket/by name and id", ticketByName},
		{"ticket/not found", ticketNotFound},

		{"status/read", statusRead},
		{"status/set", statusSet},
		{"status/left alone", statusLeftAlone},
		{"status/at each step", statusAtEachStep},

		{"comments/content", commentsContent},
		{"comments/each once", commentsEachOnce},
		{"comments/while reading", commentsWhileReading},
		{"comments/private", commentsPrivate},
		{"comments/hostile text", commentsHostile},

		{"say", say},
		{"say/hostile text", sayHostile},
		{"say/private", sayPrivate},
		{"say/same words", saySameWords},
		{"say/after success", sayAfterSuccess},
		{"say/far behind", sayFarBehind},
		{"say/answer lost at each step", func(r *room) { sayAtEachStep(r, LoseAnswer) }},
		{"say/never arrived", func(r *room) { sayAtEachStep(r, LoseCall) }},
		{"say/error at each step", func(r *room) { sayAtEachStep(r, ErrorAnswer) }},
		{"say/closed", sayClosed},
		{"say/many at a time", sayMany},

		{"watch/heard", watchHeard},
		{"watch/twice", watchTwice},
		{"watch/at each step", watchAtEachStep},
		{"watch/two addresses", watchTwoAddresses},
		{"watch/unwatch", unwatch},
		{"watch/told again", watchToldAgain},
		{"watch/forged", watchForged},
		{"watch/forbidden", watchForbidden},
		{"watch/lost", watchLost},

		{"error/check", check},
		{"error/not found", errorNotFound},
		{"error/lost", errorLost},
		{"error/busy", errorBusy},
		{"error/pause", errorPause},
		{"error/unknown outcome", errorUnknown},
		{"error/cancelled", errorCancelled},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.prove(enter(t, open))
		})
	}
}

// World is a place in a ticket system, with a tracker and with people who use the
// system's own pages. The test of a tracker sets every field except those for what
// the system cannot do. Mistakes in it end the test.
type World struct {
	System     tracker.System
	Credential tracker.Credential // a valid one

	// States are the states of a request that the system has a status for.
	States []desk.State
	// Missing are names and ids that no ticket has.
	Missing []string

	// Open creates a ticket as a person there.
	Open func(title string) Ticket
	// Say adds a comment as a person there, whose name and email address are
	// Author's. The text is plain. Say returns the comment's id. It may ignore
	// private unless Private below is set.
	Say    func(ticket, text string, private bool) (id string)
	Author tracker.Author
	// Read returns the comments that a person there sees on a ticket, oldest first,
	// without its description.
	Read func(ticket string) []Shown
	// Move gives a ticket a status for a state, one of States, as a person there.
	// If there are several, it is not the first.
	Move func(ticket string, state desk.State)
	// Status returns the id of the status that people there see.
	Status func(ticket string) string
	// Delete deletes a ticket.
	Delete func(ticket string)
	// Close closes a ticket for good. It is nil if the system cannot do this.
	Close func(ticket string)
	// Private says whether a comment can be private.
	Private bool

	// Revoke makes the credential invalid.
	Revoke func()
	// Demote takes away the permission that Watch needs. It is nil if the system
	// cannot do this.
	Demote func()
	// Misbehave makes one call fail: the nth from now, where 1 is the next.
	Misbehave func(f Fault, nth int)
	// Struck reports whether the last fault has happened. If not, it never will.
	Struck func() bool
	// Pause makes the system refuse all calls for a while.
	Pause func(time.Duration)

	// Watching returns the addresses that are notified, each as often as it is.
	Watching func() []string
	// Post sets how later notifications are delivered.
	Post func(Post)
	// Settle waits until all pending notifications are delivered.
	Settle func()
}

// Ticket is a ticket as people there know it.
type Ticket struct {
	ID    string
	Name  string // what they call it
	Title string
}

// Shown is a comment as people there see it.
type Shown struct {
	ID      string
	Text    string
	Private bool
}

// Fault is a way for a call to fail.
type Fault int

const (
	LoseAnswer  Fault = iota // it is done, but the connection ends
	LoseCall                 // it is not done, and the connection ends
	ErrorAnswer              // it is not done, and the answer is an internal error
)

// Post is a way to deliver notifications.
type Post int

const (
	Deliver Post = iota // normally
	Double              // everything twice
	Lose                // nothing
	Hold                // nothing for now
	Reverse             // the held ones, newest first; then normally
)

// room is a world, a tracker and a ticket.
type room struct {
	*World
	t       *testing.T
	ctx     context.Context
	tracker tracker.Tracker
	ticket  Ticket
}

func enter(t *testing.T, open Open) *room {
	t.Helper()
	w := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	r := &room{World: w, t: t, ctx: ctx, ticket: w.Open("Printer")}
	r.restart()
	return r
}

// restart makes a new tracker, as after a restart of the server.
func (r *room) restart() { r.tracker = r.System.Tracker(r.Credential) }

func (r *room) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// kind expects an error of a kind, with a sentence for people.
func (r *room) kind(what string, err error, kind desk.Kind) {
	r.t.Helper()
	if e := (*desk.Error)(nil); !as(err, &e) || e.Kind != kind || e.Message == "" {
		r.t.Errorf("%s: got %v, want kind %d", what, err, kind)
	}
}
