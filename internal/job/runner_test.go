package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestRunnerWakesWithoutPolling(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		r := job.New(quiet(db, newClock(start)))
		s := handle(r)
		stop := run(t, r)
		// Each job is added when the last has been claimed and the runner sleeps
		// for an hour unless something wakes it.
		for i := range 5 {
			add(t, db, echo{N: i}, start)
			s.next(t).verdict <- nil
		}
		stop()
		none(t, db)
		if got := r.Stats(); got != (job.Stats{Worked: 5}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestRunnerWakesAnotherProcess(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres) // SQLite cannot notify another process
	here, there := dbtest.Open(t, sqldb.Config{URL: url}), dbtest.Open(t, sqldb.Config{URL: url})
	r := job.New(quiet(there, newClock(start)))
	s := handle(r)
	run(t, r)
	// More than one, because the first may be found when the other process begins
	// to listen.
	for i := range 5 {
		add(t, here, echo{N: i}, start)
		s.next(t).verdict <- nil
	}
}

func TestRunnerSleepsUntilAJobIsDue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, nil)
		var turns atomic.Int64
		c.Clock = func() time.Time {
			turns.Add(1)
			return time.Now()
		}
		r := job.New(c)
		s := handle(r)
		run(t, r)
		due := time.Now().Add(300 * time.Millisecond)
		add(t, db, echo{}, time.Now(), job.At(due))
		ring(t, db)
		s.next(t).verdict <- nil
		if early := time.Until(due); early > time.Millisecond {
			t.Errorf("it ran %v early", early)
		}
		// One turn at the start, two for the rings, one when PostgreSQL begins to
		// listen, and one when the job is due.
		if n := turns.Load(); n > 8 {
			t.Errorf("%d turns while nothing was due", n)
		}
	})
}

func TestRunnerDoesNotSpin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		r := job.New(quiet(db, c))
		s := handle(r)
		add(t, db, echo{N: 1}, start, job.At(start.Add(time.Hour)))
		stop := run(t, r)
		const rings = 20
		for range rings {
			ring(t, db) // nothing is due
		}
		add(t, db, echo{N: 2}, start)
		p := s.next(t)
		for range rings {
			ring(t, db)
		}
		p.verdict <- nil
		stop()
		if c.reads > 2*rings+10 {
			t.Errorf("%d turns for %d rings", c.reads, 2*rings)
		}
	})
}

// A job that is due but locked by another transaction is looked at again, without
// hurry.
func TestRunnerIsPatientWithLockedJobs(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}) // on SQLite a claim would wait
	add(t, db, echo{}, start)
	c := newClock(start)
	c.read = make(chan time.Time, 100)
	r := job.New(quiet(db, c))
	s := handle(r)
	write(t, db, func(tx *sqldb.Tx) error {
		if _, err := tx.Exec("SELECT id FROM jobs FOR UPDATE"); err != nil {
			return err
		}
		run(t, r)
		within(t, c.read)
		first := within(t, c.read)
		for range 3 {
			within(t, c.read)
		}
		if last := within(t, c.read); last.Sub(first) < 150*time.Millisecond {
			t.Errorf("five looks in %v", last.Sub(first))
		}
		return nil
	})
	s.next(t).verdict <- nil // nothing rang: the runner found it on its own
}

func TestTwoRunnersNeverRunTheSameJob(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		const jobs = 600
		counts := map[int]int{}
		var mu sync.Mutex
		all := make(chan struct{})
		var both sync.WaitGroup // neither may do all the work
		both.Add(2)
		var runners []*job.Runner
		var first *sqldb.DB
		for range 2 {
			db := dbtest.Open(t, sqldb.Config{URL: url})
			if first == nil {
				first = db
				write(t, db, func(tx *sqldb.Tx) error {
					for i := range jobs {
						if err := job.Add(tx, echo{N: i}, start, job.Key(fmt.Sprint(i))); err != nil {
							return err
						}
					}
					return nil
				})
			}
			c := quiet(db, newClock(start))
			c.Workers = 8
			r := job.New(c)
			arrive := sync.OnceFunc(both.Done)
			job.Handle(r, func(_ context.Context, _ *job.Job, args echo) error {
				arrive()
				both.Wait()
				mu.Lock()
				defer mu.Unlock()
				if counts[args.N]++; len(counts) == jobs && counts[args.N] == 1 {
					close(all)
				}
				return nil
			})
			runners = append(runners, r)
		}
		stop0, stop1 := run(t, runners[0]), run(t, runners[1])
		within(t, all)
		stop0()
		stop1()
		none(t, first)
		for n, count := range counts {
			if count != 1 {
				t.Errorf("job %d ran %d times", n, count)
			}
		}
		a, b := runners[0].Stats(), runners[1].Stats()
		if a.Worked == 0 || b.Worked == 0 || a.Worked+b.Worked != jobs || a.Lost+b.Lost != 0 {
			t.Errorf("%+v and %+v", a, b)
		}
	})
}

func TestUnknownKindsAreLeftAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, other{N: 1}, start.Add(-time.Hour))
		add(t, db, echo{N: 2}, start)
		once(t, quiet(db, newClock(start)), nil)
		if got := only(t, db); got.kind != "other" || got.owner != "" || got.attempt != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestHandlerHasLimitedTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		r := job.New(quiet(db, newClock(start)))
		s := handle(r, job.Timeout(20*time.Millisecond))
		add(t, db, echo{}, start)
		stop := run(t, r)
		p := s.next(t)
		within(t, p.ctx.Done())
		p.verdict <- p.ctx.Err()
		stop()
		if got := only(t, db); got.failures != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// Work runs everything that is due, and returns when it is done.
func TestWork(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		cfg := quiet(db, c)
		cfg.Backoff = func(int) time.Duration { return time.Hour }
		r := job.New(cfg)
		var order []int
		job.Handle(r, func(ctx context.Context, _ *job.Job, a echo) error {
			order = append(order, a.N)
			switch a.N {
			case 1:
				return r.Add(ctx, echo{N: 3}) // due at once
			case 2:
				return errors.New("not now")
			}
			return nil
		})
		r.Every("never", time.Hour, echo{N: 9})
		add(t, db, echo{N: 1}, start)
		add(t, db, echo{N: 2}, start)
		add(t, db, echo{N: 4}, start, job.At(start.Add(time.Second)))
		n, err := r.Work(context.Background(), 0)
		must(t, err)
		if n != 3 || !slices.Equal(order, []int{1, 2, 3}) {
			t.Errorf("%d jobs: %v", n, order)
		}
		n, err = r.Work(context.Background(), time.Second)
		must(t, err)
		if s := r.Stats(); n != 1 || s.Worked != 3 || s.Failed != 1 {
			t.Errorf("%d more jobs, %+v", n, s)
		}
		if left := only(t, db); left.failures != 1 || left.owner != "" {
			t.Errorf("%+v", left)
		}
	})
}
