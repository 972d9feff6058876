// Package job does work after commit. A job is a row that an operation adds in
// its own transaction; a Runner, in this process or another, claims it by a
// lease, runs the handler of its kind and retries it with back-off until it is
// done or a dead letter. A job runs at least once, so handlers are idempotent.
//
// It knows no kind of work and no table but its own: kinds, arguments and
// handlers are its callers'.
package job

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Args says what is to be done. It is kept as JSON, and its kind finds the
// handler. Kind must answer for the zero value too.
type Args interface{ Kind() string }

// Queued is Args whose jobs wait in a queue of their own, for the runner of that
// queue. All others wait in the one without a name. Queue must answer for the
// zero value too, with a word.
type Queued interface {
	Args
	Queue() string
}

func queueOf(args Args) string {
	if q, ok := args.(Queued); ok {
		return q.Queue()
	}
	return ""
}

// topic is what the runners of a queue listen to.
func topic(queue string) string {
	if queue == "" {
		return "jobs"
	}
	return "jobs." + queue
}

// Job is one run of a job, as its handler sees it.
type Job struct {
	ID   int64
	Kind string
	// Attempt counts the claims so far, this one included.
	Attempt int
	// Failures counts the attempts that failed, or whose runner died. A snooze
	// or a runner that stopped in order is no failure.
	Failures int
	// CreatedAt is when the job was first added.
	CreatedAt time.Time

	args      string
	argsID    int64 // of the addition that brought args
	key       *string
	queue     string
	lastError string
	owner     string

	// done says that a transaction finished the job; whether it was committed
	// only the handler knows.
	done atomic.Bool

	// Of the shift that holds the job.
	cancel context.CancelCauseFunc
	ended  bool
}

// ErrLost says that a job is no longer this runner's: its lease ran out and
// another has taken it, or it was finished before.
var ErrLost = errors.New("the job was taken by another runner")

// Cancel is what a handler returns when trying again cannot help: the job is a
// dead letter at once.
func Cancel(err error) error { return &cancelled{err} }

type cancelled struct{ err error }

func (c *cancelled) Error() string { return c.err.Error() }
func (c *cancelled) Unwrap() error { return c.err }

// Snooze is what a handler returns when it is too early: the job runs again
// after d, at least a second, and no failure is counted.
func Snooze(d time.Duration) error { return &snoozed{max(d, time.Second)} }

type snoozed struct{ d time.Duration }

func (s *snoozed) Error() string { return fmt.Sprintf("not before %v have passed", s.d) }
