package job

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// A shift is one Run of a Runner. One goroutine does everything except the
// handlers, in turns. A turn is one transaction that records which handlers have
// returned, renews leases and claims due jobs. Handlers that return during a turn
// share the next one.
//
// Times in rows come from the Runner's clock. How long the shift sleeps is measured
// in real time, which cannot be set back.
type shift struct {
	*Runner
	owner    string
	kindArgs []any

	held    map[token]*Job // leased, and not lost as far as we know
	running int            // handlers that have not returned
	ended   chan end       // from each handler as it returns
	pending []end          // to be recorded

	look     bool        // whether a job is most likely due
	ask      bool        // whether a job may be due: ask before a turn is made for it
	unshared bool        // whether this process has added jobs that others were not told of
	lookAt   time.Time   // when to ask, even if nothing rings
	renewAt  time.Time   // when leases are due to be renewed
	renewed  time.Time   // when they last were, by the clock
	doubtAt  time.Time   // when to check for implausible leases next
	last     time.Time   // time of the last turn, by the clock
	ticks    []time.Time // the next tick of each schedule, as last known
	troubles int         // how many turns in a row have failed
	pausedTo time.Time   // no turn before this, after a failed one

	stopping bool
}

const (
	// doubtInterval is the shortest time between two searches for implausible leases.
	doubtInterval = 30 * time.Second
	// minLookInterval is the shortest time between two looks without a ring. If a due job
	// cannot be claimed, another runner has locked it and is working on it.
	minLookInterval = 50 * time.Millisecond
	// returnTimeout is how long handlers may take to return once their context has
	// ended. If the grace is shorter, it is used instead.
	returnTimeout = 5 * time.Second
	// turnTimeout bounds a turn's wait for the database.
	turnTimeout = 30 * time.Second
)

var (
	errStopping = errors.New("the runner is stopping")
	errUnwound  = errors.New("the handler ended its goroutine")
)

func newShift(r *Runner) *shift {
	return &shift{
		Runner: r, owner: rand.Text(), kindArgs: kindsOf(r.handlers),
		held: map[token]*Job{}, ended: make(chan end, r.cfg.Workers),
		look: true, lookAt: time.Now().Add(r.cfg.Poll), ticks: make([]time.Time, len(r.schedules)),
	}
}

func (s *shift) run(ctx context.Context) error {
	bells := s.cfg.DB.Attend(topic(s.cfg.Queue))
	defer bells.Stop()
	// Not ctx, because handlers may go on during the grace.
	handlers, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(errStopping)
	stop := ctx.Done()
	var deadline <-chan time.Time
	for {
		s.turn(ctx, handlers)
		if s.hasNoRoom() {
			bells.PassOn()
			s.unshared = false
		}
		if s.stopping && s.running == 0 && len(s.pending) == 0 {
			return nil
		}
		timer := time.NewTimer(time.Until(s.wakeAt()))
		select {
		case e := <-s.ended:
			s.recordReturn(e)
		case <-bells.Here:
			s.look, s.unshared = true, true
		case <-bells.Elsewhere:
			s.ask = true
		case <-timer.C:
		case <-stop:
			stop, s.stopping = nil, true
			bells.Stop()
			bells.PassOn() // for what rang and was not claimed
			deadline = time.After(s.cfg.Grace)
		case <-deadline:
			if handlers.Err() != nil {
				return fmt.Errorf("stopped with %d handlers running and %d jobs to be written down", s.running, len(s.pending))
			}
			cancel(errStopping)
			deadline = time.After(min(returnTimeout, s.cfg.Grace))
		}
		timer.Stop()
		s.recordReturns()
	}
}

// hasNoRoom reports whether jobs that this process added may be due, and all workers
// are busy.
func (s *shift) hasNoRoom() bool {
	s.unshared = s.unshared && s.look // otherwise all of them were claimed
	return s.unshared && s.running >= s.cfg.Workers
}

// work runs one job after the other until none is due. Each turn records how the
// last job ended and claims the next.
func (s *shift) work(ctx context.Context) (n int, err error) {
	for {
		s.look = true
		s.turn(ctx, ctx)
		switch {
		case s.troubles > 0:
			return n, errors.New("jobs could not be claimed, or what became of one not be written down; the log says why")
		case s.running == 0 && ctx.Err() != nil:
			return n, ctx.Err()
		case s.running == 0:
			return n, nil
		}
		s.recordReturn(<-s.ended)
		n++
	}
}

// recordReturn records that a handler has returned.
func (s *shift) recordReturn(e end) {
	s.running--
	e.job.ended = true
	s.pending = append(s.pending, e)
}

// recordReturns records all handlers that have returned by now.
func (s *shift) recordReturns() {
	for {
		select {
		case e := <-s.ended:
			s.recordReturn(e)
		default:
			return
		}
	}
}

// wakeAt returns when the shift has something to do, unless something wakes it
// earlier.
func (s *shift) wakeAt() time.Time {
	if time.Now().Before(s.pausedTo) {
		return s.pausedTo
	}
	if len(s.pending) > 0 {
		return time.Now()
	}
	at := time.Now().Add(s.cfg.Poll)
	if !s.stopping && s.lookAt.Before(at) {
		at = s.lookAt
	}
	if len(s.held) > 0 && s.renewAt.Before(at) {
		at = s.renewAt
	}
	return at
}

// lookNoLaterThan makes the shift look no later than the given time of the clock.
func (s *shift) lookNoLaterThan(at, now time.Time) {
	actual := time.Now().Add(min(max(at.Sub(now), minLookInterval), s.cfg.Poll))
	if actual.Before(s.lookAt) {
		s.lookAt = actual
	}
}

// start runs a job's handler.
func (s *shift) start(ctx context.Context, j *Job) {
	s.running++
	h := s.handlers[j.Kind]
	ctx, j.cancel = context.WithCancelCause(ctx)
	go func() {
		e := end{job: j, err: errUnwound}
		ctx, free := context.WithTimeout(ctx, h.timeout)
		defer func() { // also after a panic or runtime.Goexit
			if p := recover(); p != nil {
				e.err = fmt.Errorf("panic: %v", p)
				s.cfg.Log.Error("a job's handler panicked", "kind", j.Kind, "id", j.ID, "panic", p, "stack", string(debug.Stack()))
			}
			e.stopped = errors.Is(context.Cause(ctx), errStopping)
			free()
			j.cancel(nil)
			s.ended <- e
		}()
		e.err = h.run(ctx, j)
	}()
}
