package service

import (
	"context"

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
		return added(tx, c, "schedule.created", made, tx.AddSchedule)
	})
}

// UpdateSchedule changes a schedule. The clocks of open requests are recomputed,
// and those of other requests only if the caller asks for it.
func (s *Service) UpdateSchedule(ctx context.Context, c Caller, id desk.ScheduleID, g desk.GivenSchedule) (desk.Schedule, error) {
	return update(ctx, s, c, desk.UpdateSchedule, "schedule.updated", id, (*store.Tx).Schedule, func(tx *store.Tx, before desk.Schedule, after *desk.Schedule) error {
		if err := after.Apply(g, tx.Now); err != nil {
			return err
		}
		if err := tx.SaveSchedule(before, after); err != nil {
			return err
		}
		if before.SameTimes(*after) && g.Recompute == nil {
			return nil
		}
		return recomputeSoon(tx, g.Recompute)
	})
}

// DeleteSchedule removes a schedule. It returns Refused while a policy or a
// collection uses it.
func (s *Service) DeleteSchedule(ctx context.Context, c Caller, id desk.ScheduleID) (None, error) {
	return remove(ctx, s, c, desk.DeleteSchedule, "schedule.deleted", id, unusedSchedule, (*store.Tx).RemoveSchedule)
}

// unusedSchedule finds a schedule that nothing uses.
func unusedSchedule(tx *store.Tx, id desk.ScheduleID) (desk.Schedule, error) {
	found, err := tx.Schedule(id)
	if err != nil {
		return found, err
	}
	policy, collection, err := tx.ScheduleUsers(id)
	switch {
	case err != nil:
		return found, err
	case policy != "":
		return found, desk.Errorf(desk.Refused, "The SLA policy %q uses this schedule. Give it another one first.", policy)
	case collection != "":
		return found, desk.Errorf(desk.Refused, "The collection %q uses this schedule. Give it another one first.", collection)
	}
	return found, nil
}
