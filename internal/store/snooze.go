package store

import (
	"time"

	"frontdesk/internal/desk"
)

// These are the values of the column snooze.
const (
	snoozed = "snoozed"
	back    = "back"
)

// ofSnooze returns what a column has of a request's snooze: null if there is none.
func ofSnooze(of func(desk.Snooze) any) func(desk.Request) any {
	return func(r desk.Request) any {
		if r.Snooze == nil {
			return nil
		}
		return of(*r.Snooze)
	}
}

// ofBack is ofSnooze for columns that are null until the request is back.
func ofBack(of func(desk.Back) any) func(desk.Request) any {
	return ofSnooze(func(s desk.Snooze) any {
		if s.Back == nil {
			return nil
		}
		return of(*s.Back)
	})
}

func snoozeIs(s desk.Snooze) any {
	if s.Back != nil {
		return back
	}
	return snoozed
}

const snoozeColumns = "r.snoozed_at, r.snoozed_until, r.snoozed_by, s.name, r.back_at, r.back_by"

// snoozeRow is what snoozeColumns has.
type snoozeRow struct {
	at, until, ended *time.Time
	by               desk.MemberID
	name             string
	why              *desk.BackReason
}

func (w *snoozeRow) into() []any {
	return []any{inMSOrNil(&w.at), inMSOrNil(&w.until), orZero(&w.by), orZero(&w.name), inMSOrNil(&w.ended), &w.why}
}

// snooze returns the snooze of the row; nil for none.
func (w snoozeRow) snooze() *desk.Snooze {
	if w.at == nil {
		return nil
	}
	s := &desk.Snooze{At: *w.at, Until: w.until, By: w.by, ByName: w.name}
	if w.ended != nil {
		s.Back = &desk.Back{At: *w.ended, Reason: value(w.why)}
	}
	return s
}

// snoozeRun returns the run of a list of requests that are snoozed or back, or nil
// for any other list. There are never many of them.
func snoozeRun(f desk.RequestFilter) []run {
	switch f.Snoozed {
	case desk.IsSnoozed:
		return []run{{snooze: snoozed}}
	case desk.CameBack:
		return []run{{snooze: back}}
	}
	return nil
}

// narrowSnoozed adds what a list asks about snoozes, unless its run already has it.
func (q *query) narrowSnoozed(f desk.RequestFilter, r run) {
	switch {
	case f.Snoozed == "" || r.snooze != "":
	case f.Snoozed == desk.NotSnoozed:
		q.Add(" AND coalesce(snooze, '') <> '" + snoozed + "'") // no index has this form, and none is wanted
	default:
		q.Add(" AND snooze || '' = ?", snoozeRun(f)[0].snooze)
	}
}
