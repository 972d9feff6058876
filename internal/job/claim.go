package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/sqldb"
)

// skew is how much the clocks of machines on one database may differ before one
// counts as wrong. It is longer than a turn can last, because a turn uses the time
// of its start until its end.
const skew = time.Minute

// runnerDied is the last error of a job whose runner died before it could record
// one.
const runnerDied = "its runner ended while it ran, or was cut off from the database"

// claim takes up to n jobs that are due. Setting the owner gives up the unique key,
// so a later change gets its own run. A due job that still has an owner is one
// whose runner let the lease run out. This counts as a failure, because otherwise a
// job that kills its process would do so forever.
//
// The rows are chosen in a WITH, which PostgreSQL runs once. A subquery with LIMIT
// instead may run again for each row and take more than n.
func (s *shift) claim(tx *sqldb.Tx, now time.Time, n int) ([]*Job, error) {
	args := append([]any{s.owner, now.Add(s.cfg.Lease).UnixMilli(), now.UnixMilli(), n, runnerDied, s.cfg.Queue}, s.kindArgs...)
	return sqldb.Collect(tx, func(scan func(...any) error) (*Job, error) {
		j := &Job{owner: s.owner, queue: s.cfg.Queue}
		var created int64
		err := scan(&j.ID, &j.Kind, &j.args, &j.argsID, &j.key, &j.Attempt, &j.Failures, &j.lastError, &created)
		j.argsID = max(j.argsID, j.ID)
		j.CreatedAt = time.UnixMilli(created).UTC()
		return j, err
	}, `WITH due AS (`+dueQuery(len(s.kindArgs))+`)
		UPDATE jobs SET owner = $1, run_at = $2, attempt = attempt + 1,
			failures = failures + CASE WHEN owner = '' THEN 0 ELSE 1 END,
			last_error = CASE WHEN owner = '' THEN last_error ELSE $5 END
		WHERE id IN (SELECT id FROM due)
		RETURNING id, kind, args, args_id, unique_key, attempt, failures, last_error, created_at`, args...)
}

// dueQuery is a query for up to $4 jobs of queue $6 that are due by $3.
func dueQuery(kinds int) string {
	return "SELECT id FROM jobs WHERE dead_at IS NULL AND queue = $6 AND run_at <= $3 AND kind IN (" + placeholders(7, kinds) + ") ORDER BY run_at, id LIMIT $4 @skiplocked"
}

// firstDueQuery is a query for the time when the first job of a queue is due.
func firstDueQuery(kinds int) string {
	return "SELECT run_at FROM jobs WHERE dead_at IS NULL AND queue = $1 AND kind IN (" + placeholders(2, kinds) + ") ORDER BY run_at, id LIMIT 1"
}

// next returns when the next job is due, or ErrNoRows if there is none.
func (s *shift) next(tx *sqldb.Tx) (at time.Time, err error) {
	var ms int64
	err = tx.Row(firstDueQuery(len(s.kindArgs)), append([]any{s.cfg.Queue}, s.kindArgs...)...).Scan(&ms)
	return time.UnixMilli(ms), err
}

// adoptJobs moves due jobs of the runner's kinds from the unnamed queue into the
// runner's queue. Processes of older versions, which know no queues, add them
// there.
func (s *shift) adoptJobs(tx *sqldb.Tx, now time.Time) error {
	if s.cfg.Queue == "" || len(s.kindArgs) == 0 {
		return nil
	}
	_, err := tx.Exec(`UPDATE jobs SET queue = $1 WHERE dead_at IS NULL AND queue = '' AND run_at <= $2 AND kind IN (`+placeholders(3, len(s.kindArgs))+`)`,
		append([]any{s.cfg.Queue, now.UnixMilli()}, s.kindArgs...)...)
	return err
}

// renew extends the leases of jobs and returns the jobs that are no longer ours.
func (s *shift) renew(tx *sqldb.Tx, jobs []*Job, now time.Time) (gone []*Job, err error) {
	var q sqldb.Query
	q.Add("UPDATE jobs SET run_at = ? WHERE ", now.Add(s.cfg.Lease).UnixMilli())
	addStillOurs(&q, jobs)
	held, err := tokens(tx, &q)
	for _, j := range jobs {
		if err == nil && !held[j.token()] {
			gone = append(gone, j)
		}
	}
	return gone, err
}

// shortenLeases shortens leases that end later than any correct clock could have set. A
// clock that was ahead set them, perhaps our own before it was corrected. If their
// runner is dead, the jobs would be stuck for hours. They get one full lease from
// now, because a live runner renews within a third of it. Waiting jobs are left
// alone, because their callers set the time and it may be far away.
func (s *shift) shortenLeases(tx *sqldb.Tx, now time.Time) error {
	lease := now.Add(s.cfg.Lease)
	_, err := tx.Exec("UPDATE jobs SET run_at = $1 WHERE length(owner) > 0 AND run_at > $2",
		lease.UnixMilli(), lease.Add(skew).UnixMilli())
	return err
}

// kindsOf returns the kinds that have a handler, sorted, so that the text of the
// statements stays the same.
func kindsOf(handlers map[string]handler) []any {
	var kinds []any
	for _, k := range slices.Sorted(maps.Keys(handlers)) {
		kinds = append(kinds, k)
	}
	return kinds
}

// placeholders returns n placeholders, starting with $first.
func placeholders(first, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", first+i)
	}
	return strings.Join(all, ", ")
}
