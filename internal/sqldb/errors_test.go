package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestErrorsHaveTheSameNameOnBothEngines(t *testing.T) {
	const keyed = `CREATE TABLE keyed (id @id, name TEXT NOT NULL UNIQUE, size BIGINT CHECK (size > 0), note_id BIGINT REFERENCES notes (id))`
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, keyed)
		do(t, db, "INSERT INTO notes (id, writer, part) VALUES (7, 'w', 1)")
		do(t, db, "INSERT INTO keyed (id, name, size, note_id) VALUES (1, 'taken', 1, 7)")
		for _, c := range []struct {
			name, query string
			want        error
		}{
			{"unique", "INSERT INTO keyed (name) VALUES ('taken')", sqldb.ErrUnique},
			{"primary key", "INSERT INTO keyed (id, name) VALUES (1, 'other')", sqldb.ErrUnique},
			{"unique by update", "INSERT INTO keyed (name) VALUES ('a'), ('b') ON CONFLICT (name) DO NOTHING", nil},
			{"reference to nothing", "INSERT INTO keyed (name, note_id) VALUES ('x', 8)", sqldb.ErrReference},
			{"delete of what is referred to", "DELETE FROM notes WHERE id = 7", sqldb.ErrReference},
			{"check", "INSERT INTO keyed (name, size) VALUES ('x', 0)", sqldb.ErrCheck},
			{"not null", "INSERT INTO keyed (name) VALUES (NULL)", sqldb.ErrCheck},
		} {
			t.Run(c.name, func(t *testing.T) {
				err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
					_, err := tx.Exec(c.query)
					return err
				})
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		}
	})
}

func TestMistakeInTheSQLHasNoName(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec("INSERT INTO nowhere VALUES (1)")
			return err
		})
		for _, named := range []error{nil, sqldb.ErrUnique, sqldb.ErrReference, sqldb.ErrCheck, sqldb.ErrUnavailable, sqldb.ErrNoRows} {
			if errors.Is(err, named) {
				t.Errorf("got %v, which is %v", err, named)
			}
		}
	})
}

func TestNoRowsLeavesTheTransactionUsable(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
			var id int64
			if err := tx.Row("SELECT id FROM notes WHERE writer = $1", "nobody").Scan(&id); !errors.Is(err, sqldb.ErrNoRows) {
				t.Errorf("Scan gave %v, want ErrNoRows", err)
			}
			return note(tx, "after", 1)
		}))
		wantNotes(t, db, map[string]int{"after": 1})
	})
}

func TestPostgresCodesHaveNames(t *testing.T) {
	for _, c := range []struct {
		code, what string
		want       error
	}{
		{"23505", "unique violation", sqldb.ErrUnique},
		{"23503", "foreign key violation", sqldb.ErrReference},
		{"23514", "check violation", sqldb.ErrCheck},
		{"23502", "not null violation", sqldb.ErrCheck},
		{"40001", "serialization failure", sqldb.ErrConflict},
		{"40P01", "deadlock", sqldb.ErrConflict},
		{"53100", "disk full", sqldb.ErrUnavailable},
		{"53200", "out of memory", sqldb.ErrUnavailable},
		{"53300", "too many connections", sqldb.ErrUnavailable},
		{"57P01", "shutdown", sqldb.ErrUnavailable},
		{"57P02", "crash of another backend", sqldb.ErrUnavailable},
		{"57P03", "cannot connect now", sqldb.ErrUnavailable},
		{"57014", "statement timeout", sqldb.ErrUnavailable},
		{"58030", "I/O error", sqldb.ErrUnavailable},
		{"08006", "connection failure", sqldb.ErrUnavailable},
		{"25006", "read-only server", sqldb.ErrUnavailable},
		{"25P03", "transaction idle for too long", sqldb.ErrUnavailable},
		{"55P03", "lock not available", sqldb.ErrUnavailable},
		{"42P01", "no such table", nil},
		{"28P01", "wrong password", nil},
		{"22021", "not UTF-8", nil},
		{"", "no code at all", nil},
	} {
		original := &pgconn.PgError{Code: c.code, Message: c.what}
		wantName(t, c.what, sqldb.Translate(fmt.Errorf("wrapped: %w", original)), c.want)
		if !errors.Is(sqldb.Translate(original), error(original)) {
			t.Errorf("%s: the original is lost", c.what)
		}
	}
}

