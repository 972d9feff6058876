package sqldb_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// What several processes on one PostgreSQL do when one of them, its machine or the
// server is in trouble.

// everyWay returns each way to run a function in a transaction, by name.
func everyWay(db *sqldb.DB) map[string]func(func(*sqldb.Tx) error) error {
	ctx := context.Background()
	return map[string]func(func(*sqldb.Tx) error) error{
		"Write":       func(fn func(*sqldb.Tx) error) error { return db.Write(ctx, fn) },
		"WriteInTurn": func(fn func(*sqldb.Tx) error) error { return db.WriteInTurn(ctx, 1, fn) },
		"Claim":       func(fn func(*sqldb.Tx) error) error { return db.Claim(ctx, fn) },
		"Read":        func(fn func(*sqldb.Tx) error) error { return db.Read(ctx, fn) },
	}
}

// A process that is stopped in the middle of a transaction says nothing more, and its
// machine keeps the connection open.
func TestServerEndsTheTransactionOfAFrozenProcess(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address, WriteTimeout: 2 * time.Second})
	addNotes(t, db)
	conn := admin(t, address)
	frost := make(chan struct{})
	thaw := sync.OnceFunc(func() { close(frost) })
	defer thaw()
	var frozen []*writer
	for _, run := range everyWay(db) {
		stands := make(chan struct{})
		runs := 0
		frozen = append(frozen, started(func() error {
			return run(func(tx *sqldb.Tx) error {
				if _, err := countNotes(tx); err != nil {
					return err
				}
				if runs++; runs == 1 {
					close(stands)
					<-frost
				}
				return nil
			})
		}))
		await(t, stands, "a transaction")
	}
	eventually(t, "the server has ended every transaction", func() bool {
		var n int
		must(t, conn.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state LIKE 'idle in transaction%'`).Scan(&n))
		return n == 0
	})
	thaw()
	for _, w := range frozen {
		_ = w.wait(t)
	}
}

// An operator's own limit stands.
func TestLimitInTheAddressStands(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres) + "&idle_in_transaction_session_timeout=4321&tcp_user_timeout=5432&random_page_cost=3"
	db := dbtest.Open(t, sqldb.Config{URL: address, WriteTimeout: patience})
	for name, run := range everyWay(db) {
		var idle, user, page string
		must(t, run(func(tx *sqldb.Tx) error {
			return tx.Row("SELECT current_setting('idle_in_transaction_session_timeout'), current_setting('tcp_user_timeout'), current_setting('random_page_cost')").Scan(&idle, &user, &page)
		}))
		if idle != "4321ms" || user != "5432" || page != "3" {
			t.Errorf("%s: a transaction may idle for %s, and a peer for %s ms; a page costs %s", name, idle, user, page)
		}
	}
}

// A machine that loses power closes nothing. The server's kernel must ask whether it
// is still there.
func TestServerAsksForASilentPeer(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)})
	var idle, interval, count, user string
	must(t, db.Look(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Row(`SELECT current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'),
			current_setting('tcp_keepalives_count'), current_setting('tcp_user_timeout')`).Scan(&idle, &interval, &count, &user)
	}))
	if idle != "15" || interval != "5" || count != "3" || user != "30000" {
		t.Errorf("the server asks after %s s, every %s s, %s times, and waits %s ms", idle, interval, count, user)
	}
}

// The connection that listens sends nothing. If its server is gone silently, it must
// notice, and hear again.
func TestHeraldNoticesASilentServer(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{}.WithListenCheck(10*time.Millisecond))
	bell := listen(t, db, "noted")
	before := 0
	p.Set(func() { p.Silent, before = true, p.Taken })
	eventually(t, "the herald gives its connection up", func() bool {
		taken := 0
		p.Set(func() { taken = p.Taken })
		return taken > before
	})
	p.Set(func() { p.Silent = false })
	eventually(t, "the herald listens again", func() bool { return rings(bell) })
}

// A server that is full, starting or stopping may take the connection in a moment.
func TestRefusedConnectionIsTriedAgain(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	for name, run := range everyWay(db) {
		p.Set(func() { p.Refuse = 3 })
		p.Drop()
		if err := run(func(tx *sqldb.Tx) error { _, err := countNotes(tx); return err }); err != nil {
			t.Errorf("%s gave %v, want nothing", name, err)
		}
	}
	p.Set(func() { p.Refuse = 3 })
	p.Drop()
	must(t, db.Look(context.Background(), func(tx *sqldb.Tx) error { _, err := countNotes(tx); return err }))
}

func TestConnectionLostInAReadIsRunAgain(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{})
	runs := 0
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		if _, err := countNotes(tx); err != nil {
			return err
		}
		if runs++; runs == 1 {
			p.Drop()
		}
		_, err := countNotes(tx)
		return err
	}))
	if runs != 2 {
		t.Errorf("the function ran %d times, want 2", runs)
	}
}

// A standby cancels reads that conflict with what it receives from the primary.
func TestReadThatConflictsIsRunAgain(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)})
	do(t, db, "CREATE FUNCTION conflict() RETURNS BIGINT LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001''; END'")
	for name, read := range map[string]func(context.Context, func(*sqldb.Tx) error) error{"Read": db.Read, "Look": db.Look} {
		conflicts := 2
		query := func(tx *sqldb.Tx) error {
			query := "SELECT 1"
			if conflicts > 0 {
				query = "SELECT conflict()"
			}
			conflicts--
			var n int
			return tx.Row(query).Scan(&n)
		}
		if err := read(context.Background(), query); err != nil || conflicts != -1 {
			t.Errorf("%s gave %v with %d conflicts left, want nothing", name, err, conflicts)
		}
		conflicts = 1000
		if err := read(context.Background(), query); !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("%s that always conflicts gave %v, want ErrUnavailable", name, err)
		}
	}
}

// After a fail-over, connections may lead to a server that has become a standby.
func TestDemotedServerIsLeft(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres), Connections: 2}) // so each call has the same connection
	addNotes(t, db)
	for name, run := range everyWay(db) {
		if name == "Read" {
			continue
		}
		do(t, db, "SET default_transaction_read_only = on")
		if err := run(noting(name)); err != nil {
			t.Errorf("%s gave %v, want nothing", name, err)
		}
	}
	wantNotes(t, db, map[string]int{"Write": 1, "WriteInTurn": 1, "Claim": 1})
}

// A read that writes is a mistake. Another server would not change it.
func TestWriteInAReadIsNotRunAgain(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)})
	addNotes(t, db)
	runs := 0
	err := db.Read(context.Background(), func(tx *sqldb.Tx) error {
		runs++
		return note(tx, "reader", 1)
	})
	if err == nil || runs != 1 {
		t.Errorf("it ran %d times and gave %v", runs, err)
	}
}

// The address can name several servers, of which one takes writes.
func TestSeveralServers(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	one, at := dbtest.StartProxy(t, address)
	other, otherAt := dbtest.StartProxy(t, address)
	second, err := url.Parse(otherAt)
	must(t, err)
	both, err := url.Parse(at)
	must(t, err)
	both.Host += "," + second.Host
	one.Set(func() { one.Cut = true })
	db := dbtest.Open(t, sqldb.Config{URL: both.String() + "&connect_timeout=3&target_session_attrs=read-write"})
	addNotes(t, db)
	must(t, db.Write(context.Background(), noting("first")))
	one.Set(func() { one.Cut = false })
	other.Set(func() { other.Cut = true })
	must(t, db.Write(context.Background(), noting("second")))
	wantNotes(t, db, map[string]int{"first": 1, "second": 1})
}
