package hours_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/hours"
	"frontdesk/internal/hours/hourstest"
)

// schedule is what calendars are made from.
type schedule struct {
	TimeZone string
	Hours    hours.Week
	Holidays []hours.Holiday
}

func (s schedule) Calendar() (*hours.Calendar, error) {
	return hours.New(s.TimeZone, s.Hours, s.Holidays)
}

// drawSchedule draws a schedule with ranges and holidays of every kind.
func drawSchedule(t *rapid.T, zone string, about time.Time) schedule {
	week, holidays := hourstest.Draw(t, about)
	return schedule{zone, week, holidays}
}

// isOpen is the rule in its slow form. It looks up the wall clock in the day's
// ranges, and in the ranges of the day before that go past midnight. A holiday has
// only its own ranges.
func isOpen(s schedule, wall time.Time) bool {
	date := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	minute := wall.Hour()*60 + wall.Minute()
	ranges := func(d time.Time) ([]hours.Range, bool) {
		for _, h := range s.Holidays {
			if h.Date == d.Format(hours.DateFormat) {
				return h.Hours, true
			}
		}
		return s.Hours[(int(d.Weekday())+6)%7], false
	}
	own, holiday := ranges(date)
	for _, r := range own {
		if minute >= r.From && (minute < r.To || r.To <= r.From) {
			return true
		}
	}
	if holiday {
		return false
	}
	before, _ := ranges(date.AddDate(0, 0, -1))
	for _, r := range before {
		if r.To <= r.From && minute < r.To {
			return true
		}
	}
	return false
}

// TestCalendarCountsLikeAPerson compares the fast count with one that looks at
// every minute.
func TestCalendarCountsLikeAPerson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, about := hourstest.Around(t)
		s := drawSchedule(t, zone, about)
		c, err := s.Calendar()
		if err != nil {
			t.Fatal(err)
		}
		from := about.Add(-time.Duration(rapid.IntRange(0, 4*hours.DayMinutes).Draw(t, "from")) * time.Minute)
		to := from.Add(time.Duration(rapid.IntRange(0, 8*hours.DayMinutes).Draw(t, "minutes")) * time.Minute)
		loc, _ := time.LoadLocation(zone)
		var slow time.Duration
		for at := from; at.Before(to); at = at.Add(time.Minute) {
			if isOpen(s, at.In(loc)) {
				slow += time.Minute
			}
		}
		if got := c.Between(from, to); got != slow {
			t.Fatalf("%v to %v in %s is %v, and %v minute by minute\n%+v", from, to, zone, got, slow, s)
		}
	})
}

// TestCalendarIsAdditive checks that a time is the sum of its parts, never
// negative, and never more than the elapsed time; that the stretches are its parts;
// and that After is its inverse.
func TestCalendarIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, about := hourstest.Around(t)
		c, err := drawSchedule(t, zone, about).Calendar()
		if err != nil {
			t.Fatal(err)
		}
		moment := func(name string) time.Time {
			return about.Add(time.Duration(rapid.Int64Range(-40*24*60*60*1000, 400*24*60*60*1000).Draw(t, name)) * time.Millisecond)
		}
		at := []time.Time{moment("a"), moment("b"), moment("c")}
		slices.SortFunc(at, time.Time.Compare)
		whole, left, right := c.Between(at[0], at[2]), c.Between(at[0], at[1]), c.Between(at[1], at[2])
		if whole != left+right || left < 0 || right < 0 || whole > at[2].Sub(at[0]) {
			t.Fatalf("%v is not %v and %v between %v", whole, left, right, at)
		}
		var sum time.Duration
		end := at[0]
		for _, s := range c.Stretches(at[0], at[2]) {
			if !s.From.Equal(end) || !s.To.After(s.From) {
				t.Fatalf("the stretch %+v does not begin at %v", s, end)
			}
			if end = s.To; s.Open {
				sum += s.To.Sub(s.From)
			}
		}
		if sum != whole || at[2].After(at[0]) && !end.Equal(at[2]) {
			t.Fatalf("the stretches are %v and end at %v, not %v and %v", sum, end, whole, at[2])
		}
		if left == 0 {
			return
		}
		due, ok := c.After(at[0], left)
		if !ok || c.Between(at[0], due) != left || c.Between(at[0], due.Add(-time.Millisecond)) >= left {
			t.Fatalf("%v after %v is not %v (%v)", left, at[0], due, ok)
		}
	})
}

