package sqldb_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A clock moves as far as an answer of the server proves that it is wrong.
func TestServerClockHears(t *testing.T) {
	began := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ earlier, asked, answered, server, want time.Duration }{
		"a clock that is right":              {0, 10, 30, 20, 0},
		"the same, asked and answered early": {0, 10, 30, 10, 0},
		"the same, asked and answered late":  {0, 10, 30, 30, 0},
		"a server that is ahead":             {0, 10, 30, 1020, 990},
		"a server that is behind":            {0, 10, 30, -1000, -1010},
		"right after a correction":           {990, 10, 30, 1015, 990},
		"a quick answer after a slow one":    {990, 40, 40, 1040, 1000},
	} {
		clock := sqldb.NewServerClock(func() time.Time { return began })
		clock.Hear(0, 0, began.Add(c.earlier*time.Millisecond))
		clock.Hear(c.asked*time.Millisecond, c.answered*time.Millisecond, began.Add(c.server*time.Millisecond))
		if got := clock.Now().Sub(began); got != c.want*time.Millisecond {
			t.Errorf("%s: it is ahead by %s, want %s", name, got, c.want*time.Millisecond)
		}
	}
}

// wrong returns a clock that is hours off.
func wrong(by time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(by) }
}

// Two processes whose machines have different clocks agree about the time, because
// both go by the server's.
func TestProcessesGoByTheServersClock(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	for name, by := range map[string]time.Duration{"ahead": 5 * time.Hour, "behind": -5 * time.Hour, "right": 0} {
		db, err := sqldb.Open(t.Context(), sqldb.Config{URL: url}.WithMachineClock(wrong(by)))
		if err != nil {
			t.Fatal(err)
		}
		if off := time.Until(db.Now()).Abs(); off > time.Hour { // the server is on this machine
			t.Errorf("a process whose clock is %s: it is off by %s", name, off)
		}
		must(t, db.Close())
	}
}

// A server with another clock takes over: processes follow it without being told.
func TestProcessesFollowAServerWhoseClockMoves(t *testing.T) {
	var moved time.Duration // of the machine, as seen by the server: the other way round
	machine := make(chan time.Duration, 1)
	machine <- moved
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}.WithMachineClock(func() time.Time {
		by := <-machine
		machine <- by
		return time.Now().Add(by)
	}).WithClockCheck(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, db.Close()) })
	<-machine
	machine <- 5 * time.Hour
	eventually(t, "the clock follows", func() bool { return time.Until(db.Now()).Abs() < time.Hour })
}

// A SQLite database has the processes of one machine.
func TestSQLiteGoesByTheMachinesClock(t *testing.T) {
	db, err := sqldb.Open(context.Background(), sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}.WithMachineClock(wrong(5*time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, db.Close()) })
	if off := time.Until(db.Now()); off < 4*time.Hour {
		t.Errorf("it is ahead by %s, the machine by five hours", off)
	}
}
