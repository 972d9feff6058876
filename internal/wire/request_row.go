package wire

import "frontdesk/internal/desk"

// RequestRow is what one reader sees of a request, in lists and by id. Events and
// the answers to changes do not have it, because they are for everybody.
type RequestRow struct {
	Unread      bool         `json:"unread"`
	Following   bool         `json:"following,omitempty"`
	Customer    *customerRef `json:"customer"`
	LastMessage *LastMessage `json:"last_message"`
	NextDue     *DueSLA      `json:"next_due"`
}

type customerRef struct {
	ID   desk.CustomerID `json:"id"`
	Name string          `json:"name"`
}

// LastMessage is the beginning of the last message.
type LastMessage struct {
	ID          desk.MessageID `json:"id"`
	Text        string         `json:"text"`
	Author      *string        `json:"author"`
	AuthorName  string         `json:"author_name"`
	IsResponder bool           `json:"is_responder"`
	IsPrivate   bool           `json:"is_private"`
	CreatedAt   Time           `json:"created_at"`
}

// DueSLA is the next SLA target that is due.
type DueSLA struct {
	Kind       desk.SLAKind `json:"kind"`
	DueAt      Time         `json:"due_at"`
	IsBreached bool         `json:"is_breached"`
}

// addRow adds what one reader sees of a request.
func (w *Request) addRow(r desk.Request) {
	row := r.Row
	w.RequestRow = &RequestRow{Unread: row.Unread, Following: row.Following}
	if r.Customer != nil {
		w.Customer = &customerRef{*r.Customer, row.CustomerName}
	}
	if m := row.Last; m != nil {
		w.LastMessage = &LastMessage{ID: m.ID, Text: m.Text, Author: orNull(m.Author.User), AuthorName: m.Author.Name,
			IsResponder: m.Responder, IsPrivate: m.Private, CreatedAt: NewTime(m.CreatedAt)}
	}
	if d := row.Due; d != nil {
		w.NextDue = &DueSLA{Kind: d.Kind, DueAt: NewTime(d.At), IsBreached: d.Breached}
	}
}
