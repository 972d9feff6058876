package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// A server with a synchronous standby answers COMMIT once the standby has the change,
// and shows the change to others only then. If somebody cancels the wait, it shows a
// change that only one machine has. A caller whose time was up would repeat its call,
// find the change and take it for safe. If that machine dies, it is lost. So nothing
// cancels a COMMIT:
//
//  1. The end of a caller's time ends its own wait. The COMMIT goes on, on its
//     connection, until the server answers. Meanwhile the transaction keeps its locks,
//     and so the next writer of an account waits.
//  2. A connection that breaks during a COMMIT does not ask the server to cancel it.
//     A server that waits for a standby does not notice that its client is gone.
//  3. COMMITs that hang keep their connections, so that they cannot use up those of
//     the server. Readers have some that writers do not get, and go on.

// commitHold is how much longer than its caller a connection waits for the answer to a
// COMMIT. Something between us and the server may keep a connection open that leads
// nowhere, and it must not take a connection away from writers for good.
const commitHold = 5 * time.Minute

// writersOf returns how many connections of a pool writers may have at once.
func writersOf(size int) int { return max(size-(size+3)/4, 1) }

// enterWriters waits for one of the connections that writers may have.
func (p *postgresDB) enterWriters(ctx context.Context) error {
	select {
	case p.writers <- struct{}{}:
		return nil
	default:
	}
	wait, cancel := context.WithTimeout(ctx, p.config.WriteTimeout)
	defer cancel()
	select {
	case p.writers <- struct{}{}:
		return nil
	case <-wait.Done():
		if ctx.Err() != nil {
			return waitEnded(ctx)
		}
		return fmt.Errorf("%w: other writers have held all of their %d connections for %s", ErrUnavailable, cap(p.writers), p.config.WriteTimeout)
	}
}

func (p *postgresDB) leaveWriters() { <-p.writers }

// beginWrite opens a transaction that writes. If it cannot, it reports whether it may be
// tried again. The caller's context ends the wait for a connection, not the statements.
// This is the same promise as on SQLite.
func (p *postgresDB) beginWrite(caller context.Context, begin string, idle time.Duration) (t *transaction, again bool, err error) {
	if err := p.enterWriters(caller); err != nil {
		return nil, false, err
	}
	conn, err := p.conn(caller)
	if err != nil {
		p.leaveWriters()
		return nil, refusedByServer(err), err
	}
	if t, err = p.begin(context.WithoutCancel(caller), conn, begin, idle); err != nil {
		again = p.lost(err) || p.demoted(conn, err)
		conn.Close()
		p.leaveWriters()
		return nil, again, translate(err)
	}
	return t, false, nil
}

// end undoes a transaction that writes, unless it was committed.
func (t *transaction) end() error {
	if t.ended {
		return nil
	}
	t.ended = true
	defer t.release()
	return t.rollback()
}

// release returns the connection of a writer.
func (t *transaction) release() {
	t.conn.Close()
	t.db.leaveWriters()
}

// commit ends the transaction and waits for the answer until ctx, which has a deadline,
// ends. It returns errConflict if nothing was committed and the transaction may run
// again. After any other error nobody knows.
func (t *transaction) commit(ctx context.Context) error {
	t.ended = true
	answer := make(chan error)
	t.db.commits.Go(func() {
		err := t.awaitCommit(ctx)
		t.release() // before the answer, so that the caller's next transaction gets it
		select {
		case answer <- err:
		case <-ctx.Done():
			if err == nil {
				t.db.bells.ringAll() // for the rings of a caller that was gone
			}
		}
	})
	select {
	case err := <-answer:
		if err == nil || errors.Is(err, errConflict) {
			return err
		}
		t.db.lost(err)
		return unansweredCommit(err)
	case <-ctx.Done():
		return unansweredCommit(errors.New("no answer to COMMIT, perhaps because the server waits for a standby"))
	}
}

// awaitCommit returns the answer of the server.
func (t *transaction) awaitCommit(ctx context.Context) error {
	callerLeaves, _ := ctx.Deadline()
	hold, cancel := context.WithDeadline(t.db.life, callerLeaves.Add(t.db.hold))
	defer cancel()
	return translate(t.conn.Raw(func(c any) error {
		conn := c.(*stdlib.Conn).Conn()
		committing := conn.PgConn().CustomData()[committingKey].(*atomic.Bool)
		committing.Store(true)
		err := t.tx.Commit(hold)
		if !conn.IsClosed() { // otherwise pgx would still cancel
			committing.Store(false)
		}
		return err
	}))
}

// unansweredCommit is the error of a COMMIT that got no answer.
func unansweredCommit(err error) error {
	return fmt.Errorf("%w: it is not known whether the change was made: %w", ErrUnavailable, err)
}

// committingKey is where a connection keeps whether it commits.
const committingKey = "committing"

// guardCommits keeps a connection from cancelling its COMMIT. pgx gives a connection up
// when it breaks or a context ends, and then dials the server once more, to ask that what
// runs on it be cancelled.
func guardCommits(_ context.Context, cfg *pgx.ConnConfig) error {
	committing := new(atomic.Bool)
	dial, afterConnect := cfg.DialFunc, cfg.AfterConnect
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if committing.Load() {
			return nil, errors.New("a COMMIT is not cancelled")
		}
		return dial(ctx, network, address)
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		c.CustomData()[committingKey] = committing
		return afterConnect(ctx, c)
	}
	return nil
}
