package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// WaitingMessage is a message that will be sent in a moment, or was taken back.
type WaitingMessage struct {
	ID          desk.WaitingMessageID `json:"id"`
	RequestID   desk.RequestID        `json:"request_id"`
	Text        string                `json:"text"`
	HTMLBody    string                `json:"html_body"`
	ThreadTS    *string               `json:"thread_ts"`
	IsPrivate   bool                  `json:"is_private"`
	PostAsBot   bool                  `json:"post_as_bot"`
	State       *desk.State           `json:"state"`
	Attachments []WaitingFile         `json:"attachments"`
	CreatedAt   Time                  `json:"created_at"`
	SendAt      Time                  `json:"send_at"`
	Error       *string               `json:"error"`
}

// WaitingFile is a file of the message. Another message can reuse it by this id.
type WaitingFile struct {
	ID   desk.WaitingFileID `json:"id"`
	Name string             `json:"name"`
	Type string             `json:"type"`
	Size int64              `json:"size"`
}

// NewWaitingMessage returns the wire form of a waiting message. Its HTML is
// sanitised again, like a message's.
func NewWaitingMessage(w desk.WaitingMessage) WaitingMessage {
	html := markup.Outgoing(w.HTML)
	return WaitingMessage{ID: w.ID, RequestID: w.Request, Text: markup.PlainText(html), HTMLBody: html, ThreadTS: orNull(w.Thread),
		IsPrivate: w.Private, PostAsBot: w.AsBot, State: w.State, CreatedAt: NewTime(w.CreatedAt), SendAt: NewTime(w.SendAt), Error: orNull(w.Failure),
		Attachments: desk.Each(w.Files, func(f desk.WaitingFile) WaitingFile {
			return WaitingFile{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size}
		})}
}

// WaitingMention is such a message without its text.
type WaitingMention struct {
	ID          desk.WaitingMessageID `json:"id"`
	RequestID   desk.RequestID        `json:"request_id"`
	IsPrivate   bool                  `json:"is_private"`
	Attachments int                   `json:"attachments"`
	CreatedAt   Time                  `json:"created_at"`
	SendAt      Time                  `json:"send_at"`
}

// NewWaitingMention returns the wire form of a waiting message without its text.
func NewWaitingMention(w desk.WaitingMessage) WaitingMention {
	return WaitingMention{ID: w.ID, RequestID: w.Request, IsPrivate: w.Private, Attachments: len(w.Files), CreatedAt: NewTime(w.CreatedAt), SendAt: NewTime(w.SendAt)}
}
