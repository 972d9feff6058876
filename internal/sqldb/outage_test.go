package sqldb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
)

// logged is a log that a test can read.
type logged struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

// take returns the lines by message since the last time.
func (l *logged) take(t *testing.T) map[string][]map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := map[string][]map[string]any{}
	for d := json.NewDecoder(&l.all); d.More(); {
		var line map[string]any
		must(t, d.Decode(&line))
		lines[fmt.Sprint(line["msg"])] = append(lines[fmt.Sprint(line["msg"])], line)
	}
	return lines
}

func newLog() (*logged, *slog.Logger) {
	l := &logged{}
	return l, slog.New(slog.NewJSONHandler(l, nil))
}

// An outage is two lines, and the first of each kind of what follows from it.
func TestOutageIsLoggedOnce(t *testing.T) {
	lines, log := newLog()
	p, db := throughProxy(t, sqldb.Config{Log: log}.WithOutageRest(time.Nanosecond))
	ours := db.Logger().With("node", 1)
	p.Set(func() { p.Cut = true })
	const calls = 20
	for i := range calls {
		err := db.Write(context.Background(), noting("refused"))
		ours.Error("call failed", "error", fmt.Errorf("wrapped: %w", err), "i", i)
		ours.Warn("jobs wait", "error", err)
	}
	ours.Error("something else", "error", errors.New("of another kind"))
	ours.Info("a call was refused", "error", sqldb.ErrUnavailable)
	got := lines.take(t)
	if n := len(got["the database is unavailable; what follows from it is counted"]); n != 1 {
		t.Errorf("the beginning was logged %d times: %v", n, got)
	}
	if first := got["call failed"]; len(first) != 1 || first[0]["i"] != 0.0 || first[0]["node"] != 1.0 {
		t.Errorf("the first call is to be seen, and only that: %v", first)
	}
	if len(got["jobs wait"]) != 1 || len(got["something else"]) != 1 || len(got["a call was refused"]) != 1 {
		t.Errorf("logged %v", got)
	}
	p.Set(func() { p.Cut = false })
	eventually(t, "a call works", func() bool { return db.Write(context.Background(), noting("after")) == nil })
	end := lines.take(t)["the database is available again"]
	if len(end) != 1 {
		t.Fatalf("the end was logged %d times", len(end))
	}
	counts := end[0]["lines"].(map[string]any)
	if n := end[0]["failed_calls"].(float64); n < calls || counts["call failed"] != float64(calls) || counts["jobs wait"] != float64(calls) {
		t.Errorf("the last line is %v", end[0])
	}
	ours.Error("call failed", "error", sqldb.ErrUnavailable) // alone, and late
	if n := len(lines.take(t)["call failed"]); n != 1 {
		t.Errorf("a single line was logged %d times", n)
	}
}

// A writer that loses against others has not found the database away.
func TestConflictsAreNoOutage(t *testing.T) {
	lines, log := newLog()
	_, db := throughProxy(t, sqldb.Config{Log: log})
	do(t, db, "CREATE FUNCTION conflict() RETURNS BIGINT LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001''; END'")
	err := db.Write(context.Background(), func(tx *sqldb.Tx) error { return tx.Do("SELECT conflict()") })
	if !errors.Is(err, sqldb.ErrUnavailable) {
		t.Fatalf("it gave %v", err)
	}
	for range 2 {
		db.Logger().Error("call failed", "error", err)
	}
	if got := lines.take(t); len(got["call failed"]) != 2 || len(got) != 1 {
		t.Errorf("logged %v", got)
	}
}

// A full disk can stay full for long, while reads work. The log must not forget it, nor
// begin anew with each write.
func TestOutageOfWritesIsNotEndedByReads(t *testing.T) {
	lines, log := newLog()
	db := openNotes(t, sqldb.Config{Log: log, LockTimeout: time.Millisecond}.WithOutageRest(time.Nanosecond))
	unlock := lockFile(t, db)
	for range 3 {
		err := db.Write(context.Background(), noting("locked out"))
		if !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("Write gave %v", err)
		}
		db.Logger().Error("take a mail in", "error", err)
		noted(t, db)
	}
	db.PretendOutageSince(2 * time.Minute)
	_ = db.Write(context.Background(), noting("locked out"))
	got := lines.take(t)
	for _, once := range []string{"the database is unavailable; what follows from it is counted", "take a mail in", "the database is still unavailable"} {
		if len(got[once]) != 1 || len(got) != 3 {
			t.Errorf("logged %v", got)
		}
	}
	unlock()
	must(t, db.Write(context.Background(), noting("let in")))
	if end := lines.take(t)["the database is available again"]; len(end) != 1 {
		t.Errorf("the end was logged %d times", len(end))
	}
}

// A caller that leaves before the database answers says nothing about it.
func TestCallerThatLeavesIsNoOutage(t *testing.T) {
	lines, log := newLog()
	p, db := throughProxy(t, sqldb.Config{Log: log})
	for name, read := range map[string]func(context.Context, func(*sqldb.Tx) error) error{"Read": db.Read, "Look": db.Look} {
		ctx, leave := context.WithCancel(context.Background())
		err := read(ctx, func(tx *sqldb.Tx) error {
			p.Set(func() { p.Silent = true })
			leave()
			_, err := countNotes(tx)
			return err
		})
		if err == nil {
			t.Errorf("%s was answered", name)
		}
		p.Set(func() { p.Silent = false })
	}
	// The connection that listens to other processes goes through the proxy, too, and
	// may say that it was cut off.
	if began := lines.take(t)["the database is unavailable; what follows from it is counted"]; len(began) != 0 {
		t.Errorf("an outage began: %v", began)
	}
}
