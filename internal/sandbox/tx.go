package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/sqldb"
)

// tx is a transaction at one moment.
//
// A statement that fails ends its transaction: the later ones fail too, nothing is
// committed (see sqldb.Tx), and whatever the function returns, its caller gets the
// failure. So what can fail only with the database, such as run, rowsOf and tell,
// returns no error. What refuses does.
type tx struct {
	*sqldb.Tx
	s      *Sandbox
	now    time.Time
	failed error
}

// note ends the transaction with an error, unless it is nil.
func (t *tx) note(err error) {
	if err != nil && t.failed == nil {
		t.failed = t.Fail(err)
	}
}

func (t *tx) millis() int64 { return t.now.UnixMilli() }

// run runs a statement that writes.
func (t *tx) run(query string, args ...any) {
	_, err := t.Exec(query, args...)
	t.note(err)
}

// runOr runs a statement that must change something, and refuses with a code if it
// does not.
func (t *tx) runOr(code, query string, args ...any) error {
	n, err := t.Exec(query, args...)
	if err == nil && n == 0 {
		err = refuse(code)
	}
	return err
}

// number returns the number in the only row of a query.
func (t *tx) number(query string, args ...any) (n int64) {
	t.note(t.Row(query, args...).Scan(&n))
	return n
}

// rowsOf returns the rows of a query.
func rowsOf[T any](t *tx, scan func(scan func(...any) error) (T, error), query string, args ...any) []T {
	rows, err := sqldb.Collect(t.Tx, scan, query, args...)
	t.note(err)
	return rows
}

// fromJSON scans a column of JSON into v.
func fromJSON(v any) sql.Scanner { return jsonColumn{v} }

type jsonColumn struct{ into any }

func (c jsonColumn) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return fmt.Errorf("a column of JSON is a %T", column)
	}
	return json.Unmarshal([]byte(text), c.into)
}

// write runs fn in a transaction that may write. fn may run more than once.
func (s *Sandbox) write(ctx context.Context, fn func(*tx) error) error {
	return s.db.Write(ctx, s.at(s.clock.Now(), fn))
}

func (s *Sandbox) read(ctx context.Context, fn func(*tx) error) error {
	return s.db.Read(ctx, s.at(s.clock.Now(), fn))
}

func (s *Sandbox) at(now time.Time, fn func(*tx) error) func(*sqldb.Tx) error {
	return func(in *sqldb.Tx) error {
		t := &tx{Tx: in, s: s, now: now}
		if err := fn(t); t.failed == nil {
			return err
		}
		return t.failed
	}
}

// writing returns what fn returns in a transaction that may write.
func writing[T any](ctx context.Context, s *Sandbox, fn func(*tx) (T, error)) (v T, err error) {
	err = s.write(ctx, func(t *tx) (err error) {
		v, err = fn(t)
		return err
	})
	return v, err
}

// reading returns what fn reads.
func reading[T any](ctx context.Context, s *Sandbox, fn func(*tx) (T, error)) (v T, err error) {
	err = s.read(ctx, func(t *tx) (err error) {
		v, err = fn(t)
		return err
	})
	return v, err
}

// each returns what show makes of each row, never nil.
func each[R, S any](rows []R, show func(R) S) []S {
	all := make([]S, 0, len(rows))
	for _, row := range rows {
		all = append(all, show(row))
	}
	return all
}
