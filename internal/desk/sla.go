package desk

import (
	"slices"
	"time"

	"frontdesk/internal/hours"
)

// SLA is a clock of a request: what was promised, and how much of it is spent. It
// runs while the request is open or in progress. It stands still while the request
// is pending, on hold, or not a request. It ends when the request is answered or
// resolved. A clock without a policy measures by its calendar and promises nothing.
//
// The state is small on purpose: a change to the request advances it without the
// history, and Replay computes the same from the history.
type SLA struct {
	Kind       SLAKind
	Policy     *SLAPolicyID
	Target     time.Duration // 0 if nothing is promised
	MaxReplies *int          // for one_touch
	Schedule   *ScheduleVersionID
	Calendar   *hours.Calendar // of Schedule; nil for calendar time
	Start      time.Time

	Spent time.Duration // up to Since, or up to where it stopped
	Since *time.Time    // running since then; nil if it does not run
	End   *time.Time    // when it was answered or resolved, as long as it is
	// Due is the first moment at which the target is used up. It is set while the
	// clock runs, and after it was reached. Anything later is late.
	Due *time.Time
	// FirstBreached says whether the first resolution was late; nil before it.
	FirstBreached *bool
	Replies       int        // replies of responders until the end, if they count
	ToldAt        *time.Time // when the breach was reported; nil if it was not
}

// counts reports whether a request's clocks run in a state.
func (s *State) counts() bool { return s != nil && (*s == Open || *s == InProgress) }

// why says why the clocks do not run.
func (s *State) why() string {
	switch {
	case s == nil:
		return whyNoRecord
	case *s == Closed:
		return string(Solved)
	}
	return string(*s)
}

// run starts the clock or resumes it.
func (c *SLA) run(at time.Time) {
	c.reopen()
	if c.Since != nil {
		return
	}
	c.Since = &at
	if c.Target > 0 && c.Spent < c.Target {
		c.Due = nil
		if due, ok := c.Calendar.After(at, c.Target-c.Spent); ok {
			c.Due = &due
		}
	}
}

// stop pauses the clock. A target that was not reached is no longer due.
func (c *SLA) stop(at time.Time) {
	c.reopen()
	if c.Since == nil {
		return
	}
	c.spend(at)
	if c.Due != nil && c.Due.After(at) {
		c.Due = nil
	}
}

// reopen undoes the end of the clock.
func (c *SLA) reopen() {
	if c.End != nil && c.Due != nil && c.Due.After(*c.End) {
		c.Due = nil
	}
	c.End = nil
}

// finish ends the clock.
func (c *SLA) finish(at time.Time) {
	if c.End != nil {
		return
	}
	c.spend(at)
	c.End = &at
	if c.Kind == SLAResolution && c.FirstBreached == nil && c.Target > 0 {
		late := c.Breached(at)
		c.FirstBreached = &late
	}
}

func (c *SLA) spend(at time.Time) {
	if c.Since != nil {
		c.Spent += c.Calendar.Between(*c.Since, at)
		c.Since = nil
	}
}

// enter advances the clock when the request enters a state. The first response
// clock has its own end.
func (c *SLA) enter(s *State, at time.Time) {
	switch {
	case s.counts():
		c.run(at)
	case s != nil && s.Done() && c.Kind != SLAFirstResponse:
		c.finish(at)
	default:
		c.stop(at)
	}
}

// SpentBy returns how much is spent by a moment.
func (c SLA) SpentBy(now time.Time) time.Duration {
	if c.Since == nil {
		return c.Spent
	}
	return c.Spent + c.Calendar.Between(*c.Since, now)
}

// Breached reports whether the promise is broken by a moment.
func (c SLA) Breached(now time.Time) bool {
	if c.Kind == SLAOneTouch {
		return c.MaxReplies != nil && c.End != nil && c.Replies > *c.MaxReplies
	}
	if c.End != nil && c.End.Before(now) {
		now = *c.End
	}
	return c.Target > 0 && c.Due != nil && c.Due.Before(now)
}

// LateFrom returns when a promise of a time is broken, which may be in the future.
// It returns nil if the promise was kept or the clock stands still.
func (c SLA) LateFrom() *time.Time {
	if c.Target == 0 || c.Due == nil || c.End != nil && !c.Due.Before(*c.End) {
		return nil
	}
	from := c.Due.Add(time.Millisecond)
	return &from
}

// Promises reports whether a policy applies.
func (c SLA) Promises() bool { return c.Policy != nil }

