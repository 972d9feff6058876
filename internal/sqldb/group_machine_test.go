package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/sqldb"
)

// A mix of callers of every kind, started and cancelled in any order while the
// writer is sometimes held and sometimes free. The callers that were told of
// success have all of their notes. Those that left have all or none. No other
// caller has any. The same holds at every moment in between, for what the callers
// have been told by then.
func TestGroupKeepsExactlyWhatItAcknowledged(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, "CREATE TABLE replies (note_id BIGINT NOT NULL REFERENCES notes (id))")
		machines := 0
		rapid.Check(t, func(t *rapid.T) {
			machines++
			m := &groupMachine{db: db, name: fmt.Sprint("machine ", machines)}
			defer m.settle()
			t.Repeat(map[string]func(*rapid.T){
				"start":   m.start,
				"cancel":  m.cancel,
				"hold":    m.hold,
				"release": m.release,
				"":        m.check,
			})
			m.settle()
			m.check(t)
			if err := m.forget(); err != nil {
				t.Fatal(err)
			}
		})
		s := db.Stats()
		if machines >= 50 && (db.Engine() == sqldb.SQLite && s.VoidGroups == 0 || s.Commits >= s.Writes) {
			t.Errorf("%+v: no group was void, or none was shared: too tame", s)
		}
	})
}

// How a caller's function behaves once it has written half of its notes.
var callerKinds = []string{
	"succeeds", "fails", "panics", "exits", "breaks a rule", "swallows an error", "is slow",
	"is cancelled before", "is cancelled within", "is cancelled after",
	"ends the transaction", "fails at commit", // SQLite only: each makes its group void
}

type groupMachine struct {
	db      *sqldb.DB
	name    string
	callers []*machineCaller
	going   chan struct{} // closed to release the holder of the writer
	holder  sync.WaitGroup
}

type machineCaller struct {
	name, kind string
	size       int
	cancel     context.CancelFunc
	cancelled  atomic.Bool // the context may have ended before the verdict
	returned   atomic.Bool // err is the result of Write
	err        error
	ended      chan struct{}
}

func (m *groupMachine) start(t *rapid.T) {
	kinds := callerKinds
	if m.db.Engine() == sqldb.Postgres {
		kinds = kinds[:len(kinds)-2]
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &machineCaller{
		name:   fmt.Sprintf("%s, caller %d", m.name, len(m.callers)),
		kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
		size:   rapid.IntRange(1, 4).Draw(t, "size"),
		cancel: cancel,
		ended:  make(chan struct{}),
	}
	m.callers = append(m.callers, c)
	if c.kind == "is cancelled before" {
		c.end()
	}
	go func() {
		defer close(c.ended)
		defer cancel()
		defer func() { _ = recover() }()
		c.err = m.db.WriteInTurn(ctx, 1, c.write)
		c.returned.Store(true)
	}()
}

// end ends the caller's context.
func (c *machineCaller) end() {
	c.cancelled.Store(true)
	c.cancel()
}

func (c *machineCaller) write(tx *sqldb.Tx) error {
	if err := note(tx, c.name, c.size); err != nil {
		return err
	}
	switch c.kind {
	case "fails":
		return errors.New("refused")
	case "panics":
		panic("tea")
	case "exits":
		runtime.Goexit()
	case "breaks a rule":
		_, err := tx.Exec("INSERT INTO notes (writer, part) VALUES ($1, $2)", c.name, -1)
		return err
	case "swallows an error":
		_, _ = tx.Exec("INSERT INTO replies (note_id) VALUES ($1)", -1)
		_ = note(tx, c.name, c.size)
		return nil
	case "is slow":
		var n int
		if err := tx.Row("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT count(*) FROM n").Scan(&n); err != nil {
			return err
		}
	case "is cancelled within":
		c.end()
	case "ends the transaction":
		_, err := tx.Exec("ROLLBACK")
		return err
	case "fails at commit":
		if _, err := tx.Exec("PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO replies (note_id) VALUES ($1)", -1); err != nil {
			return err
		}
	}
	err := note(tx, c.name, c.size)
	if c.kind == "is cancelled after" {
		c.end()
	}
	return err
}

func (m *groupMachine) cancel(t *rapid.T) {
	if len(m.callers) == 0 {
		t.Skip("nobody to cancel")
	}
	rapid.SampledFrom(m.callers).Draw(t, "caller").end()
}

func (m *groupMachine) hold(t *rapid.T) {
	if m.going != nil {
		t.Skip("held already")
	}
	m.going = make(chan struct{})
	going := m.going
	m.holder.Go(func() {
		_ = m.db.WriteInTurn(context.Background(), 1, func(*sqldb.Tx) error {
			<-going
			return nil
		})
	})
}

func (m *groupMachine) release(t *rapid.T) {
	if m.going == nil {
		t.Skip("not held")
	}
	close(m.going)
	m.going = nil
}

// settle waits until every caller knows its verdict.
func (m *groupMachine) settle() {
	if m.going != nil {
		close(m.going)
		m.going = nil
	}
	m.holder.Wait()
	for _, c := range m.callers {
		<-c.ended
	}
}

// forget empties the table for the next machine.
func (m *groupMachine) forget() error {
	return m.db.Write(context.Background(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec("DELETE FROM notes")
		return err
	})
}

// check compares the notes with what the callers have been told so far.
func (m *groupMachine) check(t *rapid.T) {
	acknowledged, failed, open := map[string]bool{}, map[string]bool{}, map[string]bool{}
	whole := map[string]int{}
	for _, c := range m.callers {
		whole[c.name] = 2 * c.size
		switch ended := isClosed(c.ended); {
		case !ended:
			open[c.name] = true
		case c.returned.Load() && c.err == nil:
			acknowledged[c.name] = true
			if !slices.Contains([]string{"succeeds", "is slow", "is cancelled within", "is cancelled after"}, c.kind) {
				t.Errorf("%s, which %s, was acknowledged", c.name, c.kind)
			}
		case c.returned.Load() && errors.Is(c.err, context.Canceled):
			open[c.name] = true
			if !c.cancelled.Load() {
				t.Errorf("%s, which %s, was not cancelled and got %v", c.name, c.kind, c.err)
			}
		default:
			failed[c.name] = true
			if slices.Contains([]string{"succeeds", "is slow"}, c.kind) {
				t.Errorf("%s, which %s, got %v", c.name, c.kind, c.err)
			}
		}
	}
	counts := map[string]int{}
	if err := m.db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		counts, err = countNotes(tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for name := range acknowledged {
		if counts[name] != whole[name] {
			t.Errorf("%s was acknowledged and has %d of %d notes", name, counts[name], whole[name])
		}
	}
	for name := range failed {
		if counts[name] != 0 {
			t.Errorf("%s failed and has %d notes", name, counts[name])
		}
	}
	for name := range open {
		if n := counts[name]; n != 0 && n != whole[name] {
			t.Errorf("%s has %d of %d notes", name, n, whole[name])
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
