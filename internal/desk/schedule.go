package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/hours"
)

type ScheduleID int64

// ScheduleVersionID names a schedule as it was at a time.
type ScheduleVersionID int64

// Schedule says when people work: the hours of each weekday in a time zone, and the
// days that differ.
type Schedule struct {
	ID       ScheduleID
	Version  ScheduleVersionID // identifies the current times; changes when they change
	Name     string
	TimeZone string
	Hours    hours.Week
	Holidays []hours.Holiday // sorted by date

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Calendar prepares the schedule's times for counting.
func (s Schedule) Calendar() (*hours.Calendar, error) {
	return hours.New(s.TimeZone, s.Hours, s.Holidays)
}

func (s Schedule) Named() (resource, id string) { return "Schedule", FormatID(s.ID) }

const (
	// MostSchedules bounds the schedules of an account.
	MostSchedules = 100
	// MostRanges bounds the ranges of a day.
	MostRanges = 10
	// MostHolidays bounds the holidays of a schedule.
	MostHolidays = 366
)

// GivenRange is a range as a caller gave it: "09:00" to "12:30".
type GivenRange struct{ From, To string }

// GivenHoliday is a holiday as a caller gave it.
type GivenHoliday struct {
	Date  string
	Name  *string
	Hours []GivenRange
}

// GivenSchedule is a schedule as a caller gave it, for a new one or for a change.
// In a change a nil field stays as it is.
type GivenSchedule struct {
	Body
	Name      *string
	TimeZone  *string
	Hours     map[string][]GivenRange // the whole week; missing days are closed
	Holidays  *[]GivenHoliday
	Recompute *Recompute
}

// Schedule checks the input and makes the schedule.
func (g GivenSchedule) Schedule(now time.Time) (Schedule, error) {
	return create(Schedule{CreatedAt: now, UpdatedAt: now}, g.Body, g.fill, "name", "time_zone", "hours")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (s *Schedule) Apply(g GivenSchedule, now time.Time) error {
	return amend(s, g.Body, func(next *Schedule, p *patch) {
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

func (g GivenSchedule) fill(s *Schedule, p *patch) {
	takeName(p, &s.Name, g.Name)
	if take(p, "time_zone", &s.TimeZone, g.TimeZone) && !IsZone(s.TimeZone) {
		p.Add("time_zone", "must be an IANA time zone, such as Europe/Berlin")
	}
	if p.offer("hours", g.Hours != nil) {
		s.Hours = p.weekHours(g.Hours)
	}
	if p.offer("holidays", g.Holidays != nil) {
		s.Holidays = p.holidays(*g.Holidays)
	}
	g.Recompute.check(&p.Problems)
}

// weekHours reads the hours of a week. No two ranges may overlap, including a range
// past midnight and one of the next day. Nobody works twice at once, so one of them
// is a mistake.
func (p *Problems) weekHours(given map[string][]GivenRange) (w hours.Week) {
	if len(given) == 0 {
		p.Add("hours", "must have at least one range, or nothing would ever be due")
		return w
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	open, sound := false, true
	for _, name := range names {
		day := slices.Index(hours.Weekdays[:], name)
		if day < 0 {
			p.Add("hours", "must only have the days %s; %q is not one of them", strings.Join(hours.Weekdays[:], ", "), name)
			sound = false
			continue
		}
		ranges, ok := p.ranges("hours."+name, given[name])
		w[day], open, sound = ranges, open || len(ranges) > 0, sound && ok
	}
	switch {
	case !sound:
		return w
	case !open:
		p.Add("hours", "must have at least one range, or nothing would ever be due")
		return w
	}
	for day := range w {
		for i, r := range w[day] {
			if r.To > r.From {
				continue
			}
			for _, next := range w[(day+1)%7] {
				if r.To > next.From {
					p.Add(fmt.Sprintf("hours.%s[%d]", hours.Weekdays[day], i), "goes past midnight into a range of %s, which begins at %s", hours.Weekdays[(day+1)%7], hours.ClockText(next.From))
				}
			}
		}
	}
	return w
}

// ranges reads the ranges of a day and sorts them.
func (p *Problems) ranges(field string, given []GivenRange) ([]hours.Range, bool) {
	if len(given) > MostRanges {
		p.Add(field, "must have at most %d ranges; there are %d", MostRanges, len(given))
		return nil, false
	}
	all, sound := make([]hours.Range, 0, len(given)), true
	for i, g := range given {
		at := fmt.Sprintf("%s[%d]", field, i)
		from, ok := hours.ParseClock(g.From)
		if !ok || from == hours.DayMinutes {
			p.Add(at+".from", "must be a time from 00:00 to 23:59; %q is not", g.From)
			sound = false
			continue
		}
		to, ok := hours.ParseClock(g.To)
		if !ok {
			p.Add(at+".to", "must be a time from 00:00 to 24:00; %q is not", g.To)
			sound = false
			continue
		}
		all = append(all, hours.Range{From: from, To: to})
	}
	slices.SortFunc(all, func(a, b hours.Range) int { return a.From - b.From })
	for i := 1; i < len(all) && sound; i++ {
		if before := all[i-1]; before.To <= before.From || before.To > all[i].From {
			p.Add(field, "must not overlap; %s overlaps %s", all[i-1], all[i])
			sound = false
		}
	}
	return all, sound
}

func (p *Problems) holidays(given []GivenHoliday) []hours.Holiday {
	if !p.atMost("holidays", len(given), MostHolidays) {
		return nil
	}
	all := make([]hours.Holiday, 0, len(given))
	seen := map[string]bool{}
	for i, g := range given {
		at := fmt.Sprintf("holidays[%d]", i)
		if t, err := time.Parse(hours.DateFormat, g.Date); err != nil || t.Year() < 1970 || t.Year() > 9998 {
			p.Add(at+".date", "must be a date, such as 2026-12-25; %q is not", g.Date)
			continue
		}
		p.once(at+".date", seen, g.Date)
		h := hours.Holiday{Date: g.Date}
		if g.Name != nil {
			h.Name = *g.Name
			p.Text(at+".name", &h.Name, 1, mostName)
		}
		h.Hours, _ = p.ranges(at+".hours", g.Hours)
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b hours.Holiday) int { return strings.Compare(a.Date, b.Date) })
	return all
}

// SameTimes reports whether two schedules are open at the same times.
func (s Schedule) SameTimes(o Schedule) bool {
	for day := range s.Hours {
		if !slices.Equal(s.Hours[day], o.Hours[day]) {
			return false
		}
	}
	return s.TimeZone == o.TimeZone && slices.EqualFunc(s.Holidays, o.Holidays, func(a, b hours.Holiday) bool {
		return a.Date == b.Date && a.Name == b.Name && slices.Equal(a.Hours, b.Hours)
	})
}
