package desk

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/hours"
	"frontdesk/internal/hours/hourstest"
)

// past is a request with its clocks and its history, as the service would store
// them: each change advances the clocks and adds an entry.
type past struct {
	r       Request
	start   SLAStart
	entries []HistoryEntry
	forward []SLA
	replays int
}

// change changes the request as an operation would.
func (p *past) change(at time.Time, do func(r *Request)) {
	before := p.r.Clone()
	do(&p.r)
	if !equal(before.State, p.r.State) {
		p.entries = append(p.entries, HistoryEntry{ID: HistoryEntryID(len(p.entries) + 1), At: at, Before: before.past(), After: p.r.past()})
	}
	p.r.SLAs = p.forward
	clocks, ok := p.r.Advance(before, p.start, at)
	if !ok {
		clocks, p.replays = p.replayed(), p.replays+1
	}
	p.forward = clocks
}

func (p *past) states() []StateSpan { return p.r.SLAStates(p.start, p.entries) }

func (p *past) replayed() (clocks []SLA) {
	for _, c := range p.forward {
		clocks = append(clocks, c.Replay(p.states(), p.r.FirstResponseAt, p.r.FirstSolvedAt))
	}
	return clocks
}

func drawPast(t *rapid.T) (p *past, now time.Time) {
	zone, about := hourstest.Around(t)
	about = about.Add(-36 * time.Hour)
	p = &past{r: Request{ID: 1, CreatedAt: about, Priority: Normal}}
	p.r.enter(Open, about)
	p.start = p.r.SLAStart(true, about)
	policy := SLAPolicyID(1)
	for _, kind := range []SLAKind{SLAFirstResponse, SLAResolution} {
		c := SLA{Kind: kind, Policy: &policy, Start: about, Target: time.Duration(rapid.IntRange(1, 3000).Draw(t, "target")) * time.Minute}
		if rapid.Bool().Draw(t, "schedule") {
			week, holidays := hourstest.Draw(t, about)
			c.Calendar, _ = hours.New(zone, week, holidays)
		}
		p.forward = append(p.forward, c.Replay(p.states(), nil, nil))
	}
	now = about
	for range rapid.IntRange(0, 12).Draw(t, "changes") {
		now = now.Add(time.Duration(rapid.Int64Range(0, 24*60*60*1000).Draw(t, "later")) * time.Millisecond)
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0: // somebody answers, perhaps reported late
			at := now.Add(-time.Duration(rapid.Int64Range(0, 24*60*60*1000/2).Draw(t, "told late")) * time.Millisecond)
			p.change(now, func(r *Request) { r.Hear(Message{Responder: true, CreatedAt: at}, false, now) })
		case 1: // a change is undone
			if n := len(p.entries); n > 0 && p.entries[n-1].UndoneAt == nil {
				e := &p.entries[n-1]
				e.UndoneAt = &now
				p.r.State, p.r.SolvedAt, p.r.FirstSolvedAt = e.Before.State, e.Before.SolvedAt, e.Before.FirstSolvedAt
				p.entries = append(p.entries, HistoryEntry{At: now, Undoes: e.ID, Before: e.After, After: e.Before})
				p.forward = p.replayed() // as an undo does
			}
		case 2: // it is not a request for a while
			p.change(now, func(r *Request) { as := Temporary; r.mark(&as, now) })
		case 3: // another request, which was answered, is merged into it
			at := now.Add(-time.Duration(rapid.Int64Range(0, 4*24*60*60*1000).Draw(t, "merged")) * time.Millisecond)
			p.change(now, func(r *Request) { _ = r.Absorb([]Request{{FirstResponseAt: &at}}, now) })
		default:
			s := rapid.SampledFrom([]State{Open, InProgress, Pending, OnHold, Solved}).Draw(t, "state")
			p.change(now, func(r *Request) { r.enter(s, now) })
		}
	}
	p.r.SLAs = p.forward
	return p, now
}

