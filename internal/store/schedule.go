package store

import (
	"fmt"
	"sync"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
	"frontdesk/internal/wire"
)

const scheduleColumns = "id, name, version_id, time_zone, hours, holidays, created_at, updated_at"

func scanSchedule(scan scanner) (s desk.Schedule, err error) {
	err = scan(&s.ID, &s.Name, &s.Version, &s.TimeZone, stored.Hours(&s), stored.Holidays(&s), inMS(&s.CreatedAt), inMS(&s.UpdatedAt))
	return s, err
}

// Schedule returns a schedule that has not been removed.
func (tx *Tx) Schedule(id desk.ScheduleID) (desk.Schedule, error) {
	s, err := scanSchedule(tx.Row("SELECT "+scheduleColumns+" FROM sla_schedules WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	return s, Missing(err, "Schedule")
}

// Schedules returns a page of schedules.
func (tx *Tx) Schedules(p desk.Page) (desk.List[desk.Schedule], error) {
	var q query
	q.Add("SELECT "+scheduleColumns+" FROM sla_schedules WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	return page(tx, &q, "created_at", p, scanSchedule, func(s desk.Schedule) desk.Position { return positionAt(s.CreatedAt, s.ID) })
}

// AddSchedule inserts a new schedule and sets its id.
func (tx *Tx) AddSchedule(s *desk.Schedule) error {
	err := tx.Row("INSERT INTO sla_schedules (account_id, name, time_zone, hours, holidays, version_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 0, $6, $7) RETURNING id",
		tx.Account, s.Name, s.TimeZone, stored.Hours(s), stored.Holidays(s), ms(s.CreatedAt), ms(s.UpdatedAt)).Scan(&s.ID)
	if err != nil {
		return fmt.Errorf("add schedule: %w", err)
	}
	return tx.addVersion(s)
}

// addVersion inserts a version with the schedule's current hours and holidays.
func (tx *Tx) addVersion(s *desk.Schedule) error {
	err := tx.Row(`INSERT INTO sla_schedule_versions (account_id, schedule_id, time_zone, hours, holidays, created_at)
		SELECT account_id, id, time_zone, hours, holidays, $3 FROM sla_schedules WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, s.ID, ms(tx.Now)).Scan(&s.Version)
	if err != nil {
		return fmt.Errorf("add schedule version: %w", Missing(err, "Schedule"))
	}
	return tx.Do("UPDATE sla_schedules SET version_id = $1 WHERE account_id = $2 AND id = $3", s.Version, tx.Account, s.ID)
}

// SaveSchedule saves a changed schedule. If its times changed, it adds a version.
func (tx *Tx) SaveSchedule(before desk.Schedule, s *desk.Schedule) error {
	n, err := tx.Exec("UPDATE sla_schedules SET name = $1, time_zone = $2, hours = $3, holidays = $4, updated_at = $5 WHERE account_id = $6 AND id = $7 AND removed_at IS NULL",
		s.Name, s.TimeZone, stored.Hours(s), stored.Holidays(s), ms(s.UpdatedAt), tx.Account, s.ID)
	if err != nil || n == 0 || before.SameTimes(*s) {
		return err
	}
	return tx.addVersion(s)
}

// RemoveSchedule removes a schedule. Requests that were measured by it still are.
func (tx *Tx) RemoveSchedule(id desk.ScheduleID) error {
	return tx.Do("UPDATE sla_schedules SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// ScheduleUsers returns the names of one policy and one collection that use a
// schedule, or "" if there is none.
func (tx *Tx) ScheduleUsers(id desk.ScheduleID) (policy, collection string, err error) {
	if policy, err = one[string](tx, "SELECT name FROM sla_policies WHERE account_id = $1 AND schedule_id = $2 AND removed_at IS NULL ORDER BY id LIMIT 1", tx.Account, id); err != nil {
		return "", "", err
	}
	collection, err = one[string](tx, "SELECT name FROM collections WHERE account_id = $1 AND schedule_id = $2 AND removed_at IS NULL ORDER BY id LIMIT 1", tx.Account, id)
	return policy, collection, err
}

// CurrentSchedules returns the schedules that requests can be measured by, in their
// current versions, by id.
func (tx *Tx) CurrentSchedules() (map[desk.ScheduleID]desk.Schedule, error) {
	return settled(tx, theSchedules{}, tx.readCurrentSchedules)
}

func (tx *Tx) readCurrentSchedules() (map[desk.ScheduleID]desk.Schedule, error) {
	list, err := sqldb.Collect(tx.Tx, scanSchedule, "SELECT "+scheduleColumns+" FROM sla_schedules WHERE account_id = $1 AND removed_at IS NULL", tx.Account)
	return byKey(list, func(s desk.Schedule) desk.ScheduleID { return s.ID }), err
}

// calendars caches schedules as calendars that are ready to count with, by their
// content.
type calendars struct {
	sync.Mutex
	by map[string]*hours.Calendar
}

// mostCalendars limits the number of cached calendars.
const mostCalendars = 1000

// Calendar returns a schedule as a calendar that is ready to count with. The cache
// key is the content, so a version that was never committed cannot be mistaken for
// another.
func (tx *Tx) Calendar(s desk.Schedule) (*hours.Calendar, error) {
	w := wire.NewSchedule(s)
	key, err := wire.JSON([]any{s.TimeZone, w.Hours, w.Holidays})
	if err != nil {
		return nil, err
	}
	kept := &tx.store.calendars
	kept.Lock()
	c := kept.by[string(key)]
	kept.Unlock()
	if c != nil {
		return c, nil
	}
	if c, err = s.Calendar(); err != nil {
		return nil, err
	}
	kept.Lock()
	defer kept.Unlock()
	if kept.by == nil || len(kept.by) >= mostCalendars {
		kept.by = map[string]*hours.Calendar{}
	}
	kept.by[string(key)] = c
	return c, nil
}

// calendarsOf returns the calendars of schedule versions.
func (tx *Tx) calendarsOf(ids []desk.ScheduleVersionID) (map[desk.ScheduleVersionID]*hours.Calendar, error) {
	found, err := lookUp(tx, ids, func(scan scanner) (s desk.Schedule, err error) {
		err = scan(&s.Version, &s.TimeZone, stored.Hours(&s), stored.Holidays(&s))
		return s, err
	}, "SELECT id, time_zone, hours, holidays FROM sla_schedule_versions WHERE account_id = ? AND id IN ")
	if err != nil {
		return nil, err
	}
	all := make(map[desk.ScheduleVersionID]*hours.Calendar, len(found))
	for _, s := range found {
		if all[s.Version], err = tx.Calendar(s); err != nil {
			return nil, err
		}
	}
	return all, nil
}
