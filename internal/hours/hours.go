// Package hours counts the time in which people work: the hours of a week in a time
// zone, and the days that differ. It knows nothing of requests or their SLAs.
package hours

import "fmt"

// Week holds the hours of each weekday, Monday first.
type Week [7][]Range

// Weekdays are the names of the days, in the order of Week.
var Weekdays = [7]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// Range is a part of a day in minutes from midnight. A range whose end is not after
// its beginning goes past midnight into the next day.
type Range struct{ From, To int }

// Holiday is a day with its own hours, or none. Nothing else is open on it: a range
// from the day before ends at its midnight.
type Holiday struct {
	Date  string // 2026-12-25
	Name  string // empty for none
	Hours []Range
}

const (
	// DayMinutes is the end of a day.
	DayMinutes = 24 * 60
	// DateFormat is how the date of a holiday is written.
	DateFormat = "2006-01-02"
)

// ParseClock reads 09:00 as minutes from midnight; 24:00 is the end of the day.
func ParseClock(text string) (int, bool) {
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
	return n, text[3] < '6' && n <= DayMinutes
}

// ClockText returns minutes from midnight as a person writes them.
func ClockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// FromText and ToText return the two ends as a person writes them.
func (r Range) FromText() string { return ClockText(r.From) }
func (r Range) ToText() string   { return ClockText(r.To) }

func (r Range) String() string { return r.FromText() + " to " + r.ToText() }

// ReadRange reads a range from its two ends.
func ReadRange(from, to string) (Range, bool) {
	a, ok := ParseClock(from)
	b, fine := ParseClock(to)
	return Range{a, b}, ok && fine && a < DayMinutes
}
