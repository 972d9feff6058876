package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// KeepOneSurvey leaves at most one survey to move with merged requests, because the
// request that they are merged into can have only one. has says whether that one
// has a survey already; then none moves. Otherwise the first survey moves and the
// others stay where they are.
func KeepOneSurvey(merged []desk.MovedRequest, has bool) {
	for i := range merged {
		if has {
			merged[i].Surveys = nil
		}
		has = has || len(merged[i].Surveys) > 0
	}
}

// LastMessage returns the newest message of requests, or 0 if they have none.
func LastMessage(belongings []desk.MovedRequest) (last desk.MessageID) {
	for _, b := range belongings {
		for _, m := range b.Messages {
			last = max(last, m)
		}
	}
	return last
}

// SaveAndReload saves the request that a merge, a split or an undo is about, with
// its history entry and everything that follows from the change. It returns the
// request as read again, because its tickets have changed.
func SaveAndReload(tx *store.Tx, e *desk.HistoryEntry, before, r desk.Request) (desk.Request, error) {
	if err := tx.SaveRequest(before, &r); err != nil {
		return r, err
	}
	if err := addHistory(tx, e); err != nil {
		return r, err
	}
	if err := moveClocks(tx, before, &r, true); err != nil {
		return r, err
	}
	r, err := tx.Request(r.ID, desk.Everything)
	if err != nil {
		return r, err
	}
	if err := tx.Record(desk.Change{By: e.By, Action: e.Action, Event: desk.RequestUpdated, Before: before, After: r}); err != nil {
		return r, err
	}
	if err := AlertBreaches(tx, &r); err != nil {
		return r, err
	}
	if err := ScheduleSurvey(tx, before, r); err != nil {
		return r, err
	}
	return r, RefreshCard(tx, r.ID)
}

// FirstPublicMessage returns the first message that is not private, or an empty one
// if there is none.
func FirstPublicMessage(messages []desk.Message) (first desk.Message) {
	for _, m := range messages {
		if !m.Private {
			return m
		}
	}
	return first
}

// MoveMessages moves messages to the request that is split off, and returns what an
// undo needs.
func MoveMessages(tx *store.Tx, from, to desk.RequestID, messages []desk.Message) (desk.Moved, error) {
	all, err := tx.Belongings([]desk.RequestID{from})
	if err != nil {
		return desk.Moved{}, err
	}
	one := desk.MovedRequest{Request: to}
	for _, m := range messages {
		one.Messages = append(one.Messages, m.ID)
	}
	return desk.Moved{Requests: []desk.MovedRequest{one}, Last: LastMessage(all)}, tx.Move(one, from, to)
}

// CheckAncestors returns a Refused error if the parents of requests would be wrong
// after an undo. A later change may have merged the parent or reversed who is whose
// ancestor.
func CheckAncestors(tx *store.Tx, before, r desk.Request, e desk.HistoryEntry) error {
	ids := []desk.RequestID{}
	if r.Parent != nil && (before.Parent == nil || *before.Parent != *r.Parent) {
		ids = append(ids, r.ID)
		parent, err := tx.Request(*r.Parent, desk.Everything)
		if err != nil {
			return err
		}
		if parent.MergedInto != nil {
			return desk.Errorf(desk.Refused, "The parent has since been merged into another request, so the change cannot be undone.")
		}
	}
	if e.Moved != nil && len(e.Moved.Children) > 0 {
		for _, m := range e.Moved.Requests {
			ids = append(ids, m.Request)
		}
	}
	for _, id := range ids {
		above, err := tx.Ancestors(id)
		if err != nil {
			return err
		}
		if _, own := above[id]; own {
			return desk.Errorf(desk.Refused, "Request %d would become its own ancestor, so the change cannot be undone.", id)
		}
	}
	return nil
}

// CheckUntouched returns a Refused error if a request that was split off has
// changed since. Messages do not count, nor do changes that the system made by
// itself.
func CheckUntouched(tx *store.Tx, made desk.Request, moved desk.Moved) error {
	latest, err := tx.LatestHistory(made.ID, desk.MostUndo)
	if err != nil {
		return err
	}
	changed := slices.ContainsFunc(latest, func(e desk.HistoryEntry) bool {
		return e.UndoneAt == nil && e.By.Source != desk.SourceSystem && !slices.Contains(moved.Entries, e.ID)
	})
	children, err := tx.ChildrenOf([]desk.RequestID{made.ID}, 1)
	if err != nil {
		return err
	}
	if changed || len(children) > 0 || len(made.Tickets) > 1 || made.MergedInto != nil {
		return desk.Errorf(desk.Refused, "Request %d, which was split off, has been changed since. Merge it into this one instead.", made.ID)
	}
	return nil
}

// SaveChange saves a changed request with everything that follows from the change:
// its clocks, an entry in the audit log, an event, alerts about broken promises,
// linked tickets, a survey and its card. It adds the history entry unless a reader
// would see no change.
func SaveChange(tx *store.Tx, e *desk.HistoryEntry, before desk.Request, after *desk.Request) error {
	if err := tx.SaveRequest(before, after); err != nil {
		return err
	}
	if err := addHistory(tx, e); err != nil {
		return err
	}
	if err := moveClocks(tx, before, after, false); err != nil {
		return err
	}
	if err := tx.Record(desk.Change{By: e.By, Action: e.Action, Event: desk.RequestUpdated, Before: before, After: *after}); err != nil {
		return err
	}
	if err := AlertBreaches(tx, after); err != nil {
		return err
	}
	if err := syncLinkStates(tx, before, *after); err != nil {
		return err
	}
	if err := ScheduleSurvey(tx, before, *after); err != nil {
		return err
	}
	return RefreshCard(tx, after.ID)
}

func addHistory(tx *store.Tx, e *desk.HistoryEntry) error {
	if len(e.Changes()) == 0 {
		return nil
	}
	return tx.AddHistory(e)
}
