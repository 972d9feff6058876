package chattest

import (
	"time"

	"frontdesk/internal/chat"
)

// World is a workspace of a chat system with a connector in it, and with
// people who use the system's own client. A connector's test fills it in, all
// of it.
type World struct {
	System    string // as events name it
	Workspace string // its id
	Bot       string // the id of the user as whom the connector acts
	Can       Abilities

	Connector chat.Connector
	// Restart makes another connector for the same installation, as a server
	// that was started anew would: it remembers nothing.
	Restart func() chat.Connector
	// Link is the chat.System's, for this installation.
	Link func(at chat.Ref, thread string) string
	// Linked likewise.
	Linked func(link string) (chat.Ref, error)
	// Inbox has what the connector's edge delivered: give it Inbox.Deliver.
	Inbox *Inbox
	// By lets us act as the first of People.
	By *chat.Credential

	// People are at least three. The first one runs the workspace.
	People []Person
	Office Office

	// Stranger has another program write in a channel that the bot is in. As far
	// as the system lets it, it forges the mark of a post of ours.
	Stranger func(channel, text, mark string) (chat.Ref, error)

	// Calls tells how often the system has been called by connectors so far.
	Calls func() int
	// Misbehave makes the system do so from now on, in this way alone. The zero
	// Fault makes it behave. While answers go wrong the suite has nobody act, so
	// it does not matter whether people suffer too.
	Misbehave func(Fault) error
	// Struck tells how often the fault in force has struck. Down need not count.
	Struck func() int
	// Expire lets so much time go by that a trigger is good no more.
	Expire func()
	// Uninstall takes the product out of the workspace, and Revoke takes By back.
	Uninstall, Revoke func() error
}

// Abilities are what not every system can do.
type Abilities struct {
	Marks      bool // a message carries the mark of its post
	FileMarks  bool // also one with files
	Personas   bool // a post can be shown under another name
	Colours    bool // a message can have a bar at its side
	EmptyFiles bool // a file may be without a byte
	Presence   bool // the connector is a chat.Presence
	Finds      bool // the connector is a chat.Finder
	Hides      bool // a private channel looks to strangers as if it were not there
}

// Person is somebody in the workspace with the system's own client.
type Person struct {
	ID, Name string
	Client
}

// Client is what a person can do. Texts are what they type and what they read:
// plain, without the system's markup.
type Client interface {
	// Say writes in a channel, or in the thread of a message of it.
	Say(channel, thread, text string, files ...File) (chat.Ref, error)
	Edit(at chat.Ref, text string) error
	Delete(at chat.Ref) error
	// React puts an emoji on a message, by its name, or takes it off.
	React(at chat.Ref, emoji string, on bool) error
	// Read is all that a channel shows to this person, threads included, the
	// oldest first.
	Read(channel string) ([]Shown, error)
	// Press presses the button with a label.
	Press(at chat.Ref, label string) error
	// Forms are those that this person has open.
	Forms() ([]ShownForm, error)
	// Submit fills in a form, by the labels of its inputs, and submits it.
	// Choices are made by their labels, people by their ids; what is not named
	// stays as it is. It gives what the form then says is wrong, by label.
	Submit(form string, filled map[string]string) (wrong map[string]string, err error)
	// Leave says that this person is away from now on, or is back. Only where
	// Abilities have Presence, and so Rest.
	Leave(away bool) error
	// Rest asks not to be disturbed from one moment to another.
	Rest(from, until time.Time) error
}

// Office is what somebody who runs a workspace can do.
type Office interface {
	// Invite adds somebody of the organisation, or a guest.
	Invite(name, email string, guest bool) (Person, error)
	Rename(user, name string) error
	Deactivate(user string) error
	// Team makes a team, or gives the one with an id other members.
	Team(id, name string, members ...string) (string, error)
	// Open makes a channel with these people in it, beside who runs the workspace.
	Open(name string, private bool, members ...string) (channel string, err error)
	RenameChannel(channel, name string) error
	Archive(channel string) error
	// Admit puts people, or the bot, into a channel.
	Admit(channel string, users ...string) error
}

// File is a file in a person's hands.
type File struct {
	Name    string
	Content []byte
}

// Shown is a message as a person sees it.
type Shown struct {
	chat.Ref
	Thread  string
	Author  string // the name it is shown under
	Text    string // everything that can be read in it but buttons
	Colour  string
	Buttons []ShownButton
	Files   []File
	Emoji   []string // their names, each once
	Only    bool     // nobody else sees it
}

// ShownButton is a button as a person sees it.
type ShownButton struct {
	Label string
	Style chat.ButtonStyle
}

// ShownForm is a form as a person sees it.
type ShownForm struct {
	ID     string
	Title  string
	Submit string
	Inputs []ShownInput
}

// ShownInput is an input with what is in it: of a choice its label, of a
// person the id.
type ShownInput struct {
	Label   string
	Value   string
	Options []string // their labels
}

// FaultKind is a way to misbehave.
type FaultKind string

const (
	// DropAnswer does what a call asks and cuts the connection, LateAnswer
	// answers after Delay, and ErrorAnswer says that something went wrong inside.
	DropAnswer  FaultKind = "drop_answer"
	LateAnswer  FaultKind = "late_answer"
	ErrorAnswer FaultKind = "error_answer"
	// RateLimit does nothing and asks for a pause of Delay, or the shortest that
	// the system can ask for.
	RateLimit FaultKind = "rate_limit"
	// Down answers nothing and tells nothing for Delay.
	Down FaultKind = "down"
	// DuplicateEvent tells everything twice, ReorderEvent after a random part of
	// Delay, DelayEvent after Delay, and LoseEvent does not tell.
	DuplicateEvent FaultKind = "duplicate_event"
	ReorderEvent   FaultKind = "reorder_event"
	DelayEvent     FaultKind = "delay_event"
	LoseEvent      FaultKind = "lose_event"
)

// Fault is how a system misbehaves.
type Fault struct {
	Kind FaultKind
	// Call has it strike one of the connectors' calls only, counted from now on:
	// 1 is the next. 0 is every one.
	Call int
	// Chance is how likely it strikes, from 0 to 1. 0 is always.
	Chance float64
	Delay  time.Duration
}
