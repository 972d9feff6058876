// Package chat is what a chat system must do for us and what it tells us: the
// Connector interface and its values. It has the shape of none of them: a
// message has an opaque id, and its text is HTML. It does no I/O.
package chat

import (
	"context"
	"io"

	"frontdesk/internal/desk"
)

// Connector talks to one workspace. It is safe for concurrent use and paces
// itself to what the system allows. Beside what a method names, every one
// gives
//
//   - ErrLost when the workspace no longer lets us in,
//   - a desk.Error of kind Busy, with RetryAfter, when the system wants longer
//     pauses than the context has time for,
//   - a desk.Error of kind Unavailable when it is not known what was done.
//
// Everything but Post may then simply be done again. Post has a way to be.
type Connector interface {
	// Directory is a page of the workspace's people, teams or channels, from the
	// first with an empty cursor on. A page has as many as the system gives.
	Directory(ctx context.Context, part Part, cursor string) (Directory, error)
	// Join makes the bot a member of a channel; it may be one. It gives
	// Forbidden where somebody has to invite it.
	Join(ctx context.Context, channel string) error
	// History is a page of the messages of a channel or a thread, oldest first.
	History(ctx context.Context, s Span) (History, error)
	// Post posts a message once, however often it is called with the same post:
	// see Post for what makes that so.
	Post(ctx context.Context, p Post) (Ref, error)
	// Edit gives a message of ours another content, or removes it where c is nil.
	// Removing what is not there is no error.
	Edit(ctx context.Context, at Ref, c *Content) error
	// React adds the bot's reaction to a message, or takes it away. Emoji have
	// their names, without colons: eyes. Doing it twice is no error.
	React(ctx context.Context, at Ref, emoji string, on bool) error
	// File opens a file that a message carries. Close it.
	File(ctx context.Context, id string) (io.ReadCloser, error)
	// Show opens a form for the person whose Action gave the trigger. A trigger
	// is good once, for a few seconds: Refused when it is too late.
	Show(ctx context.Context, trigger string, f Form) error
}

// Presence is what a Connector may know beside: who would rather not be
// disturbed. For one that is none, everybody is there.
type Presence interface {
	// Absent are those of some users who are away, or do not want to be disturbed
	// now. Whoever the system does not tell of is there: so are those that it
	// does not know, and of very many those behind the first. It gives the errors
	// of a Connector's methods.
	Absent(ctx context.Context, users []string) (map[string]bool, error)
}

// Finder is what a Connector may do beside: look up one channel, of which the
// directory that was read last may not know yet.
type Finder interface {
	// Channel is a channel that we can see. It gives NotFound for anything else, and
	// the errors of a Connector's methods.
	Channel(ctx context.Context, id string) (Channel, error)
}

// ErrLost says that the workspace no longer lets us in: the app was removed or
// its token revoked. Somebody must connect it again.
var ErrLost = desk.Errorf(desk.Refused, "The chat system no longer accepts this connection. Connect it again.")

// System is a chat system that this server can be connected to.
type System interface {
	// Name is the system's in the API: slack.
	Name() string
	// AuthorizeURL is where a person allows us in. They come back with the state.
	// Empty where nobody can: in a sandbox that is only there to be tried.
	AuthorizeURL(state string) string
	// Exchange makes an installation of the code that they come back with.
	Exchange(ctx context.Context, code string) (Installation, error)
	// Connector talks to an installation's workspace.
	Connector(Installation) Connector
	// Link is where people open a message; thread is the message's. Nobody is
	// asked, not even whether it is there. Empty where it is not known: in an
	// installation without a URL.
	Link(in Installation, at Ref, thread string) string
	// Linked is the message that such a link leads to, also one that a person
	// copied there. Nobody is asked, not even whether it is there. It gives
	// ErrNoLink, and ErrElsewhere for a message of another workspace.
	Linked(in Installation, link string) (Ref, error)
}

// What a link may be instead of one that leads to a message of a workspace.
var (
	ErrNoLink    = desk.Errorf(desk.Invalid, "This is not the link of a message.")
	ErrElsewhere = desk.Errorf(desk.Invalid, "This is the link of a message in another workspace.")
)

// Installation is the product in a workspace, with what lets it in.
type Installation struct {
	Workspace string // its id
	Name      string // its name
	URL       string // where people open it
	Bot       Credential
	Person    *Credential // of who installed it, where they let us act as them
}

// Credential lets us act as somebody.
type Credential struct {
	User   string   `json:"user"` // who that is in the workspace
	Token  string   `json:"token"`
	Scopes []string `json:"scopes"`
}
