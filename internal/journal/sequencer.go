package journal

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// The sequencer numbers events and audit log entries that were written without
// numbers: outside an account's turn, or by a process of an older version.
//
// Taking a number inside such a transaction would not work. If a transaction takes
// 7 and commits after the one that took 8, its row appears behind a reader who has
// already passed. So those rows are committed without a number, and one process at
// a time numbers the rows it can see. A row that commits late gets a later number.

const (
	sequencerBatch = 500
	// sequencerLook is how often to look without being woken, in case a process
	// died after writing and before ringing.
	sequencerLook = time.Second
)

// RunSequencer numbers events until ctx ends. Any number of processes may run it.
// The one that gets the lock numbers the next batch.
func (j *Journal) RunSequencer(ctx context.Context, log *slog.Logger) {
	bell, stop := j.DB.Listen(topicEvents)
	defer stop()
	look := time.NewTicker(sequencerLook)
	defer look.Stop()
	for ctx.Err() == nil {
		more, err := j.Sequence(ctx)
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

// Sequence numbers one batch. If another process is numbering one, it waits. more
// reports whether the batch was full.
func (j *Journal) Sequence(ctx context.Context) (more bool, err error) {
	if idle, err := j.nothingToNumber(ctx); idle || err != nil {
		return false, err
	}
	defer func() {
		if err == nil && !more {
			j.waiting.see(j.Now(), nil, nil)
		}
	}()
	// Claim, for READ COMMITTED: the row lock keeps other sequencers out. A
	// serializable read of unnumbered rows would only make writers fail.
	var news map[desk.AccountID]News
	err = j.DB.Claim(ctx, func(tx *sqldb.Tx) error {
		more = false
		if err := lockSequencer(tx); err != nil {
			return err
		}
		var events int
		events, news, err = numberEvents(tx)
		if err != nil {
			return fmt.Errorf("number events: %w", err)
		}
		for _, account := range slices.Sorted(maps.Keys(news)) {
			if err := j.Deliver(tx, account, news[account]); err != nil {
				return fmt.Errorf("queue deliveries: %w", err)
			}
		}
		entries, err := j.chainAuditLogs(tx)
		if err != nil {
			return fmt.Errorf("chain audit log: %w", err)
		}
		more = events == sequencerBatch || entries == sequencerBatch
		if events > 0 {
			tx.Ring(TopicFeed)
		}
		return nil
	})
	for account, n := range news {
		j.Numbered(account, n)
	}
	return more, err
}

// Waiting returns how long the oldest record has waited for its number, as the
// sequencer of this process has seen it. It counts from when it first saw the record,
// so a wrong clock of another process does not matter.
func (j *Journal) Waiting() time.Duration { return j.waiting.longest(j.Now()) }

// waiting follows the oldest record of each table that has no number.
type waiting struct {
	mu     sync.Mutex
	oldest [2]seen // of events and audit logs
}

type seen struct {
	id    int64 // 0 if there is none
	since time.Time
}

// see takes the ids of the oldest records, nil for none.
func (w *waiting) see(now time.Time, ids ...*int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, id := range ids {
		switch {
		case id == nil:
			w.oldest[i] = seen{}
		case *id != w.oldest[i].id:
			w.oldest[i] = seen{*id, now}
		}
	}
}

func (w *waiting) longest(now time.Time) (longest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.oldest {
		if o.id != 0 {
			longest = max(longest, now.Sub(o.since))
		}
	}
	return longest
}

// nothingToNumber checks without writing, so that an idle service leaves the disk
// alone.
func (j *Journal) nothingToNumber(ctx context.Context) (idle bool, err error) {
	var event, entry *int64
	err = j.DB.Look(ctx, func(tx *sqldb.Tx) error { return tx.Row(OldestUnnumbered).Scan(&event, &entry) })
	if err != nil {
		return false, err
	}
	j.waiting.see(j.Now(), event, entry)
	return event == nil && entry == nil, nil
}

// OldestUnnumbered finds the oldest event and the oldest audit log entry that the
// sequencer can number. It reads the indexes of unnumbered rows only.
const OldestUnnumbered = `/* every account: one sequencer for all */ SELECT
	(SELECT id FROM events WHERE seq IS NULL AND EXISTS (SELECT 1 FROM sequences WHERE sequences.account_id = events.account_id) ORDER BY id LIMIT 1),
	(SELECT id FROM audit_logs WHERE seq IS NULL AND EXISTS (SELECT 1 FROM sequences WHERE sequences.account_id = audit_logs.account_id) ORDER BY id LIMIT 1)`

// lockSequencer waits until no other sequencer is at work, and keeps others out
// until the transaction ends.
//
// The lock ends with its transaction, and so with the process. On PostgreSQL it is
// a row lock, which ends with the connection, or when its process has been silent for
// too long (sqldb). On SQLite it is the write lock of the
// file, which the operating system releases when a process dies. A lease instead
// would make everybody wait for its end after a crash.
func lockSequencer(tx *sqldb.Tx) error {
	const lock = "UPDATE leases SET until = 0 WHERE name = 'sequencer'"
	if n, err := tx.Exec(lock); err != nil || n == 1 {
		return err
	}
	// The first time: another process may insert the row at the same moment.
	if _, err := tx.Exec("INSERT INTO leases (name, owner, until) VALUES ('sequencer', '', 0) ON CONFLICT DO NOTHING"); err != nil {
		return err
	}
	_, err := tx.Exec(lock)
	return err
}

// unnumbered selects the next events to number, as unchained does for the audit
// log.
const unnumbered = `/* every account: one sequencer for all */ SELECT id, account_id, type FROM events
	WHERE seq IS NULL AND EXISTS (SELECT 1 FROM sequences WHERE sequences.account_id = events.account_id) ORDER BY id LIMIT $1`

// numberEvents numbers a batch of events. It returns how many, and their types by
// account.
func numberEvents(tx *sqldb.Tx) (int, map[desk.AccountID]News, error) {
	type event struct {
		id      int64
		account desk.AccountID
		what    desk.EventType
	}
	events, err := sqldb.Collect(tx, func(scan func(...any) error) (e event, err error) {
		err = scan(&e.id, &e.account, &e.what)
		return e, err
	}, unnumbered, sequencerBatch)
	if err != nil {
		return 0, nil, err
	}
	news, of := map[desk.AccountID]News{}, map[desk.AccountID]int{}
	for _, e := range events {
		if news[e.account] == nil {
			news[e.account] = News{}
		}
		news[e.account][e.what] = true
		of[e.account]++
	}
	next := map[desk.AccountID]int64{}
	for _, account := range slices.Sorted(maps.Keys(of)) {
		last, err := takeNumbers(tx, account, of[account], 0, false)
		if err != nil {
			return 0, nil, err
		}
		next[account] = last.event + 1
	}
	for part := range slices.Chunk(events, 100) {
		var q sqldb.Query
		q.Add("WITH v (id, seq) AS (VALUES ")
		for i, e := range part {
			if i > 0 {
				q.Add(", ")
			}
			q.Add("(CAST(? AS BIGINT), CAST(? AS BIGINT))", e.id, next[e.account])
			next[e.account]++
		}
		q.Add(`) /* every account: ids of rows that were read above */
			UPDATE events SET seq = v.seq FROM v WHERE events.id = v.id`)
		if _, err := tx.Exec(q.String(), q.Args()...); err != nil {
			return 0, nil, err
		}
	}
	return len(events), news, nil
}

// chainAuditLogs chains the next entries of audit logs that have no number yet.
func (j *Journal) chainAuditLogs(tx *sqldb.Tx) (int, error) {
	entries, err := chain.ReadUnchained(tx, sequencerBatch)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	of := map[int64]int{}
	for _, e := range entries {
		of[e.Account]++
	}
	ends := map[int64]*chain.End{}
	for _, account := range slices.Sorted(maps.Keys(of)) {
		last, err := takeNumbers(tx, desk.AccountID(account), 0, of[account], false)
		if err != nil {
			return 0, err
		}
		ends[account] = &last.chain
	}
	for i := range entries {
		e := &entries[i]
		if end := ends[e.Account]; j.Chain.IsWritten(*e) {
			j.Chain.Append(end, e)
		} else {
			j.Chain.AppendStray(end, e)
		}
	}
	for part := range slices.Chunk(entries, 100) {
		if err := chain.Save(tx, part, false); err != nil {
			return 0, err
		}
	}
	for account, end := range ends {
		if err := chain.SaveEnd(tx, account, *end); err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}
