package service

import (
	"context"
	"sync/atomic"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Feed is a part of the account's events that the caller may see.
type Feed struct {
	Events []desk.Event
	More   bool  // there may be others behind these
	To     int64 // the place up to which these are all

	// Written is a place for how they look, where others are given the same; nil
	// where nobody is.
	Written *atomic.Pointer[[][]byte]
}

// EventPlace is the place in the caller's feed that an event's id names; ok is
// false for what is none.
func (s *Service) EventPlace(c Caller, id string) (seq int64, ok bool) {
	return s.store.EventSeq(c.Account, id)
}

// EventID is what a place in the caller's feed is called.
func (s *Service) EventID(c Caller, seq int64) string { return s.store.EventID(c.Account, seq) }

// Events are up to limit events behind a place in the feed: its Seq, 0 for the
// beginning.
func (s *Service) Events(ctx context.Context, c Caller, after int64, limit int) (Feed, error) {
	if err := c.may(desk.ListEvents); err != nil {
		return Feed{}, err
	}
	return s.events(ctx, c, desk.ListEvents, after, limit)
}

// events are what the caller may see of the feed. Whoever does not see all of it
// sees what tells of requests, customers and announcements that they may see now,
// whatever was so when it happened.
func (s *Service) events(ctx context.Context, c Caller, op desk.Operation, after int64, limit int) (Feed, error) {
	if desk.Permissions[op].Of(c.Role) != desk.All {
		return read(ctx, s, c, func(tx *store.Tx) (f Feed, err error) {
			f.Events, f.To, f.More, err = tx.EventsWithin(c.reach(op), after, limit)
			return f, err
		})
	}
	return look(ctx, s, c, func(tx *store.Tx) (f Feed, err error) {
		f.To = after
		if f.Events, f.More, err = tx.Events(after, limit); len(f.Events) > 0 {
			f.To = f.Events[len(f.Events)-1].Seq
		}
		return f, err
	})
}

// FeedEnd is the last place in the feed: what happens next is behind it.
func (s *Service) FeedEnd(ctx context.Context, c Caller) (int64, error) {
	if err := c.may(desk.StreamEvents); err != nil {
		return 0, err
	}
	return look(ctx, s, c, (*store.Tx).FeedEnd)
}

// NextEvents are Events for whoever follows them as they happen. Most who do are
// at the same place, and are given what one of them has read.
func (s *Service) NextEvents(ctx context.Context, c Caller, after int64, limit int) (Feed, error) {
	if err := c.may(desk.StreamEvents); err != nil {
		return Feed{}, err
	}
	return s.following.next(ctx, followed(c, after, limit), func() (Feed, error) { return s.events(ctx, c, desk.StreamEvents, after, limit) })
}

// EventBell rings when there may be events that were not there before, of any
// account. Rings that nobody has heard yet are one. It is a hint: events that
// another process has numbered in the same SQLite file come without. stop ends
// it.
func (s *Service) EventBell() (bell <-chan struct{}, stop func()) {
	return s.store.DB().Listen(store.TopicFeed)
}
