package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/notify"
	"frontdesk/internal/store"
)

// ReadRequest records that the caller has read everything said in a request so far.
func (s *Service) ReadRequest(ctx context.Context, c Caller, id desk.RequestID) (None, error) {
	return s.setRead(ctx, c, desk.ReadRequest, id, true)
}

// UnreadRequest marks a request as unread for the caller until they read it, even
// if the last message is their own.
func (s *Service) UnreadRequest(ctx context.Context, c Caller, id desk.RequestID) (None, error) {
	return s.setRead(ctx, c, desk.UnreadRequest, id, false)
}

// FollowRequest makes the caller follow a request. It returns Invalid if they follow
// too many.
func (s *Service) FollowRequest(ctx context.Context, c Caller, id desk.RequestID) (None, error) {
	return write(ctx, s, c, desk.FollowRequest, func(tx *store.Tx) (None, error) {
		if err := tx.HasRequest(id, c.reach(desk.FollowRequest)); err != nil {
			return None{}, err
		}
		follows, err := tx.Follows(c.Actor.ID, id)
		if err != nil || follows {
			return None{}, err
		}
		if err := tx.CheckRoom(desk.Follow{Member: c.Actor.ID}); err != nil {
			return None{}, err
		}
		return None{}, tx.SetFollow(c.Actor.ID, id, true)
	})
}

// UnfollowRequest makes the caller no longer follow a request.
func (s *Service) UnfollowRequest(ctx context.Context, c Caller, id desk.RequestID) (None, error) {
	return write(ctx, s, c, desk.UnfollowRequest, func(tx *store.Tx) (None, error) {
		if err := tx.HasRequest(id, c.reach(desk.UnfollowRequest)); err != nil {
			return None{}, err
		}
		return None{}, tx.SetFollow(c.Actor.ID, id, false)
	})
}

// setRead leaves nothing in the audit log: what somebody has read is their own
// business, and those entries would outnumber all others.
//
// Whoever has read a request has read what they were told about it, too.
func (s *Service) setRead(ctx context.Context, c Caller, op desk.Operation, id desk.RequestID, read bool) (None, error) {
	var notified bool
	_, err := write(ctx, s, c, op, func(tx *store.Tx) (_ None, err error) {
		if notified, err = notify.HasReadable(tx, id, c.reach(op), c.Actor.ID); err != nil {
			return None{}, err
		}
		if notified = notified && read; notified {
			if err := notify.ReadOf(tx, id, c.Actor.ID); err != nil {
				return None{}, err
			}
		}
		return None{}, tx.SetRead(c.Actor.ID, id, read)
	})
	if err == nil && notified {
		s.Ring(c.Account, []desk.MemberID{c.Actor.ID})
	}
	return None{}, err
}
