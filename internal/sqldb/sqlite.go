package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDB is one SQLite file with one connection that writes, in groups, and a few
// that read.
type sqliteDB struct {
	group   *group
	readers *readers
	path    string
	pools   []*sql.DB
	stats   *stats
	machine func() time.Time // its clock
}

func openSQLite(ctx context.Context, c Config, b *bells, s *stats) (*sqliteDB, error) {
	if !isPath(c.URL) {
		// The error does not repeat the address, which may contain a password.
		return nil, errors.New("the database address is not valid; it is the path of a SQLite file or postgres://user:password@host:5432/database")
	}
	if err := os.MkdirAll(filepath.Dir(c.URL), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", c.URL, err)
	}
	if err := makePrivate(c.URL); err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, err)
	}
	writePool := sqlitePool(c, "rwc", 1)
	// The first connection creates the file and turns WAL on for good. Readers can
	// do neither.
	conn, err := firstConn(ctx, writePool, c.LockTimeout)
	if err != nil {
		writePool.Close()
		return nil, fmt.Errorf("%s: %w", c.URL, translate(err))
	}
	readPool := sqlitePool(c, "ro", c.Readers)
	return &sqliteDB{
		group:   startGroup(c, &sqliteSession{pool: writePool, conn: conn, stats: s}, b.ring, s),
		readers: newReaders(readPool, c.Readers),
		path:    c.URL,
		// The writer closes last. The last connection removes the write-ahead log,
		// and a reader is not allowed to.
		pools:   []*sql.DB{readPool, writePool},
		stats:   s,
		machine: c.machineClock,
	}, nil
}

// makePrivate creates a file, if it does not exist, and makes it readable by its owner
// only. SQLite would leave this to the umask. The files that SQLite creates next to
// it get the same mode.
//
// It never opens the file under its own name. Closing it again would drop the locks
// of every connection that this process has to the file.
func makePrivate(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeEmpty(path); err != nil {
			return err
		}
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		// Best effort. A file of another user, or a file system without modes, must
		// not prevent the start.
		_ = os.Chmod(path+end, 0o600)
	}
	return nil
}

func makeEmpty(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// isPath distinguishes a path from a mistyped address and from SQLite's names for a
// database in memory. Each connection would get its own database in memory.
func isPath(s string) bool {
	return s != "" && s != ":memory:" && !strings.HasPrefix(s, "file:") && !strings.Contains(s, "://")
}

// sqlitePool makes a pool and opens no connection yet, because sql.Open is lazy.
func sqlitePool(c Config, mode string, size int) *sql.DB {
	q := url.Values{
		"mode": {mode},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", c.LockTimeout.Milliseconds()),
			"foreign_keys(1)",
			"temp_store(MEMORY)",
		},
	}
	if mode == "rwc" {
		q["_pragma"] = append(q["_pragma"], "cache_size(-8000)") // 8 MB
		// What is deleted is overwritten, because it may have to be forgotten. This
		// writes less than one page more in a hundred: see decision 76.
		q["_pragma"] = append(q["_pragma"], "secure_delete(1)")
		// FULL, because in WAL mode the default may lose the last commits in a
		// power failure.
		q["_pragma"] = append(q["_pragma"], "journal_mode(WAL)", "synchronous(FULL)", "journal_size_limit(67108864)")
	} else {
		// Half as much, because there are several readers. They lose their cache at
		// each commit anyway.
		q["_pragma"] = append(q["_pragma"], "query_only(1)", "cache_size(-4000)")
	}
	return openFile(c.URL, q, size)
}

// openFile makes a pool of connections to a SQLite file. It opens none of them yet.
func openFile(path string, q url.Values, size int) *sql.DB {
	// Clean, because SQLite would read //host/file as a file on that host.
	file := url.URL{Path: filepath.Clean(path)}
	dsn := url.URL{Scheme: "file", Opaque: file.EscapedPath(), RawQuery: q.Encode()}
	if err := registerQuantiles(); err != nil {
		panic(err) // only if two functions have the same name
	}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		panic(err) // only if the driver is not linked in
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

// sqliteSession is the one connection that writes.
type sqliteSession struct {
	pool    *sql.DB
	conn    *conn
	stats   *stats
	derives bool // commits do not wait for the disk
}

// begin opens a transaction. If the connection cannot begin one, it is replaced
// once.
func (s *sqliteSession) begin(first *call) error {
	err := s.open(first)
	if err == nil || errors.Is(err, ErrUnavailable) && !isConnectionLoss(err) {
		return err
	}
	s.conn.discard()
	fresh, err := newConn(context.Background(), s.pool)
	if err != nil {
		return fmt.Errorf("%w: reopen: %w", ErrUnavailable, err)
	}
	s.conn, s.derives = fresh, false
	return s.open(first)
}

// open opens a transaction. first decides whether its commit waits for the disk.
// SQLite allows this setting to change only outside a transaction.
func (s *sqliteSession) open(first *call) error {
	if s.derives != first.derives {
		wait := "PRAGMA synchronous = FULL"
		if first.derives {
			wait = "PRAGMA synchronous = NORMAL"
		}
		if err := s.exec(wait); err != nil {
			return err
		}
		s.derives = first.derives
	}
	return s.exec("BEGIN IMMEDIATE")
}

func (s *sqliteSession) tx(ctx context.Context) *Tx { return newTx(ctx, SQLite, s.conn, s.stats) }

func (s *sqliteSession) exec(statement string) error {
	_, err := s.conn.ExecContext(context.Background(), statement)
	return translate(err)
}

func (s *sqliteSession) inTransaction() bool {
	if s.exec("BEGIN") != nil {
		return true // a transaction cannot be open twice
	}
	_ = s.rollback()
	return false
}

// retryable is always false, because there is no other writer.
func (s *sqliteSession) retryable(error) bool { return false }

func (s *sqliteSession) commit() (known bool, err error) { return true, s.exec("COMMIT") }

func (s *sqliteSession) rollback() error { return s.exec("ROLLBACK") }

func (s *sqliteSession) close() { s.conn.close() }

func (s *sqliteDB) write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return s.group.write(ctx, timeout, fn)
}

