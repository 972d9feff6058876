package limit

import (
	"context"
	"log/slog"
	"sync/atomic"
)

const (
	// Of one key so many lines are written at once, and so many a minute after.
	linesOfOne, linesOfOneAMinute = 10, 2
	// Of all together likewise: whoever has many addresses has many keys.
	linesOfAll, linesOfAllAMinute = 200, 120
)

// Log writes lines that strangers cause, and does not let them fill the disk:
// each key has few, and all of them together not many more. A line says how many
// were left out before it.
type Log struct {
	log     *slog.Logger
	one     *Buckets[string]
	all     *Buckets[struct{}]
	leftOut atomic.Int64
}

// NewLog returns a Log that writes to log.
func NewLog(log *slog.Logger) *Log {
	return &Log{log: log, one: New[string](linesOfOneAMinute, linesOfOne), all: New[struct{}](linesOfAllAMinute, linesOfAll)}
}

// Info writes a line at Info, if the key may have one more.
func (l *Log) Info(ctx context.Context, key, message string, attrs ...any) {
	if !l.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	if _, wait := l.one.Take(key); wait > 0 {
		l.leftOut.Add(1)
		return
	}
	if _, wait := l.all.Take(struct{}{}); wait > 0 {
		l.leftOut.Add(1)
		return
	}
	if n := l.leftOut.Swap(0); n > 0 {
		attrs = append(attrs, "left_out_before", n)
	}
	l.log.InfoContext(ctx, message, attrs...)
}

// Short cuts a text that a caller has sent to what a line of a log can hold.
func Short(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
