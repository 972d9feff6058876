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

// turnsAwayTheBig runs a group in which all but one fit into the room that is
// left once shrink has been called.
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

// A database that may grow no further: who fits is committed, who does not is
// told, and once there is room everything works again.
func TestFullDatabaseTurnsAwayOnlyWhoDoesNotFit(t *testing.T) {
	db := openNotes(t, oneGroup())
	turnsAwayTheBig(t, db, func() { do(t, db, "PRAGMA max_page_count = 20") })
	do(t, db, "PRAGMA max_page_count = 100000")
	must(t, db.Write(context.Background(), notingBig))
	wantNotes(t, db, map[string]int{"holder": 1, "early": 1, "late": 1, "big": 1})
}

// At COMMIT the pages go to the disk, and that is where a full one shows. A
// limit on the size of files stands in for it, in a process of its own.
func TestDiskThatIsFullAtCommit(t *testing.T) {
	if !isChild(t) {
		startChild(t)()
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // or the kernel ends the process at the limit
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
