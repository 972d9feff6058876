package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// The rules of group.go, each by its name.

// endless is a statement that writes and never ends.
const endless = `INSERT INTO notes (writer, part)
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'runaway', i FROM n WHERE i < 0`

func TestContextThatHasEndedRunsNothing(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		noted(t, db) // opens a connection to read with
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		// Several times, because a wrong select would fail only at random.
		for range 50 {
			err := db.Write(ctx, func(*sqldb.Tx) error {
				t.Error("the function ran")
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("Write gave %v, want context.Canceled", err)
			}
			err = db.Read(ctx, func(*sqldb.Tx) error {
				t.Error("the function ran")
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("Read gave %v, want context.Canceled", err)
			}
		}
	})
}

func TestContextEndsTheWaitForATurn(t *testing.T) {
	eachGroup(t, oneGroup(), func(t *testing.T, db *sqldb.DB) {
		h := hold(t, db)
		reason := errors.New("the client hung up")
		ctx, cancel := context.WithCancelCause(context.Background())
		w := queue(ctx, t, db, func(tx *sqldb.Tx) error {
			t.Error("the function ran")
			return note(tx, "left", 1)
		})
		cancel(reason)
		if err := w.wait(t); !errors.Is(err, reason) { // while the holder still has the writer
			t.Errorf("Write gave %v, want the context's cause", err)
		}
		h.release()
		must(t, h.wait(t))
		wantNotes(t, db, map[string]int{"holder": 1})
	})
}

// The writer has accepted the caller, but has no transaction for it yet.
func TestContextEndsTheWaitForALockedFile(t *testing.T) {
	db := openNotes(t, oneGroup())
	unlock := lockFile(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	w := start(ctx, db, func(tx *sqldb.Tx) error {
		t.Error("the function ran")
		return note(tx, "left", 1)
	})
	eventually(t, "the writer waits for the file", func() bool { return strings.Contains(stacks(), "sqldb.(*sqliteSession).begin(") })
	cancel()
	if err := w.wait(t); !errors.Is(err, context.Canceled) {
		t.Errorf("Write gave %v, want context.Canceled", err)
	}
	unlock()
	must(t, start(context.Background(), db, noting("after")).wait(t))
	wantNotes(t, db, map[string]int{"after": 1})
}

func TestContextEndsTheWaitWhileTheGroupCommits(t *testing.T) {
	eachGroup(t, oneGroup(), func(t *testing.T, db *sqldb.DB) {
		h := hold(t, db)
		ctx, cancel := context.WithCancel(context.Background())
		left := queue(ctx, t, db, noting("left"))
		reached, goOn := make(chan struct{}), make(chan struct{})
		last := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			close(reached)
			<-goOn
			return note(tx, "last", 1)
		})
		h.release()
		await(t, reached, "the group's last caller")
		cancel()
		if err := left.wait(t); !errors.Is(err, context.Canceled) { // while the group is open
			t.Errorf("Write gave %v, want context.Canceled", err)
		}
		close(goOn)
		must(t, last.wait(t))
		must(t, h.wait(t))
		// It left after its function had run, so it may or may not be committed. As
		// part of the group, it is.
		wantNotes(t, db, map[string]int{"holder": 1, "left": 1, "last": 1})
	})
}

func TestContextNeverEndsAStatement(t *testing.T) {
	const rows = 20_000 // enough to notice an interrupt, if there were one
	db := openNotes(t, oneGroup())
	h := hold(t, db)
	g := newGate(t)
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	w := queue(ctx, t, db, func(tx *sqldb.Tx) error {
		runs++
		_, err := tx.Exec(`INSERT INTO notes (writer, part)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
			SELECT 'left', i FROM n WHERE test_gate($1) = 1`, g.name, rows)
		return err
	})
	last := queue(context.Background(), t, db, noting("last"))
	h.release()
	await(t, g.reached, "the statement's middle")
	cancel()
	g.open()
	if err := w.wait(t); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Write gave %v, want nothing or context.Canceled", err)
	}
	must(t, last.wait(t))
	must(t, h.wait(t))
	wantNotes(t, db, map[string]int{"holder": 1, "left": rows, "last": 1})
	if s := db.Stats(); s.VoidGroups != 0 || runs != 1 {
		t.Errorf("the function ran %d times and %d groups were void, want 1 and 0", runs, s.VoidGroups)
	}
}

