package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"
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
	Hours    WeekHours
	Holidays []Holiday // sorted by date

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (s Schedule) Named() (resource, id string) { return "Schedule", FormatID(s.ID) }

// WeekHours holds the hours of each weekday, Monday first.
type WeekHours [7][]HourRange

// Weekdays are the names of the days, in the order of WeekHours.
var Weekdays = [7]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// HourRange is a part of a day in minutes from midnight. A range whose end is not
// after its beginning goes past midnight into the next day.
type HourRange struct{ From, To int }

// Holiday is a day with its own hours, or none. Nothing else is open on it: a range
// from the day before ends at its midnight.
type Holiday struct {
	Date  string // 2026-12-25
	Name  string // empty for none
	Hours []HourRange
}

const (
	// MostSchedules bounds the schedules of an account.
	MostSchedules = 100
	// MostRanges bounds the ranges of a day.
	MostRanges = 10
	// MostHolidays bounds the holidays of a schedule.
	MostHolidays = 366

	dayMinutes = 24 * 60
	dateFormat = "2006-01-02"
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
func (p *Problems) weekHours(given map[string][]GivenRange) (w WeekHours) {
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
		day := slices.Index(Weekdays[:], name)
		if day < 0 {
			p.Add("hours", "must only have the days %s; %q is not one of them", strings.Join(Weekdays[:], ", "), name)
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
					p.Add(fmt.Sprintf("hours.%s[%d]", Weekdays[day], i), "goes past midnight into a range of %s, which begins at %s", Weekdays[(day+1)%7], clockText(next.From))
				}
			}
		}
	}
	return w
}

// ranges reads the ranges of a day and sorts them.
func (p *Problems) ranges(field string, given []GivenRange) ([]HourRange, bool) {
	if len(given) > MostRanges {
		p.Add(field, "must have at most %d ranges; there are %d", MostRanges, len(given))
		return nil, false
	}
	all, sound := make([]HourRange, 0, len(given)), true
	for i, g := range given {
		at := fmt.Sprintf("%s[%d]", field, i)
		from, ok := parseClock(g.From)
		if !ok || from == dayMinutes {
			p.Add(at+".from", "must be a time from 00:00 to 23:59; %q is not", g.From)
			sound = false
			continue
		}
		to, ok := parseClock(g.To)
		if !ok {
			p.Add(at+".to", "must be a time from 00:00 to 24:00; %q is not", g.To)
			sound = false
			continue
		}
		all = append(all, HourRange{from, to})
	}
	slices.SortFunc(all, func(a, b HourRange) int { return a.From - b.From })
	for i := 1; i < len(all) && sound; i++ {
		if before := all[i-1]; before.To <= before.From || before.To > all[i].From {
			p.Add(field, "must not overlap; %s overlaps %s", all[i-1], all[i])
			sound = false
		}
	}
	return all, sound
}

func (p *Problems) holidays(given []GivenHoliday) []Holiday {
	if !p.atMost("holidays", len(given), MostHolidays) {
		return nil
	}
	all := make([]Holiday, 0, len(given))
	seen := map[string]bool{}
	for i, g := range given {
		at := fmt.Sprintf("holidays[%d]", i)
		if t, err := time.Parse(dateFormat, g.Date); err != nil || t.Year() < 1970 || t.Year() > 9998 {
			p.Add(at+".date", "must be a date, such as 2026-12-25; %q is not", g.Date)
			continue
		}
		p.once(at+".date", seen, g.Date)
		h := Holiday{Date: g.Date}
		if g.Name != nil {
			h.Name = *g.Name
			p.Text(at+".name", &h.Name, 1, mostName)
		}
		h.Hours, _ = p.ranges(at+".hours", g.Hours)
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b Holiday) int { return strings.Compare(a.Date, b.Date) })
	return all
}

// parseClock reads 09:00 as minutes from midnight; 24:00 is the end of the day.
func parseClock(text string) (int, bool) {
	if len(text) != 5 || text[2] != ':' {
		return 0, false
	}
	n := 0
	for i, place := range []int{600, 60, 0, 10, 1} {
		if i == 2 {
			continue
		}
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n += int(text[i]-'0') * place
	}
	return n, text[3] < '6' && n <= dayMinutes
}

func clockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// FromText and ToText return the two ends as a person writes them.
func (r HourRange) FromText() string { return clockText(r.From) }
func (r HourRange) ToText() string   { return clockText(r.To) }

func (r HourRange) String() string { return r.FromText() + " to " + r.ToText() }

// SameTimes reports whether two schedules are open at the same times.
func (s Schedule) SameTimes(o Schedule) bool {
	for day := range s.Hours {
		if !slices.Equal(s.Hours[day], o.Hours[day]) {
			return false
		}
	}
	return s.TimeZone == o.TimeZone && slices.EqualFunc(s.Holidays, o.Holidays, func(a, b Holiday) bool {
		return a.Date == b.Date && a.Name == b.Name && slices.Equal(a.Hours, b.Hours)
	})
}

// ReadRange reads a range from its two ends.
func ReadRange(from, to string) (HourRange, bool) {
	a, ok := parseClock(from)
	b, fine := parseClock(to)
	return HourRange{a, b}, ok && fine && a < dayMinutes
}
