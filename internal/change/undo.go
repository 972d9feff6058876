package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Undoer is who undoes a change, and which collections they have.
type Undoer struct {
	By    desk.Actor
	Reach desk.Reach
}

// Undo saves a request with its values from before a change, and reverts what the
// change did to other requests.
func (s Setup) Undo(tx *store.Tx, who Undoer, before, r desk.Request, e desk.HistoryEntry) (desk.Request, error) {
	undone := []desk.HistoryEntryID{e.ID}
	if e.Moved != nil {
		part := s.undoMerge
		if e.Action == desk.RequestSplit {
			part = undoSplit
		}
		if err := part(tx, who, r, e); err != nil {
			return r, err
		}
		if err := s.Suggest(tx, &r); err != nil {
			return r, err
		}
		since, err := tx.MessagesSince(r.ID, e.Moved.Last)
		if err != nil {
			return r, err
		}
		r.Rewind(e, since)
		undone = append(undone, e.Moved.Entries...)
	}
	if err := tx.SetUndone(undone); err != nil {
		return r, err
	}
	u := desk.NewHistoryEntry(who.By, desk.RequestUndone, before, r, tx.Now)
	u.Undoes = e.ID
	for _, l := range e.Links {
		u.Links = append(u.Links, desk.FieldChange{Field: l.Field, From: l.To, To: l.From})
	}
	after, err := saveAndReload(tx, &u, before, r)
	if err != nil {
		return r, err
	}
	return after, checkAncestors(tx, before, r, e)
}

// undoMerge gives requests that were merged into r their belongings back.
func (s Setup) undoMerge(tx *store.Tx, who Undoer, r desk.Request, e desk.HistoryEntry) error {
	ids := desk.Each(e.Moved.Requests, func(m desk.MovedRequest) desk.RequestID { return m.Request })
	others, err := tx.RequestsNamed(ids, who.Reach)
	if err != nil {
		return err
	}
	if len(others) != len(ids) {
		return desk.Errorf(desk.Refused, "You do not have access to all the requests that were merged.")
	}
	for _, m := range e.Moved.Requests {
		if err := tx.Move(m, r.ID, m.Request); err != nil {
			return err
		}
	}
	// Read them again, because each has its tickets back now.
	if others, err = tx.RequestsNamed(ids, desk.Everything); err != nil {
		return err
	}
	for i, o := range others {
		after := o
		after.MergedInto, after.UpdatedAt = nil, tx.Now
		if err := s.Suggest(tx, &after); err != nil {
			return err
		}
		if err := keepUndone(tx, who, e.Moved.Entries[i], o, after, nil); err != nil {
			return err
		}
	}
	return returnChildren(tx, who, r, *e.Moved)
}

// returnChildren gives children back the parents that a merge took from them.
func returnChildren(tx *store.Tx, who Undoer, r desk.Request, moved desk.Moved) error {
	was, ids := map[desk.RequestID]desk.RequestID{}, make([]desk.RequestID, len(moved.Children))
	for i, child := range moved.Children {
		ids[i], was[child.Request] = child.Request, child.Parent
	}
	children, err := tx.RequestsNamed(ids, desk.Everything)
	if err != nil {
		return err
	}
	for i, child := range children {
		if child.Parent == nil || *child.Parent != r.ID {
			if !who.Reach.Has(child.Collection.ID) {
				return desk.Errorf(desk.Refused, "A child of the merged requests has a different parent now, so the merge cannot be undone.")
			}
			return desk.Errorf(desk.Refused, "Request %d has a different parent now, so the merge cannot be undone.", child.ID)
		}
		after, parent := child, was[child.ID]
		after.Parent, after.UpdatedAt = &parent, tx.Now
		if err := keepUndone(tx, who, moved.Entries[len(moved.Requests)+i], child, after, nil); err != nil {
			return err
		}
	}
	return nil
}

// keepUndone saves another request in which a part of a change was undone.
func keepUndone(tx *store.Tx, who Undoer, part desk.HistoryEntryID, before, after desk.Request, links []desk.FieldChange) error {
	u := desk.NewHistoryEntry(who.By, desk.RequestUndone, before, after, tx.Now)
	u.Undoes, u.Links = part, links
	return SaveChange(tx, &u, before, &after)
}

// undoSplit moves the messages that were split off back to r, along with what was
// said there since. The other request stays as one that was merged into r, and
// keeps the ticket that it was created with.
func undoSplit(tx *store.Tx, who Undoer, r desk.Request, e desk.HistoryEntry) error {
	id := e.Moved.Requests[0].Request
	made, err := tx.RequestsNamed([]desk.RequestID{id}, who.Reach)
	if err != nil {
		return err
	}
	if len(made) == 0 {
		return desk.Errorf(desk.Refused, "You do not have access to request %d, which was split off.", id)
	}
	if err := checkUntouched(tx, made[0], *e.Moved); err != nil {
		return err
	}
	belongings, err := tx.Belongings([]desk.RequestID{id})
	if err != nil {
		return err
	}
	if err := tx.Move(desk.MovedRequest{Messages: belongings[0].Messages}, id, r.ID); err != nil {
		return err
	}
	after := made[0]
	after.MergedInto, after.UpdatedAt = &r.ID, tx.Now
	return keepUndone(tx, who, e.Moved.Entries[0], made[0], after, []desk.FieldChange{{Field: "split_from", From: r.ID}})
}

// checkAncestors returns a Refused error if the parents of requests would be wrong
// after an undo. A later change may have merged the parent or reversed who is whose
// ancestor.
func checkAncestors(tx *store.Tx, before, r desk.Request, e desk.HistoryEntry) error {
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

// checkUntouched returns a Refused error if a request that was split off has
// changed since. Messages do not count, nor do changes that the system made by
// itself.
func checkUntouched(tx *store.Tx, made desk.Request, moved desk.Moved) error {
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