// An interrupted write makes SQLite roll back the whole transaction. Everyone else
// in the group is still committed exactly once, and the runaway never.
func TestWriterDeadlineInterruptsARunaway(t *testing.T) {
	for _, swallows := range []bool{false, true} {
		t.Run(fmt.Sprintf("swallows the error %v", swallows), func(t *testing.T) {
			c := oneGroup()
			c.WriteTimeout = 200 * time.Millisecond
			db := openNotes(t, c)
			h := hold(t, db)
			early := queue(context.Background(), t, db, noting("early"))
			runs := 0
			runaway := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
				runs++
				if err := note(tx, "runaway", 1); err != nil {
					return err
				}
				_, err := tx.Exec(endless)
				if swallows {
					// No transaction is open now, so this would commit alone.
					_ = note(tx, "runaway", 1)
					return nil
				}
				return err
			})
			late := queue(context.Background(), t, db, noting("late"))
			h.release()
			if err := runaway.wait(t); !errors.Is(err, sqldb.ErrUnavailable) {
				t.Errorf("the runaway got %v, want ErrUnavailable", err)
			}
			must(t, h.wait(t))
			must(t, early.wait(t))
			must(t, late.wait(t))
			wantNotes(t, db, map[string]int{"holder": 1, "early": 1, "late": 1})
			if s := db.Stats(); s.VoidGroups != 1 {
				t.Errorf("%d groups were void, want 1", s.VoidGroups)
			}
			if h.runs != 2 {
				t.Errorf("a neighbour's function ran %d times, want 2: in the void group and alone", h.runs)
			}
			if runs != 1 {
				t.Errorf("the runaway ran %d times, want 1: its time was up", runs)
			}
		})
	}
}

// An interrupted SELECT undoes nothing, so no caller has to run again.
func TestWriterDeadlineInterruptsARead(t *testing.T) {
	c := oneGroup()
	c.WriteTimeout = 200 * time.Millisecond
	db := openNotes(t, c)
	h := hold(t, db)
	runaway := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		if err := note(tx, "runaway", 1); err != nil {
			return err
		}
		var n int
		return tx.Row("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n").Scan(&n)
	})
	late := queue(context.Background(), t, db, noting("late"))
	h.release()
	if err := runaway.wait(t); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("the runaway got %v, want ErrUnavailable", err)
	}
	must(t, h.wait(t))
	must(t, late.wait(t))
	wantNotes(t, db, map[string]int{"holder": 1, "late": 1})
	if s := db.Stats(); s.VoidGroups != 0 {
		t.Errorf("%d groups were void, want 0", s.VoidGroups)
	}
}

// Each caller gets the full WriteTimeout, however long the file was locked or the
// group was open before its turn.
func TestWriterDeadlineBeginsWithTheTurn(t *testing.T) {
	c := oneGroup()
	c.WriteTimeout = 100 * time.Millisecond
	db := openNotes(t, c)
	h := hold(t, db)
	late := queue(context.Background(), t, db, noting("late"))
	opened := time.Now()
	eventually(t, "the first caller has used its time", func() bool { return time.Since(opened) > c.WriteTimeout })
	h.release()
	must(t, late.wait(t))
	must(t, h.wait(t))
}

func TestErrorUndoesItsOwnCallerOnly(t *testing.T) {
	eachGroup(t, oneGroup(), func(t *testing.T, db *sqldb.DB) {
		before := db.Stats()
		h := hold(t, db)
		refused := errors.New("refused")
		fails := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			return errors.Join(note(tx, "fails", 3), refused)
		})
		breaks := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			if err := note(tx, "breaks", 3); err != nil {
				return err
			}
			_, err := tx.Exec("INSERT INTO notes (writer, part) VALUES ($1, $2)", "breaks", -1)
			return err
		})
		late := queue(context.Background(), t, db, noting("late"))
		h.release()
		if err := fails.wait(t); !errors.Is(err, refused) {
			t.Errorf("Write gave %v, want the function's own error", err)
		}
		if err := breaks.wait(t); !errors.Is(err, sqldb.ErrCheck) {
			t.Errorf("Write gave %v, want ErrCheck", err)
		}
		must(t, h.wait(t))
		must(t, late.wait(t))
		wantNotes(t, db, map[string]int{"holder": 1, "late": 1})
		after := db.Stats()
		if after.VoidGroups != 0 || after.Commits != before.Commits+1 || after.Writes != before.Writes+2 {
			t.Errorf("from %+v to %+v, want one commit for two writes", before, after)
		}
	})
}

