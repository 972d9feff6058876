package change

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SLAStartOf returns what was true of a request when its clocks started. For a
// request from before this was stored, it returns what is true now.
func SLAStartOf(tx *store.Tx, r desk.Request) (desk.SLAStart, error) {
	start, err := tx.SLAStart(r.ID)
	if err != nil || start == nil {
		return r.SLAStart(true, tx.Now), err
	}
	return *start, nil
}

// Terms are the current policies and schedules of an account.
type Terms struct {
	policies    []desk.SLAPolicy
	schedules   map[desk.ScheduleID]desk.Schedule // nil until one is needed
	collections map[desk.CollectionID]*desk.ScheduleID
}

// SLATerms returns the current terms of the account.
func SLATerms(tx *store.Tx) (*Terms, error) {
	policies, err := tx.EnabledSLAPolicies()
	return &Terms{policies: policies, collections: map[desk.CollectionID]*desk.ScheduleID{}}, err
}

// schedule returns the schedule that applies to requests of a collection if a
// policy names none; nil means calendar time.
func (t *Terms) schedule(tx *store.Tx, id desk.CollectionID) (*desk.ScheduleID, error) {
	schedule, known := t.collections[id]
	if known {
		return schedule, nil
	}
	schedule, err := tx.CollectionSchedule(id)
	t.collections[id] = schedule
	return schedule, err
}

// clock returns a clock of a kind under these terms, before it has run. It returns
// false if there is nothing to promise or to measure.
func (t *Terms) clock(tx *store.Tx, kind desk.SLAKind, start desk.SLAStart) (c desk.SLA, ok bool, err error) {
	c.Kind = kind
	policy := desk.Applying(t.policies, kind, start)
	named, err := t.schedule(tx, start.Collection)
	if err != nil {
		return c, false, err
	}
	if policy != nil {
		c.Policy, c.MaxReplies = &policy.ID, policy.MaxReplies
		if policy.TargetMinutes != nil {
			c.Target = time.Duration(*policy.TargetMinutes) * time.Minute
		}
		if policy.Schedule != nil {
			named = policy.Schedule
		}
	}
	if kind == desk.SLAOneTouch {
		return c, policy != nil, nil // replies count at any time, so no schedule applies
	}
	if named == nil {
		return c, policy != nil, nil
	}
	if t.schedules == nil {
		if t.schedules, err = tx.CurrentSchedules(); err != nil {
			return c, false, err
		}
	}
	s, there := t.schedules[*named]
	if !there {
		return c, policy != nil, nil // the schedule was removed with the collection
	}
	c.Schedule = &s.Version
	c.Calendar, err = tx.Calendar(s)
	return c, true, err
}

// Clocks returns the clocks of a request under these terms, advanced to where they
// are now.
func (t *Terms) Clocks(tx *store.Tx, r desk.Request, start desk.SLAStart, changes []desk.HistoryEntry, replies ReplyCount) (all []desk.SLA, err error) {
	for _, kind := range desk.SLAKinds {
		c, ok, err := t.clock(tx, kind, start)
		if err != nil {
			return nil, err
		}
		if ok {
			c.Start = r.ClocksFrom(start)
			all = append(all, c)
		}
	}
	return ReplayClocks(r, all, start, changes, replies)
}

// ReplyCount returns how many public messages responders have written in a request
// until a time.
type ReplyCount func(until time.Time) (int, error)

// RepliesOf returns the function that counts the replies in a request.
func RepliesOf(tx *store.Tx, id desk.RequestID) ReplyCount {
	return func(until time.Time) (int, error) { return tx.Replies(id, until) }
}

// ReplayClocks computes clocks from the beginning, using the history of their
// request.
func ReplayClocks(r desk.Request, clocks []desk.SLA, start desk.SLAStart, changes []desk.HistoryEntry, replies ReplyCount) ([]desk.SLA, error) {
	states := r.SLAStates(start, changes)
	all := make([]desk.SLA, len(clocks))
	for i, c := range clocks {
		c.Start = r.ClocksFrom(start)
		all[i] = c.Replay(states, r.FirstResponseAt, r.FirstSolvedAt)
	}
	return all, countReplies(all, replies)
}

