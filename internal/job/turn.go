package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/sqldb"
)

// turn is the plan and the result of one transaction of a shift.
type turn struct {
	now   time.Time
	ends  []end  // to be recorded
	renew []*Job // whose leases should be renewed
	doubt bool   // whether to look for implausible leases, and for jobs in the wrong queue
	ticks []int  // schedules that may be due
	free  int    // how many jobs to claim
	ask   bool   // whether to ask first, because there may be nothing to claim and there is nothing else to do

	result
}

type result struct {
	outcomes []outcome // of ends
	again    time.Time // when the first of ends runs again
	gone     []*Job    // of renew
	next     []time.Time
	jobs     []*Job    // claimed
	dead     []*Job    // claimed too often, so they become dead letters
	dueAt    time.Time // when the next job is due; zero if unknown
}

// turn runs a turn if there is something to do.
func (s *shift) turn(ctx, handlers context.Context) {
	t := s.plan(ctx.Err() == nil)
	if t == nil {
		return
	}
	// The turn finishes even if ctx ends. A claim that is committed but unknown to
	// us would hold its jobs for a whole lease.
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnTimeout)
	defer cancel()
	if t.ask {
		due, err := s.askWhetherDue(wait, t)
		if err != nil {
			s.postponeTurn(err, t)
			return
		}
		if s.troubles = 0; !due {
			return
		}
	}
	s.stats.turns.Add(1)
	err := s.cfg.DB.Claim(wait, func(tx *sqldb.Tx) error {
		t.result = result{} // the transaction may run more than once
		return s.runTurn(tx, t)
	})
	if err != nil {
		s.postponeTurn(err, t)
		return
	}
	s.troubles = 0
	s.handleSettled(t)
	s.handleRenewed(t)
	s.handleClaimed(ctx, handlers, t)
}

// askWhetherDue reads whether a job is due. If none is, the shift knows when the next
// one will be. Several processes may look for the same jobs, and a read is cheaper
// than a turn that claims nothing.
func (s *shift) askWhetherDue(ctx context.Context, t *turn) (due bool, err error) {
	s.stats.looks.Add(1)
	at := t.now.Add(s.cfg.Poll)
	err = s.cfg.DB.Look(ctx, func(tx *sqldb.Tx) error {
		next, err := s.next(tx)
		if errors.Is(err, sqldb.ErrNoRows) {
			return nil
		}
		at = next
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for jobs: %w", err)
	}
	if !at.After(t.now) {
		return true, nil
	}
	s.ask = false
	s.lookNoLaterThan(at, t.now)
	return false, nil
}

// plan returns the next turn, or nil if there is nothing to do. If the shift is
// ending, open is false and the turn claims nothing new.
func (s *shift) plan(open bool) *turn {
	actual := time.Now()
	if actual.Before(s.pausedTo) {
		return nil
	}
	t := &turn{now: s.cfg.Clock(), ends: s.pending}
	if s.troubles > maxTurnFailures && len(t.ends) > 0 {
		t.ends = t.ends[:1]
		return t
	}
	if !actual.Before(s.lookAt) {
		s.ask = true
		s.lookAt = actual.Add(s.cfg.Poll)
		for _, next := range s.ticks {
			s.lookNoLaterThan(next, t.now)
		}
	}
	// By both clocks, because a shift whose own clock has jumped ahead must not
	// claim its own jobs.
	if !actual.Before(s.renewAt) || t.now.Sub(s.renewed) >= s.cfg.Lease/3 {
		for _, j := range s.held {
			if !j.ended {
				t.renew = append(t.renew, j)
			}
		}
		s.renewAt = actual.Add(s.cfg.Lease / 3)
	}
	if open {
		t.doubt = !actual.Before(s.doubtAt) || t.now.Before(s.last)
		for i, c := range s.schedules {
			if c.due(s.ticks[i], t.now) {
				t.ticks = append(t.ticks, i)
			}
		}
		s.look = s.look || t.doubt // to claim what is found then
		if (s.look || s.ask) && len(s.kindArgs) > 0 {
			t.free = s.cfg.Workers - s.running
		}
	}
	s.last = t.now
	onlyClaims := len(t.ends) == 0 && len(t.renew) == 0 && len(t.ticks) == 0 && !t.doubt
	if onlyClaims && t.free == 0 {
		return nil
	}
	t.ask = onlyClaims && !s.look
	return t
}

// runTurn is the turn's transaction. Steps that wait for rows of other runners come
// before steps that only take free rows.
func (s *shift) runTurn(tx *sqldb.Tx, t *turn) (err error) {
	if len(t.ends) > 0 {
		if t.outcomes, t.again, err = s.settle(tx, t.ends, t.now); err != nil {
			return fmt.Errorf("finish jobs: %w", err)
		}
	}
	if len(t.renew) > 0 {
		if t.gone, err = s.renew(tx, t.renew, t.now); err != nil {
			return fmt.Errorf("renew leases: %w", err)
		}
	}
	if t.doubt {
		if err = s.shortenLeases(tx, t.now); err != nil {
			return fmt.Errorf("check leases: %w", err)
		}
		if err = s.adoptJobs(tx, t.now); err != nil {
			return fmt.Errorf("adopt jobs: %w", err)
		}
	}
	for _, i := range t.ticks {
		next, err := s.schedules[i].tick(tx, t.now)
		if err != nil {
			return fmt.Errorf("schedule %s: %w", s.schedules[i].name, err)
		}
		t.next = append(t.next, next)
	}
	if t.free > 0 {
		if err := s.claimJobs(tx, t); err != nil {
			return fmt.Errorf("claim jobs: %w", err)
		}
	}
	return nil
}

// claimJobs claims jobs for the free workers.
func (s *shift) claimJobs(tx *sqldb.Tx, t *turn) error {
	jobs, err := s.claim(tx, t.now, t.free)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Failures < s.handlers[j.Kind].maxAttempts {
			t.jobs = append(t.jobs, j)
			continue
		}
		// Only runners that died can have caused so many failures.
		if _, err := j.bury(tx, t.now, j.Failures, runnerDied); err != nil {
			return err
		}
		t.dead = append(t.dead, j)
	}
	if len(jobs) == t.free {
		return nil // there may be more
	}
	if t.dueAt, err = s.next(tx); errors.Is(err, sqldb.ErrNoRows) {
		t.dueAt, err = t.now.Add(s.cfg.Poll), nil
	}
	return err
}

