package desk

import (
	"sync/atomic"
	"time"
)

// RequestRow is what a list shows of a request besides the request itself. It
// depends on the reader and the time.
type RequestRow struct {
	Unread       bool
	Following    bool
	CustomerName string
	Last         *LastMessage // nil if there is no message, or all were removed
	Due          *DueSLA      // nil if nothing is due
	Written      *Written     // nil if the request is not cached
}

// Written caches the encoded forms of a request that is kept in memory, so that
// showing it again need not encode it again.
type Written [4]atomic.Pointer[[]byte]

// LastMessage is the beginning of the last message.
type LastMessage struct {
	ID        MessageID
	Author    Requester
	Text      string // its first line, shortened; empty for a private note
	Responder bool
	Private   bool
	CreatedAt time.Time
}

// DueSLA is the clock of a request that is due next or overdue.
type DueSLA struct {
	Kind     SLAKind
	At       time.Time
	Breached bool
}

// NextDue returns the clock that is due next at a moment; nil for none.
func (r Request) NextDue(now time.Time) (next *DueSLA) {
	for _, s := range r.SLAs {
		if s.Target == 0 || s.End != nil || s.Due == nil || next != nil && !s.Due.Before(next.At) {
			continue
		}
		next = &DueSLA{Kind: s.Kind, At: *s.Due, Breached: s.Due.Before(now)}
	}
	return next
}