// countReplies sets the number of replies in the clocks that limit them.
func countReplies(clocks []desk.SLA, replies ReplyCount) (err error) {
	for i, c := range clocks {
		if c.Kind != desk.SLAOneTouch {
			continue
		}
		clocks[i].Replies = 0
		if c.End != nil {
			clocks[i].Replies, err = replies(*c.End)
		}
	}
	return err
}

// StartClocks starts the clocks of a conversation that has just become a request,
// or was created as one; made is true for the latter. Breaches of an imported
// request raise no alert, because they are old.
func StartClocks(tx *store.Tx, r *desk.Request, made bool) error {
	start := r.SLAStart(made, tx.Now)
	if err := tx.AddSLAStart(r.ID, start); err != nil {
		return err
	}
	t, err := SLATerms(tx)
	if err != nil {
		return err
	}
	clocks, err := t.Clocks(tx, *r, start, nil, RepliesOf(tx, r.ID))
	if err != nil {
		return err
	}
	if r.Source == desk.FromImport {
		MarkBreachesAlerted(clocks, tx.Now)
	}
	return SaveClocks(tx, r, clocks)
}

// MarkBreachesAlerted marks the breached clocks as reported, so that nobody is
// alerted: they were breached long ago.
func MarkBreachesAlerted(clocks []desk.SLA, now time.Time) {
	for i, c := range clocks {
		if c.ToldAt == nil && c.Promises() && c.Breached(now) {
			clocks[i].ToldAt = &now
		}
	}
}

// moveClocks updates the clocks of a request after a change. With again it computes
// them from the history, which an undo needs. It does not report breaches: the
// caller calls AlertBreaches once the change itself is recorded.
func moveClocks(tx *store.Tx, before desk.Request, r *desk.Request, again bool) error {
	if before.State == nil && r.State != nil {
		start, err := tx.SLAStart(r.ID)
		if err != nil {
			return err
		}
		if start == nil {
			return StartClocks(tx, r, false)
		}
	}
	if len(r.SLAs) == 0 {
		return nil
	}
	var start desk.SLAStart
	var err error
	if again || slices.ContainsFunc(r.SLAs, func(c desk.SLA) bool { return !c.Start.Equal(r.CreatedAt) }) {
		if start, err = SLAStartOf(tx, *r); err != nil {
			return err
		}
	}
	clocks, ok := r.Advance(before, start, tx.Now)
	if again || !ok {
		changes, err := tx.StateChanges(r.ID)
		if err != nil {
			return err
		}
		if clocks, err = ReplayClocks(*r, r.SLAs, start, changes, RepliesOf(tx, r.ID)); err != nil {
			return err
		}
	} else if err := countReplies(clocks, RepliesOf(tx, r.ID)); err != nil {
		return err
	}
	for i, c := range clocks {
		if !c.Breached(tx.Now) {
			clocks[i].ToldAt = nil
		}
	}
	if before.MergedInto != nil && r.MergedInto == nil { // nobody watched its clocks while it was merged
		if err := WatchClocks(tx, r.ID, nil, clocks); err != nil {
			return err
		}
	}
	return SaveClocks(tx, r, clocks)
}

// SaveClocks saves the clocks of a request in the database and in r, and queues
// checks for when they are due.
func SaveClocks(tx *store.Tx, r *desk.Request, clocks []desk.SLA) error {
	if err := tx.SaveClocks(r.ID, r.SLAs, clocks); err != nil {
		return err
	}
	if err := WatchClocks(tx, r.ID, r.SLAs, clocks); err != nil {
		return err
	}
	r.SLAs = clocks
	return nil
}

