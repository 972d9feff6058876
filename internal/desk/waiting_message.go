package desk

import "time"

const (
	// MostDelay is how long a message may wait before it is said.
	MostDelay = 60 * time.Second
	// MostWaiting bounds the messages of a member that wait, or could not be said.
	MostWaiting = 50
	// KeptTaken is how long the files of a message that was taken back can be
	// sent with another.
	KeptTaken = 24 * time.Hour
)

// WaitingMessage is a message that its author has written and that is to be said
// in a moment, until when they can take it back. Nobody else sees it.
type WaitingMessage struct {
	ID      WaitingMessageID
	Request RequestID
	By      Actor
	HTML    string // in the product's own subset; empty where there are only files
	Thread  string // the thread to post into; empty for the request's own
	Private bool
	AsBot   bool
	State   *State // what the request's state is to be, in the same step
	Files   []WaitingFile

	CreatedAt time.Time
	SendAt    time.Time
	Failure   string     // why it could not be said; empty where it could, or may
	SentAs    *MessageID // what it became; nil until then
	TakenAt   *time.Time // when it was taken back; nil where it was not
}

// WaitingFile is a file of a message that waits, or was taken back.
type WaitingFile struct {
	ID WaitingFileID
	NewFile
}

// New is what is to be said.
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

// ErrSent refuses to take back what was said.
var ErrSent = Errorf(Refused, "The message has been sent and cannot be taken back.")
