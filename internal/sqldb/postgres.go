package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
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
	config   Config

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
	cfg, err := pgx.ParseConfig(c.URL)
	if err != nil {
		// Without err: pgx masks the password in the URL that it repeats, but not
		// for every mistake.
		return nil, errors.New("the PostgreSQL address is not valid; it looks like postgres://user:password@host:5432/database")
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "frontdesk"
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	// The driver's ping before use is turned off, because it would wait as long as
	// the caller does. BEGIN finds a dead connection anyway and is then retried.
	pool := stdlib.OpenDB(*cfg, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }))
	size := c.Readers * 2
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("PostgreSQL at %s:%d: %w", cfg.Host, cfg.Port, translate(err))
	}
	c.GroupLimit = min(c.GroupLimit, postgresGroupLimit)
	p := &postgresDB{pool: pool, size: size, patience: cfg.ConnectTimeout, bells: b, stats: s, log: c.Log, config: c, lanes: map[int64]*lane{}}
	p.herald = startHerald(cfg, pool, b, c.Log)
	return p, nil
}

func (p *postgresDB) write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.transact(ctx, timeout, sql.LevelSerializable, fn)
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
func (p *postgresDB) ring(topics ...string) {
	p.bells.ring(topics...)
	p.herald.announce(topics...)
}

func (p *postgresDB) claim(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.transact(ctx, timeout, sql.LevelReadCommitted, fn)
}

// derive is the same as claim, because on PostgreSQL a commit that waits for the
// disk holds up nobody else.
func (p *postgresDB) derive(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.claim(ctx, timeout, fn)
}

// transact retries fn until it commits. It runs a transaction again only if it
// certainly did not happen. If COMMIT got no answer it may have happened.
func (p *postgresDB) transact(ctx context.Context, timeout time.Duration, level sql.IsolationLevel, fn func(*Tx) error) error {
	var err error
	for try := range writeTries {
		if try > 0 {
			p.stats.retries.Add(1)
			if e := pauseBeforeRetry(ctx, try); e != nil {
				return e
			}
		}
		var again bool
		if again, err = p.try(ctx, timeout, level, fn); !again {
			return err
		}
	}
	return fmt.Errorf("%w: gave up after %d tries: %w", ErrUnavailable, writeTries, err)
}

// try runs fn once and reports whether it may run again.
func (p *postgresDB) try(ctx context.Context, timeout time.Duration, level sql.IsolationLevel, fn func(*Tx) error) (again bool, err error) {
	// The caller's context ends the wait for a connection, not the statements. This
	// is the same promise as on SQLite.
	conn, err := p.conn(ctx)
	if err != nil {
		return refusedByServer(err), err
	}
	defer conn.Close()
	run, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	sqlTx, err := p.begin(run, cancel, conn, &sql.TxOptions{Isolation: level})
	if err != nil {
		return p.lost(err), translate(err)
	}
	defer sqlTx.Rollback() // needed if fn panics; does nothing after a commit
	tx := newTx(run, Postgres, sqlTx, p.stats)
	if err := tx.run(fn); err != nil {
		// The error that ended the transaction decides, not the one that fn
		// returned.
		return errors.Is(tx.err, errConflict) || run.Err() == nil && p.lost(tx.err), err
	}
	if err := sqlTx.Commit(); err != nil {
		err = translate(err)
		if errors.Is(err, errConflict) {
			return true, err
		}
		if run.Err() == nil {
			p.lost(err)
		}
		return false, unansweredCommit(err)
	}
	p.stats.writes.Add(1)
	p.stats.commits.Add(1)
	p.ring(tx.rings...)
	return false, nil
}

// unansweredCommit is the error of a COMMIT that got no answer.
func unansweredCommit(err error) error {
	return fmt.Errorf("%w: it is not known whether the change was made: %w", ErrUnavailable, err)
}

// postgresSession is the session of one turn. Each transaction takes a connection
// from the pool.
type postgresSession struct {
	db      *postgresDB
	turn    int64
	timeout time.Duration // for the group's own statements
	conn    *sql.Conn
	sqlTx   *sql.Tx
	cancel  context.CancelFunc
	saved   bool // a savepoint still has to be released
}

// begin opens a transaction and waits for the turn. It runs at READ COMMITTED,
// because a snapshot for the whole transaction would be from before the wait. While
// it holds the turn, no other transaction changes the rows that it reads, so all
// statements see the same state.
func (s *postgresSession) begin(first *call) error {
	s.timeout = first.timeout
	var err error
	for try := range writeTries {
		if try > 0 {
			s.db.stats.retries.Add(1)
			if err := pauseBeforeRetry(first.caller, try); err != nil {
				return err
			}
		}
		var again bool
		if again, err = s.open(first.caller); err == nil || !again {
			return err
		}
	}
	return fmt.Errorf("%w: gave up after %d tries: %w", ErrUnavailable, writeTries, err)
}

// open tries to begin once, and reports whether it may be tried again.
func (s *postgresSession) open(caller context.Context) (again bool, err error) {
	if s.conn, err = s.db.conn(caller); err != nil {
		return refusedByServer(err), err
	}
	var run context.Context
	run, s.cancel = context.WithCancel(context.WithoutCancel(caller))
	if s.sqlTx, err = s.db.begin(run, s.cancel, s.conn, &sql.TxOptions{Isolation: sql.LevelReadCommitted}); err != nil {
		s.release()
		return s.db.lost(err), translate(err)
	}
	wait, cancel := context.WithTimeout(run, s.timeout)
	defer cancel()
	if err := takeTurn(wait, s.sqlTx, s.turn, s.timeout); err != nil {
		again := errors.Is(err, errConflict) || wait.Err() == nil && s.db.lost(err)
		_ = s.rollback()
		return again, err
	}
	return false, nil
}