// maxTurnFailures is how many failures in a row make a turn do only one thing at a time.
const maxTurnFailures = 4

// postponeTurn leaves everything to a later turn, which comes soon at first. One case is
// different: a single run cannot be recorded although the database works. That run
// is given up, so that it does not hold up all others forever. It runs again after
// its lease.
func (s *shift) postponeTurn(err error, t *turn) {
	if s.troubles > maxTurnFailures && len(t.ends) == 1 && !errors.Is(err, sqldb.ErrUnavailable) {
		j := t.ends[0].job
		s.cfg.Log.Error("could not record how a job ended", "kind", j.Kind, "id", j.ID, "error", err)
		delete(s.held, j.token())
		s.pending = s.pending[1:]
		return
	}
	for i := range t.ends {
		s.pending[i].unsure = true
	}
	pause := min(50*time.Millisecond<<min(s.troubles, 10), 5*time.Second)
	s.troubles++
	s.pausedTo = time.Now().Add(pause)
	s.renewAt = s.pausedTo
	s.cfg.Log.Warn("jobs wait for the database", "error", err, "again_in", pause)
}

// handleSettled handles the runs that were recorded.
func (s *shift) handleSettled(t *turn) {
	for i, e := range t.ends {
		delete(s.held, e.job.token())
		about := []any{"kind", e.job.Kind, "id", e.job.ID, "attempt", e.job.Attempt, "error", e.err}
		switch t.outcomes[i] {
		case worked:
			s.stats.worked.Add(1)
		case failed:
			s.stats.failed.Add(1)
			s.cfg.Log.Warn("a job failed", about...)
		case died:
			s.stats.dead.Add(1)
			s.cfg.Log.Error("a job failed for good", about...)
		case lost:
			s.stats.lost.Add(1)
			s.cfg.Log.Warn("a job was taken by another runner while it ran", about...)
		}
	}
	s.pending = s.pending[len(t.ends):]
	if len(s.pending) == 0 {
		s.pending = nil
	}
	if !t.again.IsZero() {
		s.lookNoLaterThan(t.again, t.now)
	}
}

// handleRenewed handles the renewals.
func (s *shift) handleRenewed(t *turn) {
	if len(t.renew) > 0 {
		s.renewed = t.now
	}
	for _, j := range t.gone {
		delete(s.held, j.token())
		if !j.done.Load() { // otherwise its handler has finished it and goes on
			j.cancel(ErrLost)
		}
	}
	if t.doubt {
		s.doubtAt = time.Now().Add(max(doubtInterval, s.cfg.Poll))
	}
}

// handleClaimed handles ticks and claims, and starts the claimed jobs.
func (s *shift) handleClaimed(ctx, handlers context.Context, t *turn) {
	for i, next := range t.next {
		s.ticks[t.ticks[i]] = next
		s.lookNoLaterThan(next, t.now)
	}
	if t.free == 0 {
		return
	}
	for _, j := range t.dead {
		s.stats.dead.Add(1)
		s.cfg.Log.Error("a job failed for good", "kind", j.Kind, "id", j.ID, "attempt", j.Attempt, "error", runnerDied)
	}
	if len(s.held) == 0 {
		s.renewAt, s.renewed = time.Now().Add(s.cfg.Lease/3), t.now
	}
	for _, j := range t.jobs {
		s.held[j.token()] = j
		if ctx.Err() == nil {
			s.start(handlers, j)
		} else { // the runner was told to stop meanwhile: give the job back at once
			j.ended = true
			s.pending = append(s.pending, end{job: j, err: errStopping, stopped: true})
		}
	}
	s.ask = false
	if s.look = t.dueAt.IsZero(); !s.look {
		s.lookNoLaterThan(t.dueAt, t.now)
	}
}
