package sqldb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestQuery(t *testing.T) {
	var q sqldb.Query
	if !q.IsEmpty() {
		t.Error("a new query is not empty")
	}
	q.Add("SELECT 'why?' FROM t") // without arguments a ? is text
	q.Add(" WHERE a = ? AND b = ?", 1, "two")
	q.Add(" AND c IN ")
	sqldb.In(&q, []int{3, 4, 5})
	q.Add(" AND d IN ")
	sqldb.In(&q, []string{})
	q.Add(sqldb.Limit(7))
	if got, want := q.String(), "SELECT 'why?' FROM t WHERE a = $1 AND b = $2 AND c IN ($3, $4, $5, $6) AND d IN (NULL) LIMIT 7"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if want := []any{1, "two", 3, 4, 5, 5}; !slices.Equal(q.Args(), want) {
		t.Errorf("arguments %v, want %v", q.Args(), want)
	}
}

// Each length of a list is another statement to prepare, so there are few lengths.
func TestInHasFewLengths(t *testing.T) {
	lengths := map[int]bool{}
	for n := 1; n <= 500; n++ {
		var q sqldb.Query
		sqldb.In(&q, make([]int, n))
		lengths[len(q.Args())] = true
	}
	if len(lengths) != 10 {
		t.Errorf("there are %d lengths", len(lengths))
	}
}

// Rows are inserted in their order, by as many statements as their number and their
// size take.
func TestInsert(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Write(t.Context(), func(tx *sqldb.Tx) error { return tx.Do("CREATE TABLE many (n INT PRIMARY KEY, text TEXT)") }))
		for _, c := range []struct{ rows, size int }{{0, 0}, {1, 1}, {500, 1}, {1201, 1}, {5, 1 << 19}} {
			must(t, db.Write(t.Context(), func(tx *sqldb.Tx) error {
				list := sqldb.NewInsert(tx, "INSERT INTO many (n, text) VALUES ", " ON CONFLICT (n)", " DO NOTHING")
				for n := range c.rows {
					list.Add(n, strings.Repeat("x", c.size))
				}
				return sqldb.Flush(list, sqldb.NewInsert(tx, "INSERT INTO nowhere (n) VALUES "))
			}))
			must(t, db.Write(t.Context(), func(tx *sqldb.Tx) error {
				n, err := tx.Exec("DELETE FROM many")
				if err == nil && n != int64(c.rows) {
					err = fmt.Errorf("%d of %d rows were inserted", n, c.rows)
				}
				return err
			}))
		}
	})
}

// After an error nothing more is inserted, and the error is not forgotten.
func TestInsertKeepsItsError(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			list := sqldb.NewInsert(tx, "INSERT INTO nowhere (n) VALUES ")
			for n := range 2000 {
				list.Add(n)
			}
			if err := list.Flush(); err != nil {
				return errors.Join(err, list.Flush())
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("got %v", err)
		}
	})
}