// TestSLAForwardsIsReplayed checks that advanced clocks equal those computed from
// the history, in every field.
func TestSLAForwardsIsReplayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := drawPast(t)
		if got := p.replayed(); !reflect.DeepEqual(got, p.forward) {
			t.Fatalf("replayed they are\n%+v, forwards\n%+v\nby %+v", got, p.forward, p.states())
		}
	})
}

// TestSLAProperties checks that the spent time is the sum over the states that
// count, grows with time, equals the intervals, and does not depend on how the
// history is cut up; and that a broken promise stays broken.
func TestSLAProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, last := drawPast(t)
		now := last.Add(time.Duration(rapid.Int64Range(0, 3*24*60*60*1000).Draw(t, "now")) * time.Millisecond)
		later := now.Add(time.Duration(rapid.Int64Range(0, 3*24*60*60*1000).Draw(t, "later")) * time.Millisecond)
		states := p.states()
		explained := p.r.ExplainSLA(states, now)
		for _, c := range p.forward {
			end := now
			if c.End != nil {
				end = *c.End
			}
			var sum time.Duration
			for i, s := range states {
				to := end
				if i+1 < len(states) && states[i+1].From.Before(end) {
					to = states[i+1].From
				}
				if s.State != nil && (*s.State == Open || *s.State == InProgress) {
					sum += c.Calendar.Between(s.From, to)
				}
			}
			if got := c.SpentBy(now); got != sum {
				t.Fatalf("%s: %v are spent, %v by the states %+v", c.Kind, got, sum, states)
			}
			if c.SpentBy(later) < c.SpentBy(now) || c.Breached(now) && !c.Breached(later) {
				t.Fatalf("%s runs backwards from %v to %v", c.Kind, now, later)
			}
			if over, under := c.SpentBy(now) > c.Target, c.SpentBy(now) < c.Target; over && !c.Breached(now) || under && c.Breached(now) {
				t.Fatalf("%s: %v of %v are spent, and breached is %v", c.Kind, c.SpentBy(now), c.Target, c.Breached(now))
			}
			read := explained.Resolution
			if c.Kind == SLAFirstResponse {
				read = explained.FirstResponse
			}
			var counted time.Duration
			for _, in := range read.Intervals {
				counted += in.Counted
			}
			if counted != c.SpentBy(now) || read.Spent != counted {
				t.Fatalf("%s: the intervals are %v, and %v are spent", c.Kind, counted, c.SpentBy(now))
			}
			// Cutting the history in two anywhere changes nothing.
			i := rapid.IntRange(0, len(states)-1).Draw(t, "cut")
			cut := append([]StateSpan{}, states[:i+1]...)
			if i+1 < len(states) {
				between := states[i].From.Add(states[i+1].From.Sub(states[i].From) / 2).Truncate(time.Millisecond)
				cut = append(cut, StateSpan{between, states[i].State})
			}
			cut = append(cut, states[i+1:]...)
			if got := c.Replay(cut, p.r.FirstResponseAt, p.r.FirstSolvedAt); !reflect.DeepEqual(got, c) {
				t.Fatalf("%s: cut at %d it is\n%+v, whole\n%+v", c.Kind, i, got, c)
			}
		}
	})
}