func (s *postgresSession) tx(ctx context.Context) *Tx {
	tx := newTx(ctx, Postgres, s.sqlTx, s.db.stats)
	tx.send = s.send
	return tx
}

// send runs statements in one round trip. If one fails, all fail.
func (s *postgresSession) send(ctx context.Context, all []statement) error {
	batch := &pgx.Batch{}
	for _, one := range all {
		batch.Queue(one.query, one.args...)
	}
	return s.conn.Raw(func(conn any) error { return conn.(*stdlib.Conn).Conn().SendBatch(ctx, batch).Close() })
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
	return translate(s.conn.Raw(func(conn any) error { return conn.(*stdlib.Conn).Conn().PgConn().Exec(ctx, statement).Close() }))
}

// inTransaction is always true. PostgreSQL lets no function ignore an error, and a
// lost connection shows at the next statement.
func (s *postgresSession) inTransaction() bool { return true }

func (s *postgresSession) retryable(err error) bool {
	return errors.Is(err, errConflict) || s.db.lost(err)
}

func (s *postgresSession) commit() (known bool, err error) {
	defer s.release()
	defer s.cancelAfter(s.timeout)()
	err = translate(s.sqlTx.Commit())
	switch {
	case err == nil, errors.Is(err, errConflict):
		return true, err
	default:
		s.db.lost(err)
		return false, unansweredCommit(err)
	}
}

func (s *postgresSession) rollback() error {
	if s.sqlTx == nil {
		return nil // already ended
	}
	defer s.release()
	defer s.cancelAfter(s.timeout)()
	return translate(s.sqlTx.Rollback())
}

// cancelAfter closes the connection if it has not answered in time.
func (s *postgresSession) cancelAfter(d time.Duration) (answered func()) {
	silence := time.AfterFunc(d, s.cancel)
	return func() { silence.Stop() }
}

// release returns the connection to the pool, if there is one.
func (s *postgresSession) release() {
	if s.cancel != nil {
		s.cancel()
	}
	if s.conn != nil {
		s.conn.Close()
	}
	s.conn, s.sqlTx, s.cancel, s.saved = nil, nil, nil, false
}

func (s *postgresSession) close() { s.release() }

// takeTurn waits until no other process holds the turn. The turn ends with the
// transaction. If this process stalls in the middle of it, the server ends the
// transaction.
func takeTurn(ctx context.Context, tx *sql.Tx, turn int64, timeout time.Duration) error {
	const ours = 1 << 62 // separates turns from other advisory locks
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1), set_config('idle_in_transaction_session_timeout', $2, TRUE)",
		ours|turn, strconv.FormatInt(timeout.Milliseconds(), 10))
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

// begin opens a transaction that lives as long as run. A server answers BEGIN at
// once. So begin does not wait long for a connection that died silently, even if
// the caller has a lot of time, and a reader may have no deadline at all.
func (p *postgresDB) begin(run context.Context, cancel context.CancelFunc, conn *sql.Conn, o *sql.TxOptions) (*sql.Tx, error) {
	silence := time.AfterFunc(p.patience, cancel)
	tx, err := conn.BeginTx(run, o)
	if !silence.Stop() {
		err = fmt.Errorf("%w: no answer in %s", driver.ErrBadConn, p.patience)
	}
	return tx, err
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
	p.pool.SetMaxIdleConns(0)
	p.pool.SetMaxIdleConns(p.size)
	return true
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
	return retryDeadRead(ctx, fn, p.readOnce)
}

func (p *postgresDB) look(ctx context.Context, fn func(*Tx) error) error {
	return retryDeadRead(ctx, fn, p.lookOnce)
}

// retryDeadRead reads again if the connection was dead before anything was read, and only
// then.
func retryDeadRead(ctx context.Context, fn func(*Tx) error, once func(context.Context, func(*Tx) error) (again bool, err error)) (err error) {
	for range 2 {
		var again bool
		if again, err = once(ctx, fn); !again {
			return err
		}
	}
	return err
}

func (p *postgresDB) lookOnce(ctx context.Context, fn func(*Tx) error) (again bool, err error) {
	conn, err := p.conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	// A page is read quickly. If it takes longer, the server does not answer.
	run, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	tx := newTx(run, Postgres, conn, p.stats)
	tx.single = true
	err = tx.run(fn)
	// A dead connection returned nothing, so fn can run again. A server that does
	// not answer would only time out again.
	return ctx.Err() == nil && p.lost(tx.err) && run.Err() == nil, err
}

func (p *postgresDB) readOnce(ctx context.Context, fn func(*Tx) error) (again bool, err error) {
	conn, err := p.conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	sqlTx, err := p.begin(run, cancel, conn, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		if ctx.Err() != nil {
			return false, waitEnded(ctx)
		}
		return p.lost(err), translate(err)
	}
	defer sqlTx.Rollback()
	tx := newTx(run, Postgres, sqlTx, p.stats)
	err = tx.run(fn)
	if ctx.Err() == nil {
		p.lost(tx.err)
	}
	return false, err
}

func (p *postgresDB) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	return translate(p.read(ctx, func(tx *Tx) error {
		var one int
		return tx.Row("SELECT 1").Scan(&one)
	}))
}

func (p *postgresDB) close() error {
	p.herald.stop()
	return p.pool.Close()
}