func TestGroupOfFailuresIsNoCommit(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		before := db.Stats()
		refused := errors.New("refused")
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			return errors.Join(note(tx, "fails", 1), refused)
		})
		if !errors.Is(err, refused) {
			t.Errorf("Write gave %v, want the function's own error", err)
		}
		if after := db.Stats(); after.Writes != before.Writes || after.Commits != before.Commits || after.VoidGroups != before.VoidGroups {
			t.Errorf("from %+v to %+v, want nothing committed", before, after)
		}
		if after := db.Stats(); after.Statements != before.Statements+1 || after.Transactions != before.Transactions+1 {
			t.Errorf("from %+v to %+v, want one statement and one transaction", before, after)
		}
	})
}

func TestStatementsAfterAnErrorFailToo(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		for _, returns := range []error{nil, errors.New("the function's own")} {
			err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
				must(t, note(tx, "dead", 1))
				_, first := tx.Exec("INSERT INTO notes (writer, part) VALUES ($1, $2)", "dead", -1)
				if !errors.Is(first, sqldb.ErrCheck) {
					t.Fatalf("Exec gave %v, want ErrCheck", first)
				}
				var n int
				_, exec := tx.Exec("DELETE FROM notes")
				_, query := tx.Query("SELECT 1")
				for _, err := range []error{exec, query, tx.Row("SELECT 1").Scan(&n)} {
					if !errors.Is(err, first) {
						t.Errorf("a later statement gave %v, want %v", err, first)
					}
				}
				return returns
			})
			if returns == nil && !errors.Is(err, sqldb.ErrCheck) || returns != nil && !errors.Is(err, returns) {
				t.Errorf("Write gave %v", err)
			}
		}
		wantNotes(t, db, map[string]int{})
	})
}

// The schema has no deferred constraints. A pragma makes one here, because the test
// needs a commit that fails.
func TestCommitThatFailsMakesTheGroupVoid(t *testing.T) {
	db := openNotes(t, oneGroup())
	do(t, db, "CREATE TABLE replies (note_id BIGINT NOT NULL REFERENCES notes (id))")
	h := hold(t, db)
	fault := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		if err := note(tx, "fault", 1); err != nil {
			return err
		}
		if _, err := tx.Exec("PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO replies (note_id) VALUES ($1)", 404)
		return err
	})
	runs := 0
	late := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		runs++
		return note(tx, "late", 1)
	})
	h.release()
	if err := fault.wait(t); !errors.Is(err, sqldb.ErrReference) {
		t.Errorf("the caller at fault got %v, want ErrReference", err)
	}
	must(t, h.wait(t))
	must(t, late.wait(t))
	wantNotes(t, db, map[string]int{"holder": 1, "late": 1})
	if s := db.Stats(); s.VoidGroups != 1 || runs != 2 {
		t.Errorf("%d groups were void and a neighbour ran %d times, want 1 and 2", s.VoidGroups, runs)
	}
}

// A function that ends the transaction itself voids its group and is told so.
func TestTransactionLostWithoutAnErrorIsUnavailable(t *testing.T) {
	db := openNotes(t, oneGroup())
	h := hold(t, db)
	spoils := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		if err := note(tx, "spoils", 1); err != nil {
			return err
		}
		_, err := tx.Exec("ROLLBACK")
		return err
	})
	late := queue(context.Background(), t, db, noting("late"))
	h.release()
	if err := spoils.wait(t); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("Write gave %v, want ErrUnavailable", err)
	}
	must(t, h.wait(t))
	must(t, late.wait(t))
	wantNotes(t, db, map[string]int{"holder": 1, "late": 1})
}

func TestNoConstraintIsDeferred(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		query := "SELECT name FROM sqlite_schema WHERE upper(sql) LIKE '%DEFERR%'"
		if db.Engine() == sqldb.Postgres {
			query = "SELECT conname FROM pg_constraint WHERE condeferrable OR condeferred"
		}
		must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
			names, err := sqldb.Collect(tx, scanString, query)
			for _, name := range names {
				t.Errorf("%s has a constraint that can wait for the commit", name)
			}
			return err
		}))
	})
}

func scanString(scan func(...any) error) (s string, err error) {
	err = scan(&s)
	return s, err
}

