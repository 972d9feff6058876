package job_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// apart is a job with its own queue.
type apart struct{ N int }

func (apart) Kind() string  { return "apart" }
func (apart) Queue() string { return "aside" }

// aside returns a runner of that queue. It sends each job to runs and waits for a
// verdict.
func aside(c job.Config) (r *job.Runner, runs chan int, verdicts chan error) {
	c.Queue = "aside"
	r, runs, verdicts = job.New(c), make(chan int), make(chan error)
	job.Handle(r, func(_ context.Context, _ *job.Job, a apart) error {
		runs <- a.N
		return <-verdicts
	})
	return r, runs, verdicts
}

// A runner works only on its own queue, and other queues do not wake it.
func TestRunnersWorkOnTheirQueues(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		mine, theirs := newClock(start), newClock(start)
		r, runs, verdicts := aside(quiet(db, mine))
		main := job.New(quiet(db, theirs))
		s := handle(main)
		add(t, db, apart{N: 1}, start)
		stop, stopMain := run(t, r), run(t, main)
		if n := within(t, runs); n != 1 {
			t.Errorf("%d ran", n)
		}
		verdicts <- nil
		const others = 30
		for n := range others {
			add(t, db, echo{N: n}, start)
			s.next(t).verdict <- nil
		}
		add(t, db, apart{N: 2}, start)
		if n := within(t, runs); n != 2 {
			t.Errorf("%d ran", n)
		}
		verdicts <- nil
		stop()
		stopMain()
		none(t, db)
		if mine.reads > others {
			t.Errorf("%d turns for two jobs of its own, while %d of others were added", mine.reads, others)
		}
	})
}

// A job stays in its queue when it fails, when it waits again, and when it is
// retried as a dead letter.
func TestJobsStayInTheirQueue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock(start)
		once := func(verdict error) {
			t.Helper()
			r, runs, verdicts := aside(quiet(db, c))
			stop := run(t, r)
			within(t, runs)
			verdicts <- verdict
			stop()
			c.move(time.Hour)
		}
		add(t, db, apart{N: 1}, start)
		once(errors.New("not now"))
		once(job.Snooze(time.Second))
		once(job.Cancel(errors.New("never")))
		letter := only(t, db)
		write(t, db, func(tx *sqldb.Tx) error { return job.Retry(tx, letter.id, c.Now()) })
		once(nil)
		none(t, db)
	})
}

// A process of a version without queues adds jobs to the queue without a name.
func TestJobsOfOldProcessesAreAdopted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		add(t, db, apart{N: 7}, start)
		add(t, db, echo{N: 8}, start)
		change(t, db, "UPDATE jobs SET queue = ''")
		r, runs, verdicts := aside(quiet(db, newClock(start)))
		stop := run(t, r)
		if n := within(t, runs); n != 7 {
			t.Errorf("%d ran", n)
		}
		verdicts <- nil
		stop()
		if left := only(t, db); left.kind != "echo" || left.attempt != 0 {
			t.Errorf("%+v", left)
		}
	})
}

func TestHandlersAreOfTheRunnersQueue(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a runner takes a handler of another queue, whose jobs it never sees")
		}
	}()
	job.Handle(job.New(job.Config{}), func(context.Context, *job.Job, apart) error { return nil })
}

var parameter = regexp.MustCompile(`\$\d+`)

// Due jobs are found in the order of their queue. A runner never scans the jobs of
// other queues, however many there are.
func TestQueuesUseTheirIndex(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	for _, kinds := range []int{1, 3} {
		for what, statement := range map[string]string{"due": job.Due(kinds), "first": job.First(kinds)} {
			var plan []string
			must(t, db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
				plan, err = sqldb.Collect(tx, func(scan func(...any) error) (detail string, err error) {
					var id, parent, unused int64
					err = scan(&id, &parent, &unused, &detail)
					return detail, err
				}, "EXPLAIN QUERY PLAN "+parameter.ReplaceAllString(statement, "1"))
				return err
			}))
			if text := fmt.Sprint(plan); !strings.Contains(text, "jobs_due (queue=?") || strings.Contains(text, "TEMP B-TREE") {
				t.Errorf("%s of %d kinds: %s", what, kinds, text)
			}
		}
	}
}
