package chat

import (
	"io"
	"time"
)

// Ref names a message.
type Ref struct {
	Channel string
	ID      string // unique in its channel; says nothing about time or order
}

// Message is a message as the system reports it.
type Message struct {
	Ref
	Thread string // the id of the message it answers; empty at the top level
	Author string // the user's id; empty if there is none
	// Shown is how the system shows the author, where that differs from the author's
	// own name and avatar: a post of ours in somebody's name, another program's. Its
	// fields are empty where the author's own are shown.
	Shown     Persona
	Bot       bool   // written by a program, perhaps in a person's name
	Own       bool   // written by us
	Mark      string // of our Post, if the system keeps it with the message
	HTML      string
	Files     []File
	Reactions []Reaction // only in History
	Replies   int        // only in History, and only at the top level
	LastReply string     // its id; only in History, and only at the top level
	At        time.Time
	EditedAt  time.Time // zero: never
	Link      string    // where people open it
}

// File is a file that a message carries. Connector.File opens it.
type File struct {
	ID   string
	Name string
	Type string // its media type, according to the system
	Size int64
}

// Reaction is an emoji under a message.
type Reaction struct {
	Emoji string
	Users []string // may be incomplete if there are very many
	Count int
}

// Span is a part of a channel's or a thread's messages.
type Span struct {
	Channel string
	Thread  string // the messages of this thread, including the first; empty for the channel's top level
	After   string // only messages after this id; empty for all
	// Since limits the span to messages said at that moment or later; zero means
	// all. With After, both apply.
	Since time.Time
	Limit int // the maximum number; 0 leaves it to the system
	// Newest asks for the last messages of the channel's top level. Only Channel
	// and Limit may be set with it.
	Newest bool
}

// History is a page of messages, oldest first. The next page begins after the last
// message. The newest messages have no next page; for them More says that there may
// be older ones, and if it is not set there are none.
type History struct {
	Messages []Message
	More     bool
}

// Content is what a message shows.
type Content struct {
	HTML    string
	Fields  []Field  // shown as a small table below
	Colour  string   // #rrggbb of a bar at the side; empty for none
	Buttons []Button // shown in a row below that
	Footer  string   // HTML, shown small at the end; empty for none
}

// Field is a name and its value, both plain text.
type Field struct{ Name, Value string }

// Button is a button. Pressing it causes an Action.
type Button struct {
	ID    string // which button: take
	Label string
	Value string      // comes back with the Action
	Style ButtonStyle // the zero value is an ordinary button
}

// ButtonStyle says how a button looks.
type ButtonStyle string

const (
	Primary ButtonStyle = "primary"
	Danger  ButtonStyle = "danger"
)

// Post is a message to be posted once. After a crash, or a try whose outcome is not
// known, it is posted again with the same Mark, with Tried set, and with the last
// argument of Keep in Kept. The connector then looks for the result of the earlier
// try and adopts it. Do not post again before the earlier try's deadline, because
// until then it may still be on its way.
type Post struct {
	Channel string
	Thread  string // the id of the message to answer; empty at the top level
	User    string // instead of a channel: their direct messages with the bot
	Only    string // in a channel, visible only to this user, and only for a while; never adopted
	Content
	Files  []Upload
	As     *Persona // shown as the author, if the system can do so
	By     *Credential
	Unfurl Unfurl

	Mark  string    // identifies this post among all of ours; required
	Tried time.Time // when it was first tried; zero: never
	Kept  string
	// Keep stores what a later try needs to know, before the step that it could not
	// find out about otherwise. It may be nil if there are no files.
	Keep func(kept string) error
}

// Upload is a file to post. Open is called once per try.
type Upload struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error)
}

// Persona is how an author is shown.
type Persona struct{ Name, Avatar string }

// Unfurl says which links in a message show a preview.
type Unfurl struct{ Links, Media bool }
