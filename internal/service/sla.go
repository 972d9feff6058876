package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SLA explains the clocks of a request that the caller may see.
func (s *Service) SLA(ctx context.Context, c Caller, id desk.RequestID) (desk.SLAExplanation, error) {
	return read(ctx, s, c, desk.GetSLA, func(tx *store.Tx) (e desk.SLAExplanation, err error) {
		r, err := tx.Request(id, c.reach(desk.GetSLA))
		if err != nil {
			return e, err
		}
		start, err := change.SLAStartOf(tx, r)
		if err != nil {
			return e, err
		}
		changes, err := tx.StateChanges(id)
		if err != nil {
			return e, err
		}
		e = r.ExplainSLA(r.SLAStates(start, changes), tx.Now)
		var ids []desk.SLAPolicyID
		all := []*desk.SLAReading{&e.FirstResponse, &e.Resolution, &e.OneTouch}
		for _, one := range all {
			if one.Policy != nil {
				ids = append(ids, *one.Policy)
			}
		}
		names, err := tx.SLAPolicyNames(ids)
		for _, one := range all {
			if one.Policy != nil {
				one.PolicyName = names[*one.Policy]
			}
		}
		return e, err
	})
}
