// Package tracker is what another ticket system must do for us and what it tells
// us: the Tracker interface and its values. It has the shape of none of them: ids
// are opaque, and what people say is HTML. Handler takes what the systems send.
package tracker

import (
	"context"
	"net/http"
	"time"

	"frontdesk/internal/desk"
)

// Tracker talks to the place in a ticket system that an account is connected to.
// It is safe for concurrent use and paces itself to what the system allows. Beside
// what a method names, every one gives
//
//   - ErrLost when the system no longer lets us in,
//   - a desk.Error of kind NotFound when there is no such ticket,
//   - a desk.Error of kind Refused, with words for people, when the system will
//     not do it: a ticket that is closed for good hears nothing,
//   - a desk.Error of kind Busy, with RetryAfter, when the system wants longer
//     pauses than the context has time for,
//   - a desk.Error of kind Unavailable when it is not known what was done.
//
// Everything but Say may then simply be done again. Say has a way to be.
type Tracker interface {
	// Place is what the account is connected to. It is how a credential is tried.
	Place(ctx context.Context) (Place, error)
	// Ticket is a ticket as it is now. It is named as people there name it, or by
	// its id.
	Ticket(ctx context.Context, name string) (Ticket, error)
	// Comments is a page of what was said about a ticket, oldest first, from the
	// first with an empty cursor on. A page has as many as the system gives.
	Comments(ctx context.Context, ticket, cursor string) (Comments, error)
	// Say adds a comment once, however often it is called with the same one: see
	// Said for what makes that so. It returns the comment's id.
	Say(ctx context.Context, ticket string, s Said) (id string, err error)
	// SetStatus gives a ticket the status that means a state, unless it has one
	// that does. It returns the status that the ticket then has, which is another
	// where the system has none for that state.
	SetStatus(ctx context.Context, ticket string, state desk.State) (Status, error)
	// Watch has the system tell an address of ours when a ticket changes, and
	// returns what it will sign that with. It finds what it has set up before. It
	// gives Forbidden where the credential does not allow it.
	Watch(ctx context.Context, address string) (secret string, err error)
	// Unwatch ends what Watch began. Ending what is not there is no error.
	Unwatch(ctx context.Context, address string) error
}

// System is a ticket system that this server can be connected to.
type System interface {
	// Name is the system's in the API: zendesk.
	Name() string
	// Check says what a credential lacks, in the API's words.
	Check(Credential) error
	// Tracker talks to the place that a credential lets us into.
	Tracker(Credential) Tracker
	// Hear reads what the system sends to the address that Watch gave it. It gives
	// Forbidden for what was not signed with the secret, or too long ago, and Invalid
	// for what makes no sense.
	Hear(secret string, h http.Header, body []byte, now time.Time) (Heard, error)
}

// ErrLost says that the system no longer lets us in: the token was revoked.
// Somebody must connect it again.
var ErrLost = desk.Errorf(desk.Refused, "The ticket system no longer accepts this connection. Connect it again.")

// Credential lets us in.
type Credential struct {
	Domain string `json:"domain"` // the place, where the token does not say it: acme of acme.zendesk.com
	Email  string `json:"email"`  // whose token it is, where the system asks for that
	Token  string `json:"token"`
}

// Place is what an account is connected to.
type Place struct {
	ID   string // the system's name for it
	Name string
	URL  string // where people open it
	User string // who we are there
}

// Ticket is a ticket there, as it is now.
type Ticket struct {
	ID        string // for the system
	Key       string // for people: ENG-17
	URL       string
	Title     string
	Status    Status
	UpdatedAt time.Time
}

// Status is how a ticket stands there.
type Status struct {
	ID   string // for the system
	Name string // for people: In Review
	// Means are the states of a request that it is right for. It is never empty;
	// the first is what a request becomes that has none of them.
	Means []desk.State
}

// Comments is a page of comments. Next is the cursor behind it, also of the last
// page: what is said later is found from there on.
type Comments struct {
	Comments []Comment
	Next     string
	More     bool
}

// Comment is what somebody has said about a ticket there.
type Comment struct {
	ID      string
	Key     string // of Said, where we have said it and the system tells; else empty
	Author  Author
	HTML    string // as the system gives it: it is not clean
	Private bool   // not for who asked
	At      time.Time
}

// Author is who has said something there. Email is empty where it is not told.
type Author struct{ ID, Name, Email string }

// Said is a comment of ours. Two with the same Key are one.
type Said struct {
	Key     string // a random UUID, of version 4
	HTML    string // clean, in the subset of markup
	Private bool
	Again   bool // it may have been said before, and is looked for
}

// Heard is what a system tells: which of its tickets have changed, by their ids.
// How they have is for Ticket and Comments to say. A delivery that comes again has
// the same name.
type Heard struct {
	Delivery string
	Tickets  []string
}
