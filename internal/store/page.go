package store

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// query is a statement of the store under construction.
type query struct{ sqldb.Query }

// insert returns an insert of many rows; see sqldb.NewInsert.
func (tx *Tx) insert(start string, end ...string) *sqldb.Insert {
	return sqldb.NewInsert(tx.Tx, start, end...)
}

// Window ends q with the range, order and limit of a page plus one more record. q
// ends inside its WHERE. at and id are the columns with the time and the id that order
// it.
func Window(q *sqldb.Query, at, id string, p desk.Page) {
	between(q, at, p)
	order, beyond := " DESC", " < "
	if p.Ascending {
		order, beyond = "", " > "
	}
	if p.From != nil {
		q.Add(" AND ("+at+", "+id+")"+beyond+"(?, ?)", ms(p.From.At), p.From.ID)
	}
	q.Add(" ORDER BY " + at + order + ", " + id + order + sqldb.Limit(p.Limit+1))
}

// between adds the times of a page.
func between(q *sqldb.Query, at string, p desk.Page) {
	if p.After != nil {
		q.Add(" AND "+at+" > ?", ms(*p.After))
	}
	if p.Before != nil {
		q.Add(" AND "+at+" < ?", ms(*p.Before))
	}
}

// positionAt returns the position of a record in a list.
func positionAt[ID ~int64](at time.Time, id ID) desk.Position {
	return desk.Position{At: at, ID: int64(id)}
}

// page reads one page of the list that q selects. q ends inside its WHERE. at is
// the column with the creation time, of an index (account_id, …, at, id). It reads
// one record more than wanted, to learn whether there is another page.
func page[T any](tx *Tx, q *query, at string, p desk.Page, scan func(scanner) (T, error), position func(T) desk.Position) (desk.List[T], error) {
	return Page(tx, &q.Query, at, "id", p, scan, position)
}

// Page is page for queries that name the column of the id otherwise.
func Page[T any](tx *Tx, q *sqldb.Query, at, id string, p desk.Page, scan func(scan func(...any) error) (T, error), position func(T) desk.Position) (desk.List[T], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	Window(q, at, id, p)
	items, err := sqldb.Collect(tx.Tx, scan, q.String(), q.Args()...)
	if err != nil {
		return desk.List[T]{}, err
	}
	l := desk.List[T]{Items: items}
	if len(items) > p.Limit {
		l.Items = items[:p.Limit]
		next := position(l.Items[p.Limit-1])
		l.Next = &next
	}
	return l, nil
}
