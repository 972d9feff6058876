package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SLAPolicies returns a page of the account's SLA policies.
func (s *Service) SLAPolicies(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.SLAPolicy], error) {
	return look(ctx, s, c, desk.ListSLAPolicies, func(tx *store.Tx) (desk.List[desk.SLAPolicy], error) { return tx.SLAPolicies(p) })
}

// SLAPolicy returns one SLA policy of the account.
func (s *Service) SLAPolicy(ctx context.Context, c Caller, id desk.SLAPolicyID) (desk.SLAPolicy, error) {
	return look(ctx, s, c, desk.GetSLAPolicy, func(tx *store.Tx) (desk.SLAPolicy, error) { return tx.SLAPolicy(id) })
}

// CreateSLAPolicy adds a policy. It also applies to requests that are already open.
func (s *Service) CreateSLAPolicy(ctx context.Context, c Caller, g desk.GivenSLAPolicy) (desk.SLAPolicy, error) {
	return write(ctx, s, c, desk.CreateSLAPolicy, func(tx *store.Tx) (desk.SLAPolicy, error) {
		last, room, err := tx.LastSLAPosition()
		if err != nil {
			return desk.SLAPolicy{}, err
		}
		made, err := g.SLAPolicy(last, tx.Now)
		if err != nil {
			return made, err
		}
		if err := change.CheckPolicy(tx, desk.SLAPolicy{}, made); err != nil {
			return made, err
		}
		if !room {
			return made, desk.Errorf(desk.Invalid, "An account can have at most %d SLA policies.", desk.MostSLAPolicies)
		}
		if err := tx.AddSLAPolicy(&made); err != nil {
			return made, err
		}
		if err := recomputeSoon(tx, g.Recompute); err != nil {
			return made, err
		}
		return made, change.Record(tx, c.Actor, "sla_policy.created", nil, made)
	})
}

// UpdateSLAPolicy changes a policy. The clocks of open requests are recomputed, and
// those of other requests only if the caller asks for it.
func (s *Service) UpdateSLAPolicy(ctx context.Context, c Caller, id desk.SLAPolicyID, g desk.GivenSLAPolicy) (desk.SLAPolicy, error) {
	return update(ctx, s, c, desk.UpdateSLAPolicy, "sla_policy.updated", id, (*store.Tx).SLAPolicy, func(tx *store.Tx, before desk.SLAPolicy, after *desk.SLAPolicy) error {
		if err := after.Apply(g, tx.Now); err != nil {
			return err
		}
		if err := change.CheckPolicy(tx, before, *after); err != nil {
			return err
		}
		if err := tx.SaveSLAPolicy(*after); err != nil {
			return err
		}
		return recomputeSoon(tx, g.Recompute)
	})
}

// DeleteSLAPolicy removes a policy. It no longer applies to open requests. Requests
// that were solved or closed under it stay as they were.
func (s *Service) DeleteSLAPolicy(ctx context.Context, c Caller, id desk.SLAPolicyID) (None, error) {
	return remove(ctx, s, c, desk.DeleteSLAPolicy, "sla_policy.deleted", id, (*store.Tx).SLAPolicy, func(tx *store.Tx, id desk.SLAPolicyID) error {
		if err := tx.RemoveSLAPolicy(id); err != nil {
			return err
		}
		return recomputeSoon(tx, nil)
	})
}
