package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AddMessage adds a message by the caller to a request that they may see. It
// returns Refused if the request is closed, whatever the message says.
func (s *Service) AddMessage(ctx context.Context, c Caller, id desk.RequestID, n desk.NewMessage) (desk.Message, error) {
	return write(ctx, s, c, desk.AddMessage, func(tx *store.Tx) (desk.Message, error) {
		return s.change.CreateMessage(tx, c.Actor, c.reach(desk.AddMessage), id, n)
	})
}

// CheckAnswer reports whether AddMessage would refuse any message to a request. It
// is for callers who are about to send a lot.
func (s *Service) CheckAnswer(ctx context.Context, c Caller, id desk.RequestID) error {
	// Read it as lists do, because that form is cached for when the message comes.
	found, err := read(ctx, s, c, desk.AddMessage, func(tx *store.Tx) ([]desk.Request, error) {
		return tx.Rows([]desk.RequestID{id}, c.reach(desk.AddMessage), 0)
	})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return desk.Missing("Request")
	case found[0].Closed():
		return desk.ErrClosed
	}
	return nil
}
