// Package tracker defines what another ticket system must do for us and what it
// tells us: the Tracker interface and its types. It does not follow the shape of
// any one system. Ids are opaque, and comments are HTML. Handler receives what the
// systems send.
package tracker

import (
	"context"
	"net/http"
	"time"

	"frontdesk/internal/desk"
)

// Tracker talks to the place in a ticket system that an account is connected to. It
// is safe for concurrent use and stays within the rate limits of the system.
// Besides the errors that a method names, every method can return
//
//   - ErrLost if the system no longer accepts our credential,
//   - a desk.Error of kind NotFound if there is no such ticket,
//   - a desk.Error of kind Refused, with a text for people, if the system refuses.
//     For example, a ticket that is closed for good takes no comments.
//   - a desk.Error of kind Busy, with RetryAfter, if the system asks for a pause
//     that is longer than the context has left,
//   - a desk.Error of kind Unavailable if it is not known what was done.
//
// After such an error every call except Say can simply be repeated. For Say, see
// Said.
type Tracker interface {
	// Place returns the place that the account is connected to. It also serves to
	// test a credential.
	Place(ctx context.Context) (Place, error)
	// Ticket returns the current state of a ticket. name is what people there call
	// it, or its id.
	Ticket(ctx context.Context, name string) (Ticket, error)
	// Comments returns a page of a ticket's comments, oldest first. An empty cursor
	// means the first page. The system decides how long a page is.
	Comments(ctx context.Context, ticket, cursor string) (Comments, error)
	// Say adds a comment exactly once, however often it is called with the same
	// one. See Said for how. It returns the comment's id.
	Say(ctx context.Context, ticket string, s Said) (id string, err error)
	// SetStatus gives a ticket a status that means state, unless it already has
	// one. It returns the resulting status. This has another meaning if the system
	// has no status for that state.
	SetStatus(ctx context.Context, ticket string, state desk.State) (Status, error)
	// Watch asks the system to notify our address when a ticket changes. It returns
	// the secret for the signatures. It reuses an earlier subscription. It returns
	// Forbidden if the credential does not allow it.
	Watch(ctx context.Context, address string) (secret string, err error)
	// Unwatch ends what Watch began. It is no error if there is nothing to end.
	Unwatch(ctx context.Context, address string) error
}

// System is a ticket system that this server can be connected to.
type System interface {
	// Name is the system's name in the API, such as zendesk.
	Name() string
	// Check returns an error that says what is wrong with a credential, in the
	// API's words.
	Check(Credential) error
	// Tracker returns a tracker for the place that a credential gives access to.
	Tracker(Credential) Tracker
	// Hear parses what the system sends to the address that Watch gave it. It
	// returns Forbidden if the secret did not sign the call, or too long ago, and
	// Invalid if the call makes no sense.
	Hear(secret string, h http.Header, body []byte, now time.Time) (Heard, error)
}

// ErrLost says that the system no longer accepts our credential, because the token
// was revoked. Somebody must connect it again.
var ErrLost = desk.Errorf(desk.Refused, "The ticket system no longer accepts this connection. Connect it again.")

// Credential gives access to a place.
type Credential struct {
	Domain string `json:"domain"` // the place, if the token does not identify it: acme for acme.zendesk.com
	Email  string `json:"email"`  // the owner of the token, if the system asks for it
	Token  string `json:"token"`
}

// Place is what an account is connected to.
type Place struct {
	ID   string // the system's name for it
	Name string
	URL  string // where people open it
	User string // our user there
}

// Ticket is the current state of a ticket there.
type Ticket struct {
	ID        string // for the system
	Key       string // for people: ENG-17
	URL       string
	Title     string
	Status    Status
	UpdatedAt time.Time
}

// Status is the status of a ticket there.
type Status struct {
	ID   string // for the system
	Name string // for people: In Review
	// Means are the states of a request that match this status. It is never empty.
	// A request with none of these states gets the first one.
	Means []desk.State
}

// Comments is a page of comments. Next is the cursor after it. The last page has
// one too, to find comments that are added later.
type Comments struct {
	Comments []Comment
	Next     string
	More     bool
}

// Comment is a comment on a ticket there.
type Comment struct {
	ID      string
	Key     string // the key of Said, if the comment is ours and the system tells; otherwise empty
	Author  Author
	HTML    string // as the system returns it, not sanitised
	Private bool   // hidden from the requester
	At      time.Time
}

// Author is the author of a comment there. Email is empty if the system does not
// tell.
type Author struct{ ID, Name, Email string }

// Said is a comment of ours. Two with the same Key are the same comment.
type Said struct {
	Key     string // a random UUID, version 4
	HTML    string // sanitised, in the subset of markup
	Private bool
	Again   bool // it may have been added before, so look for it first
}

// Heard is a notification of a system. It has the ids of the tickets that have
// changed. Ticket and Comments return what has changed. A repeated delivery has the
// same name.
type Heard struct {
	Delivery string
	Tickets  []string
}