// TestCalendarTraps is the table of what goes wrong in other products. docs/sla.md
// explains it to people.
func TestCalendarTraps(t *testing.T) {
	nine := hours.Week{{{540, 1020}}, {{540, 1020}}, {{540, 1020}}, {{540, 1020}}, {{540, 1020}}, nil, nil}
	every := func(r ...hours.Range) (w hours.Week) {
		for d := range w {
			w[d] = r
		}
		return w
	}
	for _, trap := range []struct {
		name     string
		zone     string
		hours    hours.Week
		holidays []hours.Holiday
		from, to string // wall clock with offset
		want     time.Duration
	}{
		{"a night does not count", "Europe/Berlin", nine, nil, "2026-05-13T16:00:00+02:00", "2026-05-14T10:00:00+02:00", 2 * time.Hour},
		{"a weekend does not count", "Europe/Berlin", nine, nil, "2026-05-15T16:00:00+02:00", "2026-05-18T10:00:00+02:00", 2 * time.Hour},
		{"a split shift counts twice, and lunch does not", "Europe/Berlin", every(hours.Range{540, 750}, hours.Range{810, 1020}), nil, "2026-05-13T12:00:00+02:00", "2026-05-13T14:00:00+02:00", time.Hour},
		{"a range past midnight belongs to the day on which it begins", "UTC", hours.Week{4: {{1320, 360}}}, nil, "2026-05-15T00:00:00Z", "2026-05-17T00:00:00Z", 8 * time.Hour},
		{"past Sunday's midnight is Monday", "UTC", hours.Week{6: {{1320, 360}}}, nil, "2026-05-17T23:00:00Z", "2026-05-18T07:00:00Z", 7 * time.Hour},
		{"until 24:00 is until midnight", "UTC", every(hours.Range{0, 1440}), nil, "2026-05-13T00:00:00Z", "2026-05-15T12:00:00Z", 60 * time.Hour},
		{"from 09:00 to 09:00 is a whole day", "UTC", hours.Week{2: {{540, 540}}}, nil, "2026-05-11T00:00:00Z", "2026-05-18T00:00:00Z", 24 * time.Hour},
		{"spring: the hour that the clocks skip does not count", "Europe/Berlin", every(hours.Range{60, 240}), nil, "2026-03-29T00:00:00+01:00", "2026-03-29T12:00:00+02:00", 2 * time.Hour},
		{"spring: a range inside that hour is never", "Europe/Berlin", every(hours.Range{120, 180}), nil, "2026-03-29T00:00:00+01:00", "2026-03-29T12:00:00+02:00", 0},
		{"autumn: the hour that they show twice counts twice", "Europe/Berlin", every(hours.Range{60, 240}), nil, "2026-10-25T00:00:00+02:00", "2026-10-25T12:00:00+01:00", 4 * time.Hour},
		{"autumn: both 02:30s count", "Europe/Berlin", every(hours.Range{150, 151}), nil, "2026-10-25T00:00:00+02:00", "2026-10-25T12:00:00+01:00", 2 * time.Minute},
		{"nine to five is eight hours on both days", "Europe/Berlin", every(hours.Range{540, 1020}), nil, "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", 8 * time.Hour},
		{"half an hour of daylight saving", "Australia/Lord_Howe", every(hours.Range{60, 180}), nil, "2026-10-04T00:00:00+10:30", "2026-10-04T12:00:00+11:00", 90 * time.Minute},
		{"a night shift over the change of clocks", "America/New_York", every(hours.Range{1320, 360}), nil, "2026-03-07T22:00:00-05:00", "2026-03-08T06:00:00-04:00", 7 * time.Hour},
		{"a day that never was", "Pacific/Apia", every(hours.Range{540, 1020}), nil, "2011-12-29T09:00:00-10:00", "2011-12-31T17:00:00+14:00", 16 * time.Hour},
		{"clocks that go back for Ramadan", "Africa/Casablanca", every(hours.Range{60, 240}), nil, "2026-02-15T00:00:00+01:00", "2026-02-15T12:00:00Z", 4 * time.Hour},
		{"half an hour off, all year", "Asia/Kolkata", nine, nil, "2026-05-13T03:00:00Z", "2026-05-13T04:00:00Z", 30 * time.Minute},
		{"a holiday does not count", "Europe/Berlin", nine, []hours.Holiday{{Date: "2026-05-14"}}, "2026-05-13T16:00:00+02:00", "2026-05-15T10:00:00+02:00", 2 * time.Hour},
		{"a holiday with hours of its own", "Europe/Berlin", nine, []hours.Holiday{{Date: "2026-12-24", Hours: []hours.Range{{540, 720}}}}, "2026-12-24T00:00:00+01:00", "2026-12-25T00:00:00+01:00", 3 * time.Hour},
		{"a night shift ends at a holiday's midnight", "UTC", every(hours.Range{1320, 360}), []hours.Holiday{{Date: "2026-05-14"}}, "2026-05-13T22:00:00Z", "2026-05-14T22:00:00Z", 2 * time.Hour},
		{"and a holiday's own shift is not there the day after", "UTC", every(hours.Range{1320, 360}), []hours.Holiday{{Date: "2026-05-14"}}, "2026-05-14T22:00:00Z", "2026-05-15T22:00:00Z", 0},
		{"unless its own hours go past midnight", "UTC", every(hours.Range{1320, 360}), []hours.Holiday{{Date: "2026-05-14", Hours: []hours.Range{{1320, 60}}}}, "2026-05-14T00:00:00Z", "2026-05-15T22:00:00Z", 3 * time.Hour},
		{"a millisecond is one", "UTC", nine, nil, "2026-05-13T16:59:59.999Z", "2026-05-14T09:00:00.001Z", 2 * time.Millisecond},
	} {
		t.Run(trap.name, func(t *testing.T) {
			c, err := schedule{TimeZone: trap.zone, Hours: trap.hours, Holidays: trap.holidays}.Calendar()
			if err != nil {
				t.Fatal(err)
			}
			from, to := moment(t, trap.from), moment(t, trap.to)
			if got := c.Between(from, to); got != trap.want {
				t.Errorf("it is %v, not %v", got, trap.want)
			}
		})
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestCalendarEnds checks that a schedule that is not open within twenty years is
// never due.
func TestCalendarEnds(t *testing.T) {
	c, err := schedule{TimeZone: "UTC", Hours: hours.Week{{{0, 1}}}}.Calendar()
	if err != nil {
		t.Fatal(err)
	}
	at := moment(t, "2026-05-13T09:00:00Z")
	if due, ok := c.After(at, time.Hour); !ok || due.Sub(at) < 58*7*24*time.Hour {
		t.Errorf("sixty minutes, one a week, are due %v (%v)", due, ok)
	}
	if due, ok := c.After(at, 366*24*time.Hour); ok {
		t.Errorf("a year of them is due %v", due)
	}
	var none *hours.Calendar
	if due, ok := none.After(at, time.Hour); !ok || !due.Equal(at.Add(time.Hour)) {
		t.Errorf("an hour of calendar time is due %v", due)
	}
}

// BenchmarkCalendar compares a request that is open for three years, with daylight
// saving and holidays, with one that is open for an hour.
func BenchmarkCalendar(b *testing.B) {
	s := schedule{TimeZone: "Europe/Berlin"}
	for day := range 5 {
		s.Hours[day] = []hours.Range{{540, 750}, {810, 1020}}
	}
	for i := range 366 {
		s.Holidays = append(s.Holidays, hours.Holiday{Date: time.Date(2023, 1, 1+3*i, 0, 0, 0, 0, time.UTC).Format(hours.DateFormat)})
	}
	c, err := s.Calendar()
	if err != nil {
		b.Fatal(err)
	}
	from := time.Date(2023, 5, 13, 9, 0, 0, 0, time.UTC)
	for name, d := range map[string]time.Duration{"hour": time.Hour, "month": 30 * 24 * time.Hour, "three years": 3 * 365 * 24 * time.Hour} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				c.Between(from, from.Add(d))
			}
		})
	}
	b.Run("due in 40 hours", func(b *testing.B) {
		for range b.N {
			c.After(from, 40*time.Hour)
		}
	})
}
