package sqldb_test

import (
	"context"
	"errors"
	"os/signal"
	"syscall"
	"testing"

	"frontdesk/internal/sqldb"
)

// notingBig writes a note and a megabyte.
func notingBig(tx *sqldb.Tx) error {
	if err := note(tx, "big", 1); err != nil {
		return err
	}
	_, err := tx.Exec("INSERT INTO files (bytes) VALUES ($1)", make([]byte, 1<<20))
	return err
}

// turnsAwayTheBig runs a group in which all but one caller fit into the space that
// is left after shrink.
func turnsAwayTheBig(t *testing.T, db *sqldb.DB, shrink func()) {
	t.Helper()
	do(t, db, "CREATE TABLE files (bytes @blob NOT NULL)")
	shrink()
	h := hold(t, db)
	early := queue(context.Background(), t, db, noting("early"))
	big := queue(context.Background(), t, db, notingBig)
	late := queue(context.Background(), t, db, noting("late"))
	h.release()
	if err := big.wait(t); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("Write gave %v, want ErrUnavailable", err)
	}
	must(t, h.wait(t))
	must(t, early.wait(t))
	must(t, late.wait(t))
	wantNotes(t, db, map[string]int{"holder": 1, "early": 1, "late": 1})
}

// The database cannot grow any more. Callers that fit are committed, the others get
// an error, and once there is space everything works again.
func TestFullDatabaseTurnsAwayOnlyWhoDoesNotFit(t *testing.T) {
	db := openNotes(t, oneGroup())
	turnsAwayTheBig(t, db, func() { do(t, db, "PRAGMA max_page_count = 20") })
	do(t, db, "PRAGMA max_page_count = 100000")
	must(t, db.Write(context.Background(), notingBig))
	wantNotes(t, db, map[string]int{"holder": 1, "early": 1, "late": 1, "big": 1})
}

// COMMIT writes the pages to the disk, so a full disk shows there. A limit on the
// file size stands in for it, in a separate process.
func TestDiskThatIsFullAtCommit(t *testing.T) {
	if !isChild(t) {
		startChild(t)()
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // otherwise the kernel kills the process at the limit
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	db := openNotes(t, oneGroup())
	turnsAwayTheBig(t, db, func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300_000, Max: old.Max}))
	})
	if s := db.Stats(); s.VoidGroups != 1 {
		t.Errorf("%d groups were void, want 1: the commit was to fail", s.VoidGroups)
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
	must(t, db.Write(context.Background(), notingBig))
	wantNotes(t, db, map[string]int{"holder": 1, "early": 1, "late": 1, "big": 1})
}
