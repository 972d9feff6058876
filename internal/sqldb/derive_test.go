package sqldb_test

import (
	"context"
	"testing"

	"frontdesk/internal/sqldb"
)

// SQLite's commit waits for the disk, except for derived data.
func TestOnlyTheDerivedDoesNotWaitForTheDisk(t *testing.T) {
	db := openNotes(t, oneGroup())
	const normal, full = 1, 2
	for i, c := range []struct {
		name  string
		write func(context.Context, func(*sqldb.Tx) error) error
		want  int
	}{
		{"write", db.Write, full}, {"derive", db.Derive, normal}, {"derive again", db.Derive, normal}, {"write again", db.Write, full}, {"claim", db.Claim, full},
	} {
		must(t, c.write(t.Context(), func(tx *sqldb.Tx) error {
			var waits int
			if err := tx.Row("PRAGMA synchronous").Scan(&waits); err != nil {
				return err
			}
			if waits != c.want {
				t.Errorf("%d, %s: synchronous is %d, want %d", i, c.name, waits, c.want)
			}
			return note(tx, c.name, 1)
		}))
	}
	wantNotes(t, db, map[string]int{"write": 1, "derive": 1, "derive again": 1, "write again": 1, "claim": 1})
}

// A derived write may join a group whose commit waits for the disk. A write that
// needs the disk never joins a group whose commit does not wait.
func TestTheDerivedIsJoinedByNobodyElse(t *testing.T) {
	derives := func(db *sqldb.DB, fn func(*sqldb.Tx) error) *writer {
		return started(func() error { return db.Derive(context.Background(), fn) })
	}
	for _, c := range []struct {
		name           string
		holder, second bool // whether it derives
		commits        uint64
	}{
		{"a writer and who derives", false, true, 1},
		{"who derives and a writer", true, false, 2},
		{"two who derive", true, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openNotes(t, oneGroup())
			before := db.Stats()
			begin := func(derived bool, fn func(*sqldb.Tx) error) *writer {
				if derived {
					return derives(db, fn)
				}
				return start(context.Background(), db, fn)
			}
			holds, release := make(chan struct{}), make(chan struct{})
			holder := begin(c.holder, func(tx *sqldb.Tx) error {
				close(holds)
				<-release
				return note(tx, "holder", 1)
			})
			await(t, holds, "the writer's attention")
			waiting := waiters()
			second := begin(c.second, noting("second"))
			eventually(t, "the second waits", func() bool { return waiters() > waiting })
			close(release)
			must(t, holder.wait(t))
			must(t, second.wait(t))
			wantNotes(t, db, map[string]int{"holder": 1, "second": 1})
			if commits := db.Stats().Commits - before.Commits; commits != c.commits {
				t.Errorf("%d commits, want %d", commits, c.commits)
			}
		})
	}
}
