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

// Option sets when a job runs, or which other job it may merge with.
type Option func(*addition)

type addition struct {
	at  time.Time
	key *string
}

// At delays the job until t. Without it the job runs at once.
func At(t time.Time) Option { return func(a *addition) { a.at = t } }

// Key makes the job unique among the waiting jobs of its kind. If another job with
// the key waits, the two become one, with the earlier time and the newer arguments.
// A running job no longer waits, so a job that is added meanwhile has its own run.
// If the older job then fails and is retried, it may run last. So the arguments
// should name the thing to look at, not its state. An empty key means no key.
func Key(key string) Option {
	return func(a *addition) {
		if a.key = nil; key != "" {
			a.key = &key
		}
	}
}

// Add adds a job in the caller's transaction. Once it is committed, it wakes the runner
// of this process, or those of others if there is none here or it has no worker left.
// Nobody is woken for a job that is due later, because a look comes before. now is the
// time of the transaction.
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
	// A merged job is new work, so failures with the old arguments do not count.
	if _, err := tx.Exec(`INSERT INTO jobs (queue, kind, args, args_id, unique_key, run_at, owner, attempt, failures, last_error, created_at)
		VALUES ($1, $2, $3, 0, $4, $5, '', 0, 0, '', $6) `+onWaiting+`, args = excluded.args, args_id = excluded.id, failures = 0`,
		queue, kind, string(encoded), a.key, a.at.UnixMilli(), now.UnixMilli()); err != nil {
		return fmt.Errorf("add job %s: %w", kind, err)
	}
	if a.at.Sub(now) < laterThan {
		tx.Ring(topic(queue))
	}
	return nil
}

// laterThan is how far ahead a job is due that nobody is woken for. A look may find it
// up to a second late.
const laterThan = defaultPoll / 2

// onWaiting merges a job into the waiting one with the same key. It uses CASE
// because min() and LEAST() differ between the engines.
const onWaiting = `ON CONFLICT (kind, unique_key) WHERE owner = '' AND dead_at IS NULL AND unique_key IS NOT NULL
	DO UPDATE SET run_at = CASE WHEN excluded.run_at < jobs.run_at THEN excluded.run_at ELSE jobs.run_at END`

var errText = errors.New("a kind or key is empty, not UTF-8, or has a NUL byte")

// storable reports whether PostgreSQL accepts s as text. SQLite accepts anything,
// and such a difference is found late.
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// Add adds a job in its own transaction.
func (r *Runner) Add(ctx context.Context, args Args, opts ...Option) error {
	return r.cfg.DB.Write(ctx, func(tx *sqldb.Tx) error { return Add(tx, args, r.cfg.Clock(), opts...) })
}
