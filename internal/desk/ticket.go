package desk

import (
	"fmt"
	"time"
)

// TicketType is the system that a ticket lives in.
type TicketType string

// Native tickets are our own.
const Native TicketType = "native"

// Ticket is a record of a request in a ticket system. A native one is the
// request's own number within the account.
type Ticket struct {
	ID        int64 // a native one's number within the account
	Type      TicketType
	Key       string
	URL       string
	Form      *TicketFormID // that it was made with; nil for none
	CreatedAt time.Time
}

// TicketKey is what a person calls a native ticket: ACME-17.
func TicketKey(prefix string, number int64) string { return fmt.Sprintf("%s-%d", prefix, number) }
