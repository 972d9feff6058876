package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/sqldb"
)

// Done finishes the job in the handler's own transaction, so that its effect and
// its completion are committed together. It returns ErrLost if the job is no longer
// this runner's. The transaction is then undone, even if the handler ignores the
// error. The runner does not finish such a job a second time.
func (j *Job) Done(tx *sqldb.Tx) error {
	held, err := deleteRuns(tx, j)
	if err != nil {
		return fmt.Errorf("finish job %d: %w", j.ID, err)
	}
	if !held[j.token()] {
		return tx.Fail(ErrLost)
	}
	j.done.Store(true)
	return nil
}

// token identifies one run. The owner alone is not enough, because a runner may
// lose a job and claim it again while its first run goes on.
type token struct {
	id      int64
	attempt int
}

func (j *Job) token() token { return token{j.ID, j.Attempt} }

// addStillOurs adds the condition that each job is still in the run that we know.
// Every change to a claimed job uses it. Without it, a runner whose lease ran out
// could undo the work of another.
func addStillOurs(q *sqldb.Query, jobs []*Job) {
	// Pad to a power of two, so that there are few query texts to prepare.
	for jobs = slices.Clip(jobs); len(jobs)&(len(jobs)-1) != 0; {
		jobs = append(jobs, jobs[0])
	}
	q.Add("owner = ? AND (", jobs[0].owner)
	for i, j := range jobs {
		if i > 0 {
			q.Add(" OR ")
		}
		q.Add("(id = ? AND attempt = ?)", j.ID, j.Attempt)
	}
	q.Add(")")
}

// deleteRuns deletes finished jobs and returns the runs that were still ours.
func deleteRuns(tx *sqldb.Tx, jobs ...*Job) (map[token]bool, error) {
	var q sqldb.Query
	q.Add("DELETE FROM jobs WHERE ")
	addStillOurs(&q, jobs)
	return tokens(tx, &q)
}

// tokens runs a statement that changes runs and collects their tokens.
func tokens(tx *sqldb.Tx, q *sqldb.Query) (map[token]bool, error) {
	q.Add(" RETURNING id, attempt")
	set := map[token]bool{}
	err := tx.Each(func(scan func(...any) error) error {
		var t token
		err := scan(&t.id, &t.attempt)
		set[t] = true
		return err
	}, q.String(), q.Args()...)
	return set, err
}

// putBack makes a claimed job wait again. If another job with its key waits by now,
// the two merge.
func (j *Job) putBack(tx *sqldb.Tx, at time.Time, failures int, lastError string) (held bool, err error) {
	// Deleted and inserted again under its own id. An UPDATE could not merge with
	// the other job, and checking first would leave a gap.
	set, err := deleteRuns(tx, j)
	if err != nil || !set[j.token()] {
		return false, err
	}
	return true, insertBack(tx, j, at, failures, lastError)
}

// insertBack makes a deleted job wait again, or merges it into the waiting job with
// its key. The arguments of the waiting job are usually newer. They are not if that
// job was itself put back, from a run that began before j's.
func insertBack(tx *sqldb.Tx, j *Job, at time.Time, failures int, lastError string) error {
	const newer = "WHEN excluded.args_id > jobs.args_id AND excluded.args_id > jobs.id THEN"
	_, err := tx.Exec(`INSERT INTO jobs (id, queue, kind, args, args_id, unique_key, run_at, owner, attempt, failures, last_error, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9, $10, $11) `+onWaiting+`,
			args = CASE `+newer+` excluded.args ELSE jobs.args END,
			args_id = CASE `+newer+` excluded.args_id ELSE jobs.args_id END`,
		j.ID, j.queue, j.Kind, j.args, j.argsID, j.key, at.UnixMilli(), j.Attempt, failures, lastError, j.CreatedAt.UnixMilli())
	return err
}

// bury turns a claimed job into a dead letter.
func (j *Job) bury(tx *sqldb.Tx, now time.Time, failures int, lastError string) (held bool, err error) {
	var q sqldb.Query
	q.Add("UPDATE jobs SET owner = '', dead_at = ?, failures = ?, last_error = ? WHERE ", now.UnixMilli(), failures, lastError)
	addStillOurs(&q, []*Job{j})
	n, err := tx.Exec(q.String(), q.Args()...)
	return n > 0, err
}

// outcome is the result of a run.
type outcome int

const (
	lost outcome = iota
	worked
	failed
	died
	put // put back without a failure
)

// end is a run whose handler has returned.
type end struct {
	job     *Job
	err     error
	stopped bool // because its shift ended
	unsure  bool // whether Done was committed, because the commit got no answer
}

// settle records how runs ended, but only runs that are still ours. It returns the
// outcome of each. again is the earliest time at which one of them runs again.
func (s *shift) settle(tx *sqldb.Tx, ends []end, now time.Time) (outcomes []outcome, again time.Time, err error) {
	outcomes = make([]outcome, len(ends))
	var good []*Job
	for _, e := range ends {
		if e.err == nil && !e.job.done.Load() {
			good = append(good, e.job)
		}
	}
	var removed map[token]bool
	if len(good) > 0 {
		if removed, err = deleteRuns(tx, good...); err != nil {
			return nil, again, err
		}
	}
	for i, e := range ends {
		if e.err == nil {
			if e.job.done.Load() || e.unsure || removed[e.job.token()] {
				outcomes[i] = worked
			}
			continue
		}
		to, at, held, err := s.settleError(tx, e, now)
		if err != nil {
			return nil, again, err
		}
		switch {
		case held:
			outcomes[i] = to
			if !at.IsZero() && (again.IsZero() || at.Before(again)) {
				again = at
			}
		case e.job.done.Load():
			outcomes[i] = worked // its transaction returned an error but was committed
		case e.unsure:
			outcomes[i] = to
		}
	}
	return outcomes, again, nil
}

// settleError records a run that did not succeed. at is when it runs again.
func (s *shift) settleError(tx *sqldb.Tx, e end, now time.Time) (to outcome, at time.Time, held bool, err error) {
	j := e.job
	var tooEarly *snoozed
	var hopeless *cancelled
	failures := j.Failures + 1
	text := clean(e.err.Error())
	switch {
	case errors.As(e.err, &hopeless):
		held, err = j.bury(tx, now, failures, text)
		return died, at, held, err
	case errors.As(e.err, &tooEarly):
		at = now.Add(tooEarly.d)
		held, err = j.putBack(tx, at, j.Failures, text)
		return put, at, held, err
	case e.stopped:
		held, err = j.putBack(tx, now, j.Failures, j.lastError)
		tx.Ring(topic(j.queue)) // another runner may take it at once
		return put, at, held, err
	case failures >= s.handlers[j.Kind].maxAttempts:
		held, err = j.bury(tx, now, failures, text)
		return died, at, held, err
	default:
		at = now.Add(s.cfg.Backoff(failures))
		held, err = j.putBack(tx, at, failures, text)
		return failed, at, held, err
	}
}

// errorLength is how many characters of an error are stored.
const errorLength = 2000

// clean makes an error's text storable on both engines.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	n := 0
	for i := range text {
		if n++; n > errorLength {
			return text[:i]
		}
	}
	return text
}
