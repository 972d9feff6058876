package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// querier is a connection or transaction of database/sql, or a connection with
// a statement cache.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Tx is one transaction. Its statements run under the transaction's own deadline,
// so they take no context. Only one goroutine may use it, and only until the
// function that received it returns.
//
// After the first error other than ErrNoRows the transaction is dead, on both
// engines. Every further statement returns that error again, and so does the end of
// the transaction, whatever the function returns. SQLite would let the transaction
// go on, but a mistake that only one engine forgives is found late. For the same
// reason, a statement fails on both engines while the rows of a Query are open,
// because PostgreSQL's connection is busy then.
type Tx struct {
	ctx    context.Context
	engine Engine
	q      querier
	stats  *stats
	err    error
	open   *Rows // the rows of the current Query
	rings  []string
	wrote  []string // tables that the transaction has written to
	single bool     // only one statement is allowed
	used   bool

	send  func(context.Context, []statement) error // runs statements in one round trip; nil if the engine has no round trips to save
	later []statement                              // statements that wait to be sent
}

// statement is one of several statements that are sent together.
type statement struct {
	query string
	args  []any
	table string // the table it writes to
}

func newTx(ctx context.Context, engine Engine, q querier, s *stats) *Tx {
	s.transactions.Add(1)
	return &Tx{ctx: ctx, engine: engine, q: q, stats: s}
}

// These are mistakes in the calling code. Both engines report them in the same way.
var (
	errRowsOpen = errors.New("the rows of an earlier query are still open")
	errEnded    = errors.New("the transaction has ended")
	errWrites   = errors.New("a Look only reads: its statement begins with SELECT")
	errSecond   = errors.New("a Look is one statement: use Read for several, which must see the same moment")
)

// selectStatement matches a statement that reads, with or without a leading comment.
var selectStatement = regexp.MustCompile(`^\s*(?:/\*[^*]*\*/)?\s*SELECT\s`)

// run calls fn with the transaction and returns the result. Afterwards the rows are
// closed and no further statement runs, even if fn panicked, because the connection
// goes to another caller.
func (tx *Tx) run(fn func(*Tx) error) error {
	defer tx.end()
	err := fn(tx)
	tx.closeRows()
	switch {
	case err != nil:
		return err
	case tx.err != nil:
		return tx.err
	default:
		return tx.sendLater()
	}
}

func (tx *Tx) end() {
	tx.closeRows()
	if tx.err == nil {
		tx.err = errEnded
	}
}

func (tx *Tx) closeRows() {
	if tx.open != nil {
		tx.open.Close()
	}
}

// sendAndCheck returns an error if the statement cannot run now. It first sends the
// waiting statements whose effect the query might see.
func (tx *Tx) sendAndCheck(query string) error {
	if err := tx.checkAllowed(query); err != nil {
		return err
	}
	if slices.ContainsFunc(tx.later, func(s statement) bool { return strings.Contains(query, s.table) }) {
		return tx.sendLater()
	}
	return nil
}

// checkAllowed returns an error if the statement must not run.
func (tx *Tx) checkAllowed(query string) error {
	switch {
	case tx.err != nil:
		return tx.err
	case tx.open != nil:
		return tx.fail(errRowsOpen)
	case tx.single && tx.used:
		return tx.fail(errSecond)
	case tx.single && !selectStatement.MatchString(query):
		return tx.fail(errWrites) // PostgreSQL would run it, and would run it again after a dead connection
	}
	tx.used = true
	tx.stats.statements.Add(1)
	if table := writtenTable(query); table != "" && !slices.Contains(tx.wrote, table) {
		tx.wrote = append(tx.wrote, table)
	}
	return nil
}

// Later runs a statement whose result the caller does not need. If every statement
// costs a round trip, Later delays it and sends it together with others. The delay
// ends when a statement names the table that it writes to, or at the end of the
// transaction. So the statement must not read a table that the transaction still
// changes. Its error comes late too. A caller that can handle the error uses Exec.
func (tx *Tx) Later(query string, args ...any) error {
	if tx.send == nil {
		return tx.Do(query, args...)
	}
	if err := tx.checkAllowed(query); err != nil {
		return err
	}
	tx.later = append(tx.later, statement{rewrite(tx.engine, query), args, writtenTable(query)})
	return nil
}

func (tx *Tx) sendLater() error {
	if len(tx.later) == 0 {
		return nil
	}
	all := tx.later
	tx.later = nil
	return tx.fail(tx.send(tx.ctx, all))
}

// Wrote reports whether the transaction has written to one of the tables, or has
// tried to.
func (tx *Tx) Wrote(tables ...string) bool {
	return slices.ContainsFunc(tx.wrote, func(t string) bool { return slices.Contains(tables, t) })
}

