package desk

import "time"

// Message is something that was said in a request.
type Message struct {
	ID          MessageID
	Request     RequestID
	Author      Requester
	HTML        string // in the product's own subset
	Text        string // the same as plain text
	Responder   bool   // by somebody who answers in the collection
	Private     bool   // a note that only the team sees
	Bot         bool   // by a program
	Idle        bool   // only thanks, greets or acknowledges
	Source      Source
	Channel     string // where it stands in the chat system; empty for nowhere
	External    string // its id there
	Thread      string // that of the thread's first message
	Attachments []Attachment
	CreatedAt   time.Time
	EditedAt    *time.Time
}

// NewMessage is a message to be added to a request by a member.
type NewMessage struct {
	Body
	HTML    *string
	Thread  string // the thread to post into; empty for the request's own
	Private bool
	AsBot   bool
	State   *State // what the request's state is to be, in the same step
	Files   []NewFile
	Taken   []WaitingFileID // files of messages that the author has taken back
}

// Check says what is wrong with it.
func (n NewMessage) Check() error {
	if n.Problem != nil {
		return n.Problem
	}
	var p Problems
	if n.HTML != nil && *n.HTML == "" {
		p.Add("html_body", "must have at least 1 character")
	}
	if n.HTML == nil && len(n.Files) == 0 {
		p.Add("html_body", "is required unless there is an attachment")
	}
	if n.State != nil {
		OneOf(&p, "state", *n.State, States...)
	}
	return p.Err()
}
