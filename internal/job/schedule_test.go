package job_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func nextTick(t testing.TB, db *sqldb.DB, name string) time.Time {
	t.Helper()
	var at int64
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT next_at FROM schedules WHERE name = $1", name).Scan(&at)
	}))
	return time.UnixMilli(at).UTC()
}

// oneTurn lets r look at the table once and stops it.
func oneTurn(t testing.TB, db *sqldb.DB, r *job.Runner, now time.Time) {
	t.Helper()
	s := handle(r)
	add(t, db, echo{N: 99}, now)
	stop := run(t, r)
	p := s.next(t)
	if p.args.N != 99 {
		t.Errorf("job %+v ran", p.args)
	}
	p.verdict <- nil
	stop()
}

func TestTwoRunnersMakeOneJobPerTick(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		const ticks = 30
		c := newClock(start)
		ran := make(chan int64, 1000)
		var dbs []*sqldb.DB
		var stops []func()
		for range 2 {
			db := dbtest.Open(t, sqldb.Config{URL: url})
			r := job.New(quiet(db, c))
			r.Every("often", time.Second, echo{})
			job.Handle(r, func(_ context.Context, j *job.Job, _ echo) error { ran <- j.ID; return nil })
			dbs = append(dbs, db)
			stops = append(stops, run(t, r))
		}
		for tick := range ticks {
			if tick > 0 {
				c.move(time.Second) // all within the skew: one runner may be ticks behind
				for _, db := range dbs {
					ring(t, db)
				}
			}
			within(t, ran)
		}
		for _, stop := range stops {
			stop()
		}
		if len(ran) != 0 {
			t.Errorf("%d jobs for %d ticks", ticks+len(ran), ticks)
		}
		none(t, dbs[0])
		if at, want := nextTick(t, dbs[0], "often"), start.Add(ticks*time.Second); !at.Equal(want) {
			t.Errorf("the next tick is at %v, want %v", at, want)
		}
	})
}

func TestMissedTicksAreOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		tick := func(verdict error) {
			t.Helper()
			r := job.New(quiet(db, c))
			r.Every("hourly", time.Hour, echo{})
			s := handle(r)
			stop := run(t, r)
			s.next(t).verdict <- verdict
			stop()
			if len(s.runs) != 0 {
				t.Error("there was more than one job")
			}
		}
		tick(nil)
		c.move(10*time.Hour + 20*time.Minute)
		tick(nil)
		none(t, db)
		if at := nextTick(t, db, "hourly"); !at.Equal(start.Add(11 * time.Hour)) {
			t.Errorf("the next tick is at %v: it left its grid", at)
		}
	})
}

// Ticks do not pile up while the job waits.
func TestTicksOfAWaitingJobAreOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		for range 3 {
			r := job.New(quiet(db, c))
			r.Every("hourly", time.Hour, other{}) // no handler here
			r.Every("daily", 24*time.Hour, other{})
			oneTurn(t, db, r, c.at)
			c.move(time.Hour)
		}
		if n := len(rows(t, db)); n != 2 {
			t.Errorf("%d jobs wait, want one of each schedule", n)
		}
	})
}

// Real time passes, and nothing rings.
func TestScheduleTicksByItself(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := quiet(db, nil)
		c.Clock = time.Now
		r := job.New(c)
		r.Every("often", 60*time.Millisecond, echo{})
		s := handle(r)
		run(t, r)
		began := time.Now()
		for range 4 {
			s.next(t).verdict <- nil
		}
		if took := time.Since(began); took < 120*time.Millisecond {
			t.Errorf("four ticks in %v", took)
		}
	})
}
