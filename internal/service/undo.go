package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// UndoRequest undoes a change of a request that the caller may see: the latest, or
// the named one. It returns Refused if it cannot undo all of it.
func (s *Service) UndoRequest(ctx context.Context, c Caller, id desk.RequestID, u desk.Undo) (desk.Request, error) {
	return write(ctx, s, c, desk.UndoRequest, func(tx *store.Tx) (desk.Request, error) {
		r, err := tx.Request(id, c.reach(desk.UndoRequest))
		if err != nil {
			return r, err
		}
		if r.MergedInto != nil {
			return r, r.Changeable() // closed is fine: closing may be what is undone
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

// undo saves a request with its values from before a change, and reverts what the
// change did to other requests.
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
		if err := s.change.Suggest(tx, &r); err != nil {
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
	after, err := change.SaveAndReload(tx, &u, before, r)
	if err != nil {
		return r, err
	}
	return after, change.CheckAncestors(tx, before, r, e)
}

// undoMerge gives requests that were merged into r their belongings back.
func (s *Service) undoMerge(tx *store.Tx, c Caller, r desk.Request, e desk.HistoryEntry) error {
	ids := desk.Each(e.Moved.Requests, func(m desk.MovedRequest) desk.RequestID { return m.Request })
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
	// Read them again, because each has its tickets back now.
	if others, err = tx.RequestsNamed(ids, desk.Everything); err != nil {
		return err
	}
	for i, o := range others {
		after := o
		after.MergedInto, after.UpdatedAt = nil, tx.Now
		if err := s.change.Suggest(tx, &after); err != nil {
			return err
		}
		if err := keepUndone(tx, c, e.Moved.Entries[i], o, after, nil); err != nil {
			return err
		}
	}
	return returnChildren(tx, c, r, *e.Moved)
}

// returnChildren gives children back the parents that a merge took from them.
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
				return desk.Errorf(desk.Refused, "A child of the merged requests has a different parent now, so the merge cannot be undone.")
			}
			return desk.Errorf(desk.Refused, "Request %d has a different parent now, so the merge cannot be undone.", child.ID)
		}
		after, parent := child, was[child.ID]
		after.Parent, after.UpdatedAt = &parent, tx.Now
		if err := keepUndone(tx, c, moved.Entries[len(moved.Requests)+i], child, after, nil); err != nil {
			return err
		}
	}
	return nil
}

// keepUndone saves another request in which a part of a change was undone.
func keepUndone(tx *store.Tx, c Caller, part desk.HistoryEntryID, before, after desk.Request, links []desk.FieldChange) error {
	u := desk.NewHistoryEntry(c.Actor, desk.RequestUndone, before, after, tx.Now)
	u.Undoes, u.Links = part, links
	return change.SaveChange(tx, &u, before, &after)
}

// undoSplit moves the messages that were split off back to r, along with what was
// said there since. The other request stays as one that was merged into r, and
// keeps the ticket that it was created with.
func undoSplit(tx *store.Tx, c Caller, r desk.Request, e desk.HistoryEntry) error {
	id := e.Moved.Requests[0].Request
	made, err := tx.RequestsNamed([]desk.RequestID{id}, c.reach(desk.UndoRequest))
	if err != nil {
		return err
	}
	if len(made) == 0 {
		return desk.Errorf(desk.Refused, "You do not have access to request %d, which was split off.", id)
	}
	if err := change.CheckUntouched(tx, made[0], *e.Moved); err != nil {
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
