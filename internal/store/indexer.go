package store

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
)

// The indexer brings search indexes up to date. Whoever has written what one
// must follow knows so when the commit is done, and does it: that takes no row of
// a table, and many changes become one piece of work. What a process leaves that
// dies over it, others find by looking.

const (
	// indexLook is how often to look for indexes that nobody brings up to date.
	indexLook = 10 * time.Second
	// indexPause is how long to wait after a failure.
	indexPause = time.Second
	// topicIndexes rings when somebody wants all of them looked at.
	topicIndexes = "indexes"
)

// behind are the accounts whose indexes this process is to bring up to date, in
// the order in which that became so.
type behind struct {
	mu       sync.Mutex
	accounts []desk.AccountID
	bell     chan struct{} // has a ring in it while there are some
}

func newBehind() *behind { return &behind{bell: make(chan struct{}, 1)} }

func (b *behind) add(accounts ...desk.AccountID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range accounts {
		if !slices.Contains(b.accounts, a) {
			b.accounts = append(b.accounts, a)
		}
	}
	b.ring()
}

// take takes the first of them; false where there is none.
func (b *behind) take() (a desk.AccountID, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.accounts) == 0 {
		return 0, false
	}
	a, b.accounts = b.accounts[0], b.accounts[1:]
	b.ring()
	return a, true
}

func (b *behind) ring() {
	if len(b.accounts) == 0 {
		return
	}
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// RunIndexer brings indexes up to date until ctx ends. Any number of processes may
// run it.
func (s *Store) RunIndexer(ctx context.Context, log *slog.Logger) {
	wanted, stop := s.db.Listen(topicIndexes)
	defer stop()
	look := time.NewTicker(indexLook)
	defer look.Stop()
	s.findBehind(ctx, log)
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			s.findBehind(ctx, log)
		case <-wanted:
			s.findBehind(ctx, log)
		case <-s.behind.bell:
		}
		if _, err := s.Index(ctx, indexTime); err != nil && ctx.Err() == nil {
			log.Error("bring a search index up to date", "error", err)
			select {
			case <-time.After(indexPause):
			case <-ctx.Done():
			}
		}
	}
}

// findBehind looks for indexes that are behind, whoever should have followed.
func (s *Store) findBehind(ctx context.Context, log *slog.Logger) {
	accounts, err := s.Unindexed(ctx)
	if err != nil && ctx.Err() == nil {
		log.Error("look at the search indexes", "error", err)
	}
	s.behind.add(accounts...)
}

// Index does a piece of what there is to do, for the account that waits longest,
// and reports false where there is nothing. What fails is tried again. A piece is
// one transaction, in which nothing is begun when its time is over.
func (s *Store) Index(ctx context.Context, piece time.Duration) (some bool, err error) {
	account, some := s.behind.take()
	if !some {
		return false, nil
	}
	more, err := s.indexPiece(ctx, account, piece)
	if more || err != nil {
		s.behind.add(account)
	}
	return true, err
}

// indexesFollow reports whether search indexes follow some news.
func indexesFollow(news News) bool {
	return slices.ContainsFunc(reindexing, func(t desk.EventType) bool { return news[t] })
}

// Unindexed are the accounts whose index is behind: of another version, not
// walked through to the end, or with events that it has not followed.
func (s *Store) Unindexed(ctx context.Context) (ids []desk.AccountID, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
		ids, err = sqldb.Collect(tx, scanID[desk.AccountID], `/* every account: what somebody left undone is in any of them */
			SELECT s.account_id FROM sequences s LEFT JOIN search_progress p ON p.account_id = s.account_id
			WHERE p.account_id IS NULL OR p.version <> $1 OR p.walk_id IS NOT NULL OR p.seq < s.event_seq ORDER BY s.account_id`, search.Version)
		return err
	})
	return ids, fit(err)
}

// ForgetIndexes has the index of every account put anew. Until then, and
// meanwhile, searches go on with what there is.
func (s *Store) ForgetIndexes(ctx context.Context) error {
	return fit(s.db.Write(ctx, func(tx *sqldb.Tx) error {
		tx.Ring(topicIndexes)
		_, err := tx.Exec("/* every account: an operator asks for it */ UPDATE search_progress SET version = 0")
		return err
	}))
}
