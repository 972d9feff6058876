package change

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

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
