package job_test

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		os.Exit(child(url))
	}
	os.Exit(m.Run())
}

// echo is a job of the tests; other is a second kind.
type echo struct {
	N    int
	Text string
}

func (echo) Kind() string { return "echo" }

type other struct{ N int }

func (other) Kind() string { return "other" }

// start is an arbitrary time.
var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// clock is a clock that stands still until it is moved. It counts how often it is
// read, which a runner does once a turn.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	reads int
	read  chan time.Time // if set, receives each reading
}

func newClock(at time.Time) *clock { return &clock{at: at} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	if c.read != nil {
		select {
		case c.read <- time.Now():
		default:
		}
	}
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// quiet is a config in which nothing happens because time passes. Everything that a
// test sees was caused by a ring.
func quiet(db *sqldb.DB, c *clock) job.Config {
	return job.Config{
		DB: db, Clock: c.Now, Workers: 4, Lease: 10 * time.Minute, Poll: time.Hour,
		Log: slog.New(slog.DiscardHandler),
	}
}

// run runs r. The returned function stops r and waits until it has recorded
// everything.
func run(t testing.TB, r *job.Runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	var once sync.Once
	stop = func() {
		t.Helper()
		once.Do(func() {
			cancel()
			if err := within(t, ended); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// within receives from a channel, and fails the test instead of waiting forever.
func within[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing came within five minutes")
	}
	return v
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, db *sqldb.DB, fn func(tx *sqldb.Tx) error) {
	t.Helper()
	must(t, db.Write(context.Background(), fn))
}

func add(t testing.TB, db *sqldb.DB, args job.Args, now time.Time, opts ...job.Option) {
	t.Helper()
	write(t, db, func(tx *sqldb.Tx) error { return job.Add(tx, args, now, opts...) })
}

func change(t testing.TB, db *sqldb.DB, query string, args ...any) {
	t.Helper()
	write(t, db, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
}

// ring wakes the runners on db.
func ring(t testing.TB, db *sqldb.DB) {
	t.Helper()
	write(t, db, func(tx *sqldb.Tx) error { tx.Ring("jobs"); return nil })
}

// row is a job's row in the table.
type row struct {
	id                int64
	kind, args, owner string
	runAt             time.Time
	attempt, failures int
	lastError         string
	dead              bool
}

func rows(t testing.TB, db *sqldb.DB) (all []row) {
	t.Helper()
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (r row, err error) {
			var at int64
			err = scan(&r.id, &r.kind, &r.args, &r.owner, &at, &r.attempt, &r.failures, &r.lastError, &r.dead)
			r.runAt = time.UnixMilli(at).UTC()
			return r, err
		}, "SELECT id, kind, args, owner, run_at, attempt, failures, last_error, dead_at IS NOT NULL FROM jobs ORDER BY id")
		return err
	}))
	return all
}

// only returns the one job in the table.
func only(t testing.TB, db *sqldb.DB) row {
	t.Helper()
	all := rows(t, db)
	if len(all) != 1 {
		t.Fatalf("there are %d jobs, want 1: %+v", len(all), all)
	}
	return all[0]
}

func none(t testing.TB, db *sqldb.DB) {
	t.Helper()
	if all := rows(t, db); len(all) != 0 {
		t.Errorf("there are jobs left: %+v", all)
	}
}

// stage is a handler that a test controls. Each run announces itself and then waits
// for the verdict.
type stage struct{ runs chan *playing }

type playing struct {
	*job.Job
	ctx     context.Context
	args    echo
	verdict chan error
}

// handle gives r a handler of echo that the test controls.
func handle(r *job.Runner, rules ...job.Rule) *stage {
	s := &stage{runs: make(chan *playing, 1000)}
	job.Handle(r, func(ctx context.Context, j *job.Job, args echo) error {
		p := &playing{j, ctx, args, make(chan error, 1)}
		s.runs <- p
		return <-p.verdict
	}, rules...)
	return s
}

func (s *stage) next(t testing.TB) *playing {
	t.Helper()
	return within(t, s.runs)
}

// once runs one attempt of the due job with the given verdict, and waits until it
// is recorded.
func once(t testing.TB, c job.Config, verdict error) {
	t.Helper()
	r := job.New(c)
	s := handle(r)
	stop := run(t, r)
	s.next(t).verdict <- verdict
	stop()
}