func TestSQLiteCodesHaveNames(t *testing.T) {
	for _, c := range []struct {
		code int
		want error
	}{
		{sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqldb.ErrUnique},
		{sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqldb.ErrUnique},
		{sqlite3.SQLITE_CONSTRAINT_ROWID, sqldb.ErrUnique},
		{sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, sqldb.ErrReference},
		{sqlite3.SQLITE_CONSTRAINT_CHECK, sqldb.ErrCheck},
		{sqlite3.SQLITE_CONSTRAINT_NOTNULL, sqldb.ErrCheck},
		{sqlite3.SQLITE_BUSY, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_BUSY_SNAPSHOT, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_LOCKED, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_FULL, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_IOERR_WRITE, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_IOERR_FSYNC, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_CANTOPEN, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_NOMEM, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_INTERRUPT, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_READONLY, sqldb.ErrUnavailable},
		{sqlite3.SQLITE_ERROR, nil},
		{sqlite3.SQLITE_MISUSE, nil},
		{sqlite3.SQLITE_CORRUPT, nil},
	} {
		if got := sqldb.SQLiteKind(c.code); !errors.Is(got, c.want) {
			t.Errorf("code %d is %v, want %v", c.code, got, c.want)
		}
	}
}

func TestLostConnectionsAreUnavailable(t *testing.T) {
	for _, err := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, sql.ErrConnDone, pgconn.ErrConnClosed,
		&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, context.DeadlineExceeded,
	} {
		wantName(t, err.Error(), sqldb.Translate(fmt.Errorf("wrapped: %w", err)), sqldb.ErrUnavailable)
	}
	wantName(t, "a caller's own end", sqldb.Translate(context.Canceled), nil)
	wantName(t, "no rows", sqldb.Translate(sql.ErrNoRows), nil)
}

// wantName checks that err is the wanted named error and no other.
func wantName(t *testing.T, what string, err, want error) {
	t.Helper()
	for _, name := range []error{sqldb.ErrUnique, sqldb.ErrReference, sqldb.ErrCheck, sqldb.ErrUnavailable, sqldb.ErrConflict} {
		if got := errors.Is(err, name); got != (name == want) {
			t.Errorf("%s: is it %q? %v", what, name, got)
		}
	}
}

func TestLockedFileIsUnavailableUntilReleased(t *testing.T) {
	db := openNotes(t, sqldb.Config{LockTimeout: 50 * time.Millisecond})
	must(t, db.Write(context.Background(), noting("before")))
	unlock := lockFile(t, db)
	if err := db.Write(context.Background(), noting("locked out")); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("Write gave %v, want ErrUnavailable", err)
	}
	wantNotes(t, db, map[string]int{"before": 1}) // readers are not affected
	unlock()
	must(t, db.Write(context.Background(), noting("after")))
	wantNotes(t, db, map[string]int{"before": 1, "after": 1})
}

// To turn on WAL, SQLite needs the file exclusively, and it does not wait for it.
func TestOpenWaitsForANewFileThatIsLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.db")
	unlock := lock(t, file)
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		db, err := sqldb.Open(context.Background(), sqldb.Config{URL: file, LockTimeout: patience})
		if err != nil {
			t.Error(err)
			return
		}
		db.Close()
	}()
	eventually(t, "it waits or has given up", func() bool { return isClosed(opened) || strings.Contains(stacks(), "sqldb.sleep(") })
	unlock()
	await(t, opened, "Open")
}

func TestOpenOfAFileThatStaysLockedIsUnavailable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.db")
	defer lock(t, file)()
	_, err := sqldb.Open(context.Background(), sqldb.Config{URL: file, LockTimeout: 50 * time.Millisecond})
	if !errors.Is(err, sqldb.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), file) {
		t.Errorf("Open gave %v, want ErrUnavailable and the file's name", err)
	}
}

// lockFile locks the file of an open database.
func lockFile(t *testing.T, db *sqldb.DB) (unlock func()) {
	t.Helper()
	var file string
	read(t, db, "SELECT file FROM pragma_database_list WHERE name = 'main'", nil, &file)
	return lock(t, file)
}

