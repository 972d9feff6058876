package job_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// ear is a log handler that passes on each message.
type ear chan string

func (e ear) Enabled(context.Context, slog.Level) bool { return true }
func (e ear) WithAttrs([]slog.Attr) slog.Handler       { return e }
func (e ear) WithGroup(string) slog.Handler            { return e }
func (e ear) Handle(_ context.Context, r slog.Record) error {
	select {
	case e <- r.Message:
	default:
	}
	return nil
}

func TestRunnerOutlivesAFailingDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		heard := make(ear, 1)
		c := quiet(db, newClock(start))
		c.Log = slog.New(heard)
		r := job.New(c)
		s := handle(r)
		stop := run(t, r)
		add(t, db, echo{N: 1}, start)
		p := s.next(t)

		change(t, db, "ALTER TABLE jobs RENAME TO jobs_elsewhere")
		p.verdict <- nil
		if got := within(t, heard); got != "jobs wait for the database" {
			t.Errorf("it said: %s", got)
		}
		within(t, heard) // and tried again
		change(t, db, "ALTER TABLE jobs_elsewhere RENAME TO jobs")

		add(t, db, echo{N: 2}, start)
		s.next(t).verdict <- nil
		stop()
		none(t, db)
		if got := r.Stats(); got != (job.Stats{Worked: 2}) {
			t.Errorf("%+v", got)
		}
	})
}

// A run that cannot be recorded does not hold up the others.
func TestRunnerGivesUpWhatCannotBeWrittenDown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		change(t, db, "CREATE UNIQUE INDEX one_only ON jobs (last_error) WHERE last_error = 'poison'")
		heard := make(ear, 100)
		c := quiet(db, newClock(start))
		c.Log = slog.New(heard)
		r := job.New(c)
		s := handle(r)
		stop := run(t, r)
		for n := 1; n <= 2; n++ {
			add(t, db, echo{N: n}, start)
		}
		s.next(t).verdict <- errors.New("poison")
		s.next(t).verdict <- errors.New("poison")
		for range 2 { // nothing rings: the runner gets to it on its own
			for got := ""; got != "a job failed" && got != "could not record how a job ended"; {
				got = within(t, heard)
			}
		}
		add(t, db, echo{N: 3}, start)
		s.next(t).verdict <- nil
		stop()
		all := rows(t, db)
		if len(all) != 2 || (all[0].owner == "") == (all[1].owner == "") {
			t.Errorf("one was put back, the other is left to its lease: %+v", all)
		}
		if got := r.Stats(); got != (job.Stats{Worked: 1, Failed: 1}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestRunnerOutlivesItsConnections(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	here, there := dbtest.Open(t, sqldb.Config{URL: url}), dbtest.Open(t, sqldb.Config{URL: url})
	r := job.New(quiet(there, newClock(start)))
	s := handle(r)
	stop := run(t, r)
	for i := range 3 {
		add(t, here, echo{N: i}, start)
		p := s.next(t)
		// While a job runs, its completion and the next claim meet dead
		// connections.
		change(t, here, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		p.verdict <- nil
	}
	stop()
	none(t, here)
	if got := r.Stats(); got != (job.Stats{Worked: 3}) {
		t.Errorf("%+v", got)
	}
}
