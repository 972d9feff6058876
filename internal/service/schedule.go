package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Schedules returns a page of the account's schedules.
func (s *Service) Schedules(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.Schedule], error) {
	return look(ctx, s, c, desk.ListSchedules, func(tx *store.Tx) (desk.List[desk.Schedule], error) { return tx.Schedules(p) })
}

// Schedule returns one schedule of the account.
func (s *Service) Schedule(ctx context.Context, c Caller, id desk.ScheduleID) (desk.Schedule, error) {
	return look(ctx, s, c, desk.GetSchedule, func(tx *store.Tx) (desk.Schedule, error) { return tx.Schedule(id) })
}

// CreateSchedule adds a schedule. It has no effect until a collection or a policy
// names it.
func (s *Service) CreateSchedule(ctx context.Context, c Caller, g desk.GivenSchedule) (desk.Schedule, error) {
	return write(ctx, s, c, desk.CreateSchedule, func(tx *store.Tx) (desk.Schedule, error) {
		made, err := g.Schedule(tx.Now)
		if err != nil {
			return made, err
		}
		if err := tx.CheckRoom(made); err != nil {
			return made, err
		}
		if err := tx.AddSchedule(&made); err != nil {
			return made, err
		}
		return made, change.Record(tx, c.Actor, "schedule.created", nil, made)
	})
}

// UpdateSchedule changes a schedule. The clocks of open requests are recomputed,
// and those of other requests only if the caller asks for it.
func (s *Service) UpdateSchedule(ctx context.Context, c Caller, id desk.ScheduleID, g desk.GivenSchedule) (desk.Schedule, error) {
	return write(ctx, s, c, desk.UpdateSchedule, func(tx *store.Tx) (after desk.Schedule, err error) {
		if after, err = tx.Schedule(id); err != nil {
			return after, err
		}
		before := after // Apply replaces what it changes
		if err := after.Apply(g, tx.Now); err != nil {
			return after, err
		}
		if err := tx.SaveSchedule(before, &after); err != nil {
			return after, err
		}
		if !before.SameTimes(after) || g.Recompute != nil {
			if err := recomputeSoon(tx, g.Recompute); err != nil {
				return after, err
			}
		}
		return after, change.Record(tx, c.Actor, "schedule.updated", before, after)
	})
}

// DeleteSchedule removes a schedule. It returns Refused while a policy or a
// collection uses it.
func (s *Service) DeleteSchedule(ctx context.Context, c Caller, id desk.ScheduleID) (None, error) {
	return write(ctx, s, c, desk.DeleteSchedule, func(tx *store.Tx) (None, error) {
		before, err := tx.Schedule(id)
		if err != nil {
			return None{}, err
		}
		policy, collection, err := tx.ScheduleUsers(id)
		switch {
		case err != nil:
			return None{}, err
		case policy != "":
			return None{}, desk.Errorf(desk.Refused, "The SLA policy %q uses this schedule. Give it another one first.", policy)
		case collection != "":
			return None{}, desk.Errorf(desk.Refused, "The collection %q uses this schedule. Give it another one first.", collection)
		}
		if err := tx.RemoveSchedule(id); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, "schedule.deleted", before, nil)
	})
}
