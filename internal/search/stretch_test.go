package search_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/schema"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// For a word that is everywhere, a page reads some of its documents and never all,
// wherever the page is. Reading uses the index even without statistics for the
// planner.
func TestPagesReadOnlySome(t *testing.T) {
	const documents, limit = 6000, 10
	each(t, func(t *testing.T, db *sqldb.DB) {
		var docs []search.Document
		for i := range documents {
			d := search.Document{Account: 1, ID: int64(i + 1), At: start.Add(time.Duration(i) * time.Hour), Title: "everywhere", Public: "printers ACME-" + fmt.Sprint(i)}
			if i%10 == 0 {
				d.Public += " tenth"
			}
			if i < documents/2 {
				d.Public += " old"
			}
			if i%2500 == 7 {
				d.Public += " rare"
			}
			d.Private = strings.Repeat("padding of a usual length ", 20)
			docs = append(docs, d)
		}
		put(t, db, docs...)
		if db.Engine() == sqldb.Postgres { // its planner sees the function call, so also explain the function's own statement
			must(t, db.Read(ctx, func(tx *sqldb.Tx) error {
				plan, err := sqldb.Collect(tx, explained, "EXPLAIN SELECT rowid FROM search_index WHERE search_terms(terms) @@ '''1=everywhere'''::tsquery")
				if !strings.Contains(strings.Join(plan, "\n"), "Bitmap Index Scan on search_index_terms") {
					t.Errorf("the index is not used: %q", plan)
				}
				return err
			}))
		}
		page := func(text string, above int) search.Query {
			q := search.Query{Account: 1, Text: text, Limit: limit, OnlyPublic: true}
			if above > 0 {
				q.From = &search.Position{At: start.Add(time.Duration(above) * time.Hour)}
			}
			return q
		}
		for _, c := range []struct {
			name string
			q    search.Query
			most int // documents that may be read
			of   int
		}{
			{"newest page", page("everywhere ", 0), 250, documents},
			{"middle page", page("everywhere ", documents/2), 250, documents},
			{"oldest page", page("everywhere ", 100), 250, documents},
			{"a tenth, newest page", page("tenth ", 0), 50, documents / 10},
			{"a tenth, oldest page", page("tenth ", 200), 50, documents / 10},
			{"beginning", page("prin", 0), 250, documents},
			{"beginning of two letters", page("ev", 0), 250, documents},
			{"two words", page("everywhere tenth", 0), 50, documents / 10},
			{"old word", page("old ", 0), 600, documents / 2},
			{"rare word", page("rare ", 0), 3, 3},
			{"identifier", page("ACME-1234", 0), 1, 1},
			{"no such word", page("nowhere ", 0), 0, 0},
			{"other account", search.Query{Account: 2, Text: "everywhere", Limit: limit}, 0, 0},
		} {
			var readings []search.Reading
			must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
				if db.Engine() == sqldb.Postgres {
					readings, err = search.Readings(tx, c.q, "EXPLAIN ", explained)
					return err
				}
				readings, err = search.Readings(tx, c.q, "EXPLAIN QUERY PLAN ", func(scan func(...any) error) (line string, err error) {
					var number int
					err = scan(&number, &number, &number, &line)
					return line, err
				})
				return err
			}))
			read, listed := 0, 0
			for _, r := range readings {
				read += r.Read
				listed = max(listed, r.Listed)
				through := map[sqldb.Engine]string{sqldb.SQLite: "SCAN s VIRTUAL TABLE INDEX", sqldb.Postgres: "Index Cond: (id = s.rowid)"}
				if !strings.Contains(r.Plan, through[db.Engine()]) || strings.Contains(r.Plan, "Seq Scan") || strings.Contains(r.Plan, "SCAN d") || strings.Contains(r.Plan, "TEMP B-TREE") {
					t.Errorf("%s: the plan is\n%s", c.name, r.Plan)
				}
			}
			if read > c.most || len(readings) > 8 {
				t.Errorf("%s: read %d documents of %d in %d stretches; at most %d would do", c.name, read, c.of, len(readings), c.most)
			}
			t.Logf("%-26s %4d of %4d documents in %d stretches, at most %d listed", c.name, read, c.of, len(readings), listed)
		}
	})
}

// explained reads a line of PostgreSQL's query plan.
func explained(scan func(...any) error) (line string, err error) {
	err = scan(&line)
	return line, err
}

// A backup is a SQLite file, even of PostgreSQL. It finds the same.
func TestBackupIsSearchable(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		for _, d := range corpus {
			d.Account, d.At = 1, start.Add(time.Duration(d.ID)*time.Hour)
			put(t, db, d)
		}
		remove(t, db, 1, 16)
		path := filepath.Join(t.TempDir(), "copy.db")
		must(t, db.Backup(ctx, schema.Files, path))
		copied := dbtest.Open(t, sqldb.Config{URL: path})
		for _, c := range corpusQueries {
			want, _ := find(t, db, search.Query{Account: 1, Text: c.text})
			if got, _ := find(t, copied, search.Query{Account: 1, Text: c.text}); !slices.Equal(got, want) {
				t.Errorf("%q found %v in the copy, want %v", c.text, ids(got), ids(want))
			}
		}
		put(t, copied, search.Document{Account: 1, ID: 1, At: start, Title: "replaced"}, search.Document{Account: 1, ID: 99, At: start, Title: "replaced"})
		if hits, _ := find(t, copied, search.Query{Account: 1, Text: "replaced"}); !slices.Equal(ids(hits), list{99, 1}) {
			t.Errorf("written to the copy, found %v", ids(hits))
		}
	})
}
