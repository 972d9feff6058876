package desk

import (
	"testing"
	"time"
)

// asleep returns an open request that Jo snoozed at noon, until a time or with nil
// until the requester writes.
func asleep(until *time.Time) Request {
	r := inState(Open)
	r.Snooze = &Snooze{Until: until, At: noon, By: 7, ByName: "Jo"}
	return r
}

// backBy returns a request that came back for a reason at noon.
func backBy(why BackReason) Request {
	r := asleep(nil)
	r.Wake(why, noon)
	return r
}

func TestSnoozeIsChecked(t *testing.T) {
	in := func(d time.Duration) Nullable[SnoozeUntil] {
		until := noon.Add(d)
		return Just(SnoozeUntil{&until})
	}
	solved, pending := Solved, Pending
	for name, tt := range map[string]struct {
		r      Request
		ch     RequestChange
		want   string // "" if it is snoozed then
		awake  bool   // and not snoozed either
		before bool
	}{
		"until the requester writes": {r: inState(Open), ch: RequestChange{Snooze: Just(SnoozeUntil{})}},
		"in a moment":                {r: inState(OnHold), ch: RequestChange{Snooze: in(time.Millisecond)}},
		"in two years":               {r: inState(Pending), ch: RequestChange{Snooze: in(LongestSnooze)}},
		"again":                      {r: asleep(nil), ch: RequestChange{Snooze: in(time.Hour)}},
		"with a state":               {r: inState(Open), ch: RequestChange{Snooze: in(time.Hour), State: &pending}},
		"a solved one reopens":       {r: inState(Solved), ch: RequestChange{Snooze: in(time.Hour), State: &pending}},
		"now":                        {r: inState(Open), ch: RequestChange{Snooze: in(0)}, want: "snooze.until must be in the future"},
		"in more than two years":     {r: inState(Open), ch: RequestChange{Snooze: in(LongestSnooze + 1)}, want: "snooze.until must be at most two years ahead"},
		"solved":                     {r: inState(Solved), ch: RequestChange{Snooze: in(time.Hour)}, want: "snooze must be null: only a request that is neither solved nor closed can be snoozed"},
		"while it is solved":         {r: inState(Open), ch: RequestChange{Snooze: in(time.Hour), State: &solved}, want: "snooze must be null: only a request that is neither solved nor closed can be snoozed"},
		"not a request":              {r: inState(Open), ch: RequestChange{Snooze: in(time.Hour), NotARequest: Just(Temporary)}, want: "snooze must be null: only a request that is neither solved nor closed can be snoozed"},
		"taken back":                 {r: asleep(nil), ch: RequestChange{Snooze: Null[SnoozeUntil]()}, awake: true},
		"taken back twice":           {r: inState(Solved), ch: RequestChange{Snooze: Null[SnoozeUntil]()}, awake: true},
	} {
		r := tt.r.Clone()
		tt.ch.By = Actor{ID: 9, Name: "Mira"}
		err := r.Apply(tt.ch, RequestRules{OnHoldAllowed: true}, noon)
		if tt.want != "" {
			if e, ok := err.(*Error); !ok || len(e.Fields) != 1 || e.Fields[0].Field+" "+e.Fields[0].Message != tt.want || r.Snooze != tt.r.Snooze {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
			continue
		}
		if err != nil || r.Asleep() == tt.awake || r.Asleep() && (r.Snooze.By != 9 || r.Snooze.ByName != "Mira" || !r.Snooze.At.Equal(noon)) {
			t.Errorf("%s: %v, %+v", name, err, r.Snooze)
		}
	}
}

// What ends a snooze, and what forgets that a request came back.
func TestWake(t *testing.T) {
	until, later, text := noon.Add(time.Hour), noon.Add(time.Minute), "Scanner"
	state := func(s State) func(*Request) {
		return func(r *Request) {
			if err := r.Apply(RequestChange{State: &s}, RequestRules{OnHoldAllowed: true}, later); err != nil {
				t.Error(err)
			}
		}
	}
	hears := func(m Message) func(*Request) { return func(r *Request) { r.Hear(m, false, later) } }
	type is = string // asleep, back for a reason, or nothing
	for name, tt := range map[string]struct {
		do           func(*Request)
		asleep, back is
	}{
		"a requester's message":      {hears(Message{CreatedAt: later}), "message", "time"},
		"a requester's thanks":       {hears(Message{Idle: true, CreatedAt: later}), "message", "time"},
		"a message answered already": {func(r *Request) { r.Hear(Message{CreatedAt: later}, true, later) }, "asleep", "time"},
		"a responder's message":      {hears(Message{Responder: true, CreatedAt: later}), "asleep", ""},
		"a note":                     {hears(Message{Responder: true, Private: true, CreatedAt: later}), "asleep", "time"},
		"a reaction":                 {func(r *Request) { r.Acknowledge(later) }, "asleep", ""},
		"a time":                     {func(r *Request) { r.Wake(BackByTime, later) }, "time", "time"},
		"another title":              {func(r *Request) { _ = r.Apply(RequestChange{Title: &text}, RequestRules{}, later) }, "asleep", ""},
		"another open state":         {state(Pending), "asleep", ""},
		"solving":                    {state(Solved), "", ""},
		"closing":                    {state(Closed), "", ""},
		"marking as no request":      {func(r *Request) { r.Withdraw(later) }, "", ""},
	} {
		for _, r := range []struct {
			Request
			want is
		}{{asleep(&until), tt.asleep}, {asleep(nil), tt.asleep}, {backBy(BackByTime), tt.back}} {
			was := *r.Snooze
			tt.do(&r.Request)
			got := ""
			if s := r.Snooze; s != nil && s.Back != nil {
				got = string(s.Back.Reason)
			} else if s != nil {
				got = "asleep"
			}
			if got != r.want {
				t.Errorf("%s, of %+v: %q, want %q", name, was, got, r.want)
			}
		}
	}
}

// A message wakes once, whatever comes after it; that a request came back is told,
// and that somebody has seen to it is not.
func TestWakeOnce(t *testing.T) {
	r := asleep(nil)
	before := r.Clone()
	if !r.Wake(BackByMessage, noon) || r.Wake(BackByTime, noon) || r.Snooze.Back.Reason != BackByMessage || before.Snooze.Back != nil {
		t.Errorf("woken as %+v, was %+v", r.Snooze.Back, before.Snooze)
	}
	if before.SameAs(r) || !r.SameAs(inState(Open)) {
		t.Error("an entry is due for coming back, and for nothing else")
	}
}

// Undoing brings a snooze back, or ends one.
func TestUndoSnooze(t *testing.T) {
	until := noon.Add(time.Hour)
	snooze := RequestChange{Snooze: Just(SnoozeUntil{&until}), By: Actor{ID: 9}}
	for name, tt := range map[string]struct {
		changes []RequestChange // the last is undone
		want    bool            // it is snoozed afterwards
	}{
		"a snooze":              {[]RequestChange{snooze}, false},
		"the end of a snooze":   {[]RequestChange{snooze, {Snooze: Null[SnoozeUntil]()}}, true},
		"solving a snoozed one": {[]RequestChange{snooze, changing(Solved)}, true},
		"reopening":             {[]RequestChange{changing(Solved), changing(Open)}, false},
	} {
		r := inState(Open)
		entries := history(&r, tt.changes...)
		if err := r.Restore(entries[0], RequestRules{}, *at(60)); err != nil || r.Asleep() != tt.want || tt.want && (!r.Snooze.Until.Equal(until) || r.Snooze.By != 9) {
			t.Errorf("%s: %v, %+v", name, err, r.Snooze)
		}
	}
	// What was reopened and snoozed is solved again, so it is not snoozed.
	r := inState(Solved)
	entries := history(&r, changing(Open), snooze)
	if err := r.Restore(entries[1], RequestRules{}, *at(60)); err != nil || r.Snooze != nil || !r.In(Solved) {
		t.Errorf("reopening undone: %v, %+v", err, r.Snooze)
	}
	if err := r.Restore(entries[0], RequestRules{}, *at(60)); KindOf(err) != Refused {
		t.Errorf("undoing a snooze that has ended: %v", err)
	}
}
