package sqldb_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestBackupIsTheDatabaseAtOneMoment(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := context.Background()
		const account = `INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at)
			VALUES ($1, 'K', 'UTC', $2, 1, 2) RETURNING id`
		must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
			var id int64
			for i := range 3 {
				if err := tx.Row(account, fmt.Sprintf("«%d» '; DROP TABLE x;--", i), i%2 == 0).Scan(&id); err != nil {
					return err
				}
			}
			if _, err := tx.Exec("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES ($1, 7, 8, $2)", id-1, []byte{0, 255}); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO events (account_id, type, source, at, data) VALUES ($1, 't', 's', 5, $2)`, id-1, `{"b": 1,  "a": [true, null]}`); err != nil {
				return err
			}
			// The newest id is gone, and must not be given again by the copy.
			_, err := tx.Exec("DELETE FROM accounts WHERE id = $1", id)
			return err
		}))
		path := filepath.Join(t.TempDir(), "copy.db")
		must(t, db.Backup(ctx, schema.Files, path))

		copied := dbtest.Open(t, sqldb.Config{URL: path})
		if ran, err := copied.Migrate(ctx, schema.Files); err != nil || ran != 0 {
			t.Errorf("the copy needs %d migrations, %v", ran, err)
		}
		for _, query := range []string{
			"SELECT id, name, CASE WHEN on_hold_allowed THEN 1 ELSE 0 END, updated_at FROM accounts ORDER BY id",
			"SELECT account_id, event_seq, audit_mac, audit_seq FROM sequences",
			"SELECT id, seq, type, data FROM events",
			"SELECT max(version), count(*), 0, 0 FROM schema_migrations",
		} {
			if want, got := dump(t, db, query), dump(t, copied, query); got != want || got == "" {
				t.Errorf("%s:\n got %s\nwant %s", query, got, want)
			}
		}
		next := func(db *sqldb.DB) (id int64) {
			must(t, db.Write(ctx, func(tx *sqldb.Tx) error { return tx.Row(account, "next", true).Scan(&id) }))
			return id
		}
		if got, want := next(copied), next(db); got != want {
			t.Errorf("the copy gives the id %d next, the original %d", got, want)
		}
		if err := db.Backup(ctx, schema.Files, path); err == nil || !strings.Contains(err.Error(), "choose another name") {
			t.Errorf("a second backup onto the first: %v", err)
		}
		if left, _ := filepath.Glob(path + ".unfinished*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// dump reads four columns of every row as text.
func dump(t *testing.T, db *sqldb.DB, query string) (text string) {
	t.Helper()
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		rows, err := sqldb.Collect(tx, func(scan func(...any) error) (string, error) {
			var v [4]any
			err := scan(&v[0], &v[1], &v[2], &v[3])
			return fmt.Sprintf("%v", v), err
		}, query)
		text = strings.Join(rows, "\n")
		return err
	}))
	return text
}