// TestSLATraps lists the ways in which the clocks of requests go wrong.
func TestSLATraps(t *testing.T) {
	at := func(text string) time.Time { return moment(t, "2026-05-"+text+":00Z") }
	nine := Schedule{TimeZone: "UTC", Hours: hours.Week{{{From: 540, To: 1020}}, {{From: 540, To: 1020}}, {{From: 540, To: 1020}}, {{From: 540, To: 1020}}, {{From: 540, To: 1020}}, nil, nil}}
	office, err := nine.Calendar()
	if err != nil {
		t.Fatal(err)
	}
	enter := func(s State, when string) func(*past) {
		return func(p *past) { p.change(at(when), func(r *Request) { r.enter(s, at(when)) }) }
	}
	answer := func(when, told string) func(*past) {
		return func(p *past) {
			p.change(at(told), func(r *Request) { r.Hear(Message{Responder: true, CreatedAt: at(when)}, false, at(told)) })
		}
	}
	for _, trap := range []struct {
		name    string
		kind    SLAKind
		made    string // day and time in May 2026; the 13th is a Wednesday
		target  int    // minutes
		steps   []func(*past)
		now     string
		spent   time.Duration
		value   float64 // as the request shows it; -1 for null
		late    bool
		due     string // empty for none
		status  SLAStatus
		changed bool // the policy changed: its target is 60 at the end
	}{
		{name: "the night is not counted", kind: SLAResolution, made: "13T16:00", target: 120, now: "14T09:30", spent: 90 * time.Minute, value: -1, due: "14T10:00", status: SLARunning},
		{name: "made in the night, due by the end of the day", kind: SLAFirstResponse, made: "12T22:00", target: 480, now: "13T16:00", spent: 7 * time.Hour, value: -1, due: "13T17:00", status: SLARunning},
		{name: "an answer at the last moment is in time", kind: SLAFirstResponse, made: "13T09:00", target: 60, steps: []func(*past){answer("13T10:00", "13T10:00")}, now: "14T09:00", spent: time.Hour, value: 60, due: "13T10:00", status: SLAMet},
		{name: "in the evening it is too late, though nothing was counted since", kind: SLAFirstResponse, made: "13T09:00", target: 480, steps: []func(*past){answer("13T20:00", "13T20:00")}, now: "14T09:00", spent: 8 * time.Hour, value: 480, late: true, due: "13T17:00", status: SLABreached},
		{name: "an answer told late counts when it was said", kind: SLAFirstResponse, made: "13T09:00", target: 60, steps: []func(*past){answer("13T09:30", "13T12:00")}, now: "14T09:00", spent: 30 * time.Minute, value: 30, due: "13T10:00", status: SLAMet},
		{name: "an earlier answer told after a pause", kind: SLAFirstResponse, made: "13T09:00", target: 60, steps: []func(*past){enter(Pending, "13T09:40"), enter(Open, "13T11:00"), answer("13T09:30", "13T12:00")}, now: "14T09:00", spent: 30 * time.Minute, value: 30, due: "13T10:00", status: SLAMet},
		{name: "pending stops the promise and not the value", kind: SLAResolution, made: "13T09:00", target: 120, steps: []func(*past){enter(Pending, "13T10:00"), enter(InProgress, "13T15:00"), enter(Solved, "13T15:30")}, now: "14T09:00", spent: 90 * time.Minute, value: 390, due: "13T16:00", status: SLAMet},
		{name: "on hold does, too", kind: SLAResolution, made: "13T09:00", target: 120, steps: []func(*past){enter(OnHold, "13T10:00")}, now: "14T09:00", spent: time.Hour, value: -1, status: SLAPaused},
		{name: "what was late before a pause stays late", kind: SLAResolution, made: "13T09:00", target: 60, steps: []func(*past){enter(Pending, "13T11:00")}, now: "14T09:00", spent: 2 * time.Hour, value: -1, late: true, due: "13T10:00", status: SLABreached},
		{name: "reopened, the time it was solved does not count", kind: SLAResolution, made: "13T09:00", target: 120, steps: []func(*past){enter(Solved, "13T10:00"), enter(Open, "13T15:00")}, now: "13T15:30", spent: 90 * time.Minute, value: -1, due: "13T16:00", status: SLARunning},
		{name: "solved in the weekend", kind: SLAResolution, made: "15T16:00", target: 120, steps: []func(*past){enter(Solved, "16T12:00")}, now: "20T09:00", spent: time.Hour, value: 60, due: "18T10:00", status: SLAMet},
		{name: "solved without an answer, nobody waits for one", kind: SLAFirstResponse, made: "13T09:00", target: 60, steps: []func(*past){enter(Solved, "13T09:30")}, now: "20T09:00", spent: 30 * time.Minute, value: -1, status: SLAPaused},
		{name: "closed ends it like solved", kind: SLAResolution, made: "13T09:00", target: 60, steps: []func(*past){enter(Closed, "13T11:00")}, now: "20T09:00", spent: 2 * time.Hour, value: 120, late: true, due: "13T10:00", status: SLABreached},
		{name: "no request, no clock", kind: SLAResolution, made: "13T09:00", target: 60, steps: []func(*past){func(p *past) {
			p.change(at("13T09:30"), func(r *Request) { as := Temporary; r.mark(&as, at("13T09:30")) })
		}}, now: "20T09:00", spent: 30 * time.Minute, value: -1, status: SLAPaused},
		{name: "a pause that was undone has not been", kind: SLAResolution, made: "13T09:00", target: 120, steps: []func(*past){enter(Pending, "13T09:30"), func(p *past) {
			undone, e := at("13T10:30"), &p.entries[0]
			e.UndoneAt, p.r.State = &undone, e.Before.State
			p.entries = append(p.entries, HistoryEntry{At: undone, Undoes: e.ID, Before: e.After, After: e.Before})
			p.forward = p.replayed()
		}}, now: "13T10:45", spent: 105 * time.Minute, value: -1, due: "13T11:00", status: SLARunning},
		{name: "merged: an earlier answer of another is the first", kind: SLAFirstResponse, made: "13T09:00", target: 60, steps: []func(*past){func(p *past) {
			earlier := at("13T09:45")
			p.change(at("13T12:00"), func(r *Request) { _ = r.Absorb([]Request{{FirstResponseAt: &earlier}}, at("13T12:00")) })
		}}, now: "14T09:00", spent: 45 * time.Minute, value: 45, due: "13T10:00", status: SLAMet},
		{name: "merged: an answer before it was made took no time", kind: SLAFirstResponse, made: "13T09:00", target: 60, steps: []func(*past){func(p *past) {
			earlier := at("12T12:00")
			p.change(at("13T12:00"), func(r *Request) { _ = r.Absorb([]Request{{FirstResponseAt: &earlier}}, at("13T12:00")) })
		}}, now: "14T09:00", value: 0, status: SLAMet},
		{name: "a policy that is changed is counted anew from the start", kind: SLAResolution, made: "13T09:00", target: 480, steps: []func(*past){enter(Pending, "13T09:30"), enter(Open, "13T12:00")}, now: "13T13:00", spent: 90 * time.Minute, value: -1, late: true, due: "13T12:30", status: SLABreached, changed: true},
	} {
		t.Run(trap.name, func(t *testing.T) {
			made, policy := at(trap.made), SLAPolicyID(1)
			p := &past{r: Request{ID: 1, CreatedAt: made, Priority: Normal}}
			p.r.enter(Open, made)
			p.start = p.r.SLAStart(true, made)
			c := SLA{Kind: trap.kind, Policy: &policy, Start: made, Target: time.Duration(trap.target) * time.Minute, Calendar: office}
			p.forward = []SLA{c.Replay(p.states(), nil, nil)}
			for _, step := range trap.steps {
				step(p)
			}
			if trap.changed {
				p.forward[0].Target = time.Hour
				p.forward = p.replayed()
			}
			p.r.SLAs = p.forward
			now, m := at(trap.now), p.r.Metrics()
			read := p.r.ExplainSLA(p.states(), now)
			one, value := read.Resolution, m.Resolution
			if trap.kind == SLAFirstResponse {
				one, value = read.FirstResponse, m.FirstResponse
			}
			due := ""
			if one.Due != nil {
				due = strings.TrimPrefix(one.Due.Format("2006-01-02T15:04"), "2026-05-")
			}
			if one.Spent != trap.spent || due != trap.due || one.Status != trap.status || *one.Late != trap.late {
				t.Errorf("spent %v, due %q, %s, late %v; not %v, %q, %s, %v", one.Spent, due, one.Status, *one.Late, trap.spent, trap.due, trap.status, trap.late)
			}
			switch {
			case trap.value < 0 && value != nil:
				t.Errorf("the value is %v, and there is none yet", *value)
			case trap.value >= 0 && (value == nil || value.Minutes != trap.value || value.Breached == nil || *value.Breached != trap.late):
				t.Errorf("the value is %+v, not %v", value, trap.value)
			}
		})
	}
}

