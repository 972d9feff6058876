package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// writeTries is how often a transaction is tried before its caller gets
// ErrUnavailable.
const writeTries = 10

// postgresDB is a PostgreSQL server, shared with other processes.
type postgresDB struct {
	pool     *sql.DB
	size     int           // of the pool
	patience time.Duration // how long to wait for an answer of the server
	bells    *bells
	stats    *stats
	log      *slog.Logger
	herald   *herald
	replica  *replica // nil if there is none
	config   Config
	idleSet  bool // the address says how long a transaction may idle
	clock    *serverClock
	endClock func() // stops following the server's

	// See postgres_commit.go.
	writers chan struct{}   // has one entry for each connection of a writer
	life    context.Context // ends when the database is closed
	die     context.CancelFunc
	commits sync.WaitGroup
	hold    time.Duration // commitHold

	mu    sync.Mutex
	lanes map[int64]*lane // by turn
}

// A lane is the queue of one turn. Its callers wait here without holding a
// connection, and form groups. It exists only while it has callers.
type lane struct {
	group   *group
	callers int
}

// postgresGroupLimit bounds the callers of a group. A PostgreSQL transaction with more than
// 64 savepoints slows down every other one.
const postgresGroupLimit = 32

func openPostgres(ctx context.Context, c Config, b *bells, s *stats) (*postgresDB, error) {
	cfg, err := parsePostgresURL(c.URL)
	if err != nil {
		return nil, err
	}
	listen := cfg
	if c.ListenURL != "" {
		if listen, err = parsePostgresURL(c.ListenURL); err != nil {
			return nil, fmt.Errorf("the address to listen at: %w", err)
		}
	}
	size := max(c.Connections-1, 1) // one listens
	pool := newPool(cfg, size)
	clock := newServerClock(c.machineClock)
	if err := clock.askTime(ctx, pool); err != nil {
		pool.Close()
		return nil, fmt.Errorf("PostgreSQL at %s:%d: %w", cfg.Host, cfg.Port, translate(err))
	}
	c.GroupLimit = min(c.GroupLimit, postgresGroupLimit)
	p := &postgresDB{pool: pool, size: size, patience: cfg.ConnectTimeout, bells: b, stats: s, log: c.Log, config: c, clock: clock, lanes: map[int64]*lane{}}
	_, p.idleSet = cfg.RuntimeParams[idleLimit]
	p.writers, p.hold = make(chan struct{}, writersOf(size)), commitHold
	p.life, p.die = context.WithCancel(context.Background())
	if c.ReplicaURL != "" {
		if p.replica, err = openReplica(ctx, c, p); err != nil {
			pool.Close()
			return nil, fmt.Errorf("the address of a replica: %w", err)
		}
	}
	p.herald = startHerald(listen, pool, b, c)
	p.endClock = p.followClock()
	return p, nil
}

// newPool returns a pool of at most size connections. The driver's ping before use
// is turned off, because it would wait as long as the caller does. BEGIN finds a dead
// connection anyway and is then retried.
func newPool(cfg *pgx.ConnConfig, size int) *sql.DB {
	pool := stdlib.OpenDB(*cfg, stdlib.OptionBeforeConnect(guardCommits), stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }))
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

func (p *postgresDB) write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.transact(ctx, timeout, beginSerializable, fn)
}

// writeInTurn runs fn in a group of its turn; see group.go.
func (p *postgresDB) writeInTurn(ctx context.Context, timeout time.Duration, turn int64, fn func(*Tx) error) error {
	l := p.enterLane(turn)
	defer p.leaveLane(turn, l)
	return l.group.write(ctx, timeout, fn)
}

func (p *postgresDB) enterLane(turn int64) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[turn]
	if l == nil {
		l = &lane{group: startGroup(p.config, &postgresSession{db: p, turn: turn}, p.ring, p.stats)}
		p.lanes[turn] = l
	}
	l.callers++
	return l
}

func (p *postgresDB) leaveLane(turn int64, l *lane) {
	p.mu.Lock()
	l.callers--
	last := l.callers == 0
	if last {
		delete(p.lanes, turn)
	}
	p.mu.Unlock()
	if last {
		l.group.stop()
	}
}

// ring wakes the listeners in this process and in others.
func (p *postgresDB) ring(topics ...string) { p.bells.ring(topics...) }

func (p *postgresDB) claim(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.transact(ctx, timeout, beginReadCommitted, fn)
}

// derive is the same as claim, because on PostgreSQL a commit that waits for the
// disk holds up nobody else.
func (p *postgresDB) derive(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.claim(ctx, timeout, fn)
}

