package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// While a database is away, everything that uses it fails, hundreds of times a
// second, and everything says so. An outage keeps the log short:
//
//  1. It begins with the first call that finds the database unavailable, and one line
//     says so.
//  2. The first line of each kind about it is logged as it is, so that a single call
//     that failed can be found. Further ones are counted, and logged at Debug.
//  3. It ends with a call that works, after outageRest without one that does not. If
//     writes failed, only a write ends it: a disk that is full and a standby that
//     hangs leave reads alone. One line says so, how long it took, and what was
//     counted.
//  4. A line repeats the counts every outageRemind, because an outage may also be a
//     disk that is full for days.
//
// Conflicts with other writers are no outage, because the database does answer. Nor are
// callers that left before it did.
type outage struct {
	log  *slog.Logger
	rest time.Duration // outageRest
	on   atomic.Bool

	mu     sync.Mutex
	since  time.Time
	writes bool           // failed
	last   time.Time      // when a call last failed
	said   time.Time      // when a line was last logged
	calls  int            // that failed
	counts map[string]int // of lines about it, by message
}

const (
	// outageRest is longer than a write may take to fail. Some writes work in between,
	// because they find nothing to do.
	outageRest   = 15 * time.Second
	outageRemind = time.Minute
)

// isOutage reports whether err says that the database does not work.
func isOutage(err error) bool {
	return errors.Is(err, ErrUnavailable) && !errors.Is(err, errConflict) && !errors.Is(err, errClosing)
}

// observeRead takes the result of a call that reads, and returns it. The end of ctx ends
// statements that read, which looks like an outage.
func (o *outage) observeRead(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return o.observe(err, false)
}

// observeWrite is observeRead for a call that writes.
func (o *outage) observeWrite(err error) error { return o.observe(err, true) }

func (o *outage) observe(err error, write bool) error {
	switch {
	case err == nil:
		if o.on.Load() {
			o.end(time.Now(), write)
		}
	case isOutage(err):
		o.begin(time.Now(), err, write)
	}
	return err
}

func (o *outage) begin(now time.Time, err error, write bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.on.Load() {
		o.since, o.writes, o.calls, o.counts = now, false, 0, map[string]int{}
		o.said = now
		o.on.Store(true)
		o.log.Error("the database is unavailable; what follows from it is counted", "error", err)
	}
	o.last = now
	o.writes = o.writes || write
	o.calls++
	if now.Sub(o.said) >= outageRemind {
		o.said = now
		o.log.Error("the database is still unavailable", append(o.summary(now), "error", err)...)
	}
}

func (o *outage) end(now time.Time, write bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.on.Load() || now.Sub(o.last) < o.rest || o.writes && !write {
		return
	}
	o.on.Store(false)
	o.log.Warn("the database is available again", o.summary(o.last)...)
}

// summary returns what was counted until now.
func (o *outage) summary(now time.Time) []any {
	var counts []any
	for _, message := range slices.Sorted(maps.Keys(o.counts)) {
		counts = append(counts, slog.Int(message, o.counts[message]))
	}
	return []any{"seconds", now.Sub(o.since).Seconds(), "failed_calls", o.calls, slog.Group("lines", counts...)}
}

// hold counts a line about the outage. It returns false for the first of its kind, which
// is logged as it is.
func (o *outage) hold(message string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.on.Load() {
		return false
	}
	o.counts[message]++
	return o.counts[message] > 1
}

// Logger returns Config.Log for everybody who uses the database: it keeps lines about
// an outage short.
func (db *DB) Logger() *slog.Logger { return slog.New(&outageLog{db.outage.log.Handler(), db.outage}) }

// outageLog is a handler that holds lines back whose error says that the database is
// unavailable, or that a caller's time ended while it waited for it.
type outageLog struct {
	slog.Handler
	outage *outage
}

func (h *outageLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn || !h.outage.on.Load() || !isAboutOutage(r) || !h.outage.hold(r.Message) {
		return h.Handler.Handle(ctx, r)
	}
	if !h.Handler.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	r.Level = slog.LevelDebug
	return h.Handler.Handle(ctx, r)
}

// isAboutOutage reports whether a line has an error of the database.
func isAboutOutage(r slog.Record) (found bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		found = ok && (isOutage(err) || errors.Is(err, errWait))
		return !found
	})
	return found
}

func (h *outageLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &outageLog{h.Handler.WithAttrs(attrs), h.outage}
}

func (h *outageLog) WithGroup(name string) slog.Handler {
	return &outageLog{h.Handler.WithGroup(name), h.outage}
}
