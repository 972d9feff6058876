package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// zones have clocks that change in every known way: forward and back, by an hour
// and by half an hour, for Ramadan, by a whole day, and not at all.
var zones = []struct {
	name  string
	turns []string // moments around which the clocks change
}{
	{"Europe/Berlin", []string{"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"}},
	{"America/New_York", []string{"2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"}},
	{"Asia/Kolkata", []string{"2026-01-01T00:00:00Z"}},
	{"Australia/Lord_Howe", []string{"2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"}},
	{"Pacific/Apia", []string{"2011-12-30T10:00:00Z", "2012-03-31T14:00:00Z"}},
	{"Africa/Casablanca", []string{"2026-02-15T02:00:00Z", "2026-03-22T02:00:00Z"}},
	{"UTC", []string{"2024-02-29T00:00:00Z"}},
}

func drawRanges(t *rapid.T, name string) (ranges []HourRange) {
	from := 0
	for n := rapid.IntRange(0, 3).Draw(t, name); n > 0 && from < dayMinutes-30; n-- {
		from = from + 15*rapid.IntRange(0, (dayMinutes-from)/30).Draw(t, name+" from")
		to := from + 15 + 15*rapid.IntRange(0, max((dayMinutes-from)/30-1, 0)).Draw(t, name+" length")
		if to > dayMinutes || from >= dayMinutes {
			break
		}
		ranges = append(ranges, HourRange{from, to})
		from = to
	}
	return ranges
}

// drawSchedule draws ranges of every kind, past midnight if the next day leaves
// room, and holidays around the moment.
func drawSchedule(t *rapid.T, zone string, about time.Time) Schedule {
	s := Schedule{TimeZone: zone}
	for day := range s.Hours {
		s.Hours[day] = drawRanges(t, Weekdays[day])
	}
	for day := range s.Hours {
		room := dayMinutes
		if next := s.Hours[(day+1)%7]; len(next) > 0 {
			room = next[0].From
		}
		if last := len(s.Hours[day]) - 1; last >= 0 && rapid.Bool().Draw(t, "past midnight") {
			s.Hours[day][last].To = 15 * rapid.IntRange(0, min(room, s.Hours[day][last].From)/15).Draw(t, "until")
		}
	}
	for d := -4; d <= 4; d++ {
		if rapid.IntRange(0, 4).Draw(t, "holiday") > 0 {
			continue
		}
		h := Holiday{Date: about.AddDate(0, 0, d).Format(dateFormat), Name: "Day off", Hours: drawRanges(t, "holiday hours")}
		if last := len(h.Hours) - 1; last >= 0 && rapid.Bool().Draw(t, "holiday past midnight") {
			h.Hours[last].To = h.Hours[last].From
		}
		s.Holidays = append(s.Holidays, h)
	}
	return s
}

func drawAround(t *rapid.T) (zone string, about time.Time) {
	z := rapid.SampledFrom(zones).Draw(t, "zone")
	about, err := time.Parse(time.RFC3339, rapid.SampledFrom(z.turns).Draw(t, "turn"))
	if err != nil {
		t.Fatal(err)
	}
	return z.name, about
}

