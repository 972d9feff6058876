package wire

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
)

// Schedule is a schedule on the wire. Its hours list every day of the week.
type Schedule struct {
	ID        desk.ScheduleID        `json:"id"`
	Name      string                 `json:"name"`
	TimeZone  string                 `json:"time_zone"`
	Hours     map[string][]HourRange `json:"hours"`
	Holidays  []Holiday              `json:"holidays"`
	CreatedAt Time                   `json:"created_at"`
	UpdatedAt Time                   `json:"updated_at"`
}

// HourRange is a part of a day.
type HourRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Holiday is a day with its own hours, or with none.
type Holiday struct {
	Date  string      `json:"date"`
	Name  *string     `json:"name"`
	Hours []HourRange `json:"hours"`
}

// NewSchedule returns the wire form of a schedule.
func NewSchedule(s desk.Schedule) Schedule {
	w := Schedule{ID: s.ID, Name: s.Name, TimeZone: s.TimeZone, Hours: map[string][]HourRange{}, CreatedAt: NewTime(s.CreatedAt), UpdatedAt: NewTime(s.UpdatedAt)}
	for day, name := range hours.Weekdays {
		w.Hours[name] = desk.Each(s.Hours[day], newHourRange)
	}
	w.Holidays = desk.Each(s.Holidays, func(h hours.Holiday) Holiday {
		return Holiday{Date: h.Date, Name: orNull(h.Name), Hours: desk.Each(h.Hours, newHourRange)}
	})
	return w
}

func newHourRange(r hours.Range) HourRange { return HourRange{From: r.FromText(), To: r.ToText()} }

// ScheduleTimes parses hours and holidays from their wire form.
func ScheduleTimes(byName map[string][]HourRange, holidays []Holiday) (week hours.Week, days []hours.Holiday, err error) {
	for day, name := range hours.Weekdays {
		if week[day], err = hourRanges(byName[name]); err != nil {
			return week, nil, err
		}
	}
	for _, h := range holidays {
		day := hours.Holiday{Date: h.Date}
		if h.Name != nil {
			day.Name = *h.Name
		}
		if day.Hours, err = hourRanges(h.Hours); err != nil {
			return week, nil, err
		}
		days = append(days, day)
	}
	return week, days, nil
}

func hourRanges(list []HourRange) (ranges []hours.Range, err error) {
	for _, w := range list {
		r, ok := hours.ReadRange(w.From, w.To)
		if !ok {
			return nil, fmt.Errorf("read a schedule: %s to %s is no range", w.From, w.To)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}
