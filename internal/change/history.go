package change

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// saveAndReload saves the request that a merge, a split or an undo is about, with
// its history entry and everything that follows from the change. It returns the
// request as read again, because its tickets have changed.
func saveAndReload(tx *store.Tx, e *desk.HistoryEntry, before, r desk.Request) (desk.Request, error) {
	if err := tx.SaveRequest(before, &r); err != nil {
		return r, err
	}
	if err := addHistory(tx, e); err != nil {
		return r, err
	}
	if err := moveClocks(tx, before, &r, true); err != nil {
		return r, err
	}
	if err := watchSnooze(tx, before, r); err != nil {
		return r, err
	}
	r, err := tx.Request(r.ID, desk.Everything)
	if err != nil {
		return r, err
	}
	if err := tx.Record(desk.Change{By: e.By, Action: e.Action, Event: desk.RequestUpdated, Before: before, After: r}); err != nil {
		return r, err
	}
	if err := tellOfAssignment(tx, e.By, before, r); err != nil {
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

// SaveChange saves a changed request with everything that follows from the change:
// its clocks, the end of its snooze, an entry in the audit log, an event, whom it is given to, alerts about broken promises,
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
	if err := watchSnooze(tx, before, *after); err != nil {
		return err
	}
	if err := tx.Record(desk.Change{By: e.By, Action: e.Action, Event: desk.RequestUpdated, Before: before, After: *after}); err != nil {
		return err
	}
	if err := tellOfAssignment(tx, e.By, before, *after); err != nil {
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