// lock writes to a SQLite file as another process might, and does not commit
// until unlock is called.
func lock(t *testing.T, file string) (unlock func()) {
	t.Helper()
	raw, err := sql.Open("sqlite", file)
	must(t, err)
	t.Cleanup(func() { raw.Close() })
	conn, err := raw.Conn(context.Background())
	must(t, err)
	_, err = conn.ExecContext(context.Background(), "BEGIN IMMEDIATE")
	must(t, err)
	return func() {
		t.Helper()
		_, err := conn.ExecContext(context.Background(), "ROLLBACK")
		must(t, err)
		must(t, conn.Close())
	}
}

func TestUnreachableServerIsUnavailableAtOpen(t *testing.T) {
	const address = "127.0.0.1:1" // nobody listens there
	_, err := sqldb.Open(context.Background(), sqldb.Config{URL: "postgres://frontdesk:s3cret@" + address + "/desk?sslmode=disable"})
	if !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("Open gave %v, want ErrUnavailable", err)
	}
	if text := fmt.Sprint(err); !strings.Contains(text, address) || strings.Contains(text, "s3cret") {
		t.Errorf("%q is to name %s and not the password", text, address)
	}
}

func TestBadAddressIsRefusedWithoutItsPassword(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder) // a file would be created here if the address were taken for a path
	for _, address := range []string{
		"postgres://desk:s3cret@localhost:port/desk",
		"postgres://desk:s3cret%zz@localhost/desk",
		"postgres://desk:s3cret@localhost/desk?sslmode=perhaps",
		"postgers://desk:s3cret@localhost/desk",
		"mysql://desk:s3cret@localhost/desk",
		"sqlite:///var/s3cret.db",
		"file:s3cret.db",
		":memory:",
		"",
	} {
		_, err := sqldb.Open(context.Background(), sqldb.Config{URL: address})
		if err == nil || !strings.Contains(err.Error(), "not valid") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q gave %v", address, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// throughProxy opens a PostgreSQL database with the table of notes behind a
// proxy.
func throughProxy(t *testing.T, c sqldb.Config) (*dbtest.Proxy, *sqldb.DB) {
	t.Helper()
	p, address := dbtest.StartProxy(t, dbtest.URL(t, sqldb.Postgres)+"&connect_timeout=3")
	c.URL = address
	db := dbtest.Open(t, c)
	addNotes(t, db)
	return p, db
}

func TestCutConnectionIsUnavailableUntilItIsBack(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	must(t, db.Write(context.Background(), noting("before")))
	p.Set(func() { p.Cut = true })
	wantUnavailable(t, db)
	p.Set(func() { p.Cut = false })
	must(t, db.Write(context.Background(), noting("after")))
	wantNotes(t, db, map[string]int{"before": 1, "after": 1})
}

// A network that drops packets returns nothing at all, not even an error.
func TestSilentConnectionIsUnavailableUntilItIsBack(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	must(t, db.Write(context.Background(), noting("before")))
	fillPool(t, db, 4)
	before := 0
	p.Set(func() { p.Silent, before = true, p.Taken })
	wantUnavailable(t, db)
	p.Set(func() {
		p.Silent = false
		// A call that found its connection dead has tried one new connection. The
		// driver opens others to cancel the statements that it gave up on.
		if calls, tried := len(everyCall(db)), p.Taken-before; tried > 3*calls {
			t.Errorf("%d calls made %d connections", calls, tried)
		}
	})
	// The old connections stay dead, but callers do not notice.
	must(t, db.Write(context.Background(), noting("after")))
	wantNotes(t, db, map[string]int{"before": 1, "after": 1})
}

// wantUnavailable expects every call to fail with ErrUnavailable, even though the
// caller would wait forever.
func wantUnavailable(t *testing.T, db *sqldb.DB) {
	t.Helper()
	var all sync.WaitGroup
	for name, call := range everyCall(db) {
		all.Go(func() {
			if err := call(); !errors.Is(err, sqldb.ErrUnavailable) {
				t.Errorf("%s gave %v, want ErrUnavailable", name, err)
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		all.Wait()
	}()
	await(t, ended, "all to return")
}

// everyCall returns each way to use a database, by name.
func everyCall(db *sqldb.DB) map[string]func() error {
	ctx := context.Background()
	return map[string]func() error{
		"Write": func() error { return db.Write(ctx, noting("written")) },
		"Claim": func() error { return db.Claim(ctx, noting("claimed")) },
		"Read": func() error {
			return db.Read(ctx, func(tx *sqldb.Tx) error {
				_, err := countNotes(tx)
				return err
			})
		},
		"Ping": func() error { return db.Ping(ctx) },
	}
}

func TestReadEndsWithItsContextOnASilentConnection(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	err := db.Read(ctx, func(tx *sqldb.Tx) error {
		p.Set(func() { p.Silent = true })
		_, err := countNotes(tx)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("Read gave %v, want its deadline", err)
	}
}

func TestConnectionLostBeforeCommitIsRunAgain(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	runs := 0
	must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
		runs++
		if err := note(tx, "n", 1); err != nil {
			return err
		}
		if runs == 1 {
			p.Drop()
		}
		return note(tx, "n", 1)
	}))
	wantNotes(t, db, map[string]int{"n": 2})
	if runs != 2 {
		t.Errorf("the function ran %d times, want 2", runs)
	}
}

// The commit may have happened, so running it again might do it twice.
func TestLostAnswerToCommitIsNotRunAgain(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	p.Set(func() { p.LoseCommit = -1 })
	runs := 0
	err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
		runs++
		return note(tx, "n", 1)
	})
	if !errors.Is(err, sqldb.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "not known") {
		t.Errorf("Write gave %v, want ErrUnavailable and that the outcome is not known", err)
	}
	if runs != 1 {
		t.Errorf("the function ran %d times, want 1", runs)
	}
	p.Set(func() { p.LoseCommit = 0 })
	wantNotes(t, db, map[string]int{"n": 1}) // in this case it had happened
}

