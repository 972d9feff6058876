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

// writeTries is how often a transaction runs before its caller is told that
// the database is too busy.
const writeTries = 10

// postgresDB is a PostgreSQL server, shared with other processes.
type postgresDB struct {
	pool     *sql.DB
	size     int           // of the pool
	patience time.Duration // for a server that does not answer a connection
	bells    *bells
	stats    *stats
	log      *slog.Logger
	herald   *herald
	config   Config

	mu    sync.Mutex
	lanes map[int64]*lane // by the turn
}

// A lane is where the callers of one turn wait, so that they hold no connection,
// and where they become groups. It is there as long as there are any.
type lane struct {
	group   *group
	callers int
}

// mostJoined bounds the callers of a group: PostgreSQL remembers 64 savepoints of a
// transaction before it becomes slow for everybody.
const mostJoined = 32

func openPostgres(ctx context.Context, c Config, b *bells, s *stats) (*postgresDB, error) {
	cfg, err := pgx.ParseConfig(c.URL)
	if err != nil {
		// pgx repeats the URL with its password masked, but not for every mistake.
		return nil, errors.New("the PostgreSQL address is not valid; it looks like postgres://user:password@host:5432/database")
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "frontdesk"
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	// Without the driver's ping before use: it would wait as long as the caller
	// does, and a connection that is dead shows at BEGIN, which is run again.
	pool := stdlib.OpenDB(*cfg, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }))
	size := c.Readers * 2
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("PostgreSQL at %s:%d: %w", cfg.Host, cfg.Port, translate(err))
	}
	c.GroupLimit = min(c.GroupLimit, mostJoined)
	p := &postgresDB{pool: pool, size: size, patience: cfg.ConnectTimeout, bells: b, stats: s, log: c.Log, config: c, lanes: map[int64]*lane{}}
	p.herald = startHerald(cfg, pool, b, c.Log)
	return p, nil
}

func (p *postgresDB) write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.transact(ctx, timeout, sql.LevelSerializable, fn)
}

// writeInTurn runs fn in a group of its turn; see group.go.
func (p *postgresDB) writeInTurn(ctx context.Context, timeout time.Duration, turn int64, fn func(*Tx) error) error {
	l := p.enter(turn)
	defer p.leave(turn, l)
	return l.group.write(ctx, timeout, fn)
}

