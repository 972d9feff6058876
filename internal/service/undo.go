package service

import (
	"context"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// UndoRequest undoes a change of a request that the caller may see: the latest,
// or the one that is named. It gives Refused where that is not possible as a
// whole.
func (s *Service) UndoRequest(ctx context.Context, c Caller, id desk.RequestID, u desk.Undo) (desk.Request, error) {
	if err := c.may(desk.UndoRequest); err != nil {
		return desk.Request{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (desk.Request, error) {
		r, err := tx.Request(id, c.reach(desk.UndoRequest))
		if err != nil {
			return r, err
		}
		if r.MergedInto != nil {
			return r, r.Changeable() // closing, by contrast, may be what is undone
		}
		if u.Problem != nil {
			return r, u.Problem
		}
		latest, err := tx.LatestHistory(id, desk.MostUndo)
		if err != nil {
			return r, err
		}
		e, err := r.ToUndo(u, latest, tx.Now)
		if err != nil {
			return r, err
		}
		account, err := tx.ThisAccount()
		if err != nil {
			return r, err
		}
		before := r.Clone()
		if err := r.Restore(e, desk.RequestRules{OnHoldAllowed: account.OnHoldAllowed}, tx.Now); err != nil {
			return r, err
		}
		return s.undo(tx, c, before, r, e)
	})
}

// undo keeps a request that has back what a change took, with what the change
// did to others.
func (s *Service) undo(tx *store.Tx, c Caller, before, r desk.Request, e desk.HistoryEntry) (desk.Request, error) {
	undone := []desk.HistoryEntryID{e.ID}
	if e.Moved != nil {
		part := s.undoMerge
		if e.Action == desk.RequestSplit {
			part = undoSplit
		}
		if err := part(tx, c, r, e); err != nil {
			return r, err
		}
		if err := s.consider(tx, &r); err != nil {
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
	u := desk.NewHistoryEntry(c.Actor, desk.RequestUndone, before, r, tx.Now)
	u.Undoes = e.ID
	for _, l := range e.Links {
		u.Links = append(u.Links, desk.FieldChange{Field: l.Field, From: l.To, To: l.From})
	}
	after, err := keepWhole(tx, &u, before, r)
	if err != nil {
		return r, err
	}
	return after, checkLines(tx, before, r, e)
}

// checkLines looks at who is whose parent when a change was undone: what came
// after it may have turned the order around.
func checkLines(tx *store.Tx, before, r desk.Request, e desk.HistoryEntry) error {
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

// undoMerge gives the requests that were merged into r back what was theirs.
func (s *Service) undoMerge(tx *store.Tx, c Caller, r desk.Request, e desk.HistoryEntry) error {
	ids := make([]desk.RequestID, len(e.Moved.Requests))
	for i, m := range e.Moved.Requests {
		ids[i] = m.Request
	}
	others, err := tx.RequestsNamed(ids, c.reach(desk.UndoRequest))
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
	// Read again: each has its tickets now.
	if others, err = tx.RequestsNamed(ids, desk.Everything); err != nil {
		return err
	}
	for i, o := range others {
		after := o
		after.MergedInto, after.UpdatedAt = nil, tx.Now
		if err := s.consider(tx, &after); err != nil {
			return err
		}
		if err := keepUndone(tx, c, e.Moved.Entries[i], o, after, nil); err != nil {
			return err
		}
	}
	return returnChildren(tx, c, r, *e.Moved)
}

// returnChildren gives children the parents that a merge took from them.
func returnChildren(tx *store.Tx, c Caller, r desk.Request, moved desk.Moved) error {
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
			if !c.reach(desk.UndoRequest).Has(child.Collection.ID) {
				return desk.Errorf(desk.Refused, "A child of the merged requests has another parent since, so the merge cannot be undone.")
			}
			return desk.Errorf(desk.Refused, "Request %d has another parent since, so the merge cannot be undone.", child.ID)
		}
		after, parent := child, was[child.ID]
		after.Parent, after.UpdatedAt = &parent, tx.Now
		if err := keepUndone(tx, c, moved.Entries[len(moved.Requests)+i], child, after, nil); err != nil {
			return err
		}
	}
	return nil
}

// keepUndone keeps another request of which a part of a change was undone.
func keepUndone(tx *store.Tx, c Caller, part desk.HistoryEntryID, before, after desk.Request, links []desk.FieldChange) error {
	u := desk.NewHistoryEntry(c.Actor, desk.RequestUndone, before, after, tx.Now)
	u.Undoes, u.Links = part, links
	return keepChange(tx, &u, before, &after)
}

// undoSplit takes back what was split off from r, with what was said there since.
// The request that it was remains as one that was merged into r, and keeps the
// ticket that it was made with.
func undoSplit(tx *store.Tx, c Caller, r desk.Request, e desk.HistoryEntry) error {
	id := e.Moved.Requests[0].Request
	made, err := tx.RequestsNamed([]desk.RequestID{id}, c.reach(desk.UndoRequest))
	if err != nil {
		return err
	}
	if len(made) == 0 {
		return desk.Errorf(desk.Refused, "You do not have access to request %d, which was split off.", id)
	}
	if err := untouched(tx, made[0], *e.Moved); err != nil {
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
	return keepUndone(tx, c, e.Moved.Entries[0], made[0], after, []desk.FieldChange{{Field: "split_from", From: r.ID}})
}

// untouched looks whether a request that was split off is still what it was then,
// but for messages, and for what the service itself has made of it.
func untouched(tx *store.Tx, made desk.Request, moved desk.Moved) error {
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
