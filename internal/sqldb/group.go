package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// Group commit. SQLite has one writer, PostgreSQL has one writer for each turn, and
// a durable commit waits for the disk. Callers that wait for the same writer at the
// same moment therefore share one transaction and one fsync. Each caller except the
// first runs inside its own savepoint:
//
//	BEGIN
//	  first caller's function   (if it fails, ROLLBACK)
//	  SAVEPOINT caller, second caller's function, RELEASE caller
//	  SAVEPOINT caller, third caller's function,  ROLLBACK TO caller   (it failed)
//	  …
//	COMMIT, then every caller gets its result
//
// One goroutine, the writer, owns the connection and lends it. A caller's function
// runs in the caller's own goroutine while the writer waits. So a panic unwinds in
// the right goroutine, and nothing can be written for a caller that has already
// left.
//
// The rules, each with a test of its name:
//
//  1. A caller's context ends its wait, never its statement. Statements run under
//     the writer's deadline. An interrupted write makes SQLite roll back the whole
//     transaction, and the RELEASE after it would commit alone. On PostgreSQL an
//     interrupt closes the connection.
//  2. After an error the writer rolls back to the savepoint, or rolls back the
//     transaction if no other caller is in it. If that fails, the group is void.
//     Each of its callers then runs again, alone, except a caller whose own time
//     is up.
//  3. A failed commit also makes the group void. On PostgreSQL, so does a conflict
//     with another transaction or a lost connection. A commit without an answer
//     may have happened, or may still happen: see postgres_commit.go. All callers
//     are told so, and none runs again.
//  4. Constraints are checked at once, never at commit, where it would not be
//     clear which caller broke them.
//  5. A panic undoes only the caller that panicked.
//  6. A function may run more than once and does no I/O.
//  7. Derived writes may join a group whose commit waits for the disk. Other
//     writes must not join a group of derived writes.
//  8. A group ends after groupTime, so that no caller waits for many others. Long
//     work is done in Pieces.
type group struct {
	session session
	queue   chan *call    // closed to stop
	left    *call         // a caller that was taken off the queue and begins the next group
	ended   chan struct{} // closed when the writer has stopped

	limit int
	time  time.Duration // groupTime
	ring  func(topics ...string)
	stats *stats
	log   *slog.Logger
}

// A session is the connection of a group. It hides what the engines do differently
// on it.
type session interface {
	// begin opens a transaction for first. Other callers may join it.
	begin(first *call) error
	// tx returns the open transaction for one caller. The statements of the caller
	// run under ctx.
	tx(ctx context.Context) *Tx
	// exec runs one of the group's own statements to its end. It is never
	// interrupted, because an interrupted statement may have happened.
	exec(statement string) error
	// inTransaction reports whether the transaction is still open. A function may
	// have ended it, or the engine may have done so with an error that a function
	// ignored.
	inTransaction() bool
	// retryable reports whether the callers of a transaction that ended with err should
	// run again, because the error is not the fault of any one of them.
	retryable(err error) bool
	// commit ends the transaction. After an error the transaction has not happened
	// if known is true, and may have happened if it is false.
	commit() (known bool, err error)
	// rollback ends a transaction. The transaction may already have ended.
	rollback() error
	// close releases the resources of the session.
	close()
}

// The group runs these statements around each caller except the first.
const (
	save     = "SAVEPOINT caller"
	release  = "RELEASE caller"
	rollBack = "ROLLBACK TO caller"
)

// groupTime is how long a group accepts callers, and how long a caller may hold the
// writer before it counts as slow.
const groupTime = 20 * time.Millisecond

// A call is one caller of write. Its state says which side may act next.
type call struct {
	caller  context.Context
	timeout time.Duration // for all of its statements together
	derives bool          // its commit need not wait for the disk: see DB.Derive
	state   atomic.Int32
	next    chan step  // from writer to caller: run now, or the verdict
	ran     chan error // from caller to writer: what the function returned
	rings   []string   // of the run that was committed
}

// step tells a caller to run in tx. Without a tx it carries the verdict.
type step struct {
	tx  *Tx
	err error
}

const (
	waiting int32 = iota // for its turn or for the verdict; the caller may leave
	running              // the caller has the connection
	gone                 // the caller has left or knows the verdict
)

