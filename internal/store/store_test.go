package store_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

var (
	ctx   = context.Background()
	key   = seal.NewKey()
	quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
	by    = desk.Actor{Name: "a test", Source: desk.SourceSystem}
)

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// each runs fn once per engine with an empty store and its clock.
func each(t *testing.T, fn func(t *testing.T, s *store.Store, c *clock)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock()
		fn(t, store.New(db, key, c.Now), c)
	})
}

// eachWithAnother is each with a second store on the same database. On PostgreSQL
// it belongs to another node; on SQLite it is the same store, because there is only
// one process.
func eachWithAnother(t *testing.T, fn func(t *testing.T, s, other *store.Store, c *clock)) {
	t.Helper()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c, db := newClock(), dbtest.Open(t, sqldb.Config{URL: url})
		s := store.New(db, key, c.Now)
		other := s
		if db.Engine() == sqldb.Postgres {
			other = store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, c.Now)
		}
		fn(t, s, other, c)
	})
}

// newAccount adds an account with one admin.
func newAccount(t testing.TB, s *store.Store, name string) (desk.Account, desk.Member) {
	t.Helper()
	var account desk.Account
	var admin desk.Member
	must(t, s.AddAccount(ctx, name, func(tx *store.Tx, a desk.Account) (err error) {
		account = a
		admin, err = addMember(tx, "admin@"+strings.ToLower(name)+".example", desk.Admin)
		return err
	}))
	return account, admin
}

func addMember(tx *store.Tx, email string, role desk.Role) (desk.Member, error) {
	m, err := desk.NewMember{Email: email, Role: &role}.Member(tx.Now)
	if err != nil {
		return m, err
	}
	return m, tx.AddMember(&m)
}

func addToken(tx *store.Tx, m desk.Member) (desk.MadeToken, error) {
	made, err := desk.NewToken{Name: "test", Scope: desk.ReadWrite}.Token(m, tx.Now)
	if err != nil {
		return made, err
	}
	err = tx.AddToken(&made.Token)
	return made, err
}

// recordUpdate records that a member changed, as an operation does.
func recordUpdate(tx *store.Tx, m desk.Member) error {
	return tx.Record(desk.Change{By: by, Action: "member.updated", Event: desk.MemberUpdated, Resource: "Member", ID: fmt.Sprint(m.ID), Before: m, After: m})
}

func write(t testing.TB, s *store.Store, account desk.AccountID, fn func(*store.Tx) error) {
	t.Helper()
	must(t, s.Write(ctx, account, fn))
}

func read(t testing.TB, s *store.Store, account desk.AccountID, fn func(*store.Tx) error) {
	t.Helper()
	must(t, s.Read(ctx, account, fn))
}

// sql runs a statement directly on the database.
func sql(t testing.TB, s *store.Store, query string, args ...any) {
	t.Helper()
	must(t, s.DB().Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

// rows reads all rows of a query, each as a line of text.
func rows(t testing.TB, s *store.Store, query string, args ...any) (lines []string) {
	t.Helper()
	must(t, s.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
		lines, err = linesOf(tx, query, args...)
		return err
	}))
	return lines
}

// linesOf is rows within a transaction.
func linesOf(tx *sqldb.Tx, query string, args ...any) (lines []string, err error) {
	rs, err := tx.Query(query, args...)
	if err != nil {
		return nil, err
	}
	columns, err := rs.Columns()
	if err != nil {
		return nil, err
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rs.Next() {
		if err := rs.Scan(places...); err != nil {
			return nil, err
		}
		var line strings.Builder
		for i, v := range values {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			fmt.Fprintf(&line, "%s=%q ", columns[i], fmt.Sprint(v))
		}
		lines = append(lines, line.String())
	}
	return lines, rs.Close()
}

// sequence numbers everything that has no number yet.
func sequence(t testing.TB, s *store.Store) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = s.Sequence(ctx)
		must(t, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, err error, want desk.Kind) {
	t.Helper()
	if err == nil || desk.KindOf(err) != want {
		t.Errorf("got %v, want an error of kind %d", err, want)
	}
}
