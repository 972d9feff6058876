package service

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// However many follow a feed, it is read once after each ring for everyone who may
// see the same.
func TestSharedFeed(t *testing.T) {
	t.Parallel()
	var rung atomic.Uint64
	now := time.Now()
	s := &sharedFeed{rung: &rung, now: func() time.Time { return now }}
	owner := Caller{Account: 1, Actor: desk.Actor{ID: 1}, Role: desk.Admin}
	agent := Caller{Account: 1, Actor: desk.Actor{ID: 2}, Role: desk.Agent, Reach: desk.Reach{IDs: []desk.CollectionID{1}}}
	other := Caller{Account: 1, Actor: desk.Actor{ID: 3}, Role: desk.Agent, Reach: desk.Reach{IDs: []desk.CollectionID{1, 2}}}
	stranger := Caller{Account: 2, Actor: desk.Actor{ID: 4}, Role: desk.Admin}
	browser := Caller{Account: 1, Actor: desk.Actor{ID: 1}, Role: desk.Admin, Session: true} // is told of notes

	// Nobody is given what only others may see.
	asked := map[followedFeed]bool{}
	for _, c := range []Caller{owner, agent, other, stranger, browser} {
		for _, after := range []int64{1, 2} {
			asked[followed(c, after, 50)] = true
		}
	}
	if len(asked) != 10 {
		t.Errorf("five callers at two places ask for %d different feeds", len(asked))
	}

	var reads atomic.Int64
	ask := func(c Caller) int64 {
		f, err := s.next(ctx, followed(c, 1, 50), func() (Feed, error) { return Feed{To: 100 + reads.Add(1)}, nil })
		must(t, err)
		return f.To - 100
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { ask(owner) })
	}
	all.Wait()
	if n := reads.Load(); n != 1 {
		t.Errorf("a hundred callers caused %d reads", n)
	}
	if got := ask(agent); got != 2 {
		t.Errorf("a caller with a smaller reach is given read number %d", got)
	}
	rung.Add(1)
	if got := ask(owner); got != 3 {
		t.Errorf("after a ring, read number %d is given", got)
	}
	now = now.Add(2 * sharedTime) // another process does not ring
	if got := ask(owner); got != 4 {
		t.Errorf("after a while, read number %d is given", got)
	}
	for i := range int64(3 * mostShared) {
		_, err := s.next(ctx, followed(owner, 1000+i, 50), func() (Feed, error) { return Feed{}, nil })
		must(t, err)
	}
	if len(s.answers) > mostShared {
		t.Errorf("%d answers are kept", len(s.answers))
	}
}

// If the caller who reads leaves halfway, the others read for themselves.
func TestSharedFeedFails(t *testing.T) {
	t.Parallel()
	s := &sharedFeed{rung: new(atomic.Uint64), now: time.Now}
	asked := followedFeed{account: 1}
	reading, fail := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, err := s.next(ctx, asked, func() (Feed, error) {
			close(reading)
			<-fail
			return Feed{}, context.Canceled
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the caller who left got %v", err)
		}
	})
	<-reading
	all.Go(func() {
		f, err := s.next(ctx, asked, func() (Feed, error) { return Feed{To: 7}, nil })
		if err != nil || f.To != 7 {
			t.Errorf("the other caller got %d, %v", f.To, err)
		}
	})
	gone, cancel := context.WithTimeout(ctx, time.Hour)
	cancel()
	if _, err := s.next(gone, asked, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who did not wait got %v", err)
	}
	close(fail)
	all.Wait()
	if _, err := s.next(ctx, asked, func() (Feed, error) { return Feed{To: 8}, nil }); err != nil {
		t.Error(err)
	}
}
