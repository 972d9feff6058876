package store

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/journal"
)

// TopicFeed rings when events have received their numbers and can be read.
const TopicFeed = journal.TopicFeed

// News holds the types of an account's events that have just received their
// numbers.
type News = journal.News

// Record records what was done, in the transaction that did it: one row in the
// audit log and, if the change names an event, one in the feed. In a turn both get
// their numbers at its end, otherwise from the sequencer after the commit.
func (tx *Tx) Record(ch desk.Change) error {
	if err := tx.notes.Add(tx.Account, tx.Now, ch); err != nil || tx.inTurn {
		return err
	}
	return tx.store.journal.Write(tx.Tx, tx.Account, tx.Now, &tx.notes)
}

// OnNumbered has fn called whenever events of an account may have received their
// numbers in this process: after the transaction, and even if it failed, because it
// may have been committed. fn returns at once.
func (s *Store) OnNumbered(fn func(desk.AccountID, News)) { s.followers.add(fn) }

// followers are told of numbered events.
type followers struct {
	mu  sync.Mutex
	all []func(desk.AccountID, News)
}

func (f *followers) add(fn func(desk.AccountID, News)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, fn)
}

func (f *followers) tell(account desk.AccountID, news News) {
	f.mu.Lock()
	all := f.all
	f.mu.Unlock()
	for _, fn := range all {
		fn(account, news)
	}
}

// Sequence numbers a batch of what was recorded outside turns; see
// journal.Journal.Sequence.
func (s *Store) Sequence(ctx context.Context) (more bool, err error) { return s.journal.Sequence(ctx) }

// Unnumbered returns how long the oldest event or audit log entry has waited for its
// number.
func (s *Store) Unnumbered() time.Duration { return s.journal.Waiting() }

// RunSequencer numbers what was recorded outside turns until ctx ends.
func (s *Store) RunSequencer(ctx context.Context, log *slog.Logger) { s.journal.RunSequencer(ctx, log) }

// EventID returns the id of the event at a place in an account's feed. It names the
// place even if there is no event.
func (s *Store) EventID(account desk.AccountID, seq int64) string {
	return s.journal.EventID(account, seq)
}

// EventSeq returns the place in an account's feed that an event's id names; ok is
// false if the id is invalid.
func (s *Store) EventSeq(account desk.AccountID, id string) (seq int64, ok bool) {
	return s.journal.EventSeq(account, id)
}
