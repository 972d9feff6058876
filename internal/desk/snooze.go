package desk

import "time"

// Snooze says that a request is put aside for everybody: nothing is to be done
// before a time, or before the requester writes. It stays in the row when it is
// over, until somebody does something with the request.
type Snooze struct {
	Until  *time.Time // nil: until the requester writes
	At     time.Time
	By     MemberID
	ByName string // current name
	Back   *Back  // nil while it lasts
}

func (Snooze) Named() (resource, id string) { return "Snooze", "" }

// Back says when and why a snoozed request came back by itself.
type Back struct {
	At     time.Time
	Reason BackReason
}

// BackReason is what ended a snooze.
type BackReason string

const (
	BackByTime    BackReason = "time"    // the chosen time came
	BackByMessage BackReason = "message" // the requester wrote
)

// Snoozed selects requests by their snooze. The zero value selects all.
type Snoozed string

const (
	IsSnoozed  Snoozed = "true"
	NotSnoozed Snoozed = "false" // never, not any more, or back
	CameBack   Snoozed = "back"  // nobody has done anything with them since
)

// SnoozeUntil is how a change snoozes a request: until a time at the latest, or with
// nil until the requester writes.
type SnoozeUntil struct{ Until *time.Time }

const (
	// MostSnoozed is how many requests of an account can be snoozed or back. A list
	// without the snoozed ones reads past them, so this bounds what it costs.
	MostSnoozed = 5000

	// LongestSnooze is how far ahead the end of a snooze can be.
	LongestSnooze = 2 * 365 * 24 * time.Hour
)

// ErrTooManySnoozed refuses to snooze one more request.
var ErrTooManySnoozed = Errorf(Invalid, "At most %d requests can be snoozed or back at the same time. Bring some back or solve them first.", MostSnoozed)

// Asleep reports whether the request is snoozed now.
func (r Request) Asleep() bool { return r.Snooze != nil && r.Snooze.Back == nil }

// sleeping returns the snooze while it lasts, otherwise nil.
func (r Request) sleeping() *Snooze {
	if !r.Asleep() {
		return nil
	}
	return r.Snooze
}

// doze snoozes the request, or with nil ends its snooze.
func (r *Request) doze(p *patch, until *SnoozeUntil, by Actor, now time.Time) {
	switch {
	case until == nil:
		r.Snooze = nil
		return
	case r.State == nil || r.State.Done():
		p.Add("snooze", "must be null: only a request that is neither solved nor closed can be snoozed")
	case until.Until != nil && !until.Until.After(now):
		p.Add("snooze.until", "must be in the future")
	case until.Until != nil && until.Until.Sub(now) > LongestSnooze:
		p.Add("snooze.until", "must be at most two years ahead")
	}
	r.Snooze = &Snooze{Until: until.Until, At: now, By: by.ID, ByName: by.Name}
}

// Wake ends the snooze of the request for a reason. It reports whether the request
// was snoozed.
func (r *Request) Wake(why BackReason, now time.Time) bool {
	if !r.Asleep() {
		return false
	}
	s := *r.Snooze
	s.Back = &Back{At: now, Reason: why}
	r.Snooze = &s
	return true
}

// attend forgets that the request came back: somebody does something with it.
func (r *Request) attend() {
	if r.Snooze != nil && r.Snooze.Back != nil {
		r.Snooze = nil
	}
}

// sameSleep reports whether two requests are snoozed in the same way, or both are
// not snoozed.
func sameSleep(a, b Request) bool {
	s, t := a.sleeping(), b.sleeping()
	if s == nil || t == nil {
		return s == t
	}
	return s.At.Equal(t.At) && s.By == t.By && SameTime(s.Until, t.Until)
}

// SameTime reports whether two times that may be missing are the same.
func SameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// snoozeField is the snooze in a history. What the history shows, and what an undo
// brings back, is the snooze itself; that the request came back is no change.
var snoozeField = requestField{"snooze",
	func(r Request) any {
		if s := r.sleeping(); s != nil {
			return &SnoozeUntil{s.Until}
		}
		return nil
	},
	sameSleep,
	func(r *Request, to Request) { r.Snooze = to.sleeping() }}
