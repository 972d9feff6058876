package insights

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// An answer may have MostRows rows, and is refused with one more. A query that
// takes too long is refused, too.
func TestMostRows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		account, collections := newAccount(t, db)
		q := Question{Account: desk.AccountID(account), Reach: desk.Everything, Now: time.Now(), Zone: time.UTC, Query: desk.InsightsQuery{
			Measures: []string{"Requests.count"}, Dimensions: []string{"Requests.assignee_user_id"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}}}
		add := func(first, last int) {
			t.Helper()
			err := db.Write(ctx, func(tx *sqldb.Tx) error {
				_, err := tx.Exec(`WITH RECURSIVE numbers (n) AS (SELECT CAST($3 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $4)
					INSERT INTO request_facts (account_id, created_at, request_id, collection_id, assignee, state, priority, has_ticket, is_answered,
						first_response_sla, resolution_sla, one_touch_sla, one_touch_late)
					SELECT $1, 0, n, $2, CAST(n AS TEXT), 'open', 'normal', FALSE, FALSE, FALSE, FALSE, FALSE, FALSE FROM numbers`, account, collections[0], first, last)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		add(1, MostRows)
		rows, err := SQL{}.Answer(ctx, db, q)
		if err != nil || len(rows) != MostRows {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		add(MostRows+1, MostRows+1)
		if _, err := (SQL{}).Answer(ctx, db, q); desk.KindOf(err) != desk.Invalid || !strings.Contains(err.Error(), "more than 50000 rows") {
			t.Error(err)
		}
		columns := NewColumns(ColumnsConfig{})
		if err := columns.Load(ctx, db, q); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := columns.Try(ctx, db, q); !ok || desk.KindOf(err) != desk.Invalid || !strings.Contains(err.Error(), "more than 50000 rows") {
			t.Error(ok, err)
		}
		q.Query.Filters = []desk.InsightsFilter{{Member: "Requests.assignee_user_id", Operator: "not_equals", Values: values("17")}}
		if rows, ok, err := columns.Try(ctx, db, q); !ok || err != nil || len(rows) != MostRows {
			t.Error(len(rows), ok, err)
		}
		q.Query.Filters = nil
		q.Query.Dimensions = nil
		slow := NewColumns(ColumnsConfig{SQL: SQL{Limit: time.Nanosecond}})
		if err := slow.Load(ctx, db, q); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := slow.Try(ctx, db, q); !ok || desk.KindOf(err) != desk.Invalid || !strings.Contains(err.Error(), "takes longer than 1ns") {
			t.Error(ok, err)
		}
		if _, err := (SQL{Limit: time.Nanosecond}).Answer(ctx, db, q); desk.KindOf(err) != desk.Invalid || !strings.Contains(err.Error(), "takes longer than 1ns") {
			t.Error(err)
		}
	})
}

// A query whose time is over queries no further bucket.
func TestMostTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		account, _ := newAccount(t, db)
		p, err := Question{Account: desk.AccountID(account), Reach: desk.Everything, Now: time.Now(), Zone: time.UTC, Query: desk.InsightsQuery{
			Measures: []string{"Requests.count"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}}}.plan()
		if err != nil {
			t.Fatal(err)
		}
		over, cancel := context.WithCancel(ctx)
		cancel()
		a := &answering{plan: p, rows: map[string]*row{}}
		if err := db.Read(ctx, func(tx *sqldb.Tx) error { return a.run(over, tx) }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
