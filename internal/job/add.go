package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/sqldb"
)

// Option says when a job runs, or which other job it may merge with.
type Option func(*addition)

type addition struct {
	at  time.Time
	key *string
}

// At makes the job wait for a moment. Without it the job runs at once.
func At(t time.Time) Option { return func(a *addition) { a.at = t } }

// Key makes the job unique among the waiting ones of its kind: added while
// another waits, the two become one, with the earlier moment and the newer
// arguments. A job that runs no longer waits, so what is added then has a run
// of its own; should the older one fail and be tried again, it may run last. So
// let the arguments name what to look at, not how it looked. The empty key is
// none.
func Key(key string) Option {
	return func(a *addition) {
		if a.key = nil; key != "" {
			a.key = &key
		}
	}
}

// Add adds a job in the caller's transaction, and wakes the runners once that
// is committed. now is the moment of the transaction.
func Add(tx *sqldb.Tx, args Args, now time.Time, opts ...Option) error {
	a := addition{at: now}
	for _, o := range opts {
		o(&a)
	}
	kind, queue := args.Kind(), queueOf(args)
	encoded, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("add job %s: %w", kind, err)
	}
	if kind == "" || !storable(kind) || !storable(queue) || a.key != nil && !storable(*a.key) {
		return fmt.Errorf("add job %q: %w", kind, errText)
	}
	// A merged job is new work: failures of the old arguments do not count.
	if _, err := tx.Exec(`INSERT INTO jobs (queue, kind, args, args_id, unique_key, run_at, owner, attempt, failures, last_error, created_at)
		VALUES ($1, $2, $3, 0, $4, $5, '', 0, 0, '', $6) `+onWaiting+`, args = excluded.args, args_id = excluded.id, failures = 0`,
		queue, kind, string(encoded), a.key, a.at.UnixMilli(), now.UnixMilli()); err != nil {
		return fmt.Errorf("add job %s: %w", kind, err)
	}
	tx.Ring(topic(queue))
	return nil
}

// onWaiting merges a job into the one that waits with its key. min() and
// LEAST() are not the same on both engines.
const onWaiting = `ON CONFLICT (kind, unique_key) WHERE owner = '' AND dead_at IS NULL AND unique_key IS NOT NULL
	DO UPDATE SET run_at = CASE WHEN excluded.run_at < jobs.run_at THEN excluded.run_at ELSE jobs.run_at END`

var errText = errors.New("a kind or key is empty, not UTF-8, or has a NUL byte")

// storable reports whether PostgreSQL takes s as text. SQLite takes anything,
// and a difference between the two is found late.
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// Add adds a job that belongs to no transaction of the caller's.
func (r *Runner) Add(ctx context.Context, args Args, opts ...Option) error {
	return r.cfg.DB.Write(ctx, func(tx *sqldb.Tx) error { return Add(tx, args, r.cfg.Clock(), opts...) })
}
