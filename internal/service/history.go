package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// History returns a page of what was done to a request that the caller may see.
func (s *Service) History(ctx context.Context, c Caller, id desk.RequestID, p desk.Page) (desk.List[desk.HistoryEntry], error) {
	return read(ctx, s, c, desk.ListHistory, func(tx *store.Tx) (l desk.List[desk.HistoryEntry], err error) {
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
