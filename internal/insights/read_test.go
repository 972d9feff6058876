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
		statement, column := "EXPLAIN QUERY PLAN ", 4
		if db.Engine() == sqldb.Postgres {
			statement, column = "EXPLAIN ", 1
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
			}, statement+strings.ReplaceAll(readMarks, "$1", "1"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		for _, index := range []string{"events_unnumbered", "requests_untold", "agent_sessions_version"} {
			if !strings.Contains(text, index) {
				t.Errorf("%s is not used:\n%s", index, text)
			}
		}
	})
}
