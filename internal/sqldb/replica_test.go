package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// patient waits for the replica as long as it takes. With hasty, the replica is not
// waited for, and is then left alone until the end of the test.
func patient() sqldb.Config {
	return sqldb.Config{ReplicaWait: patience}.WithReplicaRest(time.Nanosecond)
}

func hasty() sqldb.Config {
	return sqldb.Config{ReplicaWait: 50 * time.Millisecond}.WithReplicaRest(time.Hour)
}

func openWithReplica(t *testing.T, c sqldb.Config, primary, replica string) *sqldb.DB {
	t.Helper()
	c.URL, c.ReplicaURL = primary, replica
	return dbtest.Open(t, c)
}

// hasNote reads on the replica, if it can, whether a writer has a note.
func hasNote(t *testing.T, db *sqldb.DB, writer string) bool {
	t.Helper()
	var has bool
	must(t, db.Read(sqldb.PreferReplica(context.Background()), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT EXISTS (SELECT 1 FROM notes WHERE writer = $1)", writer).Scan(&has)
	}))
	return has
}

// onServer runs a statement on a server, past everything of ours.
func onServer(t *testing.T, s *dbtest.Server, query string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), s.URL)
	must(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(context.Background(), query)
	must(t, err)
}

// count returns what a part of a test added to the counters.
func count(db *sqldb.DB, part func()) (reads, misses uint64) {
	before := db.Stats()
	part()
	after := db.Stats()
	return after.ReplicaReads - before.ReplicaReads, after.ReplicaMisses - before.ReplicaMisses
}

