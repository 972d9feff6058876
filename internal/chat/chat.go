// Package chat says what a chat system must do for us and what it reports: the
// Connector interface and its values. It follows the shape of no particular system:
// a message has an opaque id, and its text is HTML. It does no I/O.
package chat

import (
	"context"
	"io"

	"frontdesk/internal/desk"
)

// Connector talks to one workspace. It is safe for concurrent use and paces itself
// to the system's limits. Besides the errors that a method names, every method may
// return
//
//   - ErrLost if the workspace no longer lets us in,
//   - a desk.Error of kind Busy, with RetryAfter, if the system asks for longer
//     pauses than the context has time for,
//   - a desk.Error of kind Unavailable if it is not known what was done.
//
// Every call but Post can then simply be repeated. Post has its own way to be
// repeated.
type Connector interface {
	// Directory returns a page of the workspace's people, teams or channels. An
	// empty cursor starts at the first. The system decides the page size.
	Directory(ctx context.Context, part Part, cursor string) (Directory, error)
	// Join makes the bot a member of a channel; it may already be one. It returns
	// Forbidden if somebody has to invite it.
	Join(ctx context.Context, channel string) error
	// History returns a page of the messages of a channel or a thread, oldest
	// first.
	History(ctx context.Context, s Span) (History, error)
	// Post posts a message once, however often it is called with the same post. See
	// Post for how.
	Post(ctx context.Context, p Post) (Ref, error)
	// Edit replaces the content of one of our messages, or removes it if c is nil.
	// Removing a missing message is not an error.
	Edit(ctx context.Context, at Ref, c *Content) error
	// React adds the bot's reaction to a message, or removes it. Emoji are named
	// without colons: eyes. Doing it twice is not an error.
	React(ctx context.Context, at Ref, emoji string, on bool) error
	// File opens a file of a message. The caller closes it.
	File(ctx context.Context, id string) (io.ReadCloser, error)
	// Show opens a form for the person whose Action had the trigger. A trigger
	// works once, for a few seconds. After that Show returns Refused.
	Show(ctx context.Context, trigger string, f Form) error
}

// Presence is an optional ability of a Connector: it knows who prefers not to be
// disturbed. With a Connector that lacks it, everybody counts as present.
type Presence interface {
	// Absent returns which of the users are away or do not want to be disturbed
	// now. Users count as present if the system does not tell, if it does not know
	// them, or if they come after the first of very many. It returns the errors of
	// a Connector's methods.
	Absent(ctx context.Context, users []string) (map[string]bool, error)
}

// Finder is an optional ability of a Connector: it looks up one channel, which may
// be newer than the directory we last read.
type Finder interface {
	// Channel returns a channel that we can see. It returns NotFound for anything
	// else, and the errors of a Connector's methods.
	Channel(ctx context.Context, id string) (Channel, error)
}

// ErrLost says that the workspace no longer lets us in: the app was removed or its
// token was revoked. Somebody must connect it again.
var ErrLost = desk.Errorf(desk.Refused, "The chat system no longer accepts this connection. Connect it again.")

// System is a chat system that this server can be connected to.
type System interface {
	// Name returns the system's name in the API: slack.
	Name() string
	// AuthorizeURL returns where a person authorises us. They come back with the
	// state. It is empty if nobody can, as in a sandbox that is only for trying
	// things out.
	AuthorizeURL(state string) string
	// Exchange turns the code that a person comes back with into an installation.
	Exchange(ctx context.Context, code string) (Installation, error)
	// Connector talks to an installation's workspace.
	Connector(Installation) Connector
	// Link returns where people open a message; thread is the message's thread. It
	// makes no call, so it does not check that the message exists. It is empty if
	// the address is unknown: in an installation without a URL.
	Link(in Installation, at Ref, thread string) string
	// Linked returns the message that a link leads to, including one that a person
	// copied. It makes no call, so it does not check that the message exists. It
	// returns ErrNoLink, or ErrElsewhere for a message of another workspace.
	Linked(in Installation, link string) (Ref, error)
}

// Errors for a link that does not lead to a message in the workspace.
var (
	ErrNoLink    = desk.Errorf(desk.Invalid, "This is not the link of a message.")
	ErrElsewhere = desk.Errorf(desk.Invalid, "This is the link of a message in another workspace.")
)

// Installation is the product in a workspace, with its credentials.
type Installation struct {
	Workspace string // its id
	Name      string // its name
	URL       string // where people open it
	Bot       Credential
	Person    *Credential // of the person who installed it, if they let us act as them
}

// Credential lets us act as a user.
type Credential struct {
	User   string   `json:"user"` // the user in the workspace
	Token  string   `json:"token"`
	Scopes []string `json:"scopes"`
}
