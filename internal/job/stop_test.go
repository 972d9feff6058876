package job_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// stoppable is run with stopping split into its two halves.
func stoppable(r *job.Runner) (tell context.CancelFunc, ended <-chan error) {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan error, 1)
	go func() { c <- r.Run(ctx) }()
	return cancel, c
}

func TestStopWaitsForHandlers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		r := job.New(quiet(db, c))
		s := handle(r)
		add(t, db, echo{N: 1}, start)
		tell, ended := stoppable(r)
		p := s.next(t)
		tell()
		add(t, db, echo{N: 2}, start) // for another runner
		// It still finishes and renews jobs, but no longer claims any.
		p.verdict <- nil
		must(t, within(t, ended))
		if p.ctx.Err() == nil {
			t.Error("the context of a handler that returned is left open")
		}
		if got := only(t, db); got.args != `{"N":2,"Text":""}` || got.owner != "" || got.failures != 0 || len(s.runs) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestStopEndsHandlersAfterTheGrace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, newClock(start))
		c.Grace = 100 * time.Millisecond
		r := job.New(c)
		s := handle(r)
		add(t, db, echo{}, start)
		tell, ended := stoppable(r)
		p := s.next(t)
		told := time.Now()
		tell()
		within(t, p.ctx.Done())
		if graced := time.Since(told); graced < c.Grace {
			t.Errorf("its context ended after %v", graced)
		}
		bell, deaf := db.Listen("jobs")
		defer deaf()
		p.verdict <- p.ctx.Err()
		must(t, within(t, ended))
		within(t, bell) // other runners may take it at once
		if got := only(t, db); got.owner != "" || got.failures != 0 || got.attempt != 1 || !got.runAt.Equal(start) || got.lastError != "" {
			t.Errorf("%+v", got)
		}
	})
}

func TestStopGoesOnWithoutHandlersThatDoNotReturn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, newClock(start))
		c.Grace = 20 * time.Millisecond
		r := job.New(c)
		s := handle(r)
		add(t, db, echo{}, start)
		tell, ended := stoppable(r)
		p := s.next(t)
		tell()
		if err := within(t, ended); err == nil || !strings.Contains(err.Error(), "1 handlers") {
			t.Errorf("Run: %v", err)
		}
		if got := only(t, db); got.owner == "" {
			t.Errorf("its lease was given up: %+v", got)
		}
		p.verdict <- nil
	})
}

// A claim that was under way when the runner was told to stop is given back.
func TestStopGivesBackWhatHasNotStarted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{}, start)
		c := newClock(start)
		c.read = make(chan time.Time, 100)
		r := job.New(quiet(db, c))
		s := handle(r)
		var ended <-chan error
		write(t, db, func(tx *sqldb.Tx) error {
			if db.Engine() == sqldb.Postgres { // on SQLite the writer is ours alone anyway
				if _, err := tx.Exec("LOCK TABLE jobs IN EXCLUSIVE MODE"); err != nil {
					return err
				}
			}
			var tell context.CancelFunc
			tell, ended = stoppable(r)
			within(t, c.read) // its claim has begun
			tell()
			return nil
		})
		must(t, within(t, ended))
		if got := only(t, db); got.owner != "" || got.failures != 0 || !got.runAt.Equal(start) {
			t.Errorf("%+v", got)
		}
		if len(s.runs) != 0 {
			t.Error("the handler ran")
		}
	})
}
