package desk

import (
	"fmt"
	"time"
)

// TicketType is the system of a ticket.
type TicketType string

// Native tickets are our own.
const Native TicketType = "native"

// Ticket is a record of a request in a ticket system. A native ticket is the
// request's own number within the account.
type Ticket struct {
	ID        int64 // for a native ticket, its number within the account
	Type      TicketType
	Key       string
	URL       string
	Form      *TicketFormID // the form it was made with; nil for none
	CreatedAt time.Time
}

func (t Ticket) Named() (resource, id string) { return "Ticket", t.Key }

// TicketKey returns what people call a native ticket: ACME-17.
func TicketKey(prefix string, number int64) string { return fmt.Sprintf("%s-%d", prefix, number) }
