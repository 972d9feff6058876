package sqldb_test

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestCheckFindsNothingWrong(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		read := 0
		problems, err := db.Check(context.Background(), func(string) { read++ })
		if err != nil || len(problems) > 0 || read < 2 {
			t.Errorf("%v, %v, after %d things", problems, err, read)
		}
	})
}

func TestCheckFindsDamage(t *testing.T) {
	for what, c := range map[string]struct {
		damage func(t *testing.T, path string)
		want   string
	}{
		"a reference to nothing": {func(t *testing.T, path string) {
			raw, err := sql.Open("sqlite", path)
			must(t, err)
			_, err = raw.Exec("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES (17, 0, 0, x'00')")
			must(t, err)
			must(t, raw.Close())
		}, "rows of sequences that name a missing row of accounts: 1"},
		"a page of zeros": {func(t *testing.T, path string) {
			// An index: without the first pages, which hold the schema, nothing opens.
			raw, err := sql.Open("sqlite", path)
			must(t, err)
			var page int64
			must(t, raw.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'jobs_due'").Scan(&page))
			must(t, raw.Close())
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt(make([]byte, 4096), (page-1)*4096)
			must(t, err)
			must(t, f.Close())
		}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			path := dbtest.URL(t, sqldb.SQLite)
			c.damage(t, path)
			problems, err := dbtest.Open(t, sqldb.Config{URL: path}).Check(context.Background(), func(string) {})
			if all := strings.Join(problems, "\n"); err != nil || all == "" || !strings.Contains(all, c.want) {
				t.Errorf("%q, %v", all, err)
			}
		})
	}
}
