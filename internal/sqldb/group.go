package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"
)

// Group commit. SQLite has one writer, PostgreSQL has one for each turn, and a
// durable commit waits for the disk. Callers who wait for the same writer at the
// same moment therefore share one transaction and one fsync, each but the first
// inside a savepoint of its own:
//
//	BEGIN
//	  first caller's function   (had it failed, ROLLBACK)
//	  SAVEPOINT caller, second caller's function, RELEASE caller
//	  SAVEPOINT caller, third caller's function,  ROLLBACK TO caller   (it failed)
//	  …
//	COMMIT, then everyone is told
//
// One goroutine, the writer, owns the connection and lends it: a caller's
// function runs in the caller's own goroutine while the writer waits. So a
// panic unwinds where it belongs, and a caller that has gone away can never be
// written to behind its back.
//
// The rules, each with a test of its name:
//
//  1. A caller's context ends its wait, never its statement. Statements run
//     under the writer's deadline: an interrupted write makes SQLite roll back
//     the whole transaction, and the RELEASE after it would commit alone.
//     PostgreSQL's connection is closed by it.
//  2. After an error the writer rolls back to the savepoint, or the transaction
//     where nobody else is in it. If that fails, the group is void and each of
//     its callers runs again, alone, but for one whose own time is up.
//  3. A commit that fails makes the group void too, and so does a conflict with
//     another transaction or a lost connection, on PostgreSQL. A commit without an
//     answer may have happened: everybody is told so, and nobody runs again.
//  4. Constraints are checked at once, never at commit, where nobody could say
//     whose fault it was.
//  5. A panic undoes its own caller only.
//  6. A function may run more than once and does no I/O.
//  7. What is derived joins those whose commit waits for the disk, and they do not
//     join it.
//  8. A group ends after groupTime, so that nobody waits for many; long work is
//     done in Pieces.
type group struct {
	session session
	queue   chan *call    // closed to stop
	left    *call         // who was taken off the queue, and begins the next group
	ended   chan struct{} // closed when the writer has stopped

	limit int
	time  time.Duration // groupTime
	ring  func(topics ...string)
	stats *stats
	log   *slog.Logger
}

// A session is the connection that a group writes with: what the engines do
// differently on it.
type session interface {
	// begin opens a transaction for a caller, and for who may join it.
	begin(first *call) error
	// tx is the open transaction for one caller, whose statements run under ctx.
	tx(ctx context.Context) *Tx
	// exec runs a statement of the group's own, to its end: one that is reported as
	// interrupted may have happened.
	exec(statement string) error
	// inTransaction reports whether the transaction is still there: a function may
	// have ended it, or the engine itself with an error that a function has swallowed.
	inTransaction() bool
	// again reports whether err, which ended a transaction, is nobody's own, so that
	// who was in it runs again.
	again(err error) bool
	// commit ends the transaction. With an error it has not happened, unless that is
	// not known.
	commit() (known bool, err error)
	// rollback ends a transaction, which may have ended by itself.
	rollback() error
	// close gives back what the session has.
	close()
}

// What a group runs itself, around each caller but the first.
const (
	save     = "SAVEPOINT caller"
	release  = "RELEASE caller"
	rollBack = "ROLLBACK TO caller"
)

// groupTime is how long a group takes in callers, and how long one caller may
// hold the writer before it counts as slow.
const groupTime = 20 * time.Millisecond

// A call is one caller of write. Its state says who may move next.
type call struct {
	caller  context.Context
	timeout time.Duration // of its statements together
	derives bool          // its commit need not wait for the disk: see DB.Derive
	state   atomic.Int32
	next    chan step  // writer to caller: run now, or the verdict
	ran     chan error // caller to writer: what the function returned
	rings   []string   // of the run that counts
}

// step is a transaction to run in, or without one the verdict.
type step struct {
	tx  *Tx
	err error
}

const (
	waiting int32 = iota // for a turn or for the verdict; the caller may leave
	running              // the caller has the connection
	gone                 // the caller has left, or knows the verdict
)

// errUnwound stands for a function that did not return: it panicked, or ended
// its goroutine.
var errUnwound = errors.New("the function did not return")

func startGroup(c Config, session session, ring func(topics ...string), s *stats) *group {
	g := &group{
		session: session, queue: make(chan *call), ended: make(chan struct{}),
		limit: c.GroupLimit, time: c.groupTime, ring: ring, stats: s, log: c.Log,
	}
	go g.work()
	return g
}

// stop ends the writer. No caller is left.
func (g *group) stop() {
	close(g.queue)
	<-g.ended
}

// write is the caller's side.
func (g *group) write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return g.call(&call{caller: ctx, timeout: timeout}, fn)
}

// derive is write for who can do it again.
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
			s = <-c.next // the writer was faster
		}
		if s.tx == nil {
			return s.err
		}
		c.run(s.tx, fn)
	}
}

// run lets the function have the connection. It tells the writer how that
// ended in every case, a panic and runtime.Goexit included.
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

