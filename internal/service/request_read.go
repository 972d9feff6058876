package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// ReadRequest says that the caller has read what was said in a request so far.
func (s *Service) ReadRequest(ctx context.Context, c Caller, id desk.RequestID) (None, error) {
	return s.setRead(ctx, c, desk.ReadRequest, id, true)
}

// UnreadRequest has it be unread for the caller until they read it, also when
// they have said the last thing in it.
func (s *Service) UnreadRequest(ctx context.Context, c Caller, id desk.RequestID) (None, error) {
	return s.setRead(ctx, c, desk.UnreadRequest, id, false)
}

// setRead leaves no trace: what somebody has read is their own affair, and the
// log of it would be longer than that of everything else.
func (s *Service) setRead(ctx context.Context, c Caller, op desk.Operation, id desk.RequestID, read bool) (None, error) {
	if err := c.may(op); err != nil {
		return None{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (None, error) {
		if err := tx.HasRequest(id, c.reach(op)); err != nil {
			return None{}, err
		}
		return None{}, tx.SetRead(c.Actor.ID, id, read)
	})
}
