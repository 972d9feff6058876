package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// Message is a message on the wire.
type Message struct {
	ID          desk.MessageID `json:"id"`
	Text        string         `json:"text"`
	HTMLBody    string         `json:"html_body"`
	Author      *string        `json:"author"`
	TS          string         `json:"ts"`
	ThreadTS    *string        `json:"thread_ts"`
	IsResponder bool           `json:"is_responder"`
	IsPrivate   bool           `json:"is_private"`
	Attachments []Attachment   `json:"attachments"`
	Email       *MessageEmail  `json:"email"`
	CreatedAt   Time           `json:"created_at"`
}

// Attachment is a file of a message.
type Attachment struct {
	ID   desk.AttachmentID `json:"id"`
	Name string            `json:"name"`
	Type string            `json:"type"`
	Size int64             `json:"size"`
}

// RequestMessage is a message on its own, with the request that it belongs to.
type RequestMessage struct {
	RequestID desk.RequestID `json:"request_id"`
	Message
}

// NewRequestMessage returns the wire form of a message on its own.
func NewRequestMessage(m desk.Message) RequestMessage {
	return RequestMessage{m.Request, NewMessage(m)}
}

// NewMessage returns the wire form of a message. Its HTML was sanitised when it
// came in. It is sanitised again here, because the row may be older than the rules,
// or not written by us. Every message passes through here on its way out.
func NewMessage(m desk.Message) Message {
	return Message{
		ID: m.ID, Text: m.Text, HTMLBody: markup.Outgoing(m.HTML), Author: orNull(m.Author.User), TS: m.TS(), ThreadTS: orNull(m.Thread),
		IsResponder: m.Responder, IsPrivate: m.Private, Attachments: desk.Each(m.Attachments, newAttachment), Email: NewMessageEmail(m.Email), CreatedAt: NewTime(m.CreatedAt),
	}
}

func newAttachment(a desk.Attachment) Attachment {
	return Attachment{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size}
}

// MessageMention is a message without its text.
type MessageMention struct {
	ID          desk.MessageID `json:"id"`
	RequestID   desk.RequestID `json:"request_id"`
	Author      *string        `json:"author"`
	IsResponder bool           `json:"is_responder"`
	IsPrivate   bool           `json:"is_private"`
	Attachments int            `json:"attachments"`
	CreatedAt   Time           `json:"created_at"`
	EditedAt    *Time          `json:"edited_at"`
}

// NewMessageMention returns the wire form of a message without its text.
func NewMessageMention(m desk.Message) MessageMention {
	return MessageMention{ID: m.ID, RequestID: m.Request, Author: orNull(m.Author.User), IsResponder: m.Responder, IsPrivate: m.Private,
		Attachments: len(m.Attachments), CreatedAt: NewTime(m.CreatedAt), EditedAt: optional(m.EditedAt)}
}
