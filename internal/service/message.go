package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AddMessage adds a message to a request that the caller may see, as who calls.
// It gives Refused for one that is closed, whatever is said.
func (s *Service) AddMessage(ctx context.Context, c Caller, id desk.RequestID, n desk.NewMessage) (desk.Message, error) {
	if err := c.may(desk.AddMessage); err != nil {
		return desk.Message{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (desk.Message, error) {
		return s.change.AddMessage(tx, c.Actor, c.reach(desk.AddMessage), id, n)
	})
}

// CheckAnswer says whether AddMessage would refuse a message to a request,
// whatever is said, for who is about to send much.
func (s *Service) CheckAnswer(ctx context.Context, c Caller, id desk.RequestID) error {
	if err := c.may(desk.AddMessage); err != nil {
		return err
	}
	// As lists have it, which is kept for when the message comes.
	found, err := read(ctx, s, c, func(tx *store.Tx) ([]desk.Request, error) {
		return tx.Rows([]desk.RequestID{id}, c.reach(desk.AddMessage), 0)
	})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return desk.Missing("Request")
	case found[0].State != nil && *found[0].State == desk.Closed:
		return desk.ErrClosed
	}
	return nil
}
