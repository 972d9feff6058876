package sqldb_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/sqlite"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// patience is how long a test waits for something that must happen. It is only a
// safety net: no test passes or fails because of how long something took.
const patience = 5 * time.Minute

func TestMain(m *testing.M) {
	sqlite.MustRegisterScalarFunction("test_gate", 1, passGate)
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the tests provoke dozens of warnings
	os.Exit(m.Run())
}

// childOf is the environment variable that names the test that started this
// process.
const childOf = "SQLDB_TEST_CHILD_OF"

// isChild reports whether this process was started by the test.
func isChild(t *testing.T) bool { return os.Getenv(childOf) == t.Name() }

// startChild runs the calling test in a separate process, where isChild is true.
// wait returns once that process has succeeded.
func startChild(t *testing.T, env ...string) (wait func()) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), append(env, childOf+"="+t.Name())...)
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	must(t, child.Start())
	return func() {
		t.Helper()
		if err := child.Wait(); err != nil {
			t.Errorf("the child: %v\n%s", err, out.String())
		}
	}
}

// A gate stops a SQLite statement in the middle. The SQL function test_gate reports
// its first call and waits until the gate is opened.
type gate struct {
	name            string
	reached, opened chan struct{}
	once            sync.Once
}

var gates sync.Map

func newGate(t *testing.T) *gate {
	g := &gate{name: t.Name(), reached: make(chan struct{}), opened: make(chan struct{})}
	gates.Store(g.name, g)
	t.Cleanup(func() { gates.Delete(g.name) })
	return g
}

func (g *gate) open() { close(g.opened) }

func passGate(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	v, ok := gates.Load(args[0].(string))
	if !ok {
		return nil, fmt.Errorf("no gate %v", args[0])
	}
	g := v.(*gate)
	g.once.Do(func() {
		close(g.reached)
		<-g.opened
	})
	return int64(1), nil
}

// A table whose rows say who wrote them. It has no unique key, so that a double
// commit shows.
const notes = "CREATE TABLE notes (id @id, writer TEXT NOT NULL, part BIGINT NOT NULL CHECK (part >= 0))"

// openNotes opens an empty SQLite database with the table of notes.
func openNotes(t testing.TB, c sqldb.Config) *sqldb.DB {
	t.Helper()
	c.URL = filepath.Join(t.TempDir(), "notes.db")
	db := dbtest.Open(t, c)
	addNotes(t, db)
	return db
}

// eachGroup runs fn on both engines with the table of notes and the given config.
func eachGroup(t *testing.T, c sqldb.Config, fn func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := c
		c.URL = url
		db := dbtest.Open(t, c)
		addNotes(t, db)
		fn(t, db)
	})
}

// eachNotes runs fn on both engines with the table of notes.
func eachNotes(t *testing.T, fn func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		addNotes(t, db)
		fn(t, db)
	})
}

func addNotes(t testing.TB, db *sqldb.DB) {
	t.Helper()
	do(t, db, notes)
}

// oneGroup is a config in which all waiting callers form one group, however slow
// the machine is.
func oneGroup() sqldb.Config { return sqldb.Config{}.WithGroupTime(time.Hour) }

// do runs one statement in its own transaction.
func do(t testing.TB, db *sqldb.DB, query string, args ...any) {
	t.Helper()
	must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

// note writes the parts 1 to n of a writer.
func note(tx *sqldb.Tx, writer string, n int) error {
	for part := range n {
		if _, err := tx.Exec("INSERT INTO notes (writer, part) VALUES ($1, $2)", writer, part+1); err != nil {
			return err
		}
	}
	return nil
}

// noting returns a function for Write that writes one note.
func noting(writer string) func(*sqldb.Tx) error {
	return func(tx *sqldb.Tx) error { return note(tx, writer, 1) }
}

// noted returns how many notes each writer has.
func noted(t testing.TB, db *sqldb.DB) map[string]int {
	t.Helper()
	var counts map[string]int
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		counts, err = countNotes(tx)
		return err
	}))
	return counts
}