func TestReplica(t *testing.T) {
	primary := dbtest.StartServer(t)
	replica := primary.StartReplica(t)
	db := openWithReplica(t, patient(), primary.URL, replica.URL)
	do(t, db, notes)
	wantFromReplica := func(t *testing.T, db *sqldb.DB, want uint64, part func()) {
		t.Helper()
		if reads, misses := count(db, part); reads != want || misses != 0 {
			t.Errorf("the replica answered %d times and failed %d times, want %d and 0", reads, misses, want)
		}
	}

	t.Run("whoever writes sees it, at every node", func(t *testing.T) {
		const writers, each = 4, 50
		other := openWithReplica(t, patient(), primary.URL, replica.URL)
		wantFromReplica(t, other, writers*each, func() {
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := range each {
						name := fmt.Sprintf("%d %d", w, i)
						if err := db.Write(context.Background(), noting(name)); err != nil {
							t.Error(err)
						} else if !hasNote(t, other, name) {
							t.Errorf("note %s was not there yet", name)
						}
					}
				})
			}
			all.Wait()
		})
	})

	t.Run("the replica catches up meanwhile", func(t *testing.T) {
		onServer(t, replica, "SELECT pg_wal_replay_pause()")
		do(t, db, "INSERT INTO notes (writer, part) VALUES ('meanwhile', 1)")
		wantFromReplica(t, db, 1, func() {
			var has bool
			w := started(func() error { has = hasNote(t, db, "meanwhile"); return nil })
			onServer(t, replica, "SELECT pg_wal_replay_resume()")
			must(t, w.wait(t))
			if !has {
				t.Error("the replica was asked too early")
			}
		})
	})

	t.Run("the primary answers for a replica that stays behind", func(t *testing.T) {
		onServer(t, replica, "SELECT pg_wal_replay_pause()")
		defer onServer(t, replica, "SELECT pg_wal_replay_resume()")
		node := openWithReplica(t, hasty(), primary.URL, replica.URL)
		do(t, node, "INSERT INTO notes (writer, part) VALUES ('behind', 1)")
		reads, misses := count(node, func() {
			for range 3 { // it is not asked again
				if !hasNote(t, node, "behind") {
					t.Error("an old state was read")
				}
			}
		})
		if reads != 0 || misses != 1 {
			t.Errorf("the replica answered %d times and failed %d times, want 0 and 1", reads, misses)
		}
	})

	t.Run("only reads that ask for it", func(t *testing.T) {
		wantFromReplica(t, db, 0, func() { noted(t, db) })
	})

	t.Run("a snapshot, a single statement, an error of the function, and no write", func(t *testing.T) {
		far := sqldb.PreferReplica(context.Background())
		wantFromReplica(t, db, 3, func() {
			must(t, db.Read(far, func(tx *sqldb.Tx) error {
				before, err := countNotes(tx)
				if err != nil {
					return err
				}
				do(t, db, "INSERT INTO notes (writer, part) VALUES ('later', 1)")
				eventually(t, "the replica has it", func() bool { return replicaHas(t, replica, "later") })
				after, err := countNotes(tx)
				if len(after) != len(before) {
					t.Error("two statements saw two states")
				}
				return err
			}))
			must(t, db.Look(far, func(tx *sqldb.Tx) error { return tx.Row("SELECT 1").Scan(new(int)) }))
			runs, own := 0, errors.New("of its own")
			if err := db.Read(far, func(*sqldb.Tx) error { runs++; return own }); err != own || runs != 1 {
				t.Errorf("got %v after %d runs", err, runs)
			}
		})
		for _, query := range []string{"INSERT INTO notes (writer, part) VALUES ('stray', 1)", "SELECT nothing"} {
			if err := db.Read(far, func(tx *sqldb.Tx) error { return tx.Do(query) }); err == nil {
				t.Errorf("%s: no error", query)
			}
		}
		err := db.Look(far, func(tx *sqldb.Tx) error {
			return errors.Join(tx.Row("SELECT 1").Scan(new(int)), tx.Row("SELECT 2").Scan(new(int)))
		})
		if err == nil {
			t.Error("a Look ran two statements")
		}
	})

	t.Run("a caller that goes away is no trouble of the replica", func(t *testing.T) {
		ctx, cancel := context.WithCancel(sqldb.PreferReplica(context.Background()))
		reads, misses := count(db, func() {
			err := db.Read(ctx, func(tx *sqldb.Tx) error {
				cancel()
				return tx.Row("SELECT 1").Scan(new(int))
			})
			if !errors.Is(err, context.Canceled) || errors.Is(err, sqldb.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
		})
		if reads != 0 || misses != 0 {
			t.Errorf("the replica answered %d times and failed %d times, want 0 and 0", reads, misses)
		}
	})

	t.Run("another server is refused at the start", func(t *testing.T) {
		for name, url := range map[string]string{
			"another cluster":  os.Getenv("FRONTDESK_TEST_POSTGRES"),
			"another database": strings.Replace(replica.URL, "/postgres?", "/template1?", 1),
			"no address":       "postgres://%",
		} {
			_, err := sqldb.Open(context.Background(), sqldb.Config{URL: primary.URL, ReplicaURL: url})
			if err == nil || !strings.Contains(err.Error(), "the address of a replica") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("a replica that is away is only told of", func(t *testing.T) {
		lines, log := newLog()
		c := patient()
		c.Log = log
		node := openWithReplica(t, c, primary.URL, "postgres://frontdesk@127.0.0.1:1/postgres?connect_timeout=5")
		for range 3 {
			if !hasNote(t, node, "meanwhile") {
				t.Error("nothing was read")
			}
		}
		if got := len(lines.take(t)["the replica cannot answer, so the primary does"]); got != 1 {
			t.Errorf("the log says so %d times", got)
		}
	})

	t.Run("a replica that has become another primary is not asked", func(t *testing.T) {
		third := primary.StartReplica(t) // goes on with the old primary
		onServer(t, replica, "SELECT pg_promote()")
		node := openWithReplica(t, hasty(), primary.URL, replica.URL)
		if reads, _ := count(node, func() { hasNote(t, node, "meanwhile") }); reads != 0 {
			t.Error("a primary of its own answered")
		}
		for i := range 100 { // more than the new primary has
			do(t, db, "INSERT INTO notes (writer, part) VALUES ('old', $1)", i)
		}
		eventually(t, "the third has replayed it", func() bool { return replicaHas(t, third, "old") })
		node = openWithReplica(t, hasty(), replica.URL, third.URL)
		if hasNote(t, node, "old") || node.Stats().ReplicaReads != 0 {
			t.Error("a standby with another history answered")
		}
	})

	t.Run("the primary answers for a replica that dies", func(t *testing.T) {
		third := primary.StartReplica(t)
		node := openWithReplica(t, patient(), primary.URL, third.URL)
		wantFromReplica(t, node, 1, func() { hasNote(t, node, "old") })
		third.Kill()
		eventually(t, "the last of its processes has ended", func() bool {
			_, misses := count(node, func() {
				if !hasNote(t, node, "old") {
					t.Error("nothing was read")
				}
			})
			return misses == 1
		})
	})
}

// replicaHas reports whether a server has a note of a writer, however old its state is.
func replicaHas(t *testing.T, s *dbtest.Server, writer string) (has bool) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), s.URL)
	must(t, err)
	defer conn.Close(context.Background())
	must(t, conn.QueryRow(context.Background(), "SELECT EXISTS (SELECT 1 FROM notes WHERE writer = $1)", writer).Scan(&has))
	return has
}
