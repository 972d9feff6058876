// Package hourstest draws working hours for tests: ranges past midnight, holidays, and
// time zones whose clocks change.
package hourstest

import (
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/hours"
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

func drawRanges(t *rapid.T, name string) (ranges []hours.Range) {
	from := 0
	for n := rapid.IntRange(0, 3).Draw(t, name); n > 0 && from < hours.DayMinutes-30; n-- {
		from = from + 15*rapid.IntRange(0, (hours.DayMinutes-from)/30).Draw(t, name+" from")
		to := from + 15 + 15*rapid.IntRange(0, max((hours.DayMinutes-from)/30-1, 0)).Draw(t, name+" length")
		if to > hours.DayMinutes || from >= hours.DayMinutes {
			break
		}
		ranges = append(ranges, hours.Range{From: from, To: to})
		from = to
	}
	return ranges
}

// Draw draws ranges of every kind, past midnight if the next day leaves
// room, and holidays around the moment.
func Draw(t *rapid.T, about time.Time) (week hours.Week, holidays []hours.Holiday) {
	for day := range week {
		week[day] = drawRanges(t, hours.Weekdays[day])
	}
	for day := range week {
		room := hours.DayMinutes
		if next := week[(day+1)%7]; len(next) > 0 {
			room = next[0].From
		}
		if last := len(week[day]) - 1; last >= 0 && rapid.Bool().Draw(t, "past midnight") {
			week[day][last].To = 15 * rapid.IntRange(0, min(room, week[day][last].From)/15).Draw(t, "until")
		}
	}
	for d := -4; d <= 4; d++ {
		if rapid.IntRange(0, 4).Draw(t, "holiday") > 0 {
			continue
		}
		h := hours.Holiday{Date: about.AddDate(0, 0, d).Format(hours.DateFormat), Name: "Day off", Hours: drawRanges(t, "holiday hours")}
		if last := len(h.Hours) - 1; last >= 0 && rapid.Bool().Draw(t, "holiday past midnight") {
			h.Hours[last].To = h.Hours[last].From
		}
		holidays = append(holidays, h)
	}
	return week, holidays
}

// Around draws a time zone and a moment around which its clocks change.
func Around(t *rapid.T) (zone string, about time.Time) {
	z := rapid.SampledFrom(zones).Draw(t, "zone")
	about, err := time.Parse(time.RFC3339, rapid.SampledFrom(z.turns).Draw(t, "turn"))
	if err != nil {
		t.Fatal(err)
	}
	return z.name, about
}