// TestSLAFirstResolution checks that the result of the first resolution stays,
// however often the request is reopened. For an import it is what is known.
func TestSLAFirstResolution(t *testing.T) {
	at := func(text string) time.Time { return moment(t, "2026-05-13T"+text+":00Z") }
	policy := SLAPolicyID(1)
	p := &past{r: Request{ID: 1, CreatedAt: at("09:00")}}
	p.r.enter(Open, at("09:00"))
	p.start = p.r.SLAStart(true, at("09:00"))
	p.forward = []SLA{SLA{Kind: SLAResolution, Policy: &policy, Start: at("09:00"), Target: time.Hour}.Replay(p.states(), nil, nil)}
	for _, step := range []struct {
		state State
		when  string
	}{{Solved, "09:30"}, {Open, "10:00"}, {Solved, "12:00"}} {
		p.change(at(step.when), func(r *Request) { r.enter(step.state, at(step.when)) })
	}
	p.r.SLAs = p.forward
	if m := p.r.Metrics(); *m.FirstResolution.Breached || !*m.Resolution.Breached || m.FirstResolution.Minutes != 30 || m.Resolution.Minutes != 180 {
		t.Errorf("first %+v (%v), last %+v (%v)", m.FirstResolution, *m.FirstResolution.Breached, m.Resolution, *m.Resolution.Breached)
	}
	if p.replays != 0 {
		t.Errorf("%d changes needed the history", p.replays)
	}

	open, solved := Open, at("11:00")
	imported := Request{ID: 2, CreatedAt: at("09:00"), State: &open, FirstSolvedAt: &solved}
	start := imported.SLAStart(true, at("09:00"))
	imported.SLAs = []SLA{SLA{Kind: SLAResolution, Policy: &policy, Start: at("09:00"), Target: time.Hour}.Replay(imported.SLAStates(start, nil), nil, &solved)}
	if m := imported.Metrics(); m.Resolution != nil || !*m.FirstResolution.Breached {
		t.Errorf("an import that was solved once: %+v", m)
	}
}

