package job_test

import (
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestClockSetBackDoesNotStopASchedule(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		r := job.New(quiet(db, c))
		r.Every("hourly", time.Hour, echo{})
		s := handle(r)
		stop := run(t, r)
		s.next(t).verdict <- nil
		c.move(-5 * time.Hour)
		for n := 1; n <= 2; n++ { // the second is claimed in a turn that began after the move
			add(t, db, echo{N: n}, start.Add(-5*time.Hour))
			p := s.next(t)
			if p.args.N != n {
				t.Error("the clock going back is no tick")
			}
			p.verdict <- nil
		}
		if at, want := nextTick(t, db, "hourly"), start.Add(-4*time.Hour); !at.Equal(want) {
			t.Fatalf("the next tick is at %v, want %v", at, want)
		}
		c.move(time.Hour)
		ring(t, db)
		s.next(t).verdict <- nil
		stop()
	})
}

// The same for a runner that starts after the clock was corrected.
func TestTickOfAWrongClockIsPulledIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		change(t, db, "INSERT INTO schedules (name, next_at) VALUES ('hourly', $1)", start.Add(72*time.Hour).UnixMilli())
		change(t, db, "INSERT INTO schedules (name, next_at) VALUES ('daily', $1)", start.Add(20*time.Hour).UnixMilli())
		r := job.New(quiet(db, newClock(start)))
		r.Every("hourly", time.Hour, other{})
		r.Every("daily", 24*time.Hour, other{})
		oneTurn(t, db, r, start)
		none(t, db)
		if at := nextTick(t, db, "hourly"); !at.Equal(start.Add(time.Hour)) {
			t.Errorf("hourly: %v", at)
		}
		if at := nextTick(t, db, "daily"); !at.Equal(start.Add(20 * time.Hour)) {
			t.Errorf("daily, which was right: %v", at)
		}
	})
}

// A runner died, and a clock that was hours ahead set its lease.
func TestLeaseOfAWrongClockRunsOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{N: 1}, start)
		change(t, db, "UPDATE jobs SET owner = 'gone', attempt = 1, run_at = $1", start.Add(5*time.Hour).UnixMilli())
		add(t, db, echo{N: 2}, start, job.At(start.Add(5*time.Hour))) // its time is far away on purpose
		c := newClock(start)
		r := job.New(quiet(db, c))
		s := handle(r)
		add(t, db, echo{N: 3}, start)
		stop := run(t, r)
		if p := s.next(t); p.args.N != 3 {
			t.Fatalf("%+v ran: a lease in doubt has one more lease to be renewed", p.args)
		} else {
			p.verdict <- nil
		}
		c.move(10 * time.Minute)
		ring(t, db)
		p := s.next(t)
		if p.args.N != 1 {
			t.Errorf("%+v ran", p.args)
		}
		p.verdict <- nil
		stop()
		if got := only(t, db); !got.runAt.Equal(start.Add(5 * time.Hour)) {
			t.Errorf("%+v", got)
		}
	})
}

// A clock that is ahead by less than the skew is trusted.
func TestLeaseOfAClockInStepIsLeftAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{}, start)
		end := start.Add(10*time.Minute + 50*time.Second)
		change(t, db, "UPDATE jobs SET owner = 'alive', attempt = 1, run_at = $1", end.UnixMilli())
		oneTurn(t, db, job.New(quiet(db, newClock(start))), start)
		if got := only(t, db); !got.runAt.Equal(end) || got.owner != "alive" {
			t.Errorf("%+v", got)
		}
	})
}

// The clock jumps ahead of every lease. The runner keeps its jobs.
func TestClockSetForwardDoesNotDoubleARun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, echo{N: 1}, start)
		c := newClock(start)
		r := job.New(quiet(db, c))
		s := handle(r)
		stop := run(t, r)
		p := s.next(t)
		c.move(5 * time.Hour)
		add(t, db, echo{N: 2}, start)
		second := s.next(t)
		if second.args.N != 2 {
			t.Fatalf("%+v ran twice", second.args)
		}
		second.verdict <- nil
		// And back: the renewed leases are far ahead now, and still its own.
		c.move(-10 * time.Hour)
		add(t, db, echo{N: 3}, start.Add(-10*time.Hour))
		s.next(t).verdict <- nil
		if p.ctx.Err() != nil {
			t.Error("its context ended")
		}
		p.verdict <- nil
		stop()
		none(t, db)
		if got := r.Stats(); got != (job.Stats{Worked: 3}) {
			t.Errorf("%+v", got)
		}
	})
}
