package sqldb_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// behindBouncer is what an address needs behind a PgBouncer that pools transactions
// and does not know prepared statements.
const behindBouncer = "&default_query_exec_mode=cache_describe"

// Two processes work behind a PgBouncer that gives each transaction another session.
// They listen at the server itself.
func TestBehindAPooler(t *testing.T) {
	server := dbtest.URL(t, sqldb.Postgres)
	c := sqldb.Config{URL: dbtest.StartBouncer(t, server) + behindBouncer, ListenURL: server}
	one, two := dbtest.Open(t, c), dbtest.Open(t, c)
	addNotes(t, one)
	bell := listen(t, two, "noted")
	want := map[string]int{}
	var all sync.WaitGroup
	for i, db := range []*sqldb.DB{one, two, one, two} {
		for name, run := range everyWay(db) {
			writer := fmt.Sprint(name, i)
			if name != "Read" {
				want[writer] = 30
			}
			all.Go(func() {
				for range 10 {
					if err := run(func(tx *sqldb.Tx) error {
						if _, err := countNotes(tx); err != nil || name == "Read" {
							return err
						}
						var idle string
						if err := tx.Row("SELECT current_setting('idle_in_transaction_session_timeout')").Scan(&idle); err != nil {
							return err
						}
						if idle == "0" {
							t.Error("a transaction may idle for ever")
						}
						if err := tx.Later("INSERT INTO notes (writer, part) VALUES ($1, $2)", writer, 1); err != nil {
							return err
						}
						return note(tx, writer, 2)
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	wantNotes(t, two, want)
	ring(t, one, "noted")
	eventually(t, "the other process hears", func() bool { return rings(bell) })
	must(t, two.Look(context.Background(), func(tx *sqldb.Tx) error { _, err := countNotes(tx); return err }))
}