// admin opens a separate connection to the server.
func admin(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), address)
	must(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// terminate ends every connection to the database except conn, and returns when
// they are gone.
func terminate(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	var pids []int32
	must(t, conn.QueryRow(context.Background(), "SELECT array_agg(pid) "+others).Scan(&pids))
	_, err := conn.Exec(context.Background(), "SELECT pg_terminate_backend(pid) "+others)
	must(t, err)
	eventually(t, "the connections are gone", func() bool {
		var n int
		must(t, conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1)", pids).Scan(&n))
		return n == 0
	})
}

// fillPool opens as many connections as the pool allows and leaves them idle.
func fillPool(t *testing.T, db *sqldb.DB, n int) {
	t.Helper()
	var all sync.WaitGroup
	var together sync.WaitGroup
	together.Add(n)
	for range n {
		all.Go(func() {
			arrive := sync.OnceFunc(together.Done)
			defer arrive() // even without a connection, because the others wait
			if err := db.Read(context.Background(), func(tx *sqldb.Tx) error {
				arrive()
				together.Wait()
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// This is a restart of the server as an idle process sees it.
func TestTerminatedIdleConnectionsAreSurvived(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address, Connections: 33})
	addNotes(t, db)
	conn := admin(t, address)
	for name, call := range everyCall(db) {
		fillPool(t, db, 32)
		terminate(t, conn)
		if err := call(); err != nil {
			t.Errorf("%s gave %v, want nothing", name, err)
		}
	}
	wantNotes(t, db, map[string]int{"written": 1, "claimed": 1})
}

// Two doctors are on call and one must stay. Each checks, sees the other, and goes
// home. Neither breaks the rule alone.
func TestNoWriteSkew(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, "CREATE TABLE doctors (name TEXT PRIMARY KEY, on_call BOOLEAN NOT NULL)")
		do(t, db, "INSERT INTO doctors (name, on_call) VALUES ('Ann', $1), ('Bob', $1)", true)
		var looked sync.WaitGroup // both look before either leaves
		looked.Add(2)
		goHome := func(name string) func(*sqldb.Tx) error {
			first := true
			return func(tx *sqldb.Tx) error {
				var n int
				if err := tx.Row("SELECT count(*) FROM doctors WHERE on_call").Scan(&n); err != nil {
					return err
				}
				if first && db.Engine() == sqldb.Postgres { // on SQLite the second writer looks after the first has left
					looked.Done()
					looked.Wait()
				}
				first = false
				if n < 2 {
					return nil
				}
				_, err := tx.Exec("UPDATE doctors SET on_call = $1 WHERE name = $2", false, name)
				return err
			}
		}
		ann := start(context.Background(), db, goHome("Ann"))
		bob := start(context.Background(), db, goHome("Bob"))
		must(t, ann.wait(t))
		must(t, bob.wait(t))
		var n int
		must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
			return tx.Row("SELECT count(*) FROM doctors WHERE on_call").Scan(&n)
		}))
		if n != 1 {
			t.Errorf("%d doctors are on call, want 1", n)
		}
	})
}

