package job_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// The first trap: a claim must give up the unique key.
func TestChangeWhileAJobRunsIsNotDropped(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		r := job.New(quiet(db, newClock(start)))
		s := handle(r)
		stop := run(t, r)
		add(t, db, echo{N: 1}, start, job.Key("k"))
		first := s.next(t)
		add(t, db, echo{N: 2}, start, job.Key("k"))
		first.verdict <- nil
		second := s.next(t)
		if second.args.N != 2 || second.ID == first.ID {
			t.Errorf("the second run is job %d with %+v", second.ID, second.args)
		}
		second.verdict <- nil
		stop()
		none(t, db)
		if got := r.Stats(); got != (job.Stats{Worked: 2}) {
			t.Errorf("%+v", got)
		}
	})
}

// twice runs one job on two runners. By the clock of the second, the lease of the
// first has run out.
func twice(t *testing.T, db *sqldb.DB) (slow, quick *job.Runner, slowRun, quickRun *playing, stopSlow, stopQuick func()) {
	t.Helper()
	add(t, db, echo{}, start)
	slow = job.New(quiet(db, newClock(start)))
	s := handle(slow)
	stopSlow = run(t, slow)
	slowRun = s.next(t)
	quick = job.New(quiet(db, newClock(start.Add(11*time.Minute))))
	s = handle(quick)
	stopQuick = run(t, quick)
	quickRun = s.next(t)
	if slowRun.ID != quickRun.ID || quickRun.Attempt != 2 || quickRun.Failures != 1 {
		t.Fatalf("job %d, then job %d attempt %d failures %d", slowRun.ID, quickRun.ID, quickRun.Attempt, quickRun.Failures)
	}
	return
}

// The second trap: finishing must check that the job is still ours.
func TestRunnerDoesNotFinishWhatAnotherHasTaken(t *testing.T) {
	for name, verdict := range map[string]error{
		"done": nil, "failed": errors.New("no"), "cancelled": job.Cancel(errors.New("never")), "snoozed": job.Snooze(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
				slow, quick, slowRun, quickRun, stopSlow, stopQuick := twice(t, db)
				before := only(t, db)
				slowRun.verdict <- verdict
				stopSlow()
				if after := only(t, db); after != before {
					t.Errorf("it changed the other's job:\n%+v\n%+v", before, after)
				}
				if got := slow.Stats(); got != (job.Stats{Lost: 1}) {
					t.Errorf("the slow one: %+v", got)
				}
				quickRun.verdict <- nil
				stopQuick()
				none(t, db)
				if got := quick.Stats(); got != (job.Stats{Worked: 1}) {
					t.Errorf("the quick one: %+v", got)
				}
			})
		})
	}
}

// The same with a job that the handler finishes in its own transaction. Its effect
// is undone too.
func TestDoneFailsWhenAnotherHasTakenTheJob(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		slow, quick, slowRun, quickRun, stopSlow, stopQuick := twice(t, db)
		finish := func(p *playing) error {
			return db.Write(context.Background(), func(tx *sqldb.Tx) error {
				if _, err := tx.Exec("INSERT INTO leases (name, owner, until) VALUES ($1, '', 0)", fmt.Sprintf("attempt %d", p.Attempt)); err != nil {
					return err
				}
				return p.Done(tx)
			})
		}
		if err := finish(slowRun); !errors.Is(err, job.ErrLost) {
			t.Errorf("while the other runs: %v", err)
		}
		must(t, finish(quickRun))
		if err := finish(slowRun); !errors.Is(err, job.ErrLost) {
			t.Errorf("after the other was done: %v", err)
		}
		slowRun.verdict <- job.ErrLost
		quickRun.verdict <- nil
		stopSlow()
		stopQuick()
		none(t, db)
		var effects string
		must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error { return tx.Row("SELECT name FROM leases").Scan(&effects) }))
		if effects != "attempt 2" {
			t.Errorf("the effect is %s", effects)
		}
		if a, b := slow.Stats(), quick.Stats(); a != (job.Stats{Lost: 1}) || b != (job.Stats{Worked: 1}) {
			t.Errorf("%+v and %+v", a, b)
		}
	})
}