func countNotes(tx *sqldb.Tx) (map[string]int, error) {
	counts := map[string]int{}
	rows, err := tx.Query("SELECT writer, count(*) FROM notes GROUP BY writer")
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var writer string
		var n int
		if err := rows.Scan(&writer, &n); err != nil {
			return nil, err
		}
		counts[writer] = n
	}
	return counts, rows.Close()
}

func wantNotes(t testing.TB, db *sqldb.DB, want map[string]int) {
	t.Helper()
	if got := noted(t, db); !maps.Equal(got, want) {
		t.Errorf("the notes are %v, want %v", got, want)
	}
}

// A writer is a Write that runs in its own goroutine.
type writer struct {
	ended    chan struct{}
	err      error
	panicked any
}

func start(ctx context.Context, db *sqldb.DB, fn func(*sqldb.Tx) error) *writer {
	return started(func() error { return db.Write(ctx, fn) })
}

// startInTurn is start for WriteInTurn, where callers form groups on both engines.
func startInTurn(ctx context.Context, db *sqldb.DB, fn func(*sqldb.Tx) error) *writer {
	return started(func() error { return db.WriteInTurn(ctx, 1, fn) })
}

func started(write func() error) *writer {
	w := &writer{ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		defer func() { w.panicked = recover() }()
		w.err = write()
	}()
	return w
}

// wait returns the result of Write.
func (w *writer) wait(t testing.TB) error {
	t.Helper()
	await(t, w.ended, "a writer's end")
	return w.err
}

// await waits until a channel is closed.
func await(t testing.TB, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s\n%s", what, ours())
	}
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s\n%s", what, ours())
		}
	}
}

// A holder keeps the writer busy, so that later callers queue up behind it and
// share its group.
type holder struct {
	*writer
	t     testing.TB
	runs  int
	going chan struct{}
}

// hold returns once the holder's function has the writer and has written its note.
func hold(t testing.TB, db *sqldb.DB) *holder {
	t.Helper()
	h := &holder{t: t, going: make(chan struct{})}
	holds := make(chan struct{})
	h.writer = startInTurn(context.Background(), db, func(tx *sqldb.Tx) error {
		h.runs++
		err := note(tx, "holder", 1)
		if h.runs == 1 {
			close(holds)
		}
		<-h.going
		return err
	})
	await(t, holds, "the writer's attention")
	return h
}

// release lets the holder finish.
func (h *holder) release() { close(h.going) }

// queue starts a writer and returns once it waits for its turn, behind the holder
// and the writers queued before it.
func queue(ctx context.Context, t testing.TB, db *sqldb.DB, fn func(*sqldb.Tx) error) *writer {
	t.Helper()
	before := waiters()
	w := startInTurn(ctx, db, fn)
	eventually(t, "the writer queues", func() bool { return waiters() > before })
	return w
}

// waiters returns how many goroutines wait inside the group's write. It leaves out
// a caller that has only begun to queue, which a counter could not do.
func waiters() (n int) {
	for g := range strings.SplitSeq(stacks(), "\n\n") {
		head, frames, _ := strings.Cut(g, "\n")
		if strings.Contains(head, "[select") && strings.HasPrefix(frames, "frontdesk/internal/sqldb.(*group).call(") {
			n++
		}
	}
	return n
}

// ours returns the stacks of this package's goroutines, for a test that waited in
// vain.
func ours() string {
	var all []string
	for g := range strings.SplitSeq(stacks(), "\n\n") {
		if strings.Contains(g, "internal/sqldb.") {
			all = append(all, g)
		}
	}
	return strings.Join(all, "\n\n")
}

func stacks() string {
	for buf := make([]byte, 1<<20); ; buf = make([]byte, 2*len(buf)) {
		if n := runtime.Stack(buf, true); n < len(buf) {
			return string(buf[:n])
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
