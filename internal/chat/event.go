package chat

import (
	"context"
	"time"
)

// Deliver passes on what a system has reported. It returns when the result is on
// disk, and only then do we confirm it to the system. After an error the system
// reports it again.
type Deliver func(context.Context, Event) error

// Event is something that happened in a workspace. Exactly one of the pointers is
// set. The same event may be reported several times, late, out of order, or never.
type Event struct {
	System    string
	Workspace string
	At        time.Time

	Message    *Message // written or edited; see EditedAt
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

// Reacted is a reaction that was added or removed.
type Reacted struct {
	Ref
	User  string
	Emoji string
	On    bool
}

// Changed says that a part of the directory has changed, if the system does not
// report its new state.
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
	ID     string // which form: edit
	State  string // comes back with the Submission
	Title  string // at most 24 characters
	Submit string // the button's label
	Inputs []Input
}

// Input is one input of a form.
type Input struct {
	ID       string
	Label    string
	Kind     InputKind
	Value    string // its initial content: a text, an option's value, a user's id
	Options  []Option
	Optional bool
}

// InputKind says what can be entered.
type InputKind string

const (
	Line      InputKind = "line"
	Paragraph InputKind = "paragraph"
	Choice    InputKind = "choice"
	Person    InputKind = "person"
)

// Option is one choice.
type Option struct{ Value, Label string }

// Submission is a form that was filled in. Deliver may answer with a Rejection.
type Submission struct {
	User   string
	Form   string // its ID
	State  string
	Values map[string]string // by the inputs' IDs; empty ones are missing
}

// Rejection is an error that keeps a form open and says what is wrong, by the
// inputs' IDs.
type Rejection map[string]string

func (Rejection) Error() string { return "the form was rejected" }

// Lost says that the workspace no longer lets us in. Without users we have lost the
// bot, and with it everything. With users we have lost only the permission to act
// as them.
type Lost struct{ Users []string }
