package store

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// The sequencer gives committed events and audit log entries their numbers.
//
// A number taken inside the transaction would not do: a transaction that takes
// 7 and commits after the one that took 8 would appear behind a reader who has
// already passed. So rows are committed without one, and one process at a time
// numbers what it can see. A row that commits late gets a later number.

const (
	sequencerBatch = 500
	// sequencerLook is how often to look without having been woken: for what a
	// process wrote that died before it could ring.
	sequencerLook = time.Second
)

// RunSequencer numbers events until ctx ends. Any number of processes may run
// it: whoever gets the lock numbers the next batch.
func (s *Store) RunSequencer(ctx context.Context, log *slog.Logger) {
	bell, stop := s.db.Listen(topicEvents)
	defer stop()
	look := time.NewTicker(sequencerLook)
	defer look.Stop()
	for ctx.Err() == nil {
		more, err := s.Sequence(ctx)
		if err != nil && ctx.Err() == nil {
			log.Error("number events", "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-bell:
		case <-look.C:
		case <-ctx.Done():
		}
	}
}

// Sequence numbers one batch, after whoever is numbering one at this moment. more
// says that the batch was full.
func (s *Store) Sequence(ctx context.Context) (more bool, err error) {
	if idle, err := s.nothingToNumber(ctx); idle || err != nil {
		return false, err
	}
	// Claim, for READ COMMITTED: the row lock keeps others out, and a serializable
	// reader of what is not numbered would only make writers fail.
	err = s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		more = false
		if err := lockSequencer(tx); err != nil {
			return err
		}
		events, news, err := numberEvents(tx)
		if err != nil {
			return fmt.Errorf("number events: %w", err)
		}
		if err := s.tellFollowers(tx, news); err != nil {
			return fmt.Errorf("tell who follows events: %w", err)
		}
		entries, err := s.chainAuditLogs(tx)
		if err != nil {
			return fmt.Errorf("chain audit log: %w", err)
		}
		more = events == sequencerBatch || entries == sequencerBatch
		if events > 0 {
			tx.Ring(TopicFeed)
		}
		return nil
	})
	return more, err
}

// TopicFeed rings when events have got their numbers and can be read.
const TopicFeed = "feed"

// News is which events of an account have just got their numbers: their types.
type News map[desk.EventType]bool

// Follow has fn called, before the sequencer runs, in each transaction in which
// events of an account get their numbers: there the work of whatever follows
// them is added, and so none is missed.
func (s *Store) Follow(fn func(*Tx, News) error) { s.follow = fn }

func (s *Store) tellFollowers(tx *sqldb.Tx, news map[desk.AccountID]News) error {
	if s.follow == nil {
		return nil
	}
	for _, a := range slices.Sorted(maps.Keys(news)) {
		if err := s.follow(s.tx(tx, a), news[a]); err != nil {
			return err
		}
	}
	return nil
}

// nothingToNumber looks without writing, so that an idle service leaves the
// disk alone.
func (s *Store) nothingToNumber(ctx context.Context) (idle bool, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) error {
		var n int
		err := tx.Row(`/* every account: one sequencer for all */ SELECT
			(SELECT count(*) FROM (SELECT 1 FROM events WHERE seq IS NULL LIMIT 1) e) +
			(SELECT count(*) FROM (SELECT 1 FROM audit_logs WHERE seq IS NULL LIMIT 1) a)`).Scan(&n)
		idle = n == 0
		return err
	})
	return idle, err
}

// lockSequencer waits until no other sequencer is at work, and keeps others out
// until the transaction ends.
//
// The lock ends with its transaction, and so with the process: on PostgreSQL it
// is a row lock, which goes with the connection, on SQLite the one writer's lock
// of the file, which the operating system takes from the dead. A lease would
// have everybody wait until it has run out after a crash.
func lockSequencer(tx *sqldb.Tx) error {
	const lock = "UPDATE leases SET until = 0 WHERE name = 'sequencer'"
	if n, err := tx.Exec(lock); err != nil || n == 1 {
		return err
	}
	// The first time: another may add the row at this moment.
	if _, err := tx.Exec("INSERT INTO leases (name, owner, until) VALUES ('sequencer', '', 0) ON CONFLICT DO NOTHING"); err != nil {
		return err
	}
	_, err := tx.Exec(lock)
	return err
}

// numberEvents says how many events it has numbered, and which of whom.
func numberEvents(tx *sqldb.Tx) (int, map[desk.AccountID]News, error) {
	type numbered struct {
		account desk.AccountID
		seq     int64
		what    desk.EventType
	}
	done, err := sqldb.Collect(tx, func(scan scanner) (n numbered, err error) {
		err = scan(&n.account, &n.seq, &n.what)
		return n, err
	}, `/* every account: one sequencer for all */
		UPDATE events SET seq = n.seq FROM (
			SELECT e.id, s.event_seq + row_number() OVER (PARTITION BY e.account_id ORDER BY e.id) AS seq
			FROM (SELECT id, account_id FROM events WHERE seq IS NULL ORDER BY id LIMIT $1) e
			JOIN sequences s ON s.account_id = e.account_id
		) n WHERE events.id = n.id RETURNING events.account_id, events.seq, events.type`, sequencerBatch)
	if err != nil {
		return 0, nil, err
	}
	news, last := map[desk.AccountID]News{}, map[desk.AccountID]int64{}
	for _, n := range done {
		if news[n.account] == nil {
			news[n.account] = News{}
		}
		news[n.account][n.what] = true
		last[n.account] = max(last[n.account], n.seq)
	}
	for _, account := range slices.Sorted(maps.Keys(last)) {
		if _, err := tx.Exec("UPDATE sequences SET event_seq = $1 WHERE account_id = $2", last[account], account); err != nil {
			return 0, nil, err
		}
	}
	return len(done), news, nil
}
