package desk

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

type MessageID int64

// Message is something that was said in a request.
type Message struct {
	ID          MessageID
	Request     RequestID
	Author      Requester
	HTML        string // in the product's HTML subset
	Text        string // the same as plain text
	Responder   bool   // its author answers in the collection
	Private     bool   // a note that only the team sees
	Bot         bool   // written by a program
	Idle        bool   // it only thanks, greets or acknowledges
	Source      Source
	Channel     string // its channel in the chat system; empty if it is not there
	External    string // its id there
	Thread      string // the id of the thread's first message
	Attachments []Attachment
	Email       *MessageEmail // nil if no mail brought or carries it
	CreatedAt   time.Time
	SaidAt      time.Time // the same, in microseconds; messages are sorted by it, then by id
	EditedAt    *time.Time
}

func (m Message) Named() (resource, id string) { return "Message", FormatID(m.ID) }

// TS returns the API's name for a message: its id in the chat system. A message
// that is not there gets a made ts of the same form, from its time and our id. So
// it is unique in its request, and made ones sort in the order of the messages, as
// numbers and as strings. A message that is posted later gets the chat system's ts
// and is still found by the made one.
func (m Message) TS() string {
	if m.External != "" {
		return m.External
	}
	return madeTS(m.SaidAt, m.ID)
}

// madeTS returns the time in microseconds, as chat systems write it, followed by
// the id. Ten digits are enough for every id, and the length distinguishes a made
// ts from a chat system's.
func madeTS(said time.Time, id MessageID) string {
	at := max(said.UnixMicro(), 0)
	return fmt.Sprintf("%010d.%06d%010d", at/1e6, at%1e6, id)
}

// MadeTS parses a made ts. made is false for any other ts.
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
	return said, id, madeTS(said, id) == ts // not ours unless we would write it the same way
}

// NewMessage is a message that a member adds to a request.
type NewMessage struct {
	Body
	HTML    *string
	Thread  string // the thread to post into; empty for the request's own
	Private bool
	AsBot   bool
	State   *State // the request's new state, set in the same step
	Files   []NewFile
	Taken   []WaitingFileID // files of messages that the author has taken back
	// Seen is the newest message that the author has seen. If a colleague has answered
	// since, the message is refused. nil: that is not checked.
	Seen *MessageID
}

// AnsweredMeanwhile refuses a message because of an answer that its author has not
// seen.
func AnsweredMeanwhile(answer Message, now time.Time) error {
	who := cmp.Or(answer.Author.Name, answer.Author.Email, "Somebody in your team")
	e := Errorf(Conflict, "%s replied %s. Read it, then send.", who, ago(now.Sub(answer.CreatedAt)))
	e.Fields = []FieldError{{"seen_message_id", "is older than the answer " + FormatID(answer.ID)}}
	return e
}

// ago says how long ago something was, in its largest unit.
func ago(d time.Duration) string {
	for _, u := range []struct {
		name   string
		length time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		switch n := d / u.length; {
		case n == 1:
			return "1 " + u.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, u.name)
		}
	}
	return "just now"
}

// Check returns what is wrong with it.
func (n NewMessage) Check() error {
	p := n.problems()
	if n.HTML != nil && *n.HTML == "" {
		p.Add("html_body", "must have at least 1 character")
	}
	if n.HTML == nil && len(n.Files) == 0 {
		p.Add("html_body", "is required unless there is an attachment")
	}
	optionalOneOf(&p, "state", n.State, States...)
	return p.Err()
}