func TestForeignKeysHoldAtTheStatement(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES ($1, 0, 0, $2)", 404, []byte("x"))
			if !errors.Is(err, sqldb.ErrReference) {
				t.Errorf("the statement gave %v, want ErrReference", err)
			}
			return nil
		})
		if !errors.Is(err, sqldb.ErrReference) {
			t.Errorf("Write gave %v, want ErrReference", err)
		}
	})
}

func TestPanicUndoesItsOwnCallerOnly(t *testing.T) {
	type cause struct{ why string }
	eachGroup(t, oneGroup(), func(t *testing.T, db *sqldb.DB) {
		h := hold(t, db)
		panics := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
			must(t, note(tx, "panics", 3))
			panic(cause{"out of tea"})
		})
		late := queue(context.Background(), t, db, noting("late"))
		h.release()
		await(t, panics.ended, "the panic")
		if panics.panicked != (cause{"out of tea"}) {
			t.Errorf("the caller panicked with %v", panics.panicked)
		}
		must(t, h.wait(t))
		must(t, late.wait(t))
		wantNotes(t, db, map[string]int{"holder": 1, "late": 1})
		if s := db.Stats(); s.VoidGroups != 0 {
			t.Errorf("%d groups were void, want 0", s.VoidGroups)
		}
	})
}

// This is what t.FailNow does inside a function.
func TestGoexitDoesNotHangTheWriter(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		w := start(context.Background(), db, func(tx *sqldb.Tx) error {
			must(t, note(tx, "exits", 1))
			runtime.Goexit()
			return nil
		})
		await(t, w.ended, "the goroutine's end")
		do(t, db, "INSERT INTO notes (writer, part) VALUES ($1, $2)", "after", 1)
		wantNotes(t, db, map[string]int{"after": 1})
	})
}

func TestPanicUndoesItsTransactionOnBothEngines(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		for _, call := range []func(context.Context, func(*sqldb.Tx) error) error{db.Write, db.Claim, db.Read} {
			func() {
				defer func() {
					if got := recover(); got != "tea" {
						t.Errorf("recovered %v", got)
					}
				}()
				_ = call(context.Background(), func(tx *sqldb.Tx) error {
					_, err := tx.Query("SELECT id FROM notes")
					must(t, err)
					panic("tea") // while rows are open
				})
			}()
		}
		do(t, db, "INSERT INTO notes (writer, part) VALUES ($1, $2)", "after", 1)
		wantNotes(t, db, map[string]int{"after": 1})
	})
}

// This is what another caller does to the connection between two runs of one
// function.
func TestFunctionOfAVoidGroupRunsAgain(t *testing.T) {
	db := openNotes(t, oneGroup())
	bell, stop := db.Listen("noted")
	defer stop()
	h := hold(t, db)
	runs := 0
	twice := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		runs++
		tx.Ring("noted")
		if runs == 1 {
			tx.Ring("only in the run that did not count")
		}
		return note(tx, fmt.Sprintf("run %d", runs), 1)
	})
	wrong, stopWrong := db.Listen("only in the run that did not count")
	defer stopWrong()
	spoils := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		_, err := tx.Exec("ROLLBACK")
		return err
	})
	h.release()
	must(t, twice.wait(t))
	must(t, h.wait(t))
	_ = spoils.wait(t)
	wantNotes(t, db, map[string]int{"holder": 1, "run 2": 1})
	await(t, bell, "the bell")
	select {
	case <-wrong:
		t.Error("a bell of the undone run rang")
	default:
	}
}

// A caller that left before its group became void does not run again.
func TestCallerThatLeftAVoidGroupIsNotRunAgain(t *testing.T) {
	db := openNotes(t, oneGroup())
	h := hold(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	left := queue(ctx, t, db, func(tx *sqldb.Tx) error {
		runs++
		return note(tx, "left", 1)
	})
	reached, goOn := make(chan struct{}), make(chan struct{})
	spoils := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
		select {
		case <-reached:
		default:
			close(reached)
		}
		<-goOn
		_, err := tx.Exec("ROLLBACK")
		return err
	})
	h.release()
	await(t, reached, "the group's last caller")
	cancel()
	_ = left.wait(t)
	close(goOn)
	_ = spoils.wait(t)
	must(t, h.wait(t))
	wantNotes(t, db, map[string]int{"holder": 1})
	if runs != 1 {
		t.Errorf("the function ran %d times, want 1", runs)
	}
}

