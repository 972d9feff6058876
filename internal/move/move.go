// Package move carries one account, with everything that it has, from one database
// to another, of either engine. It knows which tables belong to an account and which
// rows name files. It knows no rule of the product.
//
// An account travels in a file, which is a database of its own: an SQLite file with
// our schema, the rows of the account, and its attachments in a table beside them.
//
//		database ──Export──► file ──Import──► database
//
//	 1. Everything keeps its id, because ids are in links, in reply addresses, in
//	    webhooks that were delivered and in the audit log. So a database takes an
//	    account only where all its ids are free.
//	 2. Secrets, links and the audit log depend on the key of the server. So the
//	    account goes to a server with the same key.
//	 3. What can be made again does not travel: the search index. What belongs to a
//	    process does not either: who holds what.
package move

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// Desk is one side of a move: a database, its attachments, and its key.
type Desk struct {
	DB    *sqldb.DB // its transactions must be allowed to take long
	Blobs blob.Store
	Key   *seal.Key
}

// Progress is called with the name of a table, or "files", and with how many rows or
// files of it were copied so far.
type Progress func(what string, copied int)

// Summary says what an account consists of.
type Summary struct {
	Account  int64
	Name     string
	At       time.Time // when it was exported
	Requests int
	Rows     int
	Files    int
	Bytes    int64    // of all files
	Missing  []string // keys of files whose bytes were gone
}

// stays lists the tables with an account that do not travel.
var stays = map[string]string{
	"lanes":            "it says which process holds what",
	"search_documents": "the search index is made again",
	"search_progress":  "the search index is made again",
	"search_words":     "the search index is made again",
	"search_index":     "the search index is made again",
	"search_terms":     "the search index is made again",
}

// fileColumns name the columns that hold the keys of files, by table.
var fileColumns = map[string]string{"attachments": "blob_key", "announcement_files": "blob_key", "waiting_files": "blob_key", "mails": "source"}

// A table is one that belongs to accounts, with what is needed to copy its rows.
type table struct {
	name    string
	columns []column
	account string // the column that names the account
	hasID   bool
}

type column struct {
	name      string
	isBoolean bool
	to        string // the table that it refers to; empty for none
	late      bool   // it refers to a row that may be copied after its own
}

// tables reads the tables of an account from a file with our schema, in an order in
// which every row comes after the rows that it refers to, but for late columns.
func tables(tx *sqldb.Tx) ([]table, error) {
	names, err := sqldb.Collect(tx, func(scan func(...any) error) (name string, err error) {
		err = scan(&name)
		return name, err
	}, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
	if err != nil {
		return nil, err
	}
	all := map[string]*table{}
	for _, name := range names {
		t, err := readTable(tx, name)
		if err != nil {
			return nil, err
		}
		if _, stay := stays[name]; t.account != "" && !stay {
			all[name] = &t
		}
	}
	return inOrder(all, names), nil
}

func readTable(tx *sqldb.Tx, name string) (table, error) {
	t := table{name: name}
	refers := map[string]string{}
	err := tx.Each(func(scan func(...any) error) error {
		var from, to string
		err := scan(&from, &to)
		refers[from] = to
		return err
	}, `SELECT "from", "table" FROM pragma_foreign_key_list($1)`, name)
	if err != nil {
		return t, err
	}
	err = tx.Each(func(scan func(...any) error) error {
		var c column
		var kind string
		if err := scan(&c.name, &kind); err != nil {
			return err
		}
		c.isBoolean, c.to = kind == "BOOLEAN", refers[c.name]
		t.hasID = t.hasID || c.name == "id" && kind == "INTEGER"
		if c.name == "account_id" || name == "accounts" && c.name == "id" {
			t.account = c.name
		}
		t.columns = append(t.columns, c)
		return nil
	}, "SELECT name, type FROM pragma_table_info($1)", name)
	return t, err
}

// inOrder sorts tables by what they refer to, and marks the columns that close a
// circle as late. accounts comes first, because everything refers to it.
func inOrder(all map[string]*table, names []string) (ordered []table) {
	const visiting, done = 1, 2
	state := map[string]int{}
	var visit func(t *table)
	visit = func(t *table) {
		state[t.name] = visiting
		for i := range t.columns {
			c := &t.columns[i]
			if c.to == "" || all[c.to] == nil {
				continue
			}
			if t.name == "accounts" {
				c.late = true
				continue
			}
			if state[c.to] == 0 {
				visit(all[c.to])
			}
			c.late = state[c.to] == visiting
		}
		state[t.name] = done
		ordered = append(ordered, *t)
	}
	for _, name := range slices.Concat([]string{"accounts"}, names) {
		if t := all[name]; t != nil && state[name] == 0 {
			visit(t)
		}
	}
	return ordered
}

// copyAccount copies the rows of an account from one database into another. It
// returns how many each table has.
func copyAccount(from, to *sqldb.Tx, all []table, account int64, progress Progress) (map[string]int, error) {
	copied := map[string]int{}
	var writers []*writer
	for _, t := range all {
		w := &writer{tx: to, table: t}
		if err := w.copyRows(from, account, progress); err != nil {
			return nil, err
		}
		copied[t.name], writers = w.copied, append(writers, w)
	}
	for _, w := range writers {
		if err := w.setLate(); err != nil {
			return nil, err
		}
	}
	return copied, nil
}

func (t table) list() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// order has rows come in the order of their ids, so that a row which refers to an
// older one of its own table finds it.
func (t table) order() string {
	if t.hasID {
		return " ORDER BY id"
	}
	return ""
}

// mostValues bounds the values of one statement. SQLite allows 32,766.
const mostValues = 8000

// writer collects rows and inserts many at once.
type writer struct {
	tx     *sqldb.Tx
	table  table
	copied int
	rows   int // to be inserted
	args   []any
	late   []lateRow
}

// lateRow is a row whose late columns still have to be set.
type lateRow struct {
	id     any
	values []any
}

func (w *writer) copyRows(from *sqldb.Tx, account int64, progress Progress) error {
	t := w.table
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	err := from.Each(func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		if w.copied++; w.copied%10_000 == 0 {
			progress(t.name, w.copied)
		}
		return w.add(values)
	}, fmt.Sprintf("SELECT %s FROM %s WHERE %s = $1%s", t.list(), t.name, t.account, t.order()), account)
	if err != nil {
		return err
	}
	if w.copied > 0 {
		progress(t.name, w.copied)
	}
	return w.insert()
}

