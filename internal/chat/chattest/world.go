package chattest

import (
	"time"

	"frontdesk/internal/chat"
)

// World is a workspace of a chat system with a connector in it, and with people who
// use the system's own client. A connector's test sets every field.
type World struct {
	System    string // as events name it
	Workspace string // its id
	Bot       string // the id of the user that the connector acts as
	Can       Abilities

	Connector chat.Connector
	// Restart makes another connector for the same installation, as a restarted
	// server would: it remembers nothing.
	Restart func() chat.Connector
	// Link is the Link method of the chat.System, for this installation.
	Link func(at chat.Ref, thread string) string
	// Linked is its Linked method.
	Linked func(link string) (chat.Ref, error)
	// Inbox has what the connector's edge delivered. Pass Inbox.Deliver to the
	// edge.
	Inbox *Inbox
	// By lets us act as the first of People.
	By *chat.Credential

	// People has at least three people. The first one runs the workspace.
	People []Person
	Office Office

	// Stranger makes another program write in a channel that the bot is in. It
	// forges the mark of our post as far as the system allows.
	Stranger func(channel, text, mark string) (chat.Ref, error)

	// Calls returns how often connectors have called the system so far.
	Calls func() int
	// Misbehave makes the system misbehave in this way only, from now on. The zero
	// Fault makes it behave. Nobody acts in the suite while answers go wrong, so it
	// does not matter whether the fault affects people too.
	Misbehave func(Fault) error
	// Struck returns how often the current fault has struck. Down need not count.
	Struck func() int
	// Settle waits until the system has done every call that it has received, even if
	// the connector gave up on it. Answers that a fault holds back may be outstanding.
	Settle func() error
	// Expire lets enough time pass that a trigger is no longer valid.
	Expire func()
	// Uninstall removes the product from the workspace, and Revoke revokes By.
	Uninstall, Revoke func() error
}

// Abilities are what not every system can do.
type Abilities struct {
	Marks      bool // a message carries the mark of its post
	FileMarks  bool // a message with files carries it, too
	Personas   bool // a post can be shown under another name
	Colours    bool // a message can have a bar at its side
	EmptyFiles bool // a file may be empty
	Presence   bool // the connector is a chat.Presence
	Finds      bool // the connector is a chat.Finder
	Hides      bool // a private channel is invisible to outsiders
}

// Person is a person in the workspace with the system's own client.
type Person struct {
	ID, Name string
	Client
}

// Client is what a person can do. Texts are what they type and read: plain, without
// the system's markup.
type Client interface {
	// Say writes in a channel, or in the thread of one of its messages.
	Say(channel, thread, text string, files ...File) (chat.Ref, error)
	Edit(at chat.Ref, text string) error
	Delete(at chat.Ref) error
	// React adds an emoji to a message by its name, or removes it.
	React(at chat.Ref, emoji string, on bool) error
	// Read returns everything that a channel shows to this person, threads
	// included, oldest first.
	Read(channel string) ([]Shown, error)
	// Press presses the button with the label.
	Press(at chat.Ref, label string) error
	// Forms returns the forms that this person has open.
	Forms() ([]ShownForm, error)
	// Submit fills in a form by the labels of its inputs and submits it. Choices
	// are named by label and people by id. Inputs that are not named stay as they
	// are. It returns what the form then says is wrong, by label.
	Submit(form string, filled map[string]string) (wrong map[string]string, err error)
	// Leave says that this person is away from now on, or is back. Leave and Rest
	// need the Presence ability.
	Leave(away bool) error
	// Rest asks not to be disturbed between two moments.
	Rest(from, until time.Time) error
}

// Office is what a person who runs a workspace can do.
type Office interface {
	// Invite adds a person of the organisation, or a guest.
	Invite(name, email string, guest bool) (Person, error)
	Rename(user, name string) error
	Deactivate(user string) error
	// Team makes a team, or replaces the members of the one with the id.
	Team(id, name string, members ...string) (string, error)
	// Open makes a channel with these people and the person who runs the workspace.
	Open(name string, private bool, members ...string) (channel string, err error)
	RenameChannel(channel, name string) error
	Archive(channel string) error
	// Admit adds people, or the bot, to a channel.
	Admit(channel string, users ...string) error
}

// File is a file that a person has.
type File struct {
	Name    string
	Content []byte
}

// Shown is a message as a person sees it.
type Shown struct {
	chat.Ref
	Thread  string
	Author  string // the name it is shown under
	Text    string // everything one can read in it except buttons
	Colour  string
	Buttons []ShownButton
	Files   []File
	Emoji   []string // by name, each once
	Only    bool     // whether only this person sees it
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

// ShownInput is an input with its content: the label of a choice, the id of a
// person.
type ShownInput struct {
	Label   string
	Value   string
	Options []string // their labels
}

// FaultKind is a way to misbehave.
type FaultKind string

const (
	// DropAnswer does what a call asks and then cuts the connection. LateAnswer
	// answers after Delay. ErrorAnswer answers with an internal error.
	DropAnswer  FaultKind = "drop_answer"
	LateAnswer  FaultKind = "late_answer"
	ErrorAnswer FaultKind = "error_answer"
	// RateLimit does nothing and asks for a pause of Delay, or the shortest that
	// the system can ask for.
	RateLimit FaultKind = "rate_limit"
	// Down neither answers nor reports anything for Delay.
	Down FaultKind = "down"
	// DuplicateEvent reports everything twice, ReorderEvent after a random part of
	// Delay, DelayEvent after Delay, and LoseEvent not at all.
	DuplicateEvent FaultKind = "duplicate_event"
	ReorderEvent   FaultKind = "reorder_event"
	DelayEvent     FaultKind = "delay_event"
	LoseEvent      FaultKind = "lose_event"
)

// Fault is how a system misbehaves.
type Fault struct {
	Kind FaultKind
	// Call makes it strike only one of the connectors' calls, counted from now: 1
	// is the next. 0 means every call.
	Call int
	// Chance is the probability that it strikes, from 0 to 1. 0 means always.
	Chance float64
	Delay  time.Duration
}
