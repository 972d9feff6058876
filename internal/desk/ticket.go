package desk

import "time"

// TicketType is the system of a ticket.
type TicketType string

// Native tickets are our own.
const Native TicketType = "native"

// Ticket is a record of a request in a ticket system. The first native ticket of a
// request has the request's own number and key.
type Ticket struct {
	ID        int64 // for a native ticket, its number within the account
	Type      TicketType
	Key       string
	URL       string
	Form      *TicketFormID // the form it was made with; nil for none
	CreatedAt time.Time
}

func (t Ticket) Named() (resource, id string) { return "Ticket", t.Key }
