// Package trackertest is the suite that every tracker passes. It knows trackers
// only by their interface, and a ticket system only as the people there use it:
// see World.
package trackertest

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// Open makes a world for a test, with nothing done in it, and takes it down when
// the test ends.
type Open func(t *testing.T) *World

// Run proves the promises of tracker.Tracker and tracker.System, each in a world of
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

// World is a place in a ticket system with a tracker in it, and with people who use
// the system's own pages. A tracker's test fills it in, all of it but what it cannot
// do. Mistakes in it end the test.
type World struct {
	System     tracker.System
	Credential tracker.Credential // a good one

	// States are those of a request that the system has a status for.
	States []desk.State
	// Missing are names and ids of which there is no ticket.
	Missing []string

	// Open has somebody there make a ticket.
	Open func(title string) Ticket
	// Say has somebody there comment, whose name and mail address are Author's. The
	// text is plain; it returns the comment's id. Private may be ignored without
	// Private below.
	Say    func(ticket, text string, private bool) (id string)
	Author tracker.Author
	// Read is what somebody there reads about a ticket, without what it began with;
	// the oldest first.
	Read func(ticket string) []Shown
	// Move has somebody there give a ticket a status for a state, one of States.
	// Where there are several it is not the first.
	Move func(ticket string, state desk.State)
	// Status is the id of the status that somebody there sees.
	Status func(ticket string) string
	// Delete takes a ticket away.
	Delete func(ticket string)
	// Close closes one for good. It is nil where nothing is.
	Close func(ticket string)
	// Private is whether a comment can be.
	Private bool

	// Revoke makes the credential no good.
	Revoke func()
	// Demote takes away what Watch needs. It is nil where nothing can.
	Demote func()
	// Misbehave makes a call go wrong, once: the nth from now on, 1 being the next.
	Misbehave func(f Fault, nth int)
	// Struck tells whether the last fault has struck; it never does later.
	Struck func() bool
	// Pause refuses all calls for a while.
	Pause func(time.Duration)

	// Watching are the addresses that are told, each as often as it is.
	Watching func() []string
	// Post is what becomes of what the system tells from now on.
	Post func(Post)
	// Settle waits until everything was told that is to be.
	Settle func()
}

// Ticket is a ticket as people there know it.
type Ticket struct {
	ID    string
	Name  string // what they call it
	Title string
}

// Shown is a comment as people there read it.
type Shown struct {
	ID      string
	Text    string
	Private bool
}

// Fault is how a call goes wrong.
type Fault int

const (
	LoseAnswer  Fault = iota // it is done, and the connection ends
	LoseCall                 // it is not done, and the connection ends
	ErrorAnswer              // it is not done, and the answer is that something is wrong inside
)

// Post is what becomes of what is told.
type Post int

const (
	Deliver Post = iota // as it should be
	Double              // everything twice
	Lose                // nothing
	Hold                // nothing for now
	Reverse             // what was held, the newest first; then as it should be
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

// restart makes another tracker, as a server that was started anew would.
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
