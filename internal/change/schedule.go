package change

import (
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// ScheduleChange returns the change to record when a schedule is created, changed
// or removed. before is nil for a new one, after for a removed one.
func ScheduleChange(by desk.Actor, action string, before, after *desk.Schedule) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Schedule"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// checkSchedule adds a problem with field to p if a newly named schedule does not
// exist.
func checkSchedule(tx *store.Tx, p *desk.Problems, field string, before, after *desk.ScheduleID) error {
	if after == nil || desk.Same(before, after) {
		return nil
	}
	switch _, err := tx.Schedule(*after); {
	case desk.KindOf(err) == desk.NotFound:
		p.Add(field, "must name a schedule")
	case err != nil:
		return err
	}
	return nil
}