// errUnwound stands for a function that did not return, because it panicked or
// ended its goroutine.
var errUnwound = errors.New("the function did not return")

func startGroup(c Config, session session, ring func(topics ...string), s *stats) *group {
	g := &group{
		session: session, queue: make(chan *call), ended: make(chan struct{}),
		limit: c.GroupLimit, time: c.groupTime, ring: ring, stats: s, log: c.Log,
	}
	go g.work()
	return g
}

// stop ends the writer. It is called when no callers are left.
func (g *group) stop() {
	close(g.queue)
	<-g.ended
}

// write runs fn in a group. It is the caller's side.
func (g *group) write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return g.call(&call{caller: ctx, timeout: timeout}, fn)
}

// derive is write for a transaction that may be lost and can be repeated.
func (g *group) derive(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return g.call(&call{caller: ctx, timeout: timeout, derives: true}, fn)
}

func (g *group) call(c *call, fn func(*Tx) error) error {
	ctx := c.caller
	c.next, c.ran = make(chan step, 1), make(chan error, 1)
	select {
	case g.queue <- c:
	case <-ctx.Done():
		return waitEnded(ctx)
	}
	for {
		var s step
		select {
		case s = <-c.next:
		case <-ctx.Done():
			if c.state.CompareAndSwap(waiting, gone) {
				return waitEnded(ctx)
			}
			s = <-c.next // the verdict came first
		}
		if s.tx == nil {
			return s.err
		}
		c.run(s.tx, fn)
	}
}

// run calls the function with the connection. It always tells the writer how the
// call ended, even after a panic or runtime.Goexit.
func (c *call) run(tx *Tx, fn func(*Tx) error) {
	returned := false
	defer func() {
		if !returned {
			c.state.Store(gone)
			c.ran <- errUnwound
		}
	}()
	err := tx.run(fn)
	returned = true
	c.rings = tx.rings
	c.state.Store(waiting)
	c.ran <- err
}

// verdict tells the caller the result, unless the caller has left.
func (c *call) verdict(err error) {
	if c.state.CompareAndSwap(waiting, gone) {
		c.next <- step{err: err}
	}
}

// work is the writer's side. It runs until stop.
func (g *group) work() {
	defer close(g.ended)
	defer g.session.close()
	for c := range g.queue {
		for ; c != nil; c, g.left = g.left, nil {
			g.commitGroup(c)
		}
	}
}

// commitGroup runs first and the other waiting callers as one transaction.
func (g *group) commitGroup(first *call) {
	if err := g.session.begin(first); err != nil {
		first.verdict(err)
		return
	}
	var callers []*call // ran without an error, or could not be undone
	void := false
	opened := time.Now()
	for c := first; c != nil; c = g.nextCaller(first, opened, len(callers)) {
		alone := len(callers) == 0
		if len(callers) == 1 && !g.session.inTransaction() { // otherwise SAVEPOINT would begin a new transaction
			callers = append(callers, c)
			void = true
			break
		}
		intact, err := g.runOne(c, alone)
		switch {
		case !intact:
			callers = append(callers, c)
			void = true
		case err == nil:
			callers = append(callers, c)
		default:
			c.verdict(err)
			if alone {
				return // the transaction is undone; the waiting callers get the next one
			}
		}
		if void {
			break
		}
	}
	if !void && len(callers) > 0 {
		known, err := g.session.commit()
		if !known {
			for _, c := range callers {
				c.verdict(err)
			}
			return
		}
		void = err != nil
	}
	if void || len(callers) == 0 {
		_ = g.session.rollback()
	}
	if void {
		g.stats.voidGroups.Add(1)
		for _, c := range callers {
			g.commitAlone(c)
		}
		return
	}
	if len(callers) > 0 {
		g.tellCommitted(callers...)
	}
}

