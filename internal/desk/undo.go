package desk

import (
	"slices"
	"time"
)

const (
	// MostUndo is how many changes back one can undo.
	MostUndo = 20
	// undoFor and reopenFor are how long one can undo. The time is short for a
	// closing: a request that was closed by mistake should not reopen much later.
	undoFor   = 30 * 24 * time.Hour
	reopenFor = 10 * time.Minute
)

// Undo says which change to undo.
type Undo struct {
	Body
	Entry *HistoryEntryID // nil: the latest that can be undone
}

// undoable reports whether an entry can be undone on its own. The effects of a
// merge on other requests are undone together with the merge.
func (e HistoryEntry) undoable() bool {
	return e.Undoes == 0 && (e.Action == string(RequestUpdated) || e.Moved != nil)
}

// ToUndo picks the change to undo from the latest entries of the request's history,
// newest first, without undos. It returns Refused if that is not possible, because
// a later change to the same thing would be half undone with it. A change by the
// service itself must be named: a person who wants to undo means what people did.
func (r Request) ToUndo(u Undo, latest []HistoryEntry, now time.Time) (HistoryEntry, error) {
	i := slices.IndexFunc(latest, func(e HistoryEntry) bool { return e.undoable() && e.UndoneAt == nil && e.By.Source != SourceSystem })
	if u.Entry != nil {
		if i = slices.IndexFunc(latest, func(e HistoryEntry) bool { return e.ID == *u.Entry }); i < 0 {
			return HistoryEntry{}, Wrong("change_id", "must name one of the last %d changes in the request's history", MostUndo)
		}
	}
	if i < 0 {
		return HistoryEntry{}, Errorf(Refused, "There is nothing to undo.")
	}
	e, later := latest[i], latest[:i]
	switch {
	case e.UndoneAt != nil:
		return e, Errorf(Refused, "The change has already been undone.")
	case !e.undoable():
		return e, Errorf(Refused, "The change was part of a merge or a split of another request. Undo it there.")
	case now.Sub(e.At) > undoFor:
		return e, Errorf(Refused, "The change is more than 30 days old and can no longer be undone.")
	}
	if r.Closed() && !(e.closes() && now.Sub(e.At) <= reopenFor) {
		return e, Errorf(Refused, "The request is closed and cannot be changed. Closing it can be undone for 10 minutes.")
	}
	for _, l := range later {
		if what := overlap(e, l); l.UndoneAt == nil && what != "" {
			return e, Errorf(Refused, "%s since then, by change %d. Undo that first.", what, l.ID)
		}
	}
	return e, nil
}

// closes reports whether a change closed the request.
func (e HistoryEntry) closes() bool {
	return e.After.Closed() && !e.Before.Closed()
}

// overlap returns what both changes changed; empty for nothing.
func overlap(e, later HistoryEntry) string {
	if e.Moved != nil && later.Moved != nil {
		return "The request has been merged or split again"
	}
	for _, f := range e.fields() {
		if slices.ContainsFunc(later.fields(), func(g requestField) bool { return f.name == g.name }) {
			return "The field " + f.name + " has been changed again"
		}
	}
	return ""
}

// Restore undoes a change to the request, completely or not at all. It returns
// Refused if the field is no longer what the change made it, or may not be what it
// was before.
func (r *Request) Restore(e HistoryEntry, rules RequestRules, now time.Time) error {
	next := r.Clone()
	next.attend()
	for _, f := range e.fields() {
		if !f.same(*r, e.After) {
			return Errorf(Refused, "The field %s no longer has the value that the change gave it, so the change cannot be undone.", f.name)
		}
		if f.name == collectionField {
			return Errorf(Refused, "The request has been moved to another collection, which cannot be undone. Move it back instead.")
		}
		f.back(&next, e.Before)
		if f.name == "state" && e.Before.In(OnHold) && !rules.OnHoldAllowed {
			return Errorf(Refused, "The request was on hold, which the account no longer allows, so the change cannot be undone.")
		}
	}
	next.UpdatedAt = now
	*r = next
	return nil
}

// Rewind sets the clocks that depend on messages to what they would be without a
// merge or a split: as they were before it, advanced by the messages since.
func (r *Request) Rewind(e HistoryEntry, since []Message) {
	said := clocksOf(since)
	switch {
	case e.Before.FirstResponseAt != nil:
		r.FirstResponseAt = e.Before.FirstResponseAt
	case e.After.FirstResponseAt != nil: // it has hidden the responses that came since
		r.FirstResponseAt = said.first
	}
	r.LastMessageAt = e.Before.LastMessageAt
	if said.last != nil && said.last.After(r.LastMessageAt) {
		r.LastMessageAt = *said.last
	}
}