// transact retries fn until it commits. It runs a transaction again only if it
// certainly did not happen. If COMMIT got no answer it may have happened.
func (p *postgresDB) transact(ctx context.Context, timeout time.Duration, begin string, fn func(*Tx) error) error {
	return p.retry(ctx, func() (again bool, err error) { return p.try(ctx, timeout, begin, fn) })
}

// retry calls once until it may not run again.
func (p *postgresDB) retry(ctx context.Context, once func() (again bool, err error)) error {
	var err error
	for try := range writeTries {
		if try > 0 {
			p.stats.retries.Add(1)
			if e := pauseBeforeRetry(ctx, try); e != nil {
				return e
			}
		}
		var again bool
		if again, err = once(); !again {
			return err
		}
	}
	return fmt.Errorf("%w: gave up after %d tries: %w", ErrUnavailable, writeTries, err)
}

// try runs fn once and reports whether it may run again.
func (p *postgresDB) try(ctx context.Context, timeout time.Duration, begin string, fn func(*Tx) error) (again bool, err error) {
	t, again, err := p.beginWrite(ctx, begin, timeout/2)
	if err != nil {
		return again, err
	}
	defer t.end() // needed if fn panics; does nothing after a commit
	run, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	tx := newTx(run, Postgres, t.conn, p.stats)
	if err := tx.run(fn); err != nil {
		// The error that ended the transaction decides, not the one that fn
		// returned.
		return errors.Is(tx.err, errConflict) || run.Err() == nil && (p.lost(tx.err) || p.demoted(t.conn, tx.err)), err
	}
	if err := t.commit(run); err != nil {
		return errors.Is(err, errConflict), err
	}
	p.stats.writes.Add(1)
	p.stats.commits.Add(1)
	p.ring(tx.rings...)
	return false, nil
}

// postgresSession is the session of one turn. Each transaction takes a connection
// from the pool.
type postgresSession struct {
	db      *postgresDB
	turn    int64
	timeout time.Duration // for the group's own statements
	open    *transaction
	saved   bool // a savepoint still has to be released
}

// begin opens a transaction and waits for the turn. It runs at READ COMMITTED,
// because a snapshot for the whole transaction would be from before the wait. While
// it holds the turn, no other transaction changes the rows that it reads, so all
// statements see the same state.
func (s *postgresSession) begin(first *call) error {
	s.timeout = first.timeout
	return s.db.retry(first.caller, func() (again bool, err error) { return s.tryBegin(first.caller) })
}

// tryBegin tries to begin once, and reports whether it may be tried again.
func (s *postgresSession) tryBegin(caller context.Context) (again bool, err error) {
	if s.open, again, err = s.db.beginWrite(caller, beginReadCommitted, s.timeout/2); err != nil {
		return again, err
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(caller), s.timeout)
	defer cancel()
	if err := takeTurn(wait, s.open.conn, s.turn); err != nil {
		again := errors.Is(err, errConflict) || wait.Err() == nil && s.db.lost(err)
		_ = s.rollback()
		return again, err
	}
	return false, nil
}

func (s *postgresSession) tx(ctx context.Context) *Tx {
	tx := newTx(ctx, Postgres, s.open.conn, s.db.stats)
	tx.send = s.send
	return tx
}

// send runs statements in one round trip. If one fails, all fail.
func (s *postgresSession) send(ctx context.Context, all []statement) error {
	batch := &pgx.Batch{}
	for _, one := range all {
		batch.Queue(one.query, one.args...)
	}
	return s.open.conn.Raw(func(conn any) error { return conn.(*stdlib.Conn).Conn().SendBatch(ctx, batch).Close() })
}

