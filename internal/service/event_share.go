package service

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
)

const (
	// sharedTime is how long an answer is shared if no bell rings, because the bell
	// does not ring for events of every other process.
	sharedTime = time.Second
	// mostShared is how many answers are kept at most.
	mostShared = 200
)

// sharedFeed reads a part of a feed once and gives it to everyone who asks for the
// same before the bell rings again. The bell also rings when a request leaves
// somebody's reach, so nobody is given what they could not have read themselves.
type sharedFeed struct {
	rung *atomic.Uint64
	now  func() time.Time

	mu      sync.Mutex
	at      uint64 // the value of rung when the answers were read
	since   time.Time
	answers map[followedFeed]*feedAnswer
}

// followedFeed is everything that decides what a caller is given.
type followedFeed struct {
	account desk.AccountID
	reach   string
	notes   bool
	after   int64
	limit   int
}

type feedAnswer struct {
	read chan struct{} // closed when feed and err are set
	feed Feed
	err  error
}

// followed returns what a caller asks for.
func followed(c Caller, after int64, limit int) followedFeed {
	reach := "all"
	if desk.Permissions[desk.StreamEvents].Of(c.Role) != desk.All {
		within := c.reach(desk.StreamEvents)
		reach = fmt.Sprint(within.All, within.IDs)
	}
	return followedFeed{c.Account, reach, c.Session, after, limit}
}

// next returns what comes after a place, read once for everyone who asks.
func (s *sharedFeed) next(ctx context.Context, asked followedFeed, read func() (Feed, error)) (Feed, error) {
	s.mu.Lock()
	at, now := s.rung.Load(), s.now()
	if at != s.at || now.Sub(s.since).Abs() > sharedTime || len(s.answers) >= mostShared {
		s.answers, s.at, s.since = map[followedFeed]*feedAnswer{}, at, now
	}
	a := s.answers[asked]
	if a == nil {
		a = &feedAnswer{read: make(chan struct{})}
		s.answers[asked] = a
		s.mu.Unlock()
		if a.feed, a.err = read(); a.err == nil {
			a.feed.Written = new(atomic.Pointer[[][]byte])
		}
		close(a.read)
		return a.feed, a.err
	}
	s.mu.Unlock()
	select {
	case <-a.read:
	case <-ctx.Done():
		return Feed{}, ctx.Err()
	}
	if a.err != nil { // perhaps only because the other caller left, which ends their read
		return read()
	}
	return a.feed, nil
}
