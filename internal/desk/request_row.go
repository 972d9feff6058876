package desk

import (
	"sync/atomic"
	"time"
)

// RequestRow is what a list shows of a request beside the request itself: to one
// reader, at one moment.
type RequestRow struct {
	Unread       bool
	CustomerName string
	Last         *LastMessage // nil where nothing was said, or all of it was removed
	Due          *DueSLA      // nil where nothing is due
	Written      *Written     // nil where it is not kept
}

// Written is a place for what was written of a request that is kept in memory,
// beside it: whoever shows the same once more need not write it again.
type Written [4]atomic.Pointer[[]byte]

// LastMessage is the beginning of what was said last.
type LastMessage struct {
	ID        MessageID
	Author    Requester
	Text      string // its first line, cut; empty for a private note
	Responder bool
	Private   bool
	CreatedAt time.Time
}

// DueSLA is the clock of a request that is due next, or is overdue.
type DueSLA struct {
	Kind     SLAKind
	At       time.Time
	Breached bool
}

// NextDue is the clock that is due next at a moment; nil for none.
func (r Request) NextDue(now time.Time) (next *DueSLA) {
	for _, s := range r.SLAs {
		if s.Target == 0 || s.End != nil || s.Due == nil || next != nil && !s.Due.Before(next.At) {
			continue
		}
		next = &DueSLA{Kind: s.Kind, At: *s.Due, Breached: s.Due.Before(now)}
	}
	return next
}
