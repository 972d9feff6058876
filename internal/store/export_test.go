package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// PlanOfRequests is how SQLite would find the positions of a page.
func PlanOfRequests(tx *Tx, f desk.RequestFilter, p desk.Page) ([]string, error) {
	q := tx.positionsOf(f, p)
	return sqldb.Collect(tx.Tx, func(scan scanner) (detail string, err error) {
		var id, parent, unused int64
		err = scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "EXPLAIN QUERY PLAN "+q.text.String(), q.args...)
}
