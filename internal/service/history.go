package service

import (
	"context"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// History is a page of what was done to a request that the caller may see.
func (s *Service) History(ctx context.Context, c Caller, id desk.RequestID, p desk.Page) (desk.List[desk.HistoryEntry], error) {
	if err := c.may(desk.ListHistory); err != nil {
		return desk.List[desk.HistoryEntry]{}, err
	}
	return read(ctx, s, c, func(tx *store.Tx) (l desk.List[desk.HistoryEntry], err error) {
		if err := tx.HasRequest(id, c.reach(desk.ListHistory)); err != nil {
			return l, err
		}
		if l, err = tx.History(id, p); err != nil {
			return l, err
		}
		var parents []**desk.RequestID
		for i := range l.Items {
			parents = append(parents, &l.Items[i].Before.Parent, &l.Items[i].After.Parent)
		}
		if err := hideParents(tx, c.reach(desk.ListHistory), parents...); err != nil {
			return l, err
		}
		making, err := tx.Making(id)
		if err != nil || making == nil {
			return l, err
		}
		return desk.WithMaking(l, *making, p), nil
	})
}

// keepChange keeps a request and what was done to it: an entry of its history,
// unless a reader would see no change, an entry of the audit log, and an event.
func keepChange(tx *store.Tx, e *desk.HistoryEntry, before desk.Request, after *desk.Request) error {
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
	if err := tellLate(tx, after); err != nil {
		return err
	}
	if err := followState(tx, before, *after); err != nil {
		return err
	}
	if err := surveyLater(tx, before, *after); err != nil {
		return err
	}
	return showCard(tx, after.ID)
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