func TestPiecesLetOthersInBetween(t *testing.T) {
	db := openNotes(t, sqldb.Config{})
	var other *writer
	pieces := 0
	must(t, db.Pieces(context.Background(), func(tx *sqldb.Tx) (bool, error) {
		pieces++
		switch pieces {
		case 1:
			other = queue(context.Background(), t, db, noting("other"))
		case 2:
			counts, err := countNotes(tx)
			if err != nil {
				return false, err
			}
			if counts["other"] != 1 {
				t.Errorf("at the second piece the notes are %v: who had waited was not let in", counts)
			}
		}
		return pieces < 3, note(tx, "pieces", 1)
	}))
	must(t, other.wait(t))
	wantNotes(t, db, map[string]int{"pieces": 3, "other": 1})
}

func TestPiecesStopAtAnError(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		refused, pieces := errors.New("refused"), 0
		err := db.Pieces(context.Background(), func(tx *sqldb.Tx) (bool, error) {
			pieces++
			if err := note(tx, "pieces", 1); err != nil || pieces < 3 {
				return true, err
			}
			return true, refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("Pieces gave %v, want the piece's error", err)
		}
		wantNotes(t, db, map[string]int{"pieces": 2})
	})
}

// takesCommits checks how many commits a holder and nine queued callers take.
func takesCommits(t *testing.T, c sqldb.Config, want uint64) {
	t.Helper()
	eachGroup(t, c, func(t *testing.T, db *sqldb.DB) {
		const n = 9
		before := db.Stats()
		h := hold(t, db)
		var all []*writer
		for range n {
			all = append(all, queue(context.Background(), t, db, noting("queued")))
		}
		h.release()
		for _, w := range all {
			must(t, w.wait(t))
		}
		must(t, h.wait(t))
		wantNotes(t, db, map[string]int{"holder": 1, "queued": n})
		after := db.Stats()
		if writes := after.Writes - before.Writes; writes != n+1 {
			t.Errorf("%d writes were counted, want %d", writes, n+1)
		}
		if commits := after.Commits - before.Commits; commits != want {
			t.Errorf("ten callers took %d commits, want %d", commits, want)
		}
	})
}

func TestWaitingCallersShareOneCommit(t *testing.T) { takesCommits(t, oneGroup(), 1) }

func TestGroupEndsAtItsLimit(t *testing.T) {
	for limit, commits := range map[int]uint64{4: 3, 1: 10} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			c := oneGroup()
			c.GroupLimit = limit
			takesCommits(t, c, commits)
		})
	}
}

// Failed callers do not count, but they take time, and the time ends the group.
func TestGroupEndsAfterItsTime(t *testing.T) {
	takesCommits(t, sqldb.Config{}.WithGroupTime(time.Nanosecond), 10)
}

// Callers of different turns share nothing and do not wait for each other.
func TestTurnsDoNotWaitForEachOther(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	c := oneGroup()
	c.URL = url
	db := dbtest.Open(t, c)
	addNotes(t, db)
	h := hold(t, db)
	must(t, db.WriteInTurn(t.Context(), 2, noting("another")))
	wantNotes(t, db, map[string]int{"another": 1})
	h.release()
	must(t, h.wait(t))
}

// A conflict with another transaction and a lost connection are no caller's fault.
// They make a group void, and each of its callers runs again.
func TestConflictsAndLostConnectionsMakeTheGroupVoid(t *testing.T) {
	for name, statement := range map[string]string{
		"a conflict":        "DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$",
		"a lost connection": "SELECT pg_terminate_backend(pg_backend_pid())",
	} {
		t.Run(name, func(t *testing.T) {
			c := oneGroup()
			c.URL = dbtest.URL(t, sqldb.Postgres)
			db := dbtest.Open(t, c)
			addNotes(t, db)
			h := hold(t, db)
			runs := 0
			meets := queue(context.Background(), t, db, func(tx *sqldb.Tx) error {
				if err := note(tx, "meets it", 2); err != nil {
					return err
				}
				if runs++; runs > 1 {
					return nil
				}
				_, err := tx.Exec(statement)
				return err
			})
			late := queue(context.Background(), t, db, noting("late"))
			h.release()
			must(t, h.wait(t))
			must(t, meets.wait(t))
			must(t, late.wait(t))
			wantNotes(t, db, map[string]int{"holder": 1, "meets it": 2, "late": 1})
			if s := db.Stats(); s.VoidGroups != 1 || runs != 2 || h.runs != 2 {
				t.Errorf("%d groups were void, who met it ran %d times and who was before it %d", s.VoidGroups, runs, h.runs)
			}
		})
	}
}