func TestTransactionThatAlwaysConflictsGivesUp(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address})
	addNotes(t, db)
	do(t, db, "INSERT INTO notes (id, writer, part) VALUES (1, 'contended', 1)")
	rival := admin(t, address)
	runs := 0
	err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
		runs++
		var part int
		if err := tx.Row("SELECT part FROM notes WHERE id = 1").Scan(&part); err != nil {
			return err
		}
		if _, err := rival.Exec(context.Background(), "UPDATE notes SET part = part + 1 WHERE id = 1"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE notes SET part = $1 WHERE id = 1", part+1)
		if err != nil {
			return errors.New("what the function makes of it does not matter")
		}
		return nil
	})
	if !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("Write gave %v, want ErrUnavailable", err)
	}
	if runs != sqldb.WriteTries {
		t.Errorf("the function ran %d times, want %d", runs, sqldb.WriteTries)
	}
	if n := db.Stats().Retries; n != sqldb.WriteTries-1 {
		t.Errorf("%d retries were counted, want %d", n, sqldb.WriteTries-1)
	}
}

func TestContextEndsTheRetries(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address})
	addNotes(t, db)
	do(t, db, "INSERT INTO notes (id, writer, part) VALUES (1, 'contended', 1)")
	rival := admin(t, address)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	runs := 0
	err := db.Write(ctx, func(tx *sqldb.Tx) error {
		runs++
		cancel() // ends the wait for the next try, but no statement
		if _, err := tx.Exec("SELECT part FROM notes WHERE id = 1"); err != nil {
			return err
		}
		if _, err := rival.Exec(context.Background(), "UPDATE notes SET part = part + 1 WHERE id = 1"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE notes SET part = 0 WHERE id = 1")
		return err
	})
	if !errors.Is(err, context.Canceled) || runs != 1 {
		t.Errorf("Write gave %v after %d runs, want context.Canceled after 1", err, runs)
	}
}

func TestDeadlockIsRunAgain(t *testing.T) {
	address, err := url.Parse(dbtest.URL(t, sqldb.Postgres))
	must(t, err)
	q := address.Query()
	q.Set("deadlock_timeout", "20ms")
	address.RawQuery = q.Encode()
	db := dbtest.Open(t, sqldb.Config{URL: address.String()})
	addNotes(t, db)
	do(t, db, "INSERT INTO notes (id, writer, part) VALUES (1, 'a', 0), (2, 'b', 0)")
	var locked sync.WaitGroup // each locks one row before it asks for the other's
	locked.Add(2)
	claim := func(mine, theirs int) func() {
		first := true
		return func() {
			if err := db.Claim(context.Background(), func(tx *sqldb.Tx) error {
				if _, err := tx.Exec("UPDATE notes SET part = part + 1 WHERE id = $1", mine); err != nil {
					return err
				}
				if first {
					locked.Done()
					locked.Wait()
				}
				first = false
				_, err := tx.Exec("UPDATE notes SET part = part + 1 WHERE id = $1", theirs)
				return err
			}); err != nil {
				t.Error(err)
			}
		}
	}
	var both sync.WaitGroup
	both.Go(claim(1, 2))
	both.Go(claim(2, 1))
	both.Wait()
	var least int
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT min(part) FROM notes").Scan(&least)
	}))
	if n := db.Stats().Retries; least != 2 || n == 0 {
		t.Errorf("%d updates of two arrived, after %d retries", least, n)
	}
}