// exec sends the release of a savepoint together with the next statement, to save a
// round trip. COMMIT releases the savepoint anyway.
func (s *postgresSession) exec(statement string) error {
	if statement == release {
		s.saved = true
		return nil
	}
	if s.saved {
		statement = release + "; " + statement
		s.saved = false
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	return translate(s.open.conn.Raw(func(conn any) error { return conn.(*stdlib.Conn).Conn().PgConn().Exec(ctx, statement).Close() }))
}

// inTransaction is always true. PostgreSQL lets no function ignore an error, and a
// lost connection shows at the next statement.
func (s *postgresSession) inTransaction() bool { return true }

func (s *postgresSession) retryable(err error) bool {
	return errors.Is(err, errConflict) || s.db.lost(err) || s.open != nil && s.db.demoted(s.open.conn, err)
}

func (s *postgresSession) commit() (known bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	err = s.open.commit(ctx)
	s.open, s.saved = nil, false
	return err == nil || errors.Is(err, errConflict), err
}

func (s *postgresSession) rollback() error {
	if s.open == nil {
		return nil // already ended
	}
	err := s.open.end()
	s.open, s.saved = nil, false
	return err
}

func (s *postgresSession) close() { _ = s.rollback() }

// takeTurn waits until no other process holds the turn. The turn ends with the
// transaction.
func takeTurn(ctx context.Context, conn *sql.Conn, turn int64) error {
	const ours = 1 << 62 // separates turns from other advisory locks
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", ours|turn)
	return translate(err)
}

// conn takes a connection from the pool or opens one.
func (p *postgresDB) conn(ctx context.Context) (*sql.Conn, error) {
	conn, err := p.pool.Conn(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, waitEnded(ctx)
	}
	return conn, translate(err)
}

// refusedByServer reports whether the server itself refused the connection, because it is
// full or still starting. It may accept one in a moment. A server that cannot be
// reached is not tried again while a caller waits.
func refusedByServer(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && errors.Is(err, ErrUnavailable)
}

// lost reports whether err means that the connection is lost. The idle connections
// in the pool are most likely lost too, so it drops them.
func (p *postgresDB) lost(err error) bool {
	if !isConnectionLoss(err) {
		return false
	}
	p.dropIdle()
	return true
}

func (p *postgresDB) dropIdle() {
	p.pool.SetMaxIdleConns(0)
	p.pool.SetMaxIdleConns(p.size)
}

// pauseBeforeRetry waits before the next try. It waits longer each time, for a random time, so
// that two conflicting transactions do not collide again.
func pauseBeforeRetry(ctx context.Context, try int) error {
	longest := time.Millisecond << min(try, 7)
	select {
	case <-time.After(rand.N(longest) + time.Millisecond/2):
		return nil
	case <-ctx.Done():
		return waitEnded(ctx)
	}
}

func (p *postgresDB) read(ctx context.Context, fn func(*Tx) error) error {
	if answered, err := p.replica.read(ctx, false, fn); answered {
		return err
	}
	return p.retry(ctx, func() (again bool, err error) { return p.readOnce(ctx, p.config.WriteTimeout/2, fn) })
}

func (p *postgresDB) look(ctx context.Context, fn func(*Tx) error) error {
	if answered, err := p.replica.read(ctx, true, fn); answered {
		return err
	}
	return p.lookAtPrimary(ctx, fn)
}

func (p *postgresDB) lookAtPrimary(ctx context.Context, fn func(*Tx) error) error {
	return p.retry(ctx, func() (again bool, err error) { return p.lookOnce(ctx, fn) })
}

func (p *postgresDB) lookOnce(ctx context.Context, fn func(*Tx) error) (again bool, err error) {
	conn, err := p.conn(ctx)
	if err != nil {
		return refusedByServer(err), err
	}
	defer conn.Close()
	// A page is read quickly. If it takes longer, the server does not answer.
	run, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	tx := newTx(run, Postgres, conn, p.stats)
	tx.single = true
	if err = tx.run(fn); ctx.Err() != nil && errors.Is(tx.err, ErrUnavailable) {
		return false, waitEnded(ctx) // it was the caller who went away
	}
	return run.Err() == nil && p.readAgain(tx.err), err // a server that does not answer would only time out again
}

// readOnce reads on one snapshot. idle is how long fn may take between two
// statements.
func (p *postgresDB) readOnce(ctx context.Context, idle time.Duration, fn func(*Tx) error) (again bool, err error) {
	conn, err := p.conn(ctx)
	if err != nil {
		return refusedByServer(err), err
	}
	defer conn.Close()
	t, err := p.begin(ctx, conn, beginSnapshot, idle)
	if err != nil {
		if ctx.Err() != nil {
			return false, waitEnded(ctx)
		}
		return p.lost(err), translate(err)
	}
	defer t.rollback()
	tx := newTx(ctx, Postgres, conn, p.stats)
	if err = tx.run(fn); ctx.Err() != nil && errors.Is(tx.err, ErrUnavailable) {
		return false, waitEnded(ctx)
	}
	return ctx.Err() == nil && p.readAgain(tx.err), err
}

// readAgain reports whether a read that ended with err is worth another try. A
// standby cancels reads that conflict with what it receives.
func (p *postgresDB) readAgain(err error) bool { return errors.Is(err, errConflict) || p.lost(err) }

func (p *postgresDB) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	return translate(p.read(ctx, func(tx *Tx) error {
		var one int
		return tx.Row("SELECT 1").Scan(&one)
	}))
}

func (p *postgresDB) now() time.Time { return p.clock.now() }

// close does not wait for COMMITs that hang. It closes their connections, which cancels
// nothing.
func (p *postgresDB) close() error {
	p.die()
	p.commits.Wait()
	p.endClock()
	p.herald.stop()
	return errors.Join(p.replica.close(), p.pool.Close())
}