// WatchClocks queues a check for each clock that is due at another time than
// before. A check that comes too early queues another.
func WatchClocks(tx *store.Tx, id desk.RequestID, before, after []desk.SLA) error {
	for _, c := range after {
		if c.ToldAt != nil || c.Since == nil || c.Due == nil || !c.Promises() {
			continue
		}
		i := slices.IndexFunc(before, func(b desk.SLA) bool { return b.Kind == c.Kind })
		if i >= 0 && before[i].Since != nil && before[i].ToldAt == nil && before[i].Due != nil && before[i].Due.Equal(*c.Due) {
			continue
		}
		if err := WatchClock(tx, id, c); err != nil {
			return err
		}
	}
	return nil
}

// WatchClock queues a check of a clock for when it is due soon, or, if it is that
// already, for just after it is due. The clock must have a due time.
func WatchClock(tx *store.Tx, id desk.RequestID, c desk.SLA) error {
	w, at := WatchSLA{tx.Account, id, c.Kind}, c.DueSoonAt()
	if !at.After(tx.Now) {
		at = c.Due.Add(time.Millisecond)
	}
	return job.Add(tx.Tx, w, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d/%d/%s", w.Account, w.Request, w.SLA)))
}

// AlertBreaches records an event for each breached clock of a request that was not
// reported before. Nothing is promised for a request that was merged into another.
func AlertBreaches(tx *store.Tx, r *desk.Request) error {
	if r.MergedInto != nil {
		return nil
	}
	for i, c := range r.SLAs {
		if c.ToldAt != nil || !c.Promises() || !c.Breached(tx.Now) {
			continue
		}
		clocks := slices.Clone(r.SLAs)
		clocks[i].ToldAt = &tx.Now
		if err := tx.SaveClocks(r.ID, r.SLAs, clocks); err != nil {
			return err
		}
		r.SLAs = clocks
		err := tx.Record(desk.Change{By: desk.Actor{Name: "SLA", Source: desk.SourceSystem}, Event: desk.SLABreachedEvent,
			After: *r, Beside: []any{desk.SLABreach{Kind: c.Kind, Policy: *c.Policy, Due: c.Due}}})
		if err != nil {
			return err
		}
		if err := tellOfClock(tx, *r, c, desk.NotificationBreached); err != nil {
			return err
		}
	}
	return nil
}

// WatchSLA is a job that checks a clock of a request when it is due.
type WatchSLA struct {
	Account desk.AccountID
	Request desk.RequestID
	SLA     desk.SLAKind
}

func (WatchSLA) Kind() string { return "sla.watch" }

// RecomputeSLA is a job that updates requests to the current policies and schedules
// of an account, in pieces. Each policy and schedule stores how far it has come.
type RecomputeSLA struct{ Account desk.AccountID }

func (RecomputeSLA) Kind() string { return "sla.recompute" }

// CheckPolicy returns an Invalid error if a policy newly names a collection, a
// schedule or a customer that does not exist.
func CheckPolicy(tx *store.Tx, before, after desk.SLAPolicy) error {
	var p desk.Problems
	if after.Collection != nil && !desk.Same(before.Collection, after.Collection) {
		known, err := tx.KnownCollections([]desk.CollectionID{*after.Collection})
		if err != nil {
			return err
		}
		if !known[*after.Collection] {
			p.Add("collection_id", "must name a collection of the account")
		}
	}
	if err := checkSchedule(tx, &p, "schedule_id", before.Schedule, after.Schedule); err != nil {
		return err
	}
	if len(after.Conditions.Customers) > 0 {
		known, err := tx.CustomersNamed(after.Conditions.Customers)
		if err != nil {
			return err
		}
		for i, id := range after.Conditions.Customers {
			if _, ok := known[id]; !ok {
				p.Add(fmt.Sprintf("conditions.customer_ids[%d]", i), "must name a customer")
			}
		}
	}
	return p.Err()
}
