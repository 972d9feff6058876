package insights

import (
	"context"
	"strings"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Reading the marks walks through no table: unnumbered events have an index of
// their own.
func TestMarksAreReadByIndex(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		plan := explain(t, db, strings.ReplaceAll(readMarks, "$1", "1"))
		for _, index := range []string{"events_unnumbered", "requests_untold", "agent_sessions_version"} {
			if !strings.Contains(plan, index) {
				t.Errorf("%s is not used:\n%s", index, plan)
			}
		}
	})
}

// Reading the waits of changed requests walks through those of no other request,
// however many have changed. SQLite says so with the columns it searches by.
func TestWaitsAreReadByIndex(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	for n := 1; n <= 512; n *= 2 {
		s := selectWaits(1, func(s *statement, id string) {
			s.Add(id + " IN ")
			sqldb.In(s, make([]int64, n))
		})
		plan := explain(t, db, s.String(), s.Args()...)
		for _, searched := range []string{"(account_id=? AND request_id=?)", "(account_id=? AND created_at=? AND request_id=?)"} {
			if !strings.Contains(plan, searched) {
				t.Errorf("for %d requests, SQLite does not search by %s:\n%s", n, searched, plan)
			}
		}
	}
}

// explain returns how the engine would run a statement.
func explain(t *testing.T, db *sqldb.DB, statement string, args ...any) string {
	t.Helper()
	verb, column := "EXPLAIN QUERY PLAN ", 4
	if db.Engine() == sqldb.Postgres {
		verb, column = "EXPLAIN ", 1
	}
	var plan []string
	err := db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		if db.Engine() == sqldb.Postgres { // which would read an empty table without any index
			if _, err := tx.Exec("SET LOCAL enable_seqscan = off"); err != nil {
				return err
			}
		}
		plan, err = sqldb.Collect(tx, func(scan func(...any) error) (string, error) {
			var line string
			var number int
			into := []any{&number, &number, &number, &line}
			err := scan(into[4-column:]...)
			return line, err
		}, verb+statement, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}
