package sqldb

import (
	"strconv"
	"strings"
)

// Query is a statement under construction. Each ? of a part becomes the next $n. It is
// passed by its address, since two copies would write over each other's text.
type Query struct {
	_ noCopy
	// Not a strings.Builder: that holds its own address. A copy of one that was made on a
	// stack keeps the address of that stack, and once the stack has moved, the garbage
	// collector ends the process.
	text []byte
	args []any
}

// noCopy makes go vet refuse copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Add adds a part with the arguments for its first ?s.
func (q *Query) Add(part string, args ...any) {
	for _, a := range args {
		before, after, _ := strings.Cut(part, "?")
		q.args = append(q.args, a)
		q.text = append(q.text, before...)
		q.text = append(q.text, '$')
		q.text = strconv.AppendInt(q.text, int64(len(q.args)), 10)
		part = after
	}
	q.text = append(q.text, part...)
}

// IsEmpty reports whether nothing was added yet.
func (q *Query) IsEmpty() bool { return len(q.text) == 0 }

// String returns the statement so far.
func (q *Query) String() string { return string(q.text) }

// Args returns the arguments so far.
func (q *Query) Args() []any { return q.args }

// In adds a list of placeholders to follow IN. It repeats the last value until the
// length is a power of two, because each length is another statement to prepare.
// With no values, the list matches nothing.
func In[T any](q interface {
	Add(part string, args ...any)
}, values []T) {
	if len(values) == 0 {
		q.Add("(NULL)")
		return
	}
	most := 1
	for most < len(values) {
		most *= 2
	}
	for i := range most {
		before := ", ?"
		if i == 0 {
			before = "(?"
		}
		q.Add(before, values[min(i, len(values)-1)])
	}
	q.Add(")")
}

// Limit returns a LIMIT as part of the text. If it were a parameter, PostgreSQL would
// expect a tenth of the table and plan every call anew. It is for limits that take
// few values, such as the size of a page.
func Limit(rows int) string { return " LIMIT " + strconv.Itoa(rows) }

// Insert inserts many rows, some hundreds per statement, because a statement is
// limited in its number of values and in bytes. After an error it does nothing more.
type Insert struct {
	tx         *Tx
	start, end string
	q          Query
	rows, size int
	err        error
}

const (
	mostRows  = 500
	mostBytes = 1 << 20
)

// NewInsert returns an Insert of rows. start is the statement up to VALUES, and end is
// what follows the rows, such as ON CONFLICT.
func NewInsert(tx *Tx, start string, end ...string) *Insert {
	return &Insert{tx: tx, start: start, end: strings.Join(end, "")}
}

// Add adds a row, and inserts the rows so far if they are many. Flush returns the
// error, if there is one.
func (i *Insert) Add(values ...any) {
	if i.err != nil {
		return
	}
	before := ", (?"
	if i.rows == 0 {
		before = i.start + "(?"
	}
	for _, v := range values {
		i.q.Add(before, v)
		before = ", ?"
		if text, ok := v.(string); ok {
			i.size += len(text)
		}
	}
	i.q.Add(")")
	if i.rows++; i.rows == mostRows || i.size >= mostBytes {
		i.err = i.Flush()
	}
}

// Flush inserts the remaining rows.
func (i *Insert) Flush() error {
	if i.rows == 0 || i.err != nil {
		return i.err
	}
	i.q.Add(i.end)
	i.err = i.tx.Later(i.q.String(), i.q.Args()...)
	i.q, i.rows, i.size = Query{}, 0, 0
	return i.err
}

// Flush inserts the remaining rows of several, in their order.
func Flush(all ...*Insert) error {
	for _, i := range all {
		if err := i.Flush(); err != nil {
			return err
		}
	}
	return nil
}
