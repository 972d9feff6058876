package store

import (
	"fmt"

	"frontdesk/internal/desk"
)

// AddTicket inserts a new native ticket of a request, under the request's number or
// one from NextKeys.
func (tx *Tx) AddTicket(request desk.RequestID, t desk.Ticket) error {
	err := tx.knows(request)
	if err == nil {
		tx.touch(request)
		err = tx.Later(`INSERT INTO tickets (account_id, request_id, type, number, key, url, form_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			tx.Account, request, t.Type, t.ID, t.Key, t.URL, t.Form, ms(t.CreatedAt))
	}
	return wrap("add ticket", err)
}

// NextKeys takes the account's next n numbers, for requests and native tickets, and
// returns the first key. No number is used twice.
func (tx *Tx) NextKeys(n int) (first desk.Key, err error) {
	err = tx.Row(`INSERT INTO ticket_numbers (account_id, next) VALUES ($1, 1 + $2)
		ON CONFLICT (account_id) DO UPDATE SET next = ticket_numbers.next + $2
		RETURNING next - $2, (SELECT a.key_prefix FROM accounts a WHERE a.id = ticket_numbers.account_id)`, tx.Account, n).Scan(&first.Number, &first.Prefix)
	if err != nil {
		return first, fmt.Errorf("take numbers: %w", err)
	}
	return first, nil
}