// StateSpan is a state of a request and its start.
type StateSpan struct {
	From  time.Time
	State *State
}

// Replay computes the clock from the states of the request, the first of them at
// the start. answered is when it was first answered, nil for not yet, and resolved
// when it was first resolved.
func (c SLA) Replay(states []StateSpan, answered, resolved *time.Time) SLA {
	c.Spent, c.Since, c.End, c.Due, c.FirstBreached = 0, nil, nil, nil, nil
	for i, s := range states {
		// A change at the moment of the answer counts as after it.
		if c.Kind == SLAFirstResponse && answered != nil && (s.From.After(*answered) || i > 0 && s.From.Equal(*answered)) {
			break
		}
		c.enter(s.State, s.From)
	}
	if c.Kind == SLAFirstResponse && answered != nil {
		c.finish(*answered)
	}
	// For an import we may know that it was once resolved, but not that it was
	// reopened.
	if c.Kind == SLAResolution && c.Target > 0 && resolved != nil && c.FirstBreached == nil {
		cut := c.Replay(until(states, *resolved), nil, nil)
		cut.finish(*resolved)
		c.FirstBreached = cut.FirstBreached
	}
	return c
}

// until returns the states before a moment.
func until(states []StateSpan, at time.Time) []StateSpan {
	n := slices.IndexFunc(states, func(s StateSpan) bool { return !s.From.Before(at) })
	if n < 0 {
		return states
	}
	return states[:n]
}

// SLAStates returns the request's states since its clocks started, from its
// changes. Undone changes and undos count as if they never happened.
func (r Request) SLAStates(start SLAStart, changes []HistoryEntry) []StateSpan {
	first, solved := r.State, r.SolvedAt
	began := r.ClocksFrom(start)
	var later []StateSpan
	for _, e := range changes {
		if e.Undoes != 0 || e.UndoneAt != nil || equal(e.Before.State, e.After.State) {
			continue
		}
		if later == nil {
			first, solved = e.Before.State, e.Before.SolvedAt
		}
		later = append(later, StateSpan{e.At, e.After.State})
	}
	states := []StateSpan{{began, first}}
	if first != nil && first.Done() { // it was imported with its past
		open := Open
		states[0].State = &open
		if solved != nil {
			states = append(states, StateSpan{*solved, first})
		}
	}
	return append(states, later...)
}

// ClocksFrom returns when the request's clocks started.
func (r Request) ClocksFrom(start SLAStart) time.Time {
	if start.Since != nil {
		return *start.Since
	}
	return r.CreatedAt
}

// Advance updates the request's clocks after a change. It returns false if
// something happened before what the clocks have already counted; then only the
// history can tell.
func (r Request) Advance(before Request, start SLAStart, now time.Time) ([]SLA, bool) {
	clocks := slices.Clone(r.SLAs)
	for i := range clocks {
		c := &clocks[i]
		if !c.Start.Equal(r.ClocksFrom(start)) {
			return nil, false
		}
		if c.Kind == SLAFirstResponse {
			if !equalTime(before.FirstResponseAt, r.FirstResponseAt) {
				if before.FirstResponseAt != nil || c.Since == nil || !r.FirstResponseAt.After(*c.Since) {
					return nil, false
				}
				c.finish(*r.FirstResponseAt)
			}
			if r.FirstResponseAt != nil {
				continue
			}
		}
		if !equal(before.State, r.State) {
			c.enter(r.State, now)
		}
	}
	return clocks, true
}

func equalTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// clock returns the request's clock of a kind, nil if there is none.
func (r Request) clock(kind SLAKind) *SLA {
	for i := range r.SLAs {
		if r.SLAs[i].Kind == kind {
			return &r.SLAs[i]
		}
	}
	return nil
}

// SLABreach is a broken promise, as the feed shows it.
type SLABreach struct {
	Kind   SLAKind
	Policy SLAPolicyID
	Due    *time.Time // nil for replies
}

// Same reports whether two clocks are equal in every stored field.
func (c SLA) Same(o SLA) bool {
	return c.Kind == o.Kind && equal(c.Policy, o.Policy) && c.Target == o.Target && equal(c.MaxReplies, o.MaxReplies) && equal(c.Schedule, o.Schedule) &&
		c.Start.Equal(o.Start) && c.Spent == o.Spent && equalTime(c.Since, o.Since) && equalTime(c.End, o.End) && equalTime(c.Due, o.Due) &&
		equal(c.FirstBreached, o.FirstBreached) && c.Replies == o.Replies && equalTime(c.ToldAt, o.ToldAt)
}