func (s *sqliteDB) writeInTurn(ctx context.Context, timeout time.Duration, _ int64, fn func(*Tx) error) error {
	return s.group.write(ctx, timeout, fn)
}

func (s *sqliteDB) derive(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return s.group.derive(ctx, timeout, fn)
}

// claim is write. With one writer there are no locked rows to skip.
func (s *sqliteDB) claim(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	return s.group.write(ctx, timeout, fn)
}

func (s *sqliteDB) read(ctx context.Context, fn func(*Tx) error) (err error) {
	conn, err := s.readers.take(ctx)
	if err != nil {
		return err
	}
	// Reads are not cancellable. Watching ctx for each statement costs as much as a
	// point read, and every read here is bounded by its page.
	run := context.WithoutCancel(ctx)
	healthy := false
	defer func() { s.readers.give(conn, healthy) }()
	if _, err := conn.ExecContext(run, "BEGIN"); err != nil {
		return translate(err)
	}
	tx := newTx(run, SQLite, conn, s.stats)
	defer func() {
		// Also if fn panics: the connection must go back without a snapshot.
		_, e := conn.ExecContext(run, "ROLLBACK")
		healthy = e == nil
	}()
	return tx.run(fn)
}

func (s *sqliteDB) look(ctx context.Context, fn func(*Tx) error) error {
	conn, err := s.readers.take(ctx)
	if err != nil {
		return err
	}
	healthy := false // stays false if fn panics
	defer func() { s.readers.give(conn, healthy) }()
	tx := newTx(context.WithoutCancel(ctx), SQLite, conn, s.stats)
	tx.single = true
	err = tx.run(fn)
	healthy = !errors.Is(err, ErrUnavailable)
	return err
}

func (s *sqliteDB) ping(ctx context.Context) error {
	return s.look(ctx, func(tx *Tx) error {
		var one int
		return tx.Row("SELECT 1").Scan(&one)
	})
}

func (s *sqliteDB) now() time.Time { return s.machine() }

func (s *sqliteDB) close() error {
	s.group.stop()
	s.readers.close()
	var errs []error
	for _, p := range s.pools {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// readers lends connections that read. It opens one only when all that are open are
// lent, and lends the one that came back last: a new connection reads the whole schema,
// and has each statement still to prepare.
type readers struct {
	pool *sql.DB
	turn chan struct{} // has one entry for each connection that is lent

	mu   sync.Mutex
	idle []*conn // the one that came back last is at the end
}

func newReaders(pool *sql.DB, size int) *readers {
	return &readers{pool: pool, turn: make(chan struct{}, size)}
}

func (r *readers) take(ctx context.Context) (*conn, error) {
	select {
	case r.turn <- struct{}{}:
	default:
		select {
		case r.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, waitEnded(ctx)
		}
	}
	if c := r.pop(); c != nil {
		return c, nil
	}
	c, err := newConn(ctx, r.pool)
	if err != nil {
		<-r.turn
		return nil, translate(err)
	}
	return c, nil
}

// pop returns nil if no open connection is idle.
func (r *readers) pop() *conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.idle) - 1
	if last < 0 {
		return nil
	}
	c := r.idle[last]
	r.idle = r.idle[:last]
	return c
}

func (r *readers) give(c *conn, healthy bool) {
	if healthy {
		r.mu.Lock()
		r.idle = append(r.idle, c)
		r.mu.Unlock()
	} else {
		c.discard()
	}
	<-r.turn // only now, so that who waits finds the connection
}

// close closes the connections. DB.Close has already waited for their users.
func (r *readers) close() {
	for _, c := range r.idle {
		c.close()
	}
}

const openTimeout = 15 * time.Second

// firstConn is newConn for a file that may be new. To turn on WAL, SQLite needs the
// file exclusively, and if several processes start together it gives up at once
// instead of waiting.
func firstConn(ctx context.Context, pool *sql.DB, patience time.Duration) (*conn, error) {
	for end := time.Now().Add(patience); ; sleep(ctx, 5*time.Millisecond) {
		c, err := newConn(ctx, pool)
		var e *sqlite.Error
		busy := errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
		if !busy || ctx.Err() != nil || time.Now().After(end) {
			return c, err
		}
	}
}

// newConn takes a connection out of the pool for good.
func newConn(ctx context.Context, pool *sql.DB) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, statements: newStatementCache(statementCacheSize)}, nil
}
