package move_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/desk"
	"frontdesk/internal/move"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// What an account looks like after a move is tested in cmd/frontdesk, with every
// answer of the API.

var ctx = context.Background()

// side is one side of a move.
type side struct {
	move.Desk
	store *store.Store
}

func newSide(t *testing.T, db *sqldb.DB, key *seal.Key) side {
	t.Helper()
	if _, err := db.Migrate(ctx, schema.Files); err != nil {
		t.Fatal(err)
	}
	return side{move.Desk{DB: db, Blobs: blobtest.New(t, t.TempDir()), Key: key}, store.New(db, key, nil)}
}

func onSQLite(t *testing.T, key *seal.Key) side {
	t.Helper()
	return newSide(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}), key)
}

// addAccount adds an account with members.
func (s side) addAccount(t *testing.T, name string, emails ...string) (id desk.AccountID) {
	t.Helper()
	err := s.store.AddAccount(ctx, name, func(tx *store.Tx, a desk.Account) error {
		id = a.ID
		for _, email := range emails {
			role := desk.Admin
			m, err := desk.NewMember{Email: email, Role: &role}.Member(tx.Now)
			if err != nil {
				return err
			}
			if err := tx.AddMember(&m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (s side) export(t *testing.T, id desk.AccountID) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "account.db")
	if _, err := move.Export(ctx, s.Desk, int64(id), file, time.Now(), func(string, int) {}); err != nil {
		t.Fatal(err)
	}
	return file
}

func (s side) take(file string) error {
	_, err := move.Import(ctx, file, s.Desk, false, func(string, int) {})
	return err
}

func (s side) count(t *testing.T, query string) (n int64) {
	t.Helper()
	if err := s.DB.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row(query).Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// An id that another account has is never given away, and nothing of the account
// stays behind.
func TestTakenIDsAreRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		key := seal.NewKey()
		from, into := onSQLite(t, key), newSide(t, db, key)
		from.addAccount(t, "First", "a@first.test")
		second := from.addAccount(t, "Second", "b@second.test")
		into.addAccount(t, "Third", "c@third.test", "d@third.test")
		if err := into.take(from.export(t, second)); !errors.Is(err, move.ErrTaken) || !strings.Contains(err.Error(), "members") {
			t.Errorf("%v", err)
		}
		if n := into.count(t, "SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM members)"); n != 3 {
			t.Errorf("there are %d accounts and members", n)
		}
	})
}

// Databases whose ids come from different ranges can take each other's accounts, and
// go on giving out ids of their own range.
func TestRanges(t *testing.T) {
	key := seal.NewKey()
	from, into := onSQLite(t, key), newSide(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key)
	if err := move.UseRange(ctx, from.DB, 3); err == nil {
		t.Error("SQLite has no ranges")
	}
	for _, wrong := range []int64{-1, 9001} {
		if err := move.UseRange(ctx, into.DB, wrong); err == nil {
			t.Errorf("there is a range %d", wrong)
		}
	}
	if err := move.UseRange(ctx, into.DB, 9000); err != nil {
		t.Fatal(err)
	}
	const first = 9_000_000_000_000_001
	if id := into.addAccount(t, "Own", "a@own.test"); id != first {
		t.Errorf("the first account of the range has the id %d", id)
	}
	if err := move.UseRange(ctx, into.DB, 4); err == nil {
		t.Error("a range was chosen after the first account")
	}
	moved := from.addAccount(t, "Moved", "b@moved.test")
	if err := into.take(from.export(t, moved)); err != nil {
		t.Fatal(err)
	}
	if id := into.addAccount(t, "Next", "c@next.test"); id != first+1 {
		t.Errorf("the next account has the id %d", id)
	}
}

// Without ranges, ids go on after those that the account has seen.
func TestIDsGoOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		key := seal.NewKey()
		from, into := onSQLite(t, key), newSide(t, db, key)
		id := from.addAccount(t, "Moved", "a@moved.test", "b@moved.test")
		from.addAccount(t, "Other", "c@other.test")
		if err := into.take(from.export(t, id)); err != nil {
			t.Fatal(err)
		}
		if next := into.addAccount(t, "Next", "d@next.test"); next != 3 {
			t.Errorf("the next account has the id %d", next)
		}
		if n := into.count(t, "SELECT max(id) FROM members"); n != 4 {
			t.Errorf("the next member has the id %d", n)
		}
	})
}

// A file that is not one of ours is refused with a sentence.
func TestOtherFilesAreRefused(t *testing.T) {
	into := onSQLite(t, seal.NewKey())
	empty := filepath.Join(t.TempDir(), "empty.db")
	if db, err := sqldb.Open(ctx, sqldb.Config{URL: empty}); err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	if err := into.take(empty); err == nil || !strings.Contains(err.Error(), "frontdesk account export") {
		t.Errorf("%v", err)
	}
	if err := into.take(filepath.Join(t.TempDir(), "missing.db")); err == nil {
		t.Error("a missing file was imported")
	}
}

// A new table that names files must be listed, or they would stay behind.
func TestFilesAreKnown(t *testing.T) {
	s := onSQLite(t, seal.NewKey())
	err := s.DB.Read(ctx, func(tx *sqldb.Tx) error {
		return tx.Each(func(scan func(...any) error) error {
			var table string
			err := scan(&table)
			if move.FileColumns[table] == "" {
				t.Errorf("%s names files and is not listed", table)
			}
			return err
		}, "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'blob_key'")
	})
	if err != nil {
		t.Fatal(err)
	}
}