// commitAlone runs a caller of a void group in a transaction of its own, so that
// the verdict is about this caller only. It retries errors that are not the
// caller's fault.
func (g *group) commitAlone(c *call) {
	var err error
	for try := range writeTries {
		if c.state.Load() == gone {
			return
		}
		if try > 0 {
			g.stats.retries.Add(1)
			if err := pauseBeforeRetry(c.caller, try); err != nil {
				c.verdict(err)
				return
			}
		}
		if err = g.session.begin(c); err != nil {
			c.verdict(err)
			return
		}
		var intact bool
		intact, err = g.runOne(c, true)
		if err == nil && !g.session.inTransaction() {
			err = fmt.Errorf("%w: the transaction was lost", ErrUnavailable)
		}
		if err != nil {
			_ = g.session.rollback()
			if !intact && g.session.retryable(err) {
				continue
			}
			c.verdict(err)
			return
		}
		var known bool
		if known, err = g.session.commit(); err == nil {
			g.tellCommitted(c)
			return
		}
		_ = g.session.rollback()
		if !known || !g.session.retryable(err) {
			c.verdict(err)
			return
		}
	}
	c.verdict(fmt.Errorf("%w: gave up after %d tries: %w", ErrUnavailable, writeTries, err))
}

// nextCaller returns the next caller for the open group. It returns nil if the group
// is full or old, or if no caller that may join is waiting.
func (g *group) nextCaller(first *call, opened time.Time, callers int) *call {
	if callers >= g.limit || time.Since(opened) > g.time {
		return nil
	}
	c := g.takeWaiting()
	if c == nil {
		// Callers that just got their verdict may be about to call again.
		runtime.Gosched()
		c = g.takeWaiting()
	}
	if c != nil && first.derives && !c.derives {
		c, g.left = nil, c
	}
	return c
}

// takeWaiting takes a caller off the queue, or returns nil if none waits.
func (g *group) takeWaiting() *call {
	select {
	case c := <-g.queue:
		return c
	default:
		return nil
	}
}

// runOne runs c inside a savepoint, unless c is alone in the transaction. A
// savepoint is not free: SQLite copies every page before c changes it, and every
// statement looks through the copies. err is the result of c's function. intact
// reports whether the changes of c were kept or undone as they should be; without
// an error this is always so. If c is alone and fails, the whole transaction is
// undone.
func (g *group) runOne(c *call, alone bool) (intact bool, err error) {
	if !c.state.CompareAndSwap(waiting, running) {
		if alone {
			_ = g.session.rollback()
		}
		return true, context.Cause(c.caller) // the caller has left, so there is nothing to do
	}
	run, cancel := context.WithTimeout(context.WithoutCancel(c.caller), c.timeout)
	defer cancel()
	if !alone {
		if err := g.session.exec(save); err != nil {
			c.state.Store(waiting)
			return false, err
		}
	}
	started := time.Now()
	tx := g.session.tx(run)
	c.next <- step{tx: tx}
	err = <-c.ran
	if held := time.Since(started); held > g.time {
		g.stats.slowWriters.Add(1)
		level := slog.LevelDebug // this happens on a busy machine, and slowWriters counts it
		if held > 10*g.time {
			level = slog.LevelWarn
		}
		g.log.Log(run, level, "a write held the database", "ms", held.Milliseconds())
	}
	if err != nil && run.Err() == nil && g.session.retryable(tx.err) {
		return false, tx.err // the error that ended the transaction decides, not the one that the function returned
	}
	if err != nil && g.undo(alone) != nil {
		if run.Err() != nil {
			c.verdict(err) // its time is up; another run would take as long
		}
		return false, err
	}
	if alone {
		return true, err
	}
	// Needed after ROLLBACK TO as well, because that keeps the savepoint.
	if e := g.session.exec(release); e != nil {
		return false, errors.Join(err, fmt.Errorf("%w: the transaction was lost: %w", ErrUnavailable, e))
	}
	return true, err
}

// undo undoes what one caller did.
func (g *group) undo(alone bool) error {
	if alone {
		return g.session.rollback()
	}
	return g.session.exec(rollBack)
}

// tellCommitted rings the bells of the callers, each once, and tells them that they
// were committed.
func (g *group) tellCommitted(callers ...*call) {
	g.stats.commits.Add(1)
	g.stats.writes.Add(uint64(len(callers)))
	var rings []string
	for _, c := range callers {
		for _, topic := range c.rings {
			if !slices.Contains(rings, topic) {
				rings = append(rings, topic)
			}
		}
	}
	g.ring(rings...)
	for _, c := range callers {
		c.verdict(nil)
	}
}
