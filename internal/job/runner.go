package job

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"frontdesk/internal/sqldb"
)

// Config says what a Runner works on and how. Only DB is required.
type Config struct {
	DB *sqldb.DB
	// Queue is where the jobs of this runner wait; see Queued.
	Queue string
	// Workers is how many jobs run at once. Defaults to 16.
	Workers int
	// Lease is how long a job stays this runner's without a sign of life; it is
	// renewed after each third. Defaults to a minute. The runners on one
	// database have the same lease, and their clocks agree to within a third.
	Lease time.Duration
	// Poll is the longest time without a look at the table, in case a wake-up
	// was lost. Between processes on one SQLite file there are none. Defaults
	// to 30 seconds.
	Poll time.Duration
	// Grace is how long running handlers may go on after the end of Run's
	// context, before their own ends. Defaults to 20 seconds.
	Grace time.Duration
	// Timeout is after what time the context of one run ends. Defaults to 10
	// minutes.
	Timeout time.Duration
	// MaxAttempts is after how many failures a job is a dead letter. Defaults
	// to 25, which takes about half a day.
	MaxAttempts int
	// Backoff is how long a job waits after so many failures. Defaults to Backoff.
	Backoff func(failures int) time.Duration
	// Clock tells the time. Defaults to time.Now.
	Clock func() time.Time
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

func (c *Config) setDefaults() {
	c.Workers = orElse(c.Workers, 16)
	c.Lease = orElse(c.Lease, time.Minute)
	c.Poll = orElse(c.Poll, 30*time.Second)
	c.Grace = orElse(c.Grace, 20*time.Second)
	c.Timeout = orElse(c.Timeout, 10*time.Minute)
	c.MaxAttempts = orElse(c.MaxAttempts, 25)
	c.Log = orElse(c.Log, slog.Default())
	if c.Backoff == nil {
		c.Backoff = Backoff
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Runner runs the jobs of the kinds it has handlers for; others are left
// alone. To keep slow work from holding up the rest, give it a queue and a
// Runner of its own on the same database.
type Runner struct {
	cfg       Config
	handlers  map[string]handler
	schedules []schedule
	stats     *stats
}

// handler is what is known of a kind.
type handler struct {
	run         func(context.Context, *Job) error
	maxAttempts int
	timeout     time.Duration
}

// New makes a Runner, which does nothing before Run.
func New(c Config) *Runner {
	c.setDefaults()
	return &Runner{cfg: c, handlers: map[string]handler{}, stats: &stats{}}
}

// Rule changes a Runner's settings for one kind.
type Rule func(*handler)

// MaxAttempts is after how many failures a job of the kind is a dead letter.
func MaxAttempts(n int) Rule { return func(h *handler) { h.maxAttempts = n } }

// Timeout is after what time the context of one run of the kind ends.
func Timeout(d time.Duration) Rule { return func(h *handler) { h.timeout = d } }

// Handle gives r the handler of a kind, before Run. A job is done when fn
// returns nil; see Snooze and Cancel, and Done to be done earlier. fn's context
// ends when the job is lost to another runner, its time is up, or r was told to
// stop and the grace is over.
func Handle[A Args](r *Runner, fn func(ctx context.Context, j *Job, args A) error, rules ...Rule) {
	var zero A
	kind := zero.Kind()
	if queue := queueOf(zero); queue != r.cfg.Queue {
		panic(fmt.Sprintf("job: the kind %s is of the queue %q, and its runner of %q", kind, queue, r.cfg.Queue))
	}
	if _, taken := r.handlers[kind]; taken {
		panic("job: two handlers of kind " + kind)
	}
	h := handler{maxAttempts: r.cfg.MaxAttempts, timeout: r.cfg.Timeout}
	h.run = func(ctx context.Context, j *Job) error {
		var args A
		if err := json.Unmarshal([]byte(j.args), &args); err != nil {
			return fmt.Errorf("read the arguments: %w", err)
		}
		return fn(ctx, j, args)
	}
	for _, rule := range rules {
		rule(&h)
	}
	r.handlers[kind] = h
}

// Run works until ctx ends. Then it claims nothing more and waits for its
// handlers: when the grace is over their contexts end, and the jobs of those
// that return go back to wait for another runner. An error says that handlers
// went on regardless, or that the database could not be told of some that
// ended: those jobs run again when their leases have run out.
func (r *Runner) Run(ctx context.Context) error { return newShift(r).run(ctx) }

// Work runs what is due, or will be within a time, one job after the other, until
// nothing is, and returns how many that were. A job that fails waits for its time,
// as always. It is for who must know when the work is done; a service Runs.
func (r *Runner) Work(ctx context.Context, within time.Duration) (n int, err error) {
	one := &Runner{cfg: r.cfg, handlers: r.handlers, stats: r.stats}
	one.cfg.Workers = 1
	one.cfg.Clock = func() time.Time { return r.cfg.Clock().Add(within) }
	return newShift(one).work(ctx)
}

// Stats counts what has become of runs since New.
type Stats struct {
	Worked uint64 // done
	Failed uint64 // to be tried again
	Dead   uint64 // dead letters
	Lost   uint64 // taken by another runner meanwhile
}

type stats struct{ worked, failed, dead, lost atomic.Uint64 }

// Stats returns the counts so far.
func (r *Runner) Stats() Stats {
	return Stats{
		Worked: r.stats.worked.Load(),
		Failed: r.stats.failed.Load(),
		Dead:   r.stats.dead.Load(),
		Lost:   r.stats.lost.Load(),
	}
}