// WroteAny reports whether the transaction has written to any table, or has tried
// to.
func (tx *Tx) WroteAny() bool { return len(tx.wrote) > 0 }

// writtenTable returns the table that a statement writes to, or an empty string if it
// only reads.
func writtenTable(query string) string {
	if query = strings.TrimLeft(query, " \t\n"); strings.HasPrefix(query, "SELECT") { // most statements
		return ""
	}
	words := strings.Fields(query[:min(len(query), 200)])
	for i, word := range words[:max(len(words)-2, 0)] {
		switch {
		case word == "SELECT":
			return ""
		case word == "UPDATE" && words[i+1] != "SET":
			return words[i+1]
		case word == "INSERT" && words[i+1] == "INTO", word == "DELETE" && words[i+1] == "FROM":
			return words[i+2]
		}
	}
	return ""
}

// Context is the transaction's own context. It has the values of the caller's
// context and the deadline of the transaction.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	if err := tx.sendAndCheck(query); err != nil {
		return 0, err
	}
	res, err := tx.q.ExecContext(tx.ctx, rewrite(tx.engine, query), args...)
	if err != nil {
		return 0, tx.fail(err)
	}
	n, err := res.RowsAffected()
	return n, tx.fail(err)
}

// Do runs a statement, however many rows it changes.
func (tx *Tx) Do(query string, args ...any) error {
	_, err := tx.Exec(query, args...)
	return err
}

// Query runs a statement that returns rows. The caller must read them to the end or
// close them before the next statement. Collect and Row do this for the caller.
func (tx *Tx) Query(query string, args ...any) (*Rows, error) {
	if err := tx.sendAndCheck(query); err != nil {
		return nil, err
	}
	rows, err := tx.q.QueryContext(tx.ctx, rewrite(tx.engine, query), args...)
	if err != nil {
		return nil, tx.fail(err)
	}
	tx.open = &Rows{tx: tx, rows: rows}
	return tx.open, nil
}

// Row runs a statement and keeps its first row. Scan returns the error, if there is
// one.
func (tx *Tx) Row(query string, args ...any) *Row {
	rows, err := tx.Query(query, args...)
	return &Row{rows: rows, err: err}
}

// Ring wakes the listeners of a topic once the transaction is committed. A topic is
// a word without spaces.
func (tx *Tx) Ring(topic string) { tx.rings = append(tx.rings, topic) }

// Fail ends the transaction with err. Nothing of it is committed, even if its
// function goes on and returns nil.
func (tx *Tx) Fail(err error) error {
	if tx.err == nil {
		tx.err = err
	}
	return err
}

// fail translates err and records it as the error of the transaction, unless there
// already is one.
func (tx *Tx) fail(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if tx.err == nil {
		tx.err = translate(err)
	}
	return tx.err
}

// Rows are the rows of a Query.
type Rows struct {
	tx   *Tx
	rows *sql.Rows
}

// Next moves to the next row, if there is one. It closes the rows at the end or
// after an error.
func (r *Rows) Next() bool {
	if r.rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Scan copies the row's columns.
func (r *Rows) Scan(dest ...any) error { return r.tx.fail(r.rows.Scan(dest...)) }

// Close closes the rows and returns the error that ended them early, if there is
// one.
func (r *Rows) Close() error {
	if r.tx.open == r {
		r.tx.open = nil
	}
	err := r.rows.Close()
	if e := r.rows.Err(); e != nil {
		err = e
	}
	return r.tx.fail(err)
}

// Columns returns the names of the columns.
func (r *Rows) Columns() ([]string, error) { return r.rows.Columns() }

// Row is the first row of a Query.
type Row struct {
	rows *Rows
	err  error
}

// Scan copies the row's columns. It returns ErrNoRows if there is no row.
func (r *Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	if !r.rows.Next() {
		if err := r.rows.Close(); err != nil {
			return err
		}
		return ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		r.rows.Close()
		return err
	}
	return r.rows.Close()
}

// Collect runs a query and reads every row with scan.
func Collect[T any](tx *Tx, scan func(scan func(dest ...any) error) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := tx.Each(func(row func(dest ...any) error) error {
		v, err := scan(row)
		if err == nil {
			all = append(all, v)
		}
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Each runs a query and calls read for every row, until there is an error.
func (tx *Tx) Each(read func(scan func(dest ...any) error) error, query string, args ...any) error {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	scan := rows.Scan
	for rows.Next() {
		if err := read(scan); err != nil {
			rows.Close()
			return err
		}
	}
	return rows.Close()
}
