package store

import (
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// query builds a statement from parts: each ? becomes the next $n.
type query struct {
	text strings.Builder
	args []any
}

func (q *query) add(fragment string, args ...any) {
	for _, a := range args {
		before, after, _ := strings.Cut(fragment, "?")
		q.args = append(q.args, a)
		q.text.WriteString(before + "$" + strconv.Itoa(len(q.args)))
		fragment = after
	}
	q.text.WriteString(fragment)
}

// among adds a list of placeholders to follow IN. It repeats the last value until
// the length is a power of two, because each length is another statement to
// prepare. With no values, the list matches nothing.
func among[T any](q *query, values []T) {
	if len(values) == 0 {
		q.add("(NULL)")
		return
	}
	most := 1
	for most < len(values) {
		most *= 2
	}
	q.add("(")
	for i := range most {
		if i > 0 {
			q.add(", ")
		}
		q.add("?", values[min(i, len(values)-1)])
	}
	q.add(")")
}

// window ends q with the range, order and limit of a page plus one more record. q
// ends inside its WHERE, and at is the column with the time that orders it.
func (q *query) window(at string, p desk.Page) { q.windowBy(at, "id", p) }

// windowBy is window for a query with its id in another column.
func (q *query) windowBy(at, id string, p desk.Page) {
	if p.After != nil {
		q.add(" AND "+at+" > ?", ms(*p.After))
	}
	if p.Before != nil {
		q.add(" AND "+at+" < ?", ms(*p.Before))
	}
	order, beyond := " DESC", " < "
	if p.Ascending {
		order, beyond = "", " > "
	}
	if p.From != nil {
		q.add(" AND ("+at+", "+id+")"+beyond+"(?, ?)", ms(p.From.At), p.From.ID)
	}
	q.add(" ORDER BY " + at + order + ", " + id + order + limitTo(p.Limit+1))
}

// positionAt returns the position of a record in a list.
func positionAt[ID ~int64](at time.Time, id ID) desk.Position {
	return desk.Position{At: at, ID: int64(id)}
}

// page reads one page of the list that q selects. q ends inside its WHERE. at is
// the column with the creation time, of an index (account_id, …, at, id). It reads
// one record more than wanted, to learn whether there is another page.
func page[T any](tx *Tx, q *query, at string, p desk.Page, scan func(scanner) (T, error), position func(T) desk.Position) (desk.List[T], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	q.window(at, p)
	items, err := sqldb.Collect(tx.Tx, scan, q.text.String(), q.args...)
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

// limitTo returns the LIMIT of a page, as part of the text. If it were a parameter,
// PostgreSQL would expect a tenth of the table and plan every call anew. A page has
// at most desk.MostLimit items, so there are few such texts.
func limitTo(rows int) string { return " LIMIT " + strconv.Itoa(rows) }
