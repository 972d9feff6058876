package store

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
)

// AddTicket keeps a new native ticket of a request under a number that
// TicketNumbers gave.
func (tx *Tx) AddTicket(request desk.RequestID, t desk.Ticket) error {
	n, err := tx.Exec(`INSERT INTO tickets (account_id, request_id, type, number, key, url, form_id, created_at)
		SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM requests WHERE account_id = $1 AND id = $2`,
		tx.Account, request, t.Type, t.ID, t.Key, t.URL, t.Form, ms(t.CreatedAt))
	if err == nil && n == 0 {
		err = desk.Missing("Request")
	}
	if err != nil {
		return fmt.Errorf("add ticket: %w", err)
	}
	return nil
}

// TicketNumbers takes n native ticket numbers of an account and returns the
// first. Each is given once; those that nobody uses leave a gap. It is a
// transaction of its own: a counter in the one that makes a request would have
// all of an account's creations wait for each other.
func (s *Store) TicketNumbers(ctx context.Context, account desk.AccountID, n int64) (first int64, err error) {
	err = s.Write(ctx, account, func(tx *Tx) error {
		var next int64
		if err := tx.Row(`INSERT INTO ticket_numbers (account_id, next) VALUES ($1, $2 + 1)
			ON CONFLICT (account_id) DO UPDATE SET next = ticket_numbers.next + $2 RETURNING next`, account, n).Scan(&next); err != nil {
			return fmt.Errorf("take ticket numbers: %w", err)
		}
		first = next - n
		return nil
	})
	return first, err
}
