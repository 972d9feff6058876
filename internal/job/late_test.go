package job_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestLatenessIsOfTheOldestDueJobOfAQueue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		wantLate := func(queue string, at, want time.Duration) {
			t.Helper()
			c := quiet(db, newClock(start.Add(at)))
			c.Queue = queue
			got, err := job.New(c).Lateness(context.Background())
			must(t, err)
			if got != want {
				t.Errorf("queue %q at %s is %s late, want %s", queue, at, got, want)
			}
		}
		wantLate("", 0, 0)
		kill(t, db, 1, start.Add(-time.Hour)) // waits for a person, not for us
		add(t, db, echo{N: 2}, start.Add(time.Minute))
		add(t, db, echo{N: 3}, start.Add(time.Second))
		wantLate("", 0, 0)
		wantLate("", time.Hour, time.Hour-time.Second)
		wantLate("aside", time.Hour, 0)
	})
}

func TestDeadLettersAreCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for n := range 3 {
			kill(t, db, n, start)
		}
		for most, want := range map[int]int{10: 3, 2: 2} {
			if got, err := job.New(quiet(db, newClock(start))).CountDead(context.Background(), most); err != nil || got != want {
				t.Errorf("up to %d: %d, %v", most, got, err)
			}
		}
	})
}
