package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// hangCommits makes the server wait for a standby that does not exist, at the COMMIT of
// each session that asks for one with replicated. All others on the server go on. It
// returns a connection that does not wait, and what lets the COMMITs finish.
func hangCommits(t *testing.T, address string) (conn *pgx.Conn, finish func()) {
	t.Helper()
	conn = admin(t, address+"&synchronous_commit=off")
	set := func(statement string) {
		_, err := conn.Exec(context.Background(), statement)
		must(t, err)
		_, err = conn.Exec(context.Background(), "SELECT pg_reload_conf()")
		must(t, err)
	}
	finish = sync.OnceFunc(func() { set("ALTER SYSTEM RESET synchronous_standby_names") })
	t.Cleanup(finish)
	set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	return conn, finish
}

const replicated = "&synchronous_commit=on"

// hang writes until a COMMIT hangs and its caller's time is up, and returns the name of
// that note.
func hang(t *testing.T, what string, write func(fn func(*sqldb.Tx) error) error) (name string) {
	t.Helper()
	tries := 0
	eventually(t, "a COMMIT hangs", func() bool { // not at once: the server reads its settings when it likes
		tries++
		name = fmt.Sprint(what, " ", tries)
		err := write(noting(name))
		return errors.Is(err, sqldb.ErrUnavailable) && strings.Contains(err.Error(), "not known")
	})
	return name
}

// waiting returns how many COMMITs wait for a standby.
func waiting(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	must(t, conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'").Scan(&n))
	return n
}

// A COMMIT waits until a standby has the change. A caller whose time is up repeats its
// call, and must not find a change that only one machine has: if that machine dies, what
// the repeat was told is lost. So nothing may end the wait, whatever becomes of the
// process that asked for it.
func TestNothingEndsACommitThatWaitsForAStandby(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	conn, finish := hangCommits(t, address)
	p, proxied := dbtest.StartProxy(t, address)
	open := func(url string) *sqldb.DB {
		return dbtest.Open(t, sqldb.Config{URL: url + replicated, WriteTimeout: time.Second})
	}
	addNotes(t, dbtest.Open(t, sqldb.Config{URL: address}))
	ended, broken := open(address), open(proxied)
	other := open(address)
	ctx := context.Background()
	var all sync.WaitGroup
	var mu sync.Mutex
	var hung []string
	for turn, c := range []struct {
		write func(context.Context, int64, func(*sqldb.Tx) error) error
		then  func()
	}{
		{ended.WriteInTurn, func() { must(t, ended.Close()) }},
		{broken.WriteInTurn, p.Drop},
		{other.WriteInTurn, func() {}},
		{func(ctx context.Context, _ int64, fn func(*sqldb.Tx) error) error { return other.Write(ctx, fn) }, func() {}},
	} {
		all.Go(func() {
			name := hang(t, fmt.Sprint("turn ", turn), func(fn func(*sqldb.Tx) error) error { return c.write(ctx, int64(turn), fn) })
			c.then()
			mu.Lock()
			defer mu.Unlock()
			hung = append(hung, name)
		})
	}
	all.Wait()

	// The turns are taken until the COMMITs end. Whoever waits for one gives up, which
	// takes long enough for any COMMIT to end that something tried to end.
	for turn := range 3 {
		all.Go(func() {
			err := other.WriteInTurn(ctx, int64(turn), func(*sqldb.Tx) error {
				t.Errorf("turn %d is free", turn)
				return nil
			})
			if !errors.Is(err, sqldb.ErrUnavailable) {
				t.Errorf("the next writer got %v", err)
			}
		})
	}
	all.Wait()
	if n := waiting(t, conn); n != len(hung) {
		t.Errorf("%d COMMITs wait, want %d", n, len(hung))
	}
	seen := noted(t, other)
	for _, name := range hung {
		if seen[name] != 0 {
			t.Errorf("%s can be seen", name)
		}
	}
	finish()
	eventually(t, "everything is committed", func() bool {
		seen := noted(t, other)
		return !slices.ContainsFunc(hung, func(name string) bool { return seen[name] == 0 })
	})
}

// Hanging COMMITs keep connections of writers, never all that there are. When the answer
// comes, everything goes on, and whoever listens looks.
func TestReadersGoOnWhileCommitsHang(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address + replicated, WriteTimeout: time.Second, Connections: 3}) // of which a writer has one
	addNotes(t, db)
	bell := listen(t, db, "noted")
	_, finish := hangCommits(t, address)
	ctx := context.Background()
	name := hang(t, "hangs", func(fn func(*sqldb.Tx) error) error { return db.Write(ctx, fn) })
	err := db.Write(ctx, func(*sqldb.Tx) error {
		t.Error("a writer has a connection")
		return nil
	})
	if !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("a writer without a connection got %v", err)
	}
	if seen := noted(t, db); seen[name] != 0 {
		t.Errorf("the notes are %v", seen)
	}
	finish()
	eventually(t, "the bell rings", func() bool { return rings(bell) })
	if seen := noted(t, db); seen[name] != 1 {
		t.Errorf("the notes are %v", seen)
	}
	eventually(t, "a writer has a connection", func() bool { return db.Write(ctx, noting("after")) == nil })
}

// A connection that leads nowhere must not be kept for good. To give it up cancels
// nothing.
func TestHangingCommitKeepsItsConnectionForATime(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address + replicated, WriteTimeout: time.Second, Connections: 3})
	db.HoldCommits(time.Millisecond)
	addNotes(t, db)
	conn, _ := hangCommits(t, address)
	var hung []string
	for _, what := range []string{"first", "second"} {
		hung = append(hung, hang(t, what, func(fn func(*sqldb.Tx) error) error { return db.Write(context.Background(), fn) }))
	}
	if n := waiting(t, conn); n != 2 {
		t.Errorf("%d COMMITs wait, want 2", n)
	}
	if seen := noted(t, db); seen[hung[0]] != 0 || seen[hung[1]] != 0 {
		t.Errorf("the notes are %v", seen)
	}
}
