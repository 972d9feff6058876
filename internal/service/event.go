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
	More   bool  // there may be others after these
	To     int64 // the place up to which there are no others

	// Written caches the encoded events if other callers are given the same ones;
	// nil if not.
	Written *atomic.Pointer[[][]byte]
}

// EventPlace returns the place in the caller's feed that an event's id names; ok is
// false if the id is invalid.
func (s *Service) EventPlace(c Caller, id string) (seq int64, ok bool) {
	return s.store.EventSeq(c.Account, id)
}

// EventID returns the id of a place in the caller's feed.
func (s *Service) EventID(c Caller, seq int64) string { return s.store.EventID(c.Account, seq) }

// Events returns up to limit events after a place in the feed, which is an event's
// Seq, or 0 for the beginning.
func (s *Service) Events(ctx context.Context, c Caller, after int64, limit int) (Feed, error) {
	return s.events(ctx, c, desk.ListEvents, after, limit, false)
}

// events returns the part of the feed that the caller may see. Callers who may not
// see all of it get the events of requests, customers and announcements that they
// may see now, no matter what they could see when the event happened. notes adds
// those that tell of private notes.
func (s *Service) events(ctx context.Context, c Caller, op desk.Operation, after int64, limit int, notes bool) (Feed, error) {
	if desk.Permissions[op].Of(c.Role) != desk.All {
		return read(ctx, s, c, op, func(tx *store.Tx) (f Feed, err error) {
			f.Events, f.To, f.More, err = tx.EventsWithin(c.reach(op), after, limit, notes)
			return f, err
		})
	}
	return look(ctx, s, c, op, func(tx *store.Tx) (f Feed, err error) {
		f.To = after
		if f.Events, f.More, err = tx.Events(after, limit, notes); len(f.Events) > 0 {
			f.To = f.Events[len(f.Events)-1].Seq
		}
		return f, err
	})
}

// FeedEnd returns the last place in the feed. Whatever happens next comes after it.
func (s *Service) FeedEnd(ctx context.Context, c Caller) (int64, error) {
	return look(ctx, s, c, desk.StreamEvents, (*store.Tx).FeedEnd)
}

// NextEvents is Events for callers who follow the feed live. Most of them are at
// the same place, so one reads and the others are given the same. The web app is also
// told that there is a private note, which it then reads: its pages show notes, and the
// feed has none. Tokens get the feed, whoever they belong to.
func (s *Service) NextEvents(ctx context.Context, c Caller, after int64, limit int) (Feed, error) {
	if err := c.may(desk.StreamEvents); err != nil { // whoever else reads it for them
		return Feed{}, err
	}
	return s.following.next(ctx, followed(c, after, limit), func() (Feed, error) { return s.events(ctx, c, desk.StreamEvents, after, limit, c.Session) })
}

// EventBell rings when there may be new events, of any account. Rings that nobody
// has heard yet merge into one. It is only a hint: it does not ring for events that
// another process numbers in the same SQLite file. stop ends it.
func (s *Service) EventBell() (bell <-chan struct{}, stop func()) {
	return s.store.DB().Listen(store.TopicFeed)
}
