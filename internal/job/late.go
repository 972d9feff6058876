package job

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/sqldb"
)

// Queue returns the queue that the runner works on. It is empty for the queue without
// a name.
func (r *Runner) Queue() string { return r.cfg.Queue }

// Lateness returns how long the job that has been due longest in the runner's queue
// waits. A job that runs is not due before its lease ends. It reads one row, however
// many wait.
func (r *Runner) Lateness(ctx context.Context) (late time.Duration, err error) {
	err = r.cfg.DB.Look(ctx, func(tx *sqldb.Tx) error {
		var due int64
		err := tx.Row("SELECT run_at FROM jobs WHERE dead_at IS NULL AND queue = $1 ORDER BY run_at, id LIMIT 1", r.cfg.Queue).Scan(&due)
		if errors.Is(err, sqldb.ErrNoRows) {
			late = 0
			return nil
		}
		late = max(0, r.cfg.Clock().Sub(time.UnixMilli(due)))
		return err
	})
	return late, err
}

// CountDead returns how many dead letters of all queues there are. It stops counting
// at most.
func (r *Runner) CountDead(ctx context.Context, most int) (n int, err error) {
	err = r.cfg.DB.Look(ctx, func(tx *sqldb.Tx) error {
		return tx.Row("SELECT count(*) FROM (SELECT id FROM jobs WHERE dead_at IS NOT NULL LIMIT $1) AS dead", most).Scan(&n)
	})
	return n, err
}