// verdict tells the caller, unless it has left.
func (c *call) verdict(err error) {
	if c.state.CompareAndSwap(waiting, gone) {
		c.next <- step{err: err}
	}
}

// work is the writer's side, until stop.
func (g *group) work() {
	defer close(g.ended)
	defer g.session.close()
	for c := range g.queue {
		for ; c != nil; c, g.left = g.left, nil {
			g.commitGroup(c)
		}
	}
}

// commitGroup runs first and whoever else is waiting as one transaction.
func (g *group) commitGroup(first *call) {
	if err := g.session.begin(first); err != nil {
		first.verdict(err)
		return
	}
	var members []*call // who ran well, or whose run could not be undone
	void := false
	opened := time.Now()
	for c := first; c != nil; c = g.another(first, opened, len(members)) {
		alone := len(members) == 0
		if len(members) == 1 && !g.session.inTransaction() { // a savepoint would begin another
			members = append(members, c)
			void = true
			break
		}
		intact, err := g.runOne(c, alone)
		switch {
		case !intact:
			members = append(members, c)
			void = true
		case err == nil:
			members = append(members, c)
		default:
			c.verdict(err)
			if alone {
				return // the transaction is undone; who waits has the next
			}
		}
		if void {
			break
		}
	}
	if !void && len(members) > 0 {
		known, err := g.session.commit()
		if !known {
			for _, c := range members {
				c.verdict(err)
			}
			return
		}
		void = err != nil
	}
	if void || len(members) == 0 {
		_ = g.session.rollback()
	}
	if void {
		g.stats.voidGroups.Add(1)
		for _, c := range members {
			g.commitAlone(c)
		}
		return
	}
	if len(members) > 0 {
		g.committed(members...)
	}
}

// commitAlone runs a caller of a void group in a transaction of its own, so
// that whatever is wrong is its own verdict. What is nobody's fault is tried
// again.
func (g *group) commitAlone(c *call) {
	var err error
	for try := range writeTries {
		if c.state.Load() == gone {
			return
		}
		if try > 0 {
			g.stats.retries.Add(1)
			if err := pause(c.caller, try); err != nil {
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
			if !intact && g.session.again(err) {
				continue
			}
			c.verdict(err)
			return
		}
		var known bool
		if known, err = g.session.commit(); err == nil {
			g.committed(c)
			return
		}
		_ = g.session.rollback()
		if !known || !g.session.again(err) {
			c.verdict(err)
			return
		}
	}
	c.verdict(fmt.Errorf("%w: gave up after %d tries: %w", ErrUnavailable, writeTries, err))
}

// another is the next caller of the open group, nil when the group is full,
// old, or nobody waits who may join it.
func (g *group) another(first *call, opened time.Time, members int) *call {
	if members >= g.limit || time.Since(opened) > g.time {
		return nil
	}
	c := g.waiting()
	if c == nil {
		// Those who were told a moment ago may be on their way back.
		runtime.Gosched()
		c = g.waiting()
	}
	if c != nil && first.derives && !c.derives {
		c, g.left = nil, c
	}
	return c
}

// waiting takes a caller who waits, nil for none.
func (g *group) waiting() *call {
	select {
	case c := <-g.queue:
		return c
	default:
		return nil
	}
}

// runOne lets c run, inside a savepoint unless it is alone in the transaction:
// with one, every page that c changes is copied first, and every statement looks
// through the copies. err is what c's function came to; intact says that what it
// did was kept or undone as it should be, which it always was without an error.
// Of one that is alone and fails, the transaction is undone.
func (g *group) runOne(c *call, alone bool) (intact bool, err error) {
	if !c.state.CompareAndSwap(waiting, running) {
		if alone {
			_ = g.session.rollback()
		}
		return true, context.Cause(c.caller) // it has left: nothing to do
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
		level := slog.LevelDebug // a busy machine does it now and then, and it is counted
		if held > 10*g.time {
			level = slog.LevelWarn
		}
		g.log.Log(run, level, "a write held the database", "ms", held.Milliseconds())
	}
	if err != nil && run.Err() == nil && g.session.again(tx.err) {
		return false, tx.err // what ended the transaction decides, not what the function made of it
	}
	if err != nil && g.undo(alone) != nil {
		if run.Err() != nil {
			c.verdict(err) // it had its time; running again would take as long
		}
		return false, err
	}
	if alone {
		return true, err
	}
	// Also after ROLLBACK TO, which leaves the savepoint standing.
	if e := g.session.exec(release); e != nil {
		return false, errors.Join(err, fmt.Errorf("%w: the transaction was lost: %w", ErrUnavailable, e))
	}
	return true, err
}

// undo takes back what one caller did.
func (g *group) undo(alone bool) error {
	if alone {
		return g.session.rollback()
	}
	return g.session.exec(rollBack)
}

// committed tells the callers and rings their bells, once each.
func (g *group) committed(members ...*call) {
	g.stats.commits.Add(1)
	g.stats.writes.Add(uint64(len(members)))
	for _, c := range members {
		g.ring(c.rings...)
		c.verdict(nil)
	}
}