// A runner may lose a job and claim it again while its first run goes on. The owner
// is then the same, but the attempt is not.
func TestAttemptTellsRunsOfOneRunnerApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{}, start)
		r := job.New(quiet(db, newClock(start)))
		s := handle(r)
		stop := run(t, r)
		first := s.next(t)
		// Another runner took it and gave it back.
		change(t, db, "UPDATE jobs SET owner = '', attempt = attempt + 1, run_at = $1", start.UnixMilli())
		ring(t, db)
		second := s.next(t)
		if err := db.Write(context.Background(), first.Done); !errors.Is(err, job.ErrLost) {
			t.Errorf("the first run: %v", err)
		}
		first.verdict <- nil
		second.verdict <- errors.New("once more") // only possible while the job exists
		stop()
		if got := only(t, db); got.attempt != 3 || got.failures != 1 {
			t.Errorf("%+v", got)
		}
		if got := r.Stats(); got != (job.Stats{Lost: 1, Failed: 1}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestDoneIsOneWithTheHandlersTransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		r := job.New(quiet(db, newClock(start)))
		s := handle(r)
		stop := run(t, r)

		add(t, db, echo{N: 1}, start)
		p := s.next(t)
		must(t, db.Write(context.Background(), p.Done))
		none(t, db) // before the handler has returned
		p.verdict <- nil

		// A handler that calls Done and then returns an error is done.
		add(t, db, echo{N: 2}, start)
		p = s.next(t)
		must(t, db.Write(context.Background(), p.Done))
		p.verdict <- errors.New("too late")

		// An undone transaction has not finished the job.
		add(t, db, echo{N: 3}, start)
		p = s.next(t)
		p.verdict <- db.Write(context.Background(), func(tx *sqldb.Tx) error {
			if err := p.Done(tx); err != nil {
				return err
			}
			return errors.New("on second thoughts")
		})
		stop()
		if got := only(t, db); got.lastError != "on second thoughts" || got.failures != 1 {
			t.Errorf("%+v", got)
		}
		if got := r.Stats(); got != (job.Stats{Worked: 2, Failed: 1}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestLostLeaseEndsTheHandlersContext(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{N: 1}, start)
		add(t, db, echo{N: 2}, start)
		c := quiet(db, newClock(start))
		c.Lease = 60 * time.Millisecond
		r := job.New(c)
		s := handle(r)
		stop := run(t, r)
		taken, kept := s.next(t), s.next(t)
		change(t, db, "UPDATE jobs SET owner = 'another', attempt = attempt + 1 WHERE id = $1", taken.ID)
		within(t, taken.ctx.Done())
		if cause := context.Cause(taken.ctx); !errors.Is(cause, job.ErrLost) {
			t.Errorf("it ended by %v", cause)
		}
		if kept.ctx.Err() != nil {
			t.Error("the other job's context ended too")
		}
		// A job that its own handler finished is not lost. Others are renewed after
		// it is gone, and its context goes on.
		must(t, db.Write(context.Background(), kept.Done))
		add(t, db, echo{N: 3}, start)
		witness := s.next(t)
		change(t, db, "UPDATE jobs SET owner = 'another', attempt = attempt + 1 WHERE id = $1", witness.ID)
		within(t, witness.ctx.Done())
		if kept.ctx.Err() != nil {
			t.Error("a job that is done had its context ended")
		}
		for _, p := range []*playing{taken, witness} {
			p.verdict <- p.ctx.Err()
		}
		kept.verdict <- nil
		stop()
		if got := r.Stats(); got != (job.Stats{Lost: 2, Worked: 1}) {
			t.Errorf("%+v", got)
		}
	})
}

// The lease of a long job is renewed, so by another runner's clock it never runs
// out.
func TestLeaseIsRenewed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{}, start)
		clock := newClock(start)
		r := job.New(quiet(db, clock))
		s := handle(r)
		stop := run(t, r)
		p := s.next(t)
		clock.move(4 * time.Minute) // more than a third of the lease
		for range 2 {               // the second is claimed in a turn that began after the move
			add(t, db, echo{N: 2}, start)
			s.next(t).verdict <- nil
		}
		if got := rows(t, db)[0]; !got.runAt.Equal(start.Add(14 * time.Minute)) {
			t.Errorf("its lease ends at %v", got.runAt)
		}
		p.verdict <- nil
		stop()
		none(t, db)
	})
}

func TestFailedJobWaitsLongerEachTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		clock := newClock(start)
		c := quiet(db, clock)
		c.MaxAttempts = 4
		add(t, db, echo{}, start)
		for failures, wait := 1, time.Second; failures < 4; failures, wait = failures+1, 2*wait {
			once(t, c, fmt.Errorf("failure %d", failures))
			got := only(t, db)
			if d := got.runAt.Sub(clock.at); d < wait*3/4-time.Millisecond || d > wait*5/4 {
				t.Errorf("after %d failures it waits %v", failures, d)
			}
			if got.failures != failures || got.attempt != failures || got.owner != "" || got.dead || got.lastError != fmt.Sprint("failure ", failures) {
				t.Errorf("after %d failures: %+v", failures, got)
			}
			clock.move(2 * wait)
		}
		once(t, c, errors.New("the last"))
		if got := only(t, db); !got.dead || got.owner != "" || got.failures != 4 || got.lastError != "the last" {
			t.Errorf("after the last: %+v", got)
		}
	})
}

// A sleeping runner wakes to retry a job that it put back itself.
func TestFailedJobRunsAgainByItself(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, nil)
		c.Clock = time.Now
		c.Backoff = func(failures int) time.Duration { return time.Duration(failures) * 20 * time.Millisecond }
		r := job.New(c)
		s := handle(r, job.MaxAttempts(3))
		stop := run(t, r)
		add(t, db, echo{}, time.Now())
		for range 3 {
			s.next(t).verdict <- errors.New("no")
		}
		stop()
		if got := only(t, db); !got.dead || got.failures != 3 {
			t.Errorf("%+v", got)
		}
		if got := r.Stats(); got != (job.Stats{Failed: 2, Dead: 1}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestSnoozeIsNoFailure(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		clock := newClock(start)
		c := quiet(db, clock)
		c.MaxAttempts = 2
		add(t, db, echo{}, start)
		once(t, c, errors.New("a failure"))
		for range 5 {
			clock.move(time.Minute)
			once(t, c, fmt.Errorf("too many requests: %w", job.Snooze(30*time.Second)))
			if got := only(t, db); !got.runAt.Equal(clock.at.Add(30*time.Second)) || got.failures != 1 || got.dead || got.owner != "" {
				t.Fatalf("%+v", got)
			}
		}
		clock.move(time.Minute)
		once(t, c, job.Snooze(0))
		if got := only(t, db); !got.runAt.Equal(clock.at.Add(time.Second)) {
			t.Errorf("a snooze of nothing: %+v", got)
		}
	})
}

func TestCancelledJobIsDeadAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		gone := errors.New("the channel is gone")
		if err := job.Cancel(gone); !errors.Is(err, gone) {
			t.Error("the reason is hidden")
		}
		add(t, db, echo{}, start)
		once(t, quiet(db, newClock(start)), fmt.Errorf("post: %w", job.Cancel(gone)))
		if got := only(t, db); !got.dead || got.lastError != "post: the channel is gone" || got.failures != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// If a run fails while another job with its key waits, the two merge. The waiting
// job then runs no later than the retry would have.
func TestFailedJobIsCoveredByAWaitingOne(t *testing.T) {
	for name, verdict := range map[string]error{"failed": errors.New("no"), "snoozed": job.Snooze(time.Second)} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
				r := job.New(quiet(db, newClock(start)))
				s := handle(r)
				stop := run(t, r)
				add(t, db, echo{N: 1}, start, job.Key("k"))
				p := s.next(t)
				add(t, db, echo{N: 2}, start, job.Key("k"), job.At(start.Add(time.Hour)))
				p.verdict <- verdict
				stop()
				got := only(t, db)
				if got.id == p.ID || got.args != `{"N":2,"Text":""}` || got.failures != 0 || got.runAt.After(start.Add(1250*time.Millisecond)) {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// Two runs with one key fail, the older one first. So the older one waits when the
// newer one is put back. The newest arguments still win.
func TestNewestArgumentsWinAmongFailedRuns(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, newClock(start))
		c.Workers = 2
		fail := func(n int, merge ...echo) {
			t.Helper()
			r := job.New(c)
			s := handle(r)
			stop := run(t, r)
			add(t, db, echo{N: n}, start, job.Key("k"))
			older := s.next(t)
			add(t, db, echo{N: n + 1}, start, job.Key("k"))
			newer := s.next(t)
			older.verdict <- errors.New("no")
			// Once this has been recorded, a worker is free for another job.
			add(t, db, echo{N: 99}, start, job.Key("other"))
			s.next(t).verdict <- nil
			for _, m := range merge {
				add(t, db, m, start, job.Key("k"), job.At(start.Add(time.Hour)))
			}
			newer.verdict <- errors.New("no")
			stop()
		}
		fail(1)
		if got := only(t, db); got.args != `{"N":2,"Text":""}` {
			t.Errorf("the older arguments won: %+v", got)
		}
		change(t, db, "DELETE FROM jobs")
		fail(1, echo{N: 3})
		if got := only(t, db); got.args != `{"N":3,"Text":""}` {
			t.Errorf("arguments merged into the older one lost: %+v", got)
		}
	})
}

