package change

import (
	"slices"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// KeepOneSurvey leaves surveys where they are but for the first, which moves
// where the request that others are merged into has none of its own.
func KeepOneSurvey(merged []desk.MovedRequest, has bool) {
	for i := range merged {
		if has {
			merged[i].Surveys = nil
		}
		has = has || len(merged[i].Surveys) > 0
	}
}

func LastOf(belongings []desk.MovedRequest) (last desk.MessageID) {
	for _, b := range belongings {
		for _, m := range b.Messages {
			last = max(last, m)
		}
	}
	return last
}

// KeepWhole keeps the request that a merge, a split or an undoing is about, and
// reads it again: it has other tickets now.
func KeepWhole(tx *store.Tx, e *desk.HistoryEntry, before, r desk.Request) (desk.Request, error) {
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
	if err := tx.Record(entryChange(*e, before, r)); err != nil {
		return r, err
	}
	if err := AlertBreaches(tx, &r); err != nil {
		return r, err
	}
	if err := SurveyLater(tx, before, r); err != nil {
		return r, err
	}
	return r, RefreshCard(tx, r.ID)
}

func FirstPublic(messages []desk.Message) (first desk.Message) {
	for _, m := range messages {
		if !m.Private {
			return m
		}
	}
	return first
}

// MoveOut moves messages to the request that they become.
func MoveOut(tx *store.Tx, from, to desk.RequestID, messages []desk.Message) (desk.Moved, error) {
	all, err := tx.Belongings([]desk.RequestID{from})
	if err != nil {
		return desk.Moved{}, err
	}
	one := desk.MovedRequest{Request: to}
	for _, m := range messages {
		one.Messages = append(one.Messages, m.ID)
	}
	return desk.Moved{Requests: []desk.MovedRequest{one}, Last: LastOf(all)}, tx.Move(one, from, to)
}

// CheckLines looks at who is whose parent when a change was undone: what came
// after it may have turned the order around.
func CheckLines(tx *store.Tx, before, r desk.Request, e desk.HistoryEntry) error {
	ids := []desk.RequestID{}
	if r.Parent != nil && (before.Parent == nil || *before.Parent != *r.Parent) {
		ids = append(ids, r.ID)
		parent, err := tx.Request(*r.Parent, desk.Everything)
		if err != nil {
			return err
		}
		if parent.MergedInto != nil {
			return desk.Errorf(desk.Refused, "The parent was merged into another request since, so the change cannot be undone.")
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

// Untouched looks whether a request that was split off is still what it was then,
// but for messages, and for what the service itself has made of it.
func Untouched(tx *store.Tx, made desk.Request, moved desk.Moved) error {
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

// SaveChange keeps a request and what was done to it: an entry of its history,
// unless a reader would see no change, an entry of the audit log, and an event.
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
	if err := tx.Record(entryChange(*e, before, *after)); err != nil {
		return err
	}
	if err := AlertBreaches(tx, after); err != nil {
		return err
	}
	if err := syncLinkStates(tx, before, *after); err != nil {
		return err
	}
	if err := SurveyLater(tx, before, *after); err != nil {
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

// entryChange is an entry of a request's history for the audit log and the feed.
func entryChange(e desk.HistoryEntry, before, after desk.Request) desk.Change {
	return desk.Change{By: e.By, Action: e.Action, Event: desk.RequestUpdated, Resource: "Request",
		ID: strconv.FormatInt(int64(after.ID), 10), Before: before, After: after}
}
