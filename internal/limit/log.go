package limit

import (
	"context"
	"log/slog"
	"sync/atomic"
)

const (
	// How many lines of one key are written at once, and then per minute.
	linesOfOne, linesOfOneAMinute = 10, 2
	// The same for all keys together, because a caller with many addresses has many
	// keys.
	linesOfAll, linesOfAllAMinute = 200, 120
)

// Log writes lines that strangers cause, without letting them fill the disk. Each
// key gets a few lines, and all keys together not many more. A line says how many
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

// Info writes a line at level Info, if the key may have another one.
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

// Short cuts a text from a caller to a length that suits a log line.
func Short(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
