// Package job runs work after a commit. A job is a row that an operation adds in
// its own transaction. A Runner, in this process or another, claims the job with a
// lease and runs the handler of its kind. It retries the job with back-off until it
// succeeds or becomes a dead letter. A job runs at least once, so handlers must be
// idempotent.
//
// The package knows no kind of work and no table except its own. Kinds, arguments
// and handlers belong to its callers.
package job

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Args says what a job should do. It is stored as JSON, and its kind selects the
// handler. Kind must also work on the zero value.
type Args interface{ Kind() string }

// Queued is implemented by Args whose jobs wait in a named queue, for the runner of
// that queue. All other jobs wait in the queue without a name. Queue must also work
// on the zero value, and return a word.
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

// topic is the topic that the runners of a queue listen to.
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
	// Attempt counts the claims so far, including this one.
	Attempt int
	// Failures counts the attempts that failed or whose runner died. A snooze and
	// an orderly stop of the runner are not failures.
	Failures int
	// CreatedAt is when the job was first added.
	CreatedAt time.Time

	args      string
	argsID    int64 // identifies the Add that supplied args
	key       *string
	queue     string
	lastError string
	owner     string

	// done says that a transaction has finished the job. Only the handler knows
	// whether it was committed.
	done atomic.Bool

	// These belong to the shift that holds the job.
	cancel context.CancelCauseFunc
	ended  bool
}

// ErrLost says that a job is no longer this runner's. Its lease ran out and another
// runner took it, or it was already finished.
var ErrLost = errors.New("the job was taken by another runner")

// Cancel wraps an error that a retry cannot fix. If a handler returns it, the job
// becomes a dead letter at once.
func Cancel(err error) error { return &cancelled{err} }

type cancelled struct{ err error }

func (c *cancelled) Error() string { return c.err.Error() }
func (c *cancelled) Unwrap() error { return c.err }

// Snooze returns an error for a handler that runs too early. The job runs again
// after d, at least a second later, and no failure is counted.
func Snooze(d time.Duration) error { return &snoozed{max(d, time.Second)} }

type snoozed struct{ d time.Duration }

func (s *snoozed) Error() string { return fmt.Sprintf("not before %v have passed", s.d) }