func (p *postgresDB) enter(turn int64) *lane {
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

func (p *postgresDB) leave(turn int64, l *lane) {
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

// ring wakes who listens in this process and in others.
func (p *postgresDB) ring(topics ...string) {
	p.bells.ring(topics...)
	p.herald.announce(topics...)
}

func (p *postgresDB) claim(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.transact(ctx, timeout, sql.LevelReadCommitted, fn)
}

// derive is claim: who waits for the disk holds up nobody else here.
func (p *postgresDB) derive(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return p.claim(ctx, timeout, fn)
}

// transact runs fn until it commits. A transaction that certainly did not
// happen is run again; one whose COMMIT got no answer is not, since it may
// have happened.
func (p *postgresDB) transact(ctx context.Context, timeout time.Duration, level sql.IsolationLevel, fn func(*Tx) error) error {
	var err error
	for try := range writeTries {
		if try > 0 {
			p.stats.retries.Add(1)
			if e := pause(ctx, try); e != nil {
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

// try runs fn once and says whether it may be run again.
func (p *postgresDB) try(ctx context.Context, timeout time.Duration, level sql.IsolationLevel, fn func(*Tx) error) (again bool, err error) {
	// The caller's context ends the wait for a connection, not the statements:
	// the same promise as on SQLite.
	conn, err := p.conn(ctx)
	if err != nil {
		return answered(err), err
	}
	defer conn.Close()
	run, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	sqlTx, err := p.begin(run, cancel, conn, &sql.TxOptions{Isolation: level})
	if err != nil {
		return p.lost(err), translate(err)
	}
	defer sqlTx.Rollback() // also when fn panics; after a commit it does nothing
	tx := newTx(run, Postgres, sqlTx, p.stats)
	if err := tx.run(fn); err != nil {
		// What ended the transaction decides, not what fn made of it.
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
		return false, unanswered(err)
	}
	p.stats.writes.Add(1)
	p.stats.commits.Add(1)
	p.ring(tx.rings...)
	return false, nil
}

// unanswered is what is said of a COMMIT without an answer.
func unanswered(err error) error {
	return fmt.Errorf("%w: it is not known whether the change was made: %w", ErrUnavailable, err)
}

// postgresSession is what the groups of a turn write with: a connection of the
// pool for each transaction.
type postgresSession struct {
	db      *postgresDB
	turn    int64
	timeout time.Duration // of what the group itself does
	conn    *sql.Conn
	sqlTx   *sql.Tx
	cancel  context.CancelFunc
	saved   bool // a savepoint is to be released
}

// begin opens a transaction and waits for the turn. It runs at READ COMMITTED: a
// snapshot of the whole transaction would be from before the wait. While it has
// the turn nobody else changes what is read, so each statement sees the same.
func (s *postgresSession) begin(first *call) error {
	s.timeout = first.timeout
	var err error
	for try := range writeTries {
		if try > 0 {
			s.db.stats.retries.Add(1)
			if err := pause(first.caller, try); err != nil {
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

// open tries it once, and says whether it may be tried again.
func (s *postgresSession) open(caller context.Context) (again bool, err error) {
	if s.conn, err = s.db.conn(caller); err != nil {
		return answered(err), err
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

// send runs statements in one journey. With the first that fails, they all have.
func (s *postgresSession) send(ctx context.Context, all []statement) error {
	batch := &pgx.Batch{}
	for _, one := range all {
		batch.Queue(one.query, one.args...)
	}
	return s.conn.Raw(func(conn any) error { return conn.(*stdlib.Conn).Conn().SendBatch(ctx, batch).Close() })
}

// exec has a savepoint released in one journey with what comes next. COMMIT
// releases it anyway.
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

// inTransaction is always so: no error is swallowed, and what has lost its
// connection says so at the next statement.
func (s *postgresSession) inTransaction() bool { return true }

func (s *postgresSession) again(err error) bool { return errors.Is(err, errConflict) || s.db.lost(err) }

func (s *postgresSession) commit() (known bool, err error) {
	defer s.release()
	defer s.atMost(s.timeout)()
	err = translate(s.sqlTx.Commit())
	switch {
	case err == nil, errors.Is(err, errConflict):
		return true, err
	default:
		s.db.lost(err)
		return false, unanswered(err)
	}
}

func (s *postgresSession) rollback() error {
	if s.sqlTx == nil {
		return nil // it has ended
	}
	defer s.release()
	defer s.atMost(s.timeout)()
	return translate(s.sqlTx.Rollback())
}

// atMost cuts the connection off that has not answered in time.
func (s *postgresSession) atMost(d time.Duration) (answered func()) {
	silence := time.AfterFunc(d, s.cancel)
	return func() { silence.Stop() }
}

// release gives the connection back, if there is one.
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

// takeTurn waits until no other process has the turn. It is given back with the
// transaction's end, which the server brings about when this process is stopped
// in the middle of it.
func takeTurn(ctx context.Context, tx *sql.Tx, turn int64, timeout time.Duration) error {
	const ours = 1 << 62 // apart from the locks that are not turns
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1), set_config('idle_in_transaction_session_timeout', $2, TRUE)",
		ours|turn, strconv.FormatInt(timeout.Milliseconds(), 10))
	return translate(err)
}

// conn takes a connection out of the pool, or makes one.
func (p *postgresDB) conn(ctx context.Context) (*sql.Conn, error) {
	conn, err := p.pool.Conn(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, waitEnded(ctx)
	}
	return conn, translate(err)
}

// begin opens a transaction that lives as long as run. A server answers BEGIN at
// once: a connection that died without a word must not hold a caller who has
// time, and a reader may have all the time there is.
func (p *postgresDB) begin(run context.Context, cancel context.CancelFunc, conn *sql.Conn, o *sql.TxOptions) (*sql.Tx, error) {
	silence := time.AfterFunc(p.patience, cancel)
	tx, err := conn.BeginTx(run, o)
	if !silence.Stop() {
		err = fmt.Errorf("%w: no answer in %s", driver.ErrBadConn, p.patience)
	}
	return tx, err
}

// answered reports whether it was the server itself that refused a connection,
// being full or still starting: it may take one in a moment. One that cannot be
// reached is not tried again while a caller waits.
func answered(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && errors.Is(err, ErrUnavailable)
}

// lost reports whether err is the end of a connection. What ended one has most
// likely ended those that lie in the pool too, so the next is a new one.
func (p *postgresDB) lost(err error) bool {
	if !isConnectionLoss(err) {
		return false
	}
	p.pool.SetMaxIdleConns(0)
	p.pool.SetMaxIdleConns(p.size)
	return true
}

// pause waits before the next try: longer each time, and never in step with
// the transaction it collided with.
func pause(ctx context.Context, try int) error {
	longest := time.Millisecond << min(try, 7)
	select {
	case <-time.After(rand.N(longest) + time.Millisecond/2):
		return nil
	case <-ctx.Done():
		return waitEnded(ctx)
	}
}

func (p *postgresDB) read(ctx context.Context, fn func(*Tx) error) error {
	return twice(ctx, fn, p.readOnce)
}

func (p *postgresDB) look(ctx context.Context, fn func(*Tx) error) error {
	return twice(ctx, fn, p.lookOnce)
}

// twice reads a second time when the connection was dead before anything was
// read, and only then.
func twice(ctx context.Context, fn func(*Tx) error, once func(context.Context, func(*Tx) error) (again bool, err error)) (err error) {
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
	// A page is read in no time; what takes longer is a server that is silent.
	run, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	tx := newTx(run, Postgres, conn, p.stats)
	tx.single = true
	err = tx.run(fn)
	// A dead connection gave nothing, so fn can run again; a silent one would
	// only be silent again.
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