func (w *writer) add(values []any) error {
	var late lateRow
	isLate := false
	for i, c := range w.table.columns {
		v := values[i]
		if n, isInt := v.(int64); c.isBoolean && isInt {
			v = n != 0 // SQLite has no booleans
		}
		if b, isBytes := v.([]byte); isBytes {
			v = slices.Clone(b) // the next row uses the same bytes
		}
		if c.name == "id" {
			late.id = v
		}
		if c.late {
			late.values = append(late.values, v)
			isLate = isLate || v != nil
			v = nil
		}
		w.args = append(w.args, v)
	}
	if isLate {
		w.late = append(w.late, late)
	}
	if w.rows++; len(w.args)+len(w.table.columns) > mostValues {
		return w.insert()
	}
	return nil
}

func (w *writer) insert() error {
	if w.rows == 0 {
		return nil
	}
	var q sqldb.Query
	q.Add(fmt.Sprintf("INSERT INTO %s (%s) VALUES ", w.table.name, w.table.list()))
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(w.table.columns)), ", ") + ")"
	q.Add(strings.TrimSuffix(strings.Repeat(row+", ", w.rows), ", "), w.args...)
	_, err := w.tx.Exec(q.String(), q.Args()...)
	w.rows, w.args = 0, w.args[:0]
	if errors.Is(err, sqldb.ErrUnique) {
		return fmt.Errorf("%w: the table %s has a row of another account in its place", ErrTaken, w.table.name)
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", w.table.name, err)
	}
	return nil
}

// ErrTaken says that another account has an id, an address or a connection that the
// account would need.
var ErrTaken = errors.New("the account does not fit in")

// setLate sets the late columns, once all rows are there.
func (w *writer) setLate() error {
	var names []string
	for _, c := range w.table.columns {
		if c.late {
			names = append(names, c.name)
		}
	}
	for _, row := range w.late {
		var q sqldb.Query
		for i, name := range names {
			if i == 0 {
				q.Add("UPDATE " + w.table.name + " SET ")
			} else {
				q.Add(", ")
			}
			q.Add(name+" = ?", row.values[i])
		}
		q.Add(" WHERE id = ?", row.id)
		if _, err := w.tx.Exec(q.String(), q.Args()...); err != nil {
			return fmt.Errorf("table %s: %w", w.table.name, err)
		}
	}
	w.late = nil
	return nil
}