// TestSLAIntervalsAreBounded checks that the oldest intervals of a long life become
// one, and that nothing is lost.
func TestSLAIntervalsAreBounded(t *testing.T) {
	c, err := Schedule{TimeZone: "Europe/Berlin", Hours: hours.Week{{{From: 540, To: 1020}}, {{From: 540, To: 1020}}, {{From: 540, To: 1020}}, {{From: 540, To: 1020}}, {{From: 540, To: 1020}}}}.Calendar()
	if err != nil {
		t.Fatal(err)
	}
	made := moment(t, "2023-05-13T09:00:00Z")
	r := Request{CreatedAt: made}
	r.enter(Open, made)
	states, now := r.SLAStates(r.SLAStart(true, made), nil), made.AddDate(3, 0, 0)
	r.SLAs = []SLA{SLA{Kind: SLAResolution, Start: made, Calendar: c}.Replay(states, nil, nil)}
	read := r.ExplainSLA(states, now).Resolution
	var sum time.Duration
	for _, in := range read.Intervals {
		sum += in.Counted
	}
	if len(read.Intervals) != MostIntervals || read.Merged == 0 || sum != c.Between(made, now) || !read.Intervals[0].From.Equal(made) || read.Intervals[0].Why != whyMerged {
		t.Errorf("there are %d, of which the first is %+v; %d were merged, and %v counted", len(read.Intervals), read.Intervals[0], read.Merged, sum)
	}
	short := r.ExplainSLA(states, made.AddDate(0, 3, 0)).Resolution
	if short.Merged != 0 || len(short.Intervals) > MostIntervals {
		t.Errorf("of three months, %d were merged", short.Merged)
	}
}

