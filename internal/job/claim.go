package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/sqldb"
)

// skew is how far the clocks of machines on one database may be apart before
// one of them is taken for wrong. It is longer than a turn can last, whose now is
// that old when it ends.
const skew = time.Minute

// runnerDied is the last error of a job whose runner did not live to write one.
const runnerDied = "its runner ended while it ran, or was cut off from the database"

// claim takes up to n jobs that are due. Setting the owner gives up the unique
// key: what changes from now on has a run of its own. A job that still has an
// owner is one whose runner let the lease run out, which counts as a failure:
// otherwise a job that kills its process would do so for ever.
//
// The rows are chosen in a WITH, which PostgreSQL runs once. A subquery with
// LIMIT in its place may be run again for each row, and takes more than n.
func (s *shift) claim(tx *sqldb.Tx, now time.Time, n int) ([]*Job, error) {
	args := append([]any{s.owner, now.Add(s.cfg.Lease).UnixMilli(), now.UnixMilli(), n, runnerDied, s.cfg.Queue}, s.kindArgs...)
	return sqldb.Collect(tx, func(scan func(...any) error) (*Job, error) {
		j := &Job{owner: s.owner, queue: s.cfg.Queue}
		var created int64
		err := scan(&j.ID, &j.Kind, &j.args, &j.argsID, &j.key, &j.Attempt, &j.Failures, &j.lastError, &created)
		j.argsID = max(j.argsID, j.ID)
		j.CreatedAt = time.UnixMilli(created).UTC()
		return j, err
	}, `WITH due AS (`+due(len(s.kindArgs))+`)
		UPDATE jobs SET owner = $1, run_at = $2, attempt = attempt + 1,
			failures = failures + CASE WHEN owner = '' THEN 0 ELSE 1 END,
			last_error = CASE WHEN owner = '' THEN last_error ELSE $5 END
		WHERE id IN (SELECT id FROM due)
		RETURNING id, kind, args, args_id, unique_key, attempt, failures, last_error, created_at`, args...)
}

// due finds up to $4 jobs of a queue, $6, that are due by $3.
func due(kinds int) string {
	return "SELECT id FROM jobs WHERE dead_at IS NULL AND queue = $6 AND run_at <= $3 AND kind IN (" + list(7, kinds) + ") ORDER BY run_at, id LIMIT $4 @skiplocked"
}

// first finds when the first job of a queue is due.
func first(kinds int) string {
	return "SELECT run_at FROM jobs WHERE dead_at IS NULL AND queue = $1 AND kind IN (" + list(2, kinds) + ") ORDER BY run_at, id LIMIT 1"
}

// next is when the next job is due, ErrNoRows when there is none.
func (s *shift) next(tx *sqldb.Tx) (at time.Time, err error) {
	var ms int64
	err = tx.Row(first(len(s.kindArgs)), append([]any{s.cfg.Queue}, s.kindArgs...)...).Scan(&ms)
	return time.UnixMilli(ms), err
}

// adopt takes into the runner's queue what is due of its kinds and waits in the
// one without a name: there, processes of before there were queues leave it.
func (s *shift) adopt(tx *sqldb.Tx, now time.Time) error {
	if s.cfg.Queue == "" || len(s.kindArgs) == 0 {
		return nil
	}
	_, err := tx.Exec(`UPDATE jobs SET queue = $1 WHERE dead_at IS NULL AND queue = '' AND run_at <= $2 AND kind IN (`+list(3, len(s.kindArgs))+`)`,
		append([]any{s.cfg.Queue, now.UnixMilli()}, s.kindArgs...)...)
	return err
}

// renew prolongs the leases of jobs and returns those that are no longer ours.
func (s *shift) renew(tx *sqldb.Tx, jobs []*Job, now time.Time) (gone []*Job, err error) {
	where, args := ours(jobs, now.Add(s.cfg.Lease).UnixMilli())
	held, err := tokens(tx, "UPDATE jobs SET run_at = $1 WHERE "+where+" RETURNING id, attempt", args)
	for _, j := range jobs {
		if err == nil && !held[j.token()] {
			gone = append(gone, j)
		}
	}
	return gone, err
}

// distrust shortens leases that end later than any clock in step with ours
// would have put them: they were given by one that was ahead, perhaps our own
// before it was set back. If their runner is dead, nobody would take the jobs
// for hours. They get one more lease from now, not none: a runner that lives
// renews within a third of it. Jobs that wait are left alone, for their moment
// is their caller's and may well be far away.
func (s *shift) distrust(tx *sqldb.Tx, now time.Time) error {
	lease := now.Add(s.cfg.Lease)
	_, err := tx.Exec("UPDATE jobs SET run_at = $1 WHERE length(owner) > 0 AND run_at > $2",
		lease.UnixMilli(), lease.Add(skew).UnixMilli())
	return err
}

// kindsOf are the kinds that have a handler, in an order that keeps the text of
// the statements the same.
func kindsOf(handlers map[string]handler) []any {
	var kinds []any
	for _, k := range slices.Sorted(maps.Keys(handlers)) {
		kinds = append(kinds, k)
	}
	return kinds
}

// list is n placeholders beginning with $first.
func list(first, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", first+i)
	}
	return strings.Join(all, ", ")
}
