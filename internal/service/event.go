package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Feed is a part of the account's events.
type Feed struct {
	Events []desk.Event
	More   bool // there are others behind these
}

// EventPlace is the place in the caller's feed that an event's id names; ok is
// false for what is none.
func (s *Service) EventPlace(c Caller, id string) (seq int64, ok bool) {
	return s.store.EventSeq(c.Account, id)
}

// Events are up to limit events behind a place in the feed: its Seq, 0 for the
// beginning.
func (s *Service) Events(ctx context.Context, c Caller, after int64, limit int) (Feed, error) {
	if err := c.may(desk.ListEvents); err != nil {
		return Feed{}, err
	}
	return look(ctx, s, c, func(tx *store.Tx) (f Feed, err error) {
		f.Events, f.More, err = tx.Events(after, limit)
		return f, err
	})
}
