package store

import (
	"fmt"

	"frontdesk/internal/desk"
)

// AddTicket inserts a new native ticket of a request, under a number from
// NextTicketNumbers.
func (tx *Tx) AddTicket(request desk.RequestID, t desk.Ticket) error {
	err := tx.knows(request)
	if err == nil {
		tx.touch(request)
		err = tx.Later(`INSERT INTO tickets (account_id, request_id, type, number, key, url, form_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			tx.Account, request, t.Type, t.ID, t.Key, t.URL, t.Form, ms(t.CreatedAt))
	}
	return wrap("add ticket", err)
}

// NextTicketNumbers takes the account's next n native ticket numbers and returns
// the first. No number is used twice.
func (tx *Tx) NextTicketNumbers(n int) (first int64, err error) {
	err = tx.Row(`INSERT INTO ticket_numbers (account_id, next) VALUES ($1, 1 + $2)
		ON CONFLICT (account_id) DO UPDATE SET next = ticket_numbers.next + $2 RETURNING next - $2`, tx.Account, n).Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("take ticket numbers: %w", err)
	}
	return first, nil
}