func TestPanicIsAFailure(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, newClock(start))
		c.Workers = 1 // which must be free again afterwards
		r := job.New(c)
		ran := make(chan int, 10)
		job.Handle(r, func(_ context.Context, _ *job.Job, args echo) error {
			ran <- args.N
			switch args.N {
			case 1:
				panic("so what")
			case 2:
				runtime.Goexit()
			}
			return nil
		})
		for n := 1; n <= 3; n++ {
			add(t, db, echo{N: n}, start)
		}
		stop := run(t, r)
		for range 3 {
			within(t, ran)
		}
		stop()
		all := rows(t, db)
		if len(all) != 2 || all[0].lastError != "panic: so what" || !strings.Contains(all[1].lastError, "goroutine") {
			t.Errorf("%+v", all)
		}
		if got := r.Stats(); got != (job.Stats{Worked: 1, Failed: 2}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAnyErrorTextIsKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		texts := []string{"nul \x00 and \xff\xfe bytes", strings.Repeat("ü", 5000), strings.Repeat("\xff", 5000), "", "'; --\r\n\x1b[31m"}
		for _, text := range texts {
			change(t, db, "DELETE FROM jobs")
			add(t, db, echo{}, start)
			once(t, quiet(db, newClock(start)), errors.New(text))
			got := only(t, db).lastError
			if !utf8.ValidString(got) || strings.Contains(got, "\x00") || utf8.RuneCountInString(got) > 2000 {
				t.Errorf("%.20q was kept as %.20q", text, got)
			}
			if utf8.ValidString(text) && !strings.HasPrefix(strings.ReplaceAll(text, "\x00", "\uFFFD"), got) {
				t.Errorf("%.20q was kept as %.20q", text, got)
			}
		}
	})
}

func TestArgumentsThatCannotBeReadAreAFailure(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{}, start)
		change(t, db, `UPDATE jobs SET args = '{"N":"one"}'`)
		add(t, db, echo{N: 2}, start)
		c := quiet(db, newClock(start))
		c.Workers = 1
		once(t, c, nil)
		if got := only(t, db); got.failures != 1 || !strings.Contains(got.lastError, "arguments") {
			t.Errorf("%+v", got)
		}
	})
}

// A job that kills its process is not retried forever.
func TestRunnersThatDieAreFailures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for n := 1; n <= 2; n++ {
			add(t, db, echo{N: n}, start)
		}
		// Two runners are gone. The second job had failed 24 times before.
		change(t, db, "UPDATE jobs SET owner = 'gone', attempt = 25, failures = 22 + id, run_at = $1", start.Add(-time.Second).UnixMilli())
		r := job.New(quiet(db, newClock(start)))
		s := handle(r)
		stop := run(t, r)
		p := s.next(t)
		if p.args.N != 1 || p.Attempt != 26 || p.Failures != 24 {
			t.Errorf("%+v attempt %d failures %d", p.args, p.Attempt, p.Failures)
		}
		p.verdict <- nil
		stop()
		if got := only(t, db); !got.dead || got.owner != "" || got.failures != 25 || !strings.Contains(got.lastError, "runner ended") {
			t.Errorf("%+v", got)
		}
		if got := r.Stats(); got != (job.Stats{Worked: 1, Dead: 1}) {
			t.Errorf("%+v", got)
		}
	})
}
