package chat

import (
	"io"
	"time"
)

// Ref names a message.
type Ref struct {
	Channel string
	ID      string // unique in its channel, and nothing more: neither a time nor an order
}

// Message is a message as the system tells it.
type Message struct {
	Ref
	Thread    string // the id of the message it answers; empty at the top level
	Author    string // the id of the user; empty where there is none
	Bot       bool   // written by a program, perhaps in a person's name
	Own       bool   // written by us
	Mark      string // of our Post, where the system carries it along
	HTML      string
	Files     []File
	Reactions []Reaction // only in History
	Replies   int        // only in History, and only at the top level
	LastReply string     // its id, likewise
	At        time.Time
	EditedAt  time.Time // zero: never
	Link      string    // where people open it
}

// File is a file that a message carries. Connector.File opens it.
type File struct {
	ID   string
	Name string
	Type string // its media type, as the system believes
	Size int64
}

// Reaction is an emoji under a message.
type Reaction struct {
	Emoji string
	Users []string // perhaps not all of very many
	Count int
}

// Span is a part of a channel's or a thread's messages.
type Span struct {
	Channel string
	Thread  string // its messages, the first one included; empty for the channel's top level
	After   string // the id of a message: those behind it. Empty from the beginning.
	// Since is the moment at which, or after which, they were said; zero from the
	// beginning. With After, both hold.
	Since time.Time
	Limit int // at most so many; 0 is as many as the system gives
	// Newest asks for the last messages of the channel's top level: with nothing
	// but Channel and Limit.
	Newest bool
}

// History is a page of messages, oldest first. The next begins after the last;
// of the newest ones there is none, and More says that older ones may be there:
// where it is not set, there are none.
type History struct {
	Messages []Message
	More     bool
}

// Content is what a message shows.
type Content struct {
	HTML    string
	Fields  []Field  // shown as a small table below
	Colour  string   // #rrggbb, of a bar at the side; empty for none
	Buttons []Button // shown in a row below that
	Footer  string   // HTML, shown small at the end; empty for none
}

// Field is a name and its value, both plain text.
type Field struct{ Name, Value string }

// Button is something to press. Who does causes an Action.
type Button struct {
	ID    string // which of the buttons: take
	Label string
	Value string      // comes back with the Action
	Style ButtonStyle // the zero value is an ordinary one
}

// ButtonStyle says how a button looks.
type ButtonStyle string

const (
	Primary ButtonStyle = "primary"
	Danger  ButtonStyle = "danger"
)

// Post is a message to be posted once. After a try whose outcome is not known,
// or a crash, it is posted again with the same Mark, with Tried set, and with
// what Keep was last given in Kept. The connector then looks for what the
// earlier try has done and adopts it. Not sooner than the earlier try's
// deadline: until then it may still be on its way.
type Post struct {
	Channel string
	Thread  string // the id of the message to answer; empty at the top level
	User    string // instead of a channel: their direct messages with the bot
	Only    string // in a channel, seen by this user alone, and for a while only; never adopted
	Content
	Files  []Upload
	As     *Persona // shown as the author, where the system can
	By     *Credential
	Unfurl Unfurl

	Mark  string    // names this post among all of ours; required
	Tried time.Time // when it was first tried; zero: never
	Kept  string
	// Keep puts down what a later try needs to know, before the step that it
	// could not know of otherwise. May be nil where there are no files.
	Keep func(kept string) error
}

// Upload is a file to be posted. Open is called once a try.
type Upload struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error)
}

// Persona is how an author is shown.
type Persona struct{ Name, Avatar string }

// Unfurl says which addresses in a message show what is behind them.
type Unfurl struct{ Links, Media bool }