func TestWhichPolicyApplies(t *testing.T) {
	yes, acme, other := true, CustomerID(7), CustomerID(8)
	here, there := CollectionID(1), CollectionID(2)
	policy := func(id SLAPolicyID, position int, ch func(*SLAPolicy)) SLAPolicy {
		p := SLAPolicy{ID: id, Kind: SLAResolution, Enabled: true, Position: position}
		if ch != nil {
			ch(&p)
		}
		return p
	}
	start := SLAStart{Collection: here, Priority: High, Customer: &acme}
	for _, c := range []struct {
		name     string
		policies []SLAPolicy
		want     SLAPolicyID // 0 for none
	}{
		{"none", nil, 0},
		{"the lowest position", []SLAPolicy{policy(1, 2, nil), policy(2, 1, nil)}, 2},
		{"of two at one position, the older", []SLAPolicy{policy(2, 1, nil), policy(1, 1, nil)}, 1},
		{"not one that is disabled", []SLAPolicy{policy(1, 1, func(p *SLAPolicy) { p.Enabled = false }), policy(2, 2, nil)}, 2},
		{"not of another kind", []SLAPolicy{policy(1, 1, func(p *SLAPolicy) { p.Kind = SLAFirstResponse })}, 0},
		{"of its collection", []SLAPolicy{policy(1, 1, func(p *SLAPolicy) { p.Collection = &there }), policy(2, 2, func(p *SLAPolicy) { p.Collection = &here })}, 2},
		{"of its priority", []SLAPolicy{policy(1, 1, func(p *SLAPolicy) { p.Conditions.Priorities = []Priority{Urgent, Low} }), policy(2, 2, func(p *SLAPolicy) { p.Conditions.Priorities = []Priority{Urgent, High} })}, 2},
		{"of its customer", []SLAPolicy{policy(1, 1, func(p *SLAPolicy) { p.Conditions.Customers = []CustomerID{other} }), policy(2, 2, func(p *SLAPolicy) { p.Conditions.Customers = []CustomerID{other, acme} })}, 2},
		{"with a ticket", []SLAPolicy{policy(1, 1, func(p *SLAPolicy) { p.Conditions.HasTicket = &yes }), policy(2, 2, nil)}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got SLAPolicyID
			if p := Applying(c.policies, SLAResolution, start); p != nil {
				got = p.ID
			}
			if got != c.want {
				t.Errorf("policy %d applies, not %d", got, c.want)
			}
		})
	}
	if p := policy(1, 1, func(p *SLAPolicy) { p.Conditions.Customers = []CustomerID{acme} }); p.AppliesTo(SLAStart{Priority: High}) {
		t.Error("a policy for a customer applies to a request of none")
	}
}

func TestSLAOneTouch(t *testing.T) {
	most, at := 1, moment(t, "2026-05-13T09:00:00Z")
	policy := SLAPolicyID(1)
	c := SLA{Kind: SLAOneTouch, Policy: &policy, MaxReplies: &most, Replies: 5}
	if c.Breached(at) {
		t.Error("it is breached before it is resolved")
	}
	c.End = &at
	if !c.Breached(at) {
		t.Error("five replies are not more than one")
	}
	if c.Replies = 1; c.Breached(at) {
		t.Error("one reply is more than one")
	}
}
