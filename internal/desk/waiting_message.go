package desk

import "time"

const (
	// MostDelay is the maximum time before a message is sent.
	MostDelay = 60 * time.Second
	// MostWaiting bounds a member's messages that wait or could not be sent.
	MostWaiting = 50
	// KeptTaken is how long the files of a message that was taken back can be sent
	// with another.
	KeptTaken = 24 * time.Hour
)

type WaitingMessageID int64

// WaitingMessage is a message that will be sent in a moment. Until then its author
// can take it back. Nobody else sees it.
type WaitingMessage struct {
	ID      WaitingMessageID
	Request RequestID
	By      Actor
	HTML    string // in the product's HTML subset; empty if there are only files
	Thread  string // the thread to post into; empty for the request's own
	Private bool
	AsBot   bool
	State   *State // the request's new state, set in the same step
	Files   []WaitingFile

	CreatedAt time.Time
	SendAt    time.Time
	Failure   string     // why it could not be sent; empty if it was, or still may be
	SentAs    *MessageID // the sent message; nil until then
	TakenAt   *time.Time // when it was taken back; nil if it was not
}

func (w WaitingMessage) Named() (resource, id string) { return "WaitingMessage", FormatID(w.ID) }

type WaitingFileID int64

// WaitingFile is a file of a message that waits or was taken back.
type WaitingFile struct {
	ID WaitingFileID
	NewFile
}

// New returns the message to send.
func (w WaitingMessage) New() NewMessage {
	n := NewMessage{Thread: w.Thread, Private: w.Private, AsBot: w.AsBot, State: w.State}
	if w.HTML != "" {
		n.HTML = &w.HTML
	}
	for _, f := range w.Files {
		n.Files = append(n.Files, f.NewFile)
	}
	return n
}

// ErrTooManyWaiting is the error for a member with MostWaiting messages.
var ErrTooManyWaiting = Errorf(Refused, "You have %d messages that are waiting or could not be sent, which is the limit. Take one back first.", MostWaiting)

// ErrSent refuses to take back a message that was sent.
var ErrSent = Errorf(Refused, "The message has been sent and cannot be taken back.")
