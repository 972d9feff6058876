package search_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

var ctx = context.Background()

// start is when the first document of a test was written.
var start = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func addAccount(t testing.TB, db *sqldb.DB, id int64) {
	t.Helper()
	must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(`INSERT INTO accounts (id, name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at)
			VALUES ($1, 'a', 'K', 'UTC', TRUE, 1, 1)`, id)
		return err
	}))
}

// putOne puts a document in a transaction.
func putOne(tx *sqldb.Tx, d search.Document) error {
	w := search.Writer{Tx: tx}
	if err := w.Put(d); err != nil {
		return err
	}
	return w.Flush()
}

func put(t testing.TB, db *sqldb.DB, docs ...search.Document) {
	t.Helper()
	must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, d := range docs {
			if err := putOne(tx, d); err != nil {
				return err
			}
		}
		return nil
	}))
}

func remove(t testing.TB, db *sqldb.DB, account, id int64) {
	t.Helper()
	must(t, db.Write(ctx, func(tx *sqldb.Tx) error { return search.Remove(tx, account, id) }))
}

func find(t testing.TB, db *sqldb.DB, q search.Query) (hits []search.Hit, more bool) {
	t.Helper()
	must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		hits, more, err = search.Find(tx, q)
		return err
	}))
	return hits, more
}

func ids(hits []search.Hit) []int64 {
	all := []int64{}
	for _, h := range hits {
		all = append(all, h.ID)
	}
	return all
}

// each runs fn on both engines, with two accounts.
func each(t *testing.T, fn func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		addAccount(t, db, 1)
		addAccount(t, db, 2)
		fn(t, db)
	})
}

func TestPutReplacesAndRemoveRemoves(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		found := func(want []int64, text string) {
			t.Helper()
			if hits, _ := find(t, db, search.Query{Account: 1, Text: text}); !slices.Equal(ids(hits), want) {
				t.Errorf("%q found %v, want %v", text, ids(hits), want)
			}
		}
		d := search.Document{Account: 1, ID: 7, At: start, Title: "Printer on fire", Public: "it burns", Private: "secret"}
		put(t, db, d)
		put(t, db, d) // nothing changed
		found([]int64{7}, "printer")
		d.Title, d.Private = "Scanner on fire", ""
		put(t, db, d)
		found([]int64{}, "printer")
		found([]int64{}, "secret")
		found([]int64{7}, "scanner burns")
		put(t, db, search.Document{Account: 1, ID: 8, At: start.Add(time.Hour), Title: "fire"})
		found([]int64{8, 7}, "fire")
		d.At = start.Add(2 * time.Hour) // only its place changed
		put(t, db, d)
		found([]int64{7, 8}, "fire")
		remove(t, db, 2, 7) // it belongs to another account
		remove(t, db, 1, 99)
		found([]int64{7, 8}, "fire")
		remove(t, db, 1, 7)
		remove(t, db, 1, 7)
		found([]int64{8}, "fire")
		found([]int64{}, "scanner")
		put(t, db, d)
		found([]int64{7}, "scanner")
	})
}

// Merging changes what the index is made of, and nothing that is found.
func TestMergeKeepsWhatIsFound(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		const documents = 120
		for i := range documents { // each in a transaction of its own
			d := search.Document{Account: 1, ID: int64(i + 1), At: start.Add(time.Duration(i) * time.Hour), Title: "everywhere", Public: fmt.Sprint("number", i)}
			if i%40 == 0 {
				d.Public += " rare"
			}
			put(t, db, d)
		}
		remove(t, db, 1, 41)
		put(t, db, search.Document{Account: 1, ID: 2, At: start, Title: "replaced"})
		var before [][]search.Hit
		queries := []string{"everywhere ", "rare ", "number7", "number77 ", "replaced ", "nowhere "}
		for _, q := range queries {
			hits, _ := find(t, db, search.Query{Account: 1, Text: q, Limit: 200})
			before = append(before, hits)
		}
		// Whoever puts a document must not wait for a merge.
		if was := segments(t, db); db.Engine() == sqldb.SQLite && was < documents {
			t.Errorf("%d documents, put one by one, are in %d segments", documents, was)
		}
		for _, busy := range []bool{true, false} {
			for more := true; more; {
				var err error
				more, err = search.Merge(ctx, db, busy)
				must(t, err)
			}
			if is := segments(t, db); is > 8 {
				t.Errorf("busy %v: there are %d segments after a merge", busy, is)
			}
		}
		for i, q := range queries {
			if hits, _ := find(t, db, search.Query{Account: 1, Text: q, Limit: 200}); !slices.Equal(hits, before[i]) {
				t.Errorf("%q found %v, before the merge %v", q, ids(hits), ids(before[i]))
			}
		}
		put(t, db, search.Document{Account: 1, ID: 500, At: start, Title: "afterwards"})
		if hits, _ := find(t, db, search.Query{Account: 1, Text: "afterwards"}); len(hits) != 1 {
			t.Errorf("after the merge, %d documents are found", len(hits))
		}
	})
}

// segments returns how many segments SQLite's index has.
func segments(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	if db.Engine() == sqldb.SQLite {
		must(t, db.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT count(DISTINCT segid) FROM search_index_idx").Scan(&n) }))
	}
	return n
}
