// Package index keeps the search index of each account's requests up to date, and
// searches it. It knows what a request is found by. How words are found is search's
// business, and who may see a request the store checks in its tables, because an
// index lags behind.
package index

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// An indexer updates search indexes. The process that writes something that an
// index must follow knows this at the commit and does the work. No table is needed
// for this, and many changes become one piece of work. If a process dies before it
// is done, others find the unfinished index by looking.

const (
	// indexLook is how often to look for indexes that nobody is updating.
	indexLook = 10 * time.Second
	// indexPause is how long to wait after a failure.
	indexPause = time.Second
	// topicIndexes rings when somebody wants all indexes checked.
	topicIndexes = "indexes"
	// gatherTime is how long changes gather after a round of work before the next
	// round. Ten documents cost hardly more than one. The first change after a rest
	// does not wait.
	gatherTime = 100 * time.Millisecond
	// mergeAfter is how many documents are put before the index is merged. Merging
	// after each would cost more than putting it.
	mergeAfter = 1000
	// mergeRest is how long nothing was put before the index is merged. To merge
	// while others write costs more than the searches save.
	mergeRest = 2 * time.Second
	// mergeRounds is after how many rounds the index is merged all the same, because
	// each round leaves a segment that searches have to look into. mergeTime is how
	// long the next round then waits at most.
	mergeRounds = 16
	mergeTime   = 200 * time.Millisecond
)

// Indexer updates the search indexes of all accounts of a store. It is safe for
// concurrent use.
type Indexer struct {
	store    *store.Store
	behind   *behind
	unmerged atomic.Int64 // documents that were put since the index was merged
}

// New returns an indexer. It learns of what the store writes from now on. Run also
// finds what was left before.
func New(s *store.Store) *Indexer {
	x := &Indexer{store: s, behind: newBehind()}
	s.OnNumbered(func(account desk.AccountID, news store.News) {
		if slices.ContainsFunc(reindexing, func(t desk.EventType) bool { return news[t] }) {
			x.behind.add(account)
		}
	})
	return x
}

// behind holds the accounts whose indexes this process has to update, in the order
// in which they were added.
type behind struct {
	mu       sync.Mutex
	accounts []desk.AccountID
	bell     chan struct{} // holds a ring while there are accounts
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

// take removes and returns the first account; some is false if there is none.
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

// any reports whether there are accounts.
func (b *behind) any() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.accounts) > 0
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

// Run updates indexes until ctx ends. Any number of processes may run it.
func (x *Indexer) Run(ctx context.Context, log *slog.Logger) {
	wanted, stop := x.store.DB().Listen(topicIndexes)
	defer stop()
	look := time.NewTicker(indexLook)
	defer look.Stop()
	rested := time.NewTimer(mergeRest)
	defer rested.Stop()
	x.unmerged.Add(mergeAfter) // who was here before may have left something to merge
	x.findBehind(ctx, log)
	for rounds := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			x.findBehind(ctx, log)
		case <-wanted:
			x.findBehind(ctx, log)
		case <-x.behind.bell:
		case <-rested.C:
			if x.unmerged.Load() >= mergeAfter && x.merge(ctx, log, false, x.behind.any) {
				x.unmerged.Store(0)
			}
		}
		worked, err := x.Index(ctx, indexTime)
		switch {
		case err != nil && ctx.Err() == nil:
			log.Error("bring a search index up to date", "error", err)
			pause(ctx, indexPause)
		case worked && !x.behind.any():
			pause(ctx, gatherTime)
		}
		if !worked {
			continue
		}
		rested.Reset(mergeRest)
		if rounds++; rounds >= mergeRounds {
			if end := time.Now().Add(mergeTime); x.merge(ctx, log, true, func() bool { return time.Now().After(end) }) {
				rounds = 0
			}
		}
	}
}

// pause waits for a while, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// merge merges the index in short transactions until stop returns true. It
// returns whether nothing is left to merge.
func (x *Indexer) merge(ctx context.Context, log *slog.Logger, busy bool, stop func() bool) bool {
	for more := true; more; {
		if stop() || ctx.Err() != nil {
			return false
		}
		var err error
		if more, err = search.Merge(ctx, x.store.DB(), busy); err != nil && ctx.Err() == nil {
			log.Error("merge the search index", "error", err)
			return false
		}
	}
	return true
}

// findBehind looks for indexes that are behind, whichever process should have
// updated them.
func (x *Indexer) findBehind(ctx context.Context, log *slog.Logger) {
	accounts, err := Behind(ctx, x.store.DB())
	if err != nil && ctx.Err() == nil {
		log.Error("look at the search indexes", "error", err)
	}
	x.behind.add(accounts...)
}

// Index does one piece of work for the account that has waited longest. It returns
// false if there is nothing to do. Failed work is tried again. A piece is one
// transaction that starts nothing new when its time is over.
func (x *Indexer) Index(ctx context.Context, piece time.Duration) (some bool, err error) {
	account, some := x.behind.take()
	if !some {
		return false, nil
	}
	more, put, err := updatePiece(ctx, x.store, account, piece)
	x.unmerged.Add(int64(put))
	if more || err != nil {
		x.behind.add(account)
	}
	return true, err
}

// Behind returns the accounts whose index is behind: it has another version, was not
// walked to the end, has not followed all events, or has words that no document may
// have any more.
func Behind(ctx context.Context, db *sqldb.DB) (ids []desk.AccountID, err error) {
	from, to := search.LostWords()
	err = db.Look(ctx, func(tx *sqldb.Tx) (err error) {
		ids, err = sqldb.Collect(tx, func(scan func(...any) error) (id desk.AccountID, err error) {
			err = scan(&id)
			return id, err
		}, `/* every account: what somebody left undone is in any of them */
			SELECT s.account_id FROM sequences s LEFT JOIN search_progress p ON p.account_id = s.account_id
			WHERE p.account_id IS NULL OR p.version <> $1 OR p.walk_id IS NOT NULL OR p.seq < s.event_seq
				OR EXISTS (SELECT 1 FROM search_words w WHERE w.account_id = s.account_id AND w.word >= $2 AND w.word < $3) ORDER BY s.account_id`, search.Version, from, to)
		return err
	})
	return ids, err
}

// Forget has every account's index rebuilt by whichever process runs an indexer.
// Until that is done, searches use the old index.
func Forget(ctx context.Context, db *sqldb.DB) error {
	return db.Write(ctx, func(tx *sqldb.Tx) error {
		tx.Ring(topicIndexes)
		_, err := tx.Exec("/* every account: an operator asks for it */ UPDATE search_progress SET version = 0")
		return err
	})
}
