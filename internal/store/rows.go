package store

// rows inserts many rows, some hundreds per statement, because a statement is
// limited in its number of values and in bytes.
type rows struct {
	insert, row, end string
	q                query
	n, size          int
}

const (
	mostRows  = 500
	mostBytes = 1 << 20
)

// newRows returns rows of the form row. end is what follows them in the statement,
// such as ON CONFLICT.
func newRows(insert, row string, end ...string) *rows {
	r := &rows{insert: insert, row: row}
	for _, e := range end {
		r.end += e
	}
	return r
}

func (r *rows) add(tx *Tx, values ...any) error {
	if r.n == 0 {
		r.q.add(r.insert)
	} else {
		r.q.add(", ")
	}
	r.q.add(r.row, values...)
	for _, v := range values {
		if text, ok := v.(string); ok {
			r.size += len(text)
		}
	}
	if r.n++; r.n < mostRows && r.size < mostBytes {
		return nil
	}
	return r.flush(tx)
}

// flushAll inserts the remaining rows of several, in their order.
func flushAll(tx *Tx, all ...*rows) error {
	for _, r := range all {
		if err := r.flush(tx); err != nil {
			return err
		}
	}
	return nil
}

// flush inserts the remaining rows.
func (r *rows) flush(tx *Tx) error {
	if r.n == 0 {
		return nil
	}
	r.q.add(r.end)
	err := tx.Later(r.q.text.String(), r.q.args...)
	r.q, r.n, r.size = query{}, 0, 0
	return err
}