// isOpen is the rule in its slow form. It looks up the wall clock in the day's
// ranges, and in the ranges of the day before that go past midnight. A holiday has
// only its own ranges.
func isOpen(s Schedule, wall time.Time) bool {
	date := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	minute := wall.Hour()*60 + wall.Minute()
	ranges := func(d time.Time) ([]HourRange, bool) {
		for _, h := range s.Holidays {
			if h.Date == d.Format(dateFormat) {
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
		zone, about := drawAround(t)
		s := drawSchedule(t, zone, about)
		c, err := s.Calendar()
		if err != nil {
			t.Fatal(err)
		}
		from := about.Add(-time.Duration(rapid.IntRange(0, 4*dayMinutes).Draw(t, "from")) * time.Minute)
		to := from.Add(time.Duration(rapid.IntRange(0, 8*dayMinutes).Draw(t, "minutes")) * time.Minute)
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
		zone, about := drawAround(t)
		c, err := drawSchedule(t, zone, about).Calendar()
		if err != nil {
			t.Fatal(err)
		}
		moment := func(name string) time.Time {
			return about.Add(time.Duration(rapid.Int64Range(-40*dayMS, 400*dayMS).Draw(t, name)) * time.Millisecond)
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
	nine := WeekHours{{{540, 1020}}, {{540, 1020}}, {{540, 1020}}, {{540, 1020}}, {{540, 1020}}, nil, nil}
	every := func(r ...HourRange) (w WeekHours) {
		for d := range w {
			w[d] = r
		}
		return w
	}
	for _, trap := range []struct {
		name     string
		zone     string
		hours    WeekHours
		holidays []Holiday
		from, to string // wall clock with offset
		want     time.Duration
	}{
		{"a night does not count", "Europe/Berlin", nine, nil, "2026-05-13T16:00:00+02:00", "2026-05-14T10:00:00+02:00", 2 * time.Hour},
		{"a weekend does not count", "Europe/Berlin", nine, nil, "2026-05-15T16:00:00+02:00", "2026-05-18T10:00:00+02:00", 2 * time.Hour},
		{"a split shift counts twice, and lunch does not", "Europe/Berlin", every(HourRange{540, 750}, HourRange{810, 1020}), nil, "2026-05-13T12:00:00+02:00", "2026-05-13T14:00:00+02:00", time.Hour},
		{"a range past midnight belongs to the day on which it begins", "UTC", WeekHours{4: {{1320, 360}}}, nil, "2026-05-15T00:00:00Z", "2026-05-17T00:00:00Z", 8 * time.Hour},
		{"past Sunday's midnight is Monday", "UTC", WeekHours{6: {{1320, 360}}}, nil, "2026-05-17T23:00:00Z", "2026-05-18T07:00:00Z", 7 * time.Hour},
		{"until 24:00 is until midnight", "UTC", every(HourRange{0, 1440}), nil, "2026-05-13T00:00:00Z", "2026-05-15T12:00:00Z", 60 * time.Hour},
		{"from 09:00 to 09:00 is a whole day", "UTC", WeekHours{2: {{540, 540}}}, nil, "2026-05-11T00:00:00Z", "2026-05-18T00:00:00Z", 24 * time.Hour},
		{"spring: the hour that the clocks skip does not count", "Europe/Berlin", every(HourRange{60, 240}), nil, "2026-03-29T00:00:00+01:00", "2026-03-29T12:00:00+02:00", 2 * time.Hour},
		{"spring: a range inside that hour is never", "Europe/Berlin", every(HourRange{120, 180}), nil, "2026-03-29T00:00:00+01:00", "2026-03-29T12:00:00+02:00", 0},
		{"autumn: the hour that they show twice counts twice", "Europe/Berlin", every(HourRange{60, 240}), nil, "2026-10-25T00:00:00+02:00", "2026-10-25T12:00:00+01:00", 4 * time.Hour},
		{"autumn: both 02:30s count", "Europe/Berlin", every(HourRange{150, 151}), nil, "2026-10-25T00:00:00+02:00", "2026-10-25T12:00:00+01:00", 2 * time.Minute},
		{"nine to five is eight hours on both days", "Europe/Berlin", every(HourRange{540, 1020}), nil, "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", 8 * time.Hour},
		{"half an hour of daylight saving", "Australia/Lord_Howe", every(HourRange{60, 180}), nil, "2026-10-04T00:00:00+10:30", "2026-10-04T12:00:00+11:00", 90 * time.Minute},
		{"a night shift over the change of clocks", "America/New_York", every(HourRange{1320, 360}), nil, "2026-03-07T22:00:00-05:00", "2026-03-08T06:00:00-04:00", 7 * time.Hour},
		{"a day that never was", "Pacific/Apia", every(HourRange{540, 1020}), nil, "2011-12-29T09:00:00-10:00", "2011-12-31T17:00:00+14:00", 16 * time.Hour},
		{"clocks that go back for Ramadan", "Africa/Casablanca", every(HourRange{60, 240}), nil, "2026-02-15T00:00:00+01:00", "2026-02-15T12:00:00Z", 4 * time.Hour},
		{"half an hour off, all year", "Asia/Kolkata", nine, nil, "2026-05-13T03:00:00Z", "2026-05-13T04:00:00Z", 30 * time.Minute},
		{"a holiday does not count", "Europe/Berlin", nine, []Holiday{{Date: "2026-05-14"}}, "2026-05-13T16:00:00+02:00", "2026-05-15T10:00:00+02:00", 2 * time.Hour},
		{"a holiday with hours of its own", "Europe/Berlin", nine, []Holiday{{Date: "2026-12-24", Hours: []HourRange{{540, 720}}}}, "2026-12-24T00:00:00+01:00", "2026-12-25T00:00:00+01:00", 3 * time.Hour},
		{"a night shift ends at a holiday's midnight", "UTC", every(HourRange{1320, 360}), []Holiday{{Date: "2026-05-14"}}, "2026-05-13T22:00:00Z", "2026-05-14T22:00:00Z", 2 * time.Hour},
		{"and a holiday's own shift is not there the day after", "UTC", every(HourRange{1320, 360}), []Holiday{{Date: "2026-05-14"}}, "2026-05-14T22:00:00Z", "2026-05-15T22:00:00Z", 0},
		{"unless its own hours go past midnight", "UTC", every(HourRange{1320, 360}), []Holiday{{Date: "2026-05-14", Hours: []HourRange{{1320, 60}}}}, "2026-05-14T00:00:00Z", "2026-05-15T22:00:00Z", 3 * time.Hour},
		{"a millisecond is one", "UTC", nine, nil, "2026-05-13T16:59:59.999Z", "2026-05-14T09:00:00.001Z", 2 * time.Millisecond},
	} {
		t.Run(trap.name, func(t *testing.T) {
			c, err := Schedule{TimeZone: trap.zone, Hours: trap.hours, Holidays: trap.holidays}.Calendar()
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
	c, err := Schedule{TimeZone: "UTC", Hours: WeekHours{{{0, 1}}}}.Calendar()
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
	var none *Calendar
	if due, ok := none.After(at, time.Hour); !ok || !due.Equal(at.Add(time.Hour)) {
		t.Errorf("an hour of calendar time is due %v", due)
	}
}

func TestGivenSchedule(t *testing.T) {
	text := func(s string) *string { return &s }
	given := func(hours map[string][]GivenRange, holidays ...GivenHoliday) GivenSchedule {
		return GivenSchedule{Name: text("Office"), TimeZone: text("Europe/Berlin"), Hours: hours, Holidays: &holidays}
	}
	many := make([]GivenRange, MostRanges+1)
	for i := range many {
		many[i] = GivenRange{fmt.Sprintf("%02d:00", i), fmt.Sprintf("%02d:30", i)}
	}
	days := make([]GivenHoliday, MostHolidays+1)
	for i := range days {
		days[i].Date = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(dateFormat)
	}
	week := map[string][]GivenRange{"monday": {{"09:00", "17:00"}}}
	now := moment(t, "2026-05-13T09:00:00Z")
	for _, c := range []struct {
		name  string
		given GivenSchedule
		wrong string // empty: it is accepted
	}{
		{"plain", given(week), ""},
		{"in any order", given(map[string][]GivenRange{"monday": {{"13:00", "17:00"}, {"09:00", "12:30"}}}), ""},
		{"as many ranges as can be", given(map[string][]GivenRange{"monday": many[:MostRanges]}), ""},
		{"one more", given(map[string][]GivenRange{"monday": many}), "hours.monday must have at most 10 ranges; there are 11"},
		{"as many holidays as can be", given(week, days[:MostHolidays]...), ""},
		{"one more holiday", given(week, days...), "holidays must have at most 366 items; there are 367"},
		{"touching", given(map[string][]GivenRange{"monday": {{"09:00", "12:00"}, {"12:00", "17:00"}}}), ""},
		{"overlapping", given(map[string][]GivenRange{"monday": {{"09:00", "12:01"}, {"12:00", "17:00"}}}), "hours.monday must not overlap; 09:00 to 12:01 overlaps 12:00 to 17:00"},
		{"behind one that goes past midnight", given(map[string][]GivenRange{"monday": {{"09:00", "08:00"}, {"12:00", "17:00"}}}), "must not overlap"},
		{"past midnight up to the next", given(map[string][]GivenRange{"sunday": {{"22:00", "09:00"}}, "monday": {{"09:00", "17:00"}}}), ""},
		{"past midnight into the next", given(map[string][]GivenRange{"sunday": {{"22:00", "09:01"}}, "monday": {{"09:00", "17:00"}}}), "hours.sunday[0] goes past midnight into a range of monday, which begins at 09:00"},
		{"until 24:00", given(map[string][]GivenRange{"monday": {{"00:00", "24:00"}}}), ""},
		{"from 24:00", given(map[string][]GivenRange{"monday": {{"24:00", "24:00"}}}), "hours.monday[0].from must be a time from 00:00 to 23:59"},
		{"until 24:01", given(map[string][]GivenRange{"monday": {{"00:00", "24:01"}}}), "hours.monday[0].to must be a time from 00:00 to 24:00"},
		{"minutes that are none", given(map[string][]GivenRange{"monday": {{"09:60", "10:00"}}}), "hours.monday[0].from must be"},
		{"not a time", given(map[string][]GivenRange{"monday": {{"9:00", "'; --"}}}), "hours.monday[0].from must be"},
		{"no such day", given(map[string][]GivenRange{"funday": {{"09:00", "17:00"}}}), `"funday" is not one of them`},
		{"never open", given(map[string][]GivenRange{"monday": {}}), "hours must have at least one range"},
		{"not a date", given(week, GivenHoliday{Date: "2026-02-30"}), `holidays[0].date must be a date, such as 2026-12-25; "2026-02-30" is not`},
		{"a date twice", given(week, GivenHoliday{Date: "2026-02-28"}, GivenHoliday{Date: "2026-02-28"}), "holidays[1].date is given twice"},
		{"no such zone", GivenSchedule{Name: text("x"), TimeZone: text("Mars/Phobos"), Hours: week}, "time_zone must be an IANA time zone"},
		{"the machine's own zone", GivenSchedule{Name: text("x"), TimeZone: text("Local"), Hours: week}, "time_zone must be an IANA time zone"},
		{"nothing", GivenSchedule{}, "name is required; time_zone is required; hours is required."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.given.Schedule(now)
			switch {
			case c.wrong == "" && err != nil:
				t.Error(err)
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("it says %v, not %q", err, c.wrong)
			}
		})
	}
}

// BenchmarkCalendar compares a request that is open for three years, with daylight
// saving and holidays, with one that is open for an hour.
func BenchmarkCalendar(b *testing.B) {
	s := Schedule{TimeZone: "Europe/Berlin"}
	for day := range 5 {
		s.Hours[day] = []HourRange{{540, 750}, {810, 1020}}
	}
	for i := range MostHolidays {
		s.Holidays = append(s.Holidays, Holiday{Date: time.Date(2023, 1, 1+3*i, 0, 0, 0, 0, time.UTC).Format(dateFormat)})
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
