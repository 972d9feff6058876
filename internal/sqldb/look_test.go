package sqldb_test

import (
	"context"
	"strings"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestLookIsOneStatement(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := context.Background()
		var a, b int
		must(t, db.Look(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT 7").Scan(&a) }))
		err := db.Look(ctx, func(tx *sqldb.Tx) error {
			if err := tx.Row("SELECT 8").Scan(&a); err != nil {
				return err
			}
			tx.Row("SELECT 9").Scan(&b) // even if its error is ignored
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "one statement") || a != 8 || b != 0 {
			t.Errorf("a second statement gave %d and %v", b, err)
		}
		for _, write := range []string{"DELETE FROM leases", "INSERT INTO leases (name, owner, until) VALUES ('a', 'b', 1) RETURNING until",
			"/* a comment */ UPDATE leases SET until = 0"} {
			if err := db.Look(ctx, func(tx *sqldb.Tx) error { _, err := tx.Query(write); return err }); err == nil || !strings.Contains(err.Error(), "only reads") {
				t.Errorf("%s: %v", write, err)
			}
		}
		must(t, db.Look(ctx, func(tx *sqldb.Tx) error { return tx.Row("/* a comment */\n\tSELECT 1").Scan(&a) }))
		// The connection stays usable, even after a panic.
		func() {
			defer func() { recover() }()
			db.Look(ctx, func(tx *sqldb.Tx) error {
				tx.Query("SELECT 1")
				panic("in between")
			})
		}()
		for range 40 {
			must(t, db.Look(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT 10").Scan(&a) }))
		}
		if err := db.Look(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT 1 WHERE 1 = 0").Scan(&a) }); err != sqldb.ErrNoRows {
			t.Errorf("no row: %v", err)
		}
	})
}

// A reader gets an open connection if one is idle, because a new one has everything still
// to learn.
func TestSQLiteOpensNoMoreReadersThanItNeeds(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite), Readers: 4})
	read := func(within func()) {
		must(t, db.Read(t.Context(), func(tx *sqldb.Tx) error {
			within()
			var one int
			return tx.Row("SELECT 1").Scan(&one)
		}))
	}
	want := func(n int) {
		t.Helper()
		if open := db.OpenReaders(); open != n {
			t.Errorf("%d connections are open, want %d", open, n)
		}
	}
	for range 5 {
		read(func() {})
	}
	want(1)
	read(func() { read(func() { read(func() {}) }) })
	want(3)
	read(func() { read(func() {}) })
	want(3)
}

// If the server has dropped idle connections, a Look only takes longer.
func TestLookSurvivesDeadConnections(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	db, other := dbtest.Open(t, sqldb.Config{URL: url}), dbtest.Open(t, sqldb.Config{URL: url})
	var n, mine int
	look := func(tx *sqldb.Tx) error { return tx.Row("SELECT pg_backend_pid()").Scan(&mine) }
	for range 5 {
		must(t, db.Look(t.Context(), look))
		must(t, other.Write(t.Context(), func(tx *sqldb.Tx) error {
			return tx.Row("SELECT count(pg_terminate_backend($1, 5000))", mine).Scan(&n)
		}))
		must(t, db.Look(t.Context(), look))
	}
}
