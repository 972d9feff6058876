package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// MessageEmail is what a message shows of its mail.
type MessageEmail struct {
	Direction  desk.EmailDirection `json:"direction"`
	Status     desk.EmailStatus    `json:"status"`
	From       string              `json:"from"`
	To         []string            `json:"to"`
	CC         []string            `json:"cc"`
	Subject    string              `json:"subject"`
	Error      *string             `json:"error"`
	Recipients []EmailRecipient    `json:"recipients"`
}

// EmailRecipient is one copy of a mail.
type EmailRecipient struct {
	Email  string           `json:"email"`
	Status desk.EmailStatus `json:"status"`
	Error  *string          `json:"error"`
}

// NewMessageEmail returns the wire form of a message's mail, or nil for none.
func NewMessageEmail(e *desk.MessageEmail) *MessageEmail {
	if e == nil {
		return nil
	}
	return &MessageEmail{Direction: e.Direction, Status: e.Status, From: e.From, To: orEmpty(e.To), CC: orEmpty(e.Cc), Subject: e.Subject, Error: orNull(e.Error),
		Recipients: desk.Each(e.Recipients, newEmailRecipient)}
}

func newEmailRecipient(r desk.EmailRecipient) EmailRecipient {
	return EmailRecipient{Email: r.Email, Status: r.Status, Error: orNull(r.Error)}
}

// Email returns what the wire form says.
func (w MessageEmail) Email() desk.MessageEmail {
	e := desk.MessageEmail{Direction: w.Direction, Status: w.Status, From: w.From, To: w.To, Cc: w.CC, Subject: w.Subject, Error: orBlank(w.Error)}
	for _, r := range w.Recipients {
		e.Recipients = append(e.Recipients, desk.EmailRecipient{Email: r.Email, Status: r.Status, Error: orBlank(r.Error)})
	}
	return e
}

func orBlank(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Participant is somebody who takes part in a request by mail.
type Participant struct {
	Email  string                 `json:"email"`
	Name   *string                `json:"name"`
	Role   desk.ParticipantRole   `json:"role"`
	Status desk.ParticipantStatus `json:"status"`
}

// NewParticipant returns the wire form of a participant.
func NewParticipant(p desk.Participant) Participant {
	return Participant{Email: p.Email, Name: orNull(p.Name), Role: p.Role, Status: p.Status}
}

// RequestParticipant is a participant on their own, with the request that they take
// part in.
type RequestParticipant struct {
	RequestID desk.RequestID `json:"request_id"`
	Participant
}

// NewRequestParticipant returns the wire form of a participant on their own.
func NewRequestParticipant(p desk.Participant) RequestParticipant {
	return RequestParticipant{p.Request, NewParticipant(p)}
}

// ReceivedEmail is a mail as it came, made safe to show.
type ReceivedEmail struct {
	From    string   `json:"from"`
	To      []string `json:"to"`
	CC      []string `json:"cc"`
	Subject string   `json:"subject"`
	Date    *Time    `json:"date"`
	HTML    string   `json:"html"`
	Text    string   `json:"text"`
}

// NewReceivedEmail returns the wire form of a mail. Like that of a message, its HTML is
// sanitised on its way out.
func NewReceivedEmail(e desk.ReceivedEmail) ReceivedEmail {
	return ReceivedEmail{From: e.From, To: orEmpty(e.To), CC: orEmpty(e.Cc), Subject: e.Subject, Date: optional(e.Date), HTML: markup.Outgoing(e.HTML), Text: e.Text}
}
