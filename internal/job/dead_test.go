package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// kill makes a dead letter.
func kill(t testing.TB, db *sqldb.DB, n int, at time.Time, opts ...job.Option) {
	t.Helper()
	add(t, db, echo{N: n}, at, opts...)
	once(t, quiet(db, newClock(at)), job.Cancel(fmt.Errorf("reason %d", n)))
}

func dead(t testing.TB, db *sqldb.DB, limit int) (letters []job.Letter) {
	t.Helper()
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		letters, err = job.Dead(tx, limit)
		return err
	}))
	return letters
}

func TestDeadLettersAreListedNewestFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for n := range 5 {
			kill(t, db, n, start.Add(time.Duration(n/2)*time.Minute), job.Key(fmt.Sprint(n))) // some at the same moment
		}
		add(t, db, echo{N: 6}, start) // one that lives
		var got []int
		for _, l := range dead(t, db, 10) {
			var n int
			if _, err := fmt.Sscanf(string(l.Args), `{"N":%d,`, &n); err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
			if l.Kind != "echo" || l.Key != fmt.Sprint(n) || l.Failures != 1 || l.LastError != fmt.Sprint("reason ", n) ||
				!l.DeadAt.Equal(start.Add(time.Duration(n/2)*time.Minute)) || !l.CreatedAt.Equal(l.DeadAt) {
				t.Errorf("%+v", l)
			}
		}
		if fmt.Sprint(got) != "[4 3 2 1 0]" {
			t.Errorf("the order is %v", got)
		}
		if all, two := dead(t, db, 10), dead(t, db, 2); len(two) != 2 || two[0].ID != all[0].ID || two[1].ID != all[1].ID {
			t.Errorf("the newest two are %+v", two)
		}
	})
}

func TestDeadLetterIsRetried(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		kill(t, db, 1, start, job.Key("k"))
		letter := dead(t, db, 10)[0]
		later := start.Add(time.Hour)

		r := job.New(quiet(db, newClock(later)))
		s := handle(r)
		stop := run(t, r)
		write(t, db, func(tx *sqldb.Tx) error { return job.Retry(tx, letter.ID, later) })
		p := s.next(t) // the retry wakes the runner
		if p.ID != letter.ID || p.args.N != 1 || p.Failures != 0 || p.Attempt != 2 || !p.CreatedAt.Equal(start) {
			t.Errorf("%+v", p.Job)
		}
		p.verdict <- nil
		stop()
		none(t, db)
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error { return job.Retry(tx, letter.ID, later) })
		if !errors.Is(err, job.ErrNoLetter) {
			t.Errorf("again: %v", err)
		}
	})
}

func TestRetriedLetterIsCoveredByAWaitingJob(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		kill(t, db, 1, start, job.Key("k"))
		add(t, db, echo{N: 2}, start, job.Key("k"), job.At(start.Add(time.Hour)))
		letter := dead(t, db, 10)[0]
		write(t, db, func(tx *sqldb.Tx) error { return job.Retry(tx, letter.ID, start.Add(time.Minute)) })
		if got := only(t, db); got.args != `{"N":2,"Text":""}` || got.dead || !got.runAt.Equal(start.Add(time.Minute)) {
			t.Errorf("%+v", got)
		}

		// The other way round: the letter is newer, because the waiting job was put
		// back by a run that had begun earlier.
		change(t, db, "DELETE FROM jobs")
		kill(t, db, 3, start)
		kill(t, db, 4, start)
		change(t, db, "UPDATE jobs SET unique_key = 'k'")
		for _, letter := range slices.Backward(dead(t, db, 10)) {
			write(t, db, func(tx *sqldb.Tx) error { return job.Retry(tx, letter.ID, start) })
		}
		if got := only(t, db); got.args != `{"N":4,"Text":""}` || got.dead {
			t.Errorf("%+v", got)
		}
	})
}

func TestAllDeadLettersAreRetried(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		at := start
		for n := range 5 {
			kill(t, db, n, at, job.Key(fmt.Sprint("k", n%2))) // two keys: the newest of each should run
			at = at.Add(time.Minute)
		}
		kill(t, db, 9, at.Add(time.Minute)) // it dies after the time that is given
		retried := 0
		must(t, db.Pieces(context.Background(), func(tx *sqldb.Tx) (bool, error) {
			n, err := job.RetryAll(tx, at, 2)
			retried += n
			return n == 2, err
		}))
		var waiting []string
		for _, r := range rows(t, db) {
			if !r.dead {
				waiting = append(waiting, r.args)
			}
		}
		slices.Sort(waiting)
		if retried != 5 || fmt.Sprint(waiting) != `[{"N":3,"Text":""} {"N":4,"Text":""}]` {
			t.Errorf("%d were retried, and these wait: %v", retried, waiting)
		}

		if left := dead(t, db, 10); len(left) != 1 || string(left[0].Args) != `{"N":9,"Text":""}` {
			t.Errorf("these are left to the next call: %+v", left)
		}
	})
}

func TestDeadLetterIsDiscarded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		kill(t, db, 1, start)
		kill(t, db, 2, start)
		add(t, db, echo{N: 3}, start)
		letters := dead(t, db, 10)
		write(t, db, func(tx *sqldb.Tx) error { return job.Discard(tx, letters[0].ID) })
		if left := dead(t, db, 10); len(left) != 1 || left[0].ID != letters[1].ID {
			t.Errorf("%+v", left)
		}
		for _, id := range []int64{letters[0].ID, rows(t, db)[1].id} { // a deleted letter, and a live job
			err := db.Write(context.Background(), func(tx *sqldb.Tx) error { return job.Discard(tx, id) })
			if !errors.Is(err, job.ErrNoLetter) {
				t.Errorf("job %d: %v", id, err)
			}
		}
	})
}
