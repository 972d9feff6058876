package desk

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
	SaidAt      time.Time // the same to the microsecond: messages are in its order, and then in that of their ids
	EditedAt    *time.Time
}

// TS is what the API calls a message by: its id in the chat system, or, while it
// stands nowhere there, one that is made in the same form from when it was said
// and from our own id. That makes it the only one in its request, and those that
// are made are in the order of the messages, as numbers and as texts. A message
// that is posted later has the chat system's from then on and is still found by
// the one that was made.
func (m Message) TS() string {
	if m.External != "" {
		return m.External
	}
	return madeTS(m.SaidAt, m.ID)
}

// madeTS is the time to the microsecond, as chat systems write it, and the id
// behind it. Ten digits hold every id there will be, and the length tells a made
// one from one of a chat system.
func madeTS(said time.Time, id MessageID) string {
	at := max(said.UnixMicro(), 0)
	return fmt.Sprintf("%010d.%06d%010d", at/1e6, at%1e6, id)
}

// MadeTS reads a ts that was made here; made is false for any other.
func MadeTS(ts string) (said time.Time, id MessageID, made bool) {
	seconds, behind, found := strings.Cut(ts, ".")
	if !found || len(behind) < 16 {
		return time.Time{}, 0, false
	}
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, 0, false
	}
	micros, err := strconv.ParseInt(behind[:6], 10, 64)
	if err != nil {
		return time.Time{}, 0, false
	}
	n, err := strconv.ParseInt(behind[6:], 10, 64)
	if err != nil {
		return time.Time{}, 0, false
	}
	said, id = time.Unix(s, micros*1000).UTC(), MessageID(n)
	return said, id, madeTS(said, id) == ts // what we would not write so is not ours
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
