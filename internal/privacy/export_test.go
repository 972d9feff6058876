package privacy

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

const MostNeedles = mostNeedles

// Mentions reports whether a column may mention people and customers.
func Mentions(table, column string) bool {
	for _, t := range tables {
		if t.name == table {
			return slices.Contains(strings.Fields(t.text), column)
		}
	}
	return false
}

// DuePlan is the query for what is due, to explain it.
func DuePlan(tx *store.Tx, column string, id desk.CollectionID) *sqldb.Query {
	var q sqldb.Query
	q.Add("EXPLAIN QUERY PLAN SELECT id ")
	stock(column).due(&q, tx, id, time.UnixMilli(5))
	q.Add(" ORDER BY "+moment+", id LIMIT ?", 20)
	return &q
}
