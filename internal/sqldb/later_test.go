package sqldb_test

import (
	"context"
	"errors"
	"testing"

	"frontdesk/internal/sqldb"
)

// A delayed statement has run before a later statement could see its table, and by
// the end of the transaction. If the caller fails, its delayed statements have no
// effect. If a delayed statement fails, the caller has no effect.
func TestLater(t *testing.T) {
	eachGroup(t, oneGroup(), func(t *testing.T, db *sqldb.DB) {
		before := db.Stats()
		later := func(tx *sqldb.Tx, writer string, part int) error {
			return tx.Later("INSERT INTO notes (writer, part) VALUES ($1, $2)", writer, part)
		}
		waiting := func(tx *sqldb.Tx, when string, want int) {
			t.Helper()
			if db.Engine() == sqldb.SQLite {
				want = 0 // SQLite has no round trips to save
			}
			if got := sqldb.Waiting(tx); got != want {
				t.Errorf("%s: %d statements wait, want %d", when, got, want)
			}
		}
		h := hold(t, db)
		looks := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			must(t, errors.Join(later(tx, "looks", 1), later(tx, "looks", 2)))
			var one int
			must(t, tx.Row("SELECT 1").Scan(&one))
			waiting(tx, "before anybody looks", 2)
			if !tx.Wrote("notes") {
				t.Error("nothing seems to be written")
			}
			counts, err := countNotes(tx)
			if err != nil || counts["looks"] != 2 {
				t.Errorf("there are %v, %v", counts, err)
			}
			waiting(tx, "after somebody has looked", 0)
			return later(tx, "looks", 3)
		})
		refused := errors.New("refused")
		fails := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			return errors.Join(later(tx, "fails", 1), refused)
		})
		breaks := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			must(t, later(tx, "breaks", 1))
			_ = later(tx, "breaks", -1)
			return nil
		})
		last := queue(context.Background(), t, db, func(tx *sqldb.Tx) error { return later(tx, "last", 1) })
		h.release()
		must(t, h.wait(t))
		must(t, looks.wait(t))
		if err := fails.wait(t); !errors.Is(err, refused) {
			t.Errorf("who fails is told %v", err)
		}
		if err := breaks.wait(t); !errors.Is(err, sqldb.ErrCheck) {
			t.Errorf("who breaks a rule is told %v, want ErrCheck", err)
		}
		must(t, last.wait(t))
		wantNotes(t, db, map[string]int{"holder": 1, "looks": 3, "last": 1})
		if after := db.Stats(); after.VoidGroups != 0 || after.Commits != before.Commits+1 {
			t.Errorf("from %+v to %+v, want one commit", before, after)
		}
	})
}
