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

// Config describes a Runner. Only DB is required.
type Config struct {
	DB *sqldb.DB
	// Queue is the queue that this runner works on; see Queued.
	Queue string
	// Workers is how many jobs run at once. Defaults to 16.
	Workers int
	// Lease is how long a job stays with this runner without a renewal. A third of
	// it passes between renewals. Defaults to a minute. All runners on one database
	// must have the same lease, and their clocks must agree to within a third of
	// it: DB.Now does.
	Lease time.Duration
	// Poll is the longest time between two looks at the table. They find what nothing
	// wakes this runner for: jobs that were added for later, jobs whose process died
	// before it claimed them, and jobs of other processes that share a SQLite file.
	// Defaults to 2 seconds.
	Poll time.Duration
	// Grace is how long handlers may go on after Run's context ends, before their
	// own contexts end. Defaults to 20 seconds.
	Grace time.Duration
	// Timeout is how long one run may take before its context ends. Defaults to 10
	// minutes.
	Timeout time.Duration
	// MaxAttempts is how many failures make a job a dead letter. Defaults to 25,
	// which takes about half a day.
	MaxAttempts int
	// Backoff returns how long a job waits after so many failures. Defaults to the
	// function Backoff.
	Backoff func(failures int) time.Duration
	// Clock returns the current time. Defaults to DB.Now.
	Clock func() time.Time
	// Log receives messages for the operator. Defaults to slog.Default().
	Log *slog.Logger
}

const defaultPoll = 2 * time.Second

func (c *Config) setDefaults() {
	c.Workers = orElse(c.Workers, 16)
	c.Lease = orElse(c.Lease, time.Minute)
	c.Poll = orElse(c.Poll, defaultPoll)
	c.Grace = orElse(c.Grace, 20*time.Second)
	c.Timeout = orElse(c.Timeout, 10*time.Minute)
	c.MaxAttempts = orElse(c.MaxAttempts, 25)
	c.Log = orElse(c.Log, slog.Default())
	if c.Backoff == nil {
		c.Backoff = Backoff
	}
	if c.Clock == nil {
		c.Clock = c.DB.Now
	}
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Runner runs the jobs of the kinds that it has handlers for. It leaves others
// alone. To keep slow work from holding up the rest, give that work its own queue
// and its own Runner on the same database.
type Runner struct {
	cfg       Config
	handlers  map[string]handler
	schedules []schedule
	stats     *stats
}

// handler is a handler and the settings of its kind.
type handler struct {
	run         func(context.Context, *Job) error
	maxAttempts int
	timeout     time.Duration
}

// New makes a Runner. It does nothing until Run.
func New(c Config) *Runner {
	c.setDefaults()
	return &Runner{cfg: c, handlers: map[string]handler{}, stats: &stats{}}
}

// Rule changes a Runner's settings for one kind.
type Rule func(*handler)

// MaxAttempts is how many failures make a job of the kind a dead letter.
func MaxAttempts(n int) Rule { return func(h *handler) { h.maxAttempts = n } }

// Timeout is how long one run of the kind may take before its context ends.
func Timeout(d time.Duration) Rule { return func(h *handler) { h.timeout = d } }

// Handle registers the handler of a kind. Call it before Run. A job is done when fn
// returns nil; see also Snooze and Cancel, and Done to finish earlier. fn's context
// ends if the job is lost to another runner, if its time is up, or if r was told to
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

// Run works until ctx ends. Then it claims no more jobs and waits for its handlers.
// When the grace is over, the handlers' contexts end, and the jobs of those that
// return go back to wait for another runner. An error means that some handlers did
// not stop, or that the end of some could not be recorded. Those jobs run again
// once their leases have run out.
func (r *Runner) Run(ctx context.Context) error { return newShift(r).run(ctx) }

// Work runs the jobs that are due, or will be due within the given time, one after
// the other. It stops when none is left and returns how many it ran. A failed job
// waits for its retry as usual. Work is for callers that must know when the work is
// done. A server uses Run.
func (r *Runner) Work(ctx context.Context, within time.Duration) (n int, err error) {
	one := &Runner{cfg: r.cfg, handlers: r.handlers, stats: r.stats}
	one.cfg.Workers = 1
	one.cfg.Clock = func() time.Time { return r.cfg.Clock().Add(within) }
	return newShift(one).work(ctx)
}

// Do runs the handler for some arguments at once, as if it had claimed j, and
// returns what the handler returns. It is for tests that must decide when a job
// runs.
func (r *Runner) Do(ctx context.Context, j *Job, args Args) error {
	encoded, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encode the arguments: %w", err)
	}
	j.Kind, j.args = args.Kind(), string(encoded)
	return r.handlers[j.Kind].run(ctx, j)
}

// Stats counts the outcomes of runs since New.
type Stats struct {
	Worked uint64 // done
	Failed uint64 // will be retried
	Dead   uint64 // became dead letters
	Lost   uint64 // taken by another runner during the run
}

type stats struct {
	worked, failed, dead, lost atomic.Uint64
	turns, looks               atomic.Uint64
}

// Stats returns the counts so far.
func (r *Runner) Stats() Stats {
	return Stats{
		Worked: r.stats.worked.Load(),
		Failed: r.stats.failed.Load(),
		Dead:   r.stats.dead.Load(),
		Lost:   r.stats.lost.Load(),
	}
}

// Effort counts what it took to find and finish jobs since New.
type Effort struct {
	Turns uint64 // transactions
	Looks uint64 // reads that only ask whether a job is due
}

// Effort returns the counts so far.
func (r *Runner) Effort() Effort {
	return Effort{Turns: r.stats.turns.Load(), Looks: r.stats.looks.Load()}
}
