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
	// sharedTime is how long an answer is shared where no bell rings: events of
	// another process may come without.
	sharedTime = time.Second
	// mostShared bounds the answers that are kept.
	mostShared = 200
)

// sharedFeed gives what one has read of a feed to all who ask for the same before
// the bell rings again. A request that goes out of somebody's reach rings it too,
// so that nobody is given what they could not have read themselves.
type sharedFeed struct {
	rung *atomic.Uint64
	now  func() time.Time

	mu      sync.Mutex
	at      uint64 // what rung was when they were read
	since   time.Time
	answers map[followedFeed]*feedAnswer
}

// followedFeed is all that decides what somebody is given.
type followedFeed struct {
	account desk.AccountID
	reach   string
	after   int64
	limit   int
}

type feedAnswer struct {
	read chan struct{} // closed when it was
	feed Feed
	err  error
}

// followed is what a caller asks for.
func followed(c Caller, after int64, limit int) followedFeed {
	reach := "all"
	if desk.Permissions[desk.StreamEvents].Of(c.Role) != desk.All {
		within := c.reach(desk.StreamEvents)
		reach = fmt.Sprint(within.All, within.IDs)
	}
	return followedFeed{c.Account, reach, after, limit}
}

// next is what there is behind a place, read once for all who ask.
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
	if a.err != nil { // theirs, perhaps: whoever goes ends what they began
		return read()
	}
	return a.feed, nil
}
