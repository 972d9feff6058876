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
		return s.change.Undo(tx, change.Undoer{By: c.Actor, Reach: c.reach(desk.UndoRequest)}, before, r, e)
	})
}