// A COMMIT without an answer may have happened. All callers are told so, and none
// runs again.
func TestCommitWithoutAnAnswer(t *testing.T) {
	c := oneGroup()
	c.URL = dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, c)
	addNotes(t, db)
	do(t, db, "CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$")
	do(t, db, "CREATE CONSTRAINT TRIGGER hang_up AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.writer = 'hangs up') EXECUTE FUNCTION hang_up()")
	h := hold(t, db)
	hangs := queue(context.Background(), t, db, noting("hangs up"))
	h.release()
	for who, w := range map[string]*writer{"holder": h.writer, "hangs up": hangs} {
		if err := w.wait(t); !errors.Is(err, sqldb.ErrUnavailable) || !strings.Contains(err.Error(), "not known") {
			t.Errorf("%s was told %v", who, err)
		}
	}
	if h.runs != 1 {
		t.Errorf("the holder ran %d times", h.runs)
	}
	wantNotes(t, db, map[string]int{})
	must(t, startInTurn(context.Background(), db, noting("after")).wait(t))
}

func TestManyCallersTakeFewerCommits(t *testing.T) {
	db := openNotes(t, sqldb.Config{})
	const callers, each = 32, 25
	before := db.Stats()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				if err := db.Write(context.Background(), noting("many")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantNotes(t, db, map[string]int{"many": callers * each})
	after := db.Stats()
	if writes, commits := after.Writes-before.Writes, after.Commits-before.Commits; writes != callers*each || commits >= writes {
		t.Errorf("%d writes took %d commits", writes, commits)
	}
}

func TestSlowWritersAreCounted(t *testing.T) {
	db := openNotes(t, sqldb.Config{})
	began := time.Now()
	must(t, db.Write(context.Background(), func(*sqldb.Tx) error {
		eventually(t, "it is slow", func() bool { return time.Since(began) > 2*sqldb.GroupTime })
		return nil
	}))
	if n := db.Stats().SlowWriters; n == 0 {
		t.Error("no slow writer was counted")
	}
}

func TestCloseWaitsForWritersInFlight(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		h := hold(t, db)
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
		ctx := context.Background()
		eventually(t, "the database is closing", func() bool { return errors.Is(db.Ping(ctx), sqldb.ErrUnavailable) })
		refuse := func(tx *sqldb.Tx) error {
			t.Error("a function ran while closing")
			return nil
		}
		for _, err := range []error{
			db.Write(ctx, refuse), db.Claim(ctx, refuse), db.Read(ctx, refuse),
			db.Backup(ctx, schema.Files, filepath.Join(t.TempDir(), "late.db")),
		} {
			if !errors.Is(err, sqldb.ErrUnavailable) {
				t.Errorf("a later caller got %v, want ErrUnavailable", err)
			}
		}
		select {
		case <-closed:
			t.Error("Close did not wait")
		default:
		}
		h.release()
		must(t, h.wait(t))
		await(t, closed, "Close")
		must(t, db.Close()) // a second Close does no harm
		if err := db.Write(ctx, refuse); !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("after Close a caller got %v, want ErrUnavailable", err)
		}
	})
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		db, err := sqldb.Open(context.Background(), sqldb.Config{URL: url})
		must(t, err)
		addNotes(t, db)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				_ = db.Write(ctx, func(tx *sqldb.Tx) error {
					cancel()
					return note(tx, "n", 1)
				})
			})
		}
		wg.Wait()
		noted(t, db)
		must(t, db.Close())
		eventually(t, "its goroutines have ended", func() bool {
			all := stacks()
			for _, mark := range []string{"sqldb.(*group)", "sqldb.(*herald)", "database/sql.", "modernc.org/sqlite.", "pgx/v5"} {
				if strings.Contains(all, mark) {
					return false
				}
			}
			return true
		})
	})
}

// A connection that is stuck in a transaction cannot begin another, and a pool
// would lend it again as it is.
func TestConnectionThatCannotBeginIsReplaced(t *testing.T) {
	db := openNotes(t, sqldb.Config{})
	must(t, db.OnWriter("BEGIN"))
	do(t, db, "INSERT INTO notes (writer, part) VALUES ($1, $2)", "after", 1)
	wantNotes(t, db, map[string]int{"after": 1})
}
