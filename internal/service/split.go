package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SplitRequest moves some messages of a request that the caller may see into a new
// request. It returns Refused if the request is closed or merged.
func (s *Service) SplitRequest(ctx context.Context, c Caller, id desk.RequestID, split desk.Split) (desk.Request, error) {
	return write(ctx, s, c, desk.SplitRequest, func(tx *store.Tx) (desk.Request, error) {
		split := split // Check trims it, and the transaction may run again
		r, err := tx.Request(id, c.reach(desk.SplitRequest))
		if err != nil {
			return r, err
		}
		if err := r.Changeable(); err != nil {
			return r, err
		}
		if err := split.Check(); err != nil {
			return r, err
		}
		one := []desk.Request{r}
		if err := tx.AddMessages(one); err != nil {
			return r, err
		}
		before := r.Clone()
		r = one[0]
		taken, err := r.Divide(split)
		if err != nil {
			return r, err
		}
		return s.change.Split(tx, c.Actor, before, r, taken, split.Title)
	})
}
