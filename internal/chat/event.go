package chat

import (
	"context"
	"time"
)

// Deliver hands on what a system has told us. It returns when what follows is
// on disk: only then is the system told that we have it. An error has it told
// again.
type Deliver func(context.Context, Event) error

// Event is something that happened in a workspace. Exactly one of the pointers
// is set. The same happening may be told several times, late, out of order, or
// never.
type Event struct {
	System    string
	Workspace string
	At        time.Time

	Message    *Message // written, or edited: EditedAt
	Removed    *Removed
	Reacted    *Reacted
	User       *User
	Team       *Team
	Changed    *Changed
	Action     *Action
	Submission *Submission
	Lost       *Lost
}

// Removed is a message that was removed.
type Removed struct {
	Ref
	Thread string
}

// Reacted is a reaction that was added or taken away.
type Reacted struct {
	Ref
	User  string
	Emoji string
	On    bool
}

// Changed says that a part of the directory has changed, where the system does
// not tell how it is now.
type Changed struct{ Part Part }

// Action is a button that was pressed.
type Action struct {
	User    string
	Button  string // its ID
	Value   string
	At      Ref    // the message with the button
	Thread  string // of that message
	Trigger string // lets Show open a form
}

// Form is a dialogue.
type Form struct {
	ID     string // which of the forms: edit
	State  string // comes back with the Submission
	Title  string // at most 24 characters
	Submit string // the label of the button
	Inputs []Input
}

// Input is a part of a form.
type Input struct {
	ID       string
	Label    string
	Kind     InputKind
	Value    string // what is in it at first: a text, an option's value, a user's id
	Options  []Option
	Optional bool
}

// InputKind is what can be put in.
type InputKind string

const (
	Line      InputKind = "line"
	Paragraph InputKind = "paragraph"
	Choice    InputKind = "choice"
	Person    InputKind = "person"
)

// Option is one thing to choose.
type Option struct{ Value, Label string }

// Submission is a form that was filled in. Deliver may answer with a Rejection.
type Submission struct {
	User   string
	Form   string // its ID
	State  string
	Values map[string]string // by the inputs' IDs; those left empty are not there
}

// Rejection is an error that keeps a form open and says what is wrong: by the
// inputs' IDs.
type Rejection map[string]string

func (Rejection) Error() string { return "the form was rejected" }

// Lost says that the workspace no longer lets us in. Without users it is the
// bot, and with it everything; else only those whom we could act as.
type Lost struct{ Users []string }
