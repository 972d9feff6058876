package hours

import (
	"fmt"
	"slices"
	"time"
)

// Calendar counts the time in which a schedule is open. A moment is open if the
// wall clock in the schedule's time zone then shows an open time. So an hour that
// the clocks skip does not count, and an hour that they show twice counts twice.
// The nil calendar is always open. A calendar is safe for concurrent use.
type Calendar struct {
	zone *time.Location
	week [7]openDay // Monday first
	upTo [8]int64   // how much of the week is open before each day, and in total
	days []ownDay   // days that differ from others of their weekday, by number
}

// span is a part of a day, in milliseconds of its clock.
type span struct{ from, to int64 }

// openDay holds the open times of a day, in order, without overlaps.
type openDay []span

// ownDay is a day that differs from others of its weekday: a holiday, or the day
// after one. A holiday's hours may reach into the next day, and a usual day's hours
// do not reach into a holiday.
type ownDay struct {
	number  int64 // days since 1970-01-01
	open    openDay
	holiday bool
	name    string
}

const (
	dayMS    = 24 * 60 * 60 * 1000
	minuteMS = 60 * 1000
	// farthest is how far ahead a calendar is searched for a due time. A target
	// that is not reached by then is never due.
	farthest = 20 * 366 * 24 * time.Hour
)

// New prepares the hours of a week, in a time zone, and its holidays for counting.
func New(zone string, week Week, holidays []Holiday) (*Calendar, error) {
	at, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("the time zone of a schedule: %w", err)
	}
	c := &Calendar{zone: at}
	for day := range c.week {
		c.week[day] = joined(append(today(week[day]), pastMidnight(week[(day+6)%7])...))
		c.upTo[day+1] = c.upTo[day] + c.week[day].within(0, dayMS)
	}
	byDay := map[int64]Holiday{}
	for _, h := range holidays {
		date, err := time.Parse(DateFormat, h.Date)
		if err != nil {
			return nil, fmt.Errorf("a holiday of a schedule: %w", err)
		}
		byDay[floorDiv(date.UnixMilli(), dayMS)] = h
	}
	for number, h := range byDay {
		c.days = append(c.days, ownDay{number: number, open: joined(today(h.Hours)), holiday: true, name: h.Name})
		if _, holiday := byDay[number+1]; !holiday {
			c.days = append(c.days, ownDay{number: number + 1, open: joined(append(today(week[weekday(number+1)]), pastMidnight(h.Hours)...))})
		}
	}
	slices.SortFunc(c.days, func(a, b ownDay) int { return int(a.number - b.number) })
	return c, nil
}

// today returns the parts of the ranges on the day they begin.
func today(ranges []Range) (spans openDay) {
	for _, r := range ranges {
		to := int64(r.To) * minuteMS
		if r.To <= r.From {
			to = dayMS
		}
		spans = append(spans, span{int64(r.From) * minuteMS, to})
	}
	return spans
}

// pastMidnight returns the parts of the ranges on the following day.
func pastMidnight(ranges []Range) (spans openDay) {
	for _, r := range ranges {
		if r.To <= r.From && r.To > 0 {
			spans = append(spans, span{0, int64(r.To) * minuteMS})
		}
	}
	return spans
}

// joined sorts spans and joins those that touch.
func joined(spans openDay) openDay {
	slices.SortFunc(spans, func(a, b span) int { return int(a.from - b.from) })
	all := openDay{}
	for _, s := range spans {
		if n := len(all); n > 0 && s.from <= all[n-1].to {
			all[n-1].to = max(all[n-1].to, s.to)
			continue
		}
		all = append(all, s)
	}
	return all
}

// within returns how much of a part of the day is open.
func (d openDay) within(from, to int64) (open int64) {
	for _, s := range d {
		open += max(min(s.to, to)-max(s.from, from), 0)
	}
	return open
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// weekday returns the weekday of a day number, with Monday as 0. 1970 began on a
// Thursday.
func weekday(number int64) int { return int(((number+3)%7 + 7) % 7) }

// Between returns how much of the time between two moments is open.
func (c *Calendar) Between(from, to time.Time) time.Duration {
	switch {
	case !to.After(from):
		return 0
	case c == nil:
		return to.Sub(from)
	}
	var open int64
	for a, b := from.UnixMilli(), to.UnixMilli(); a < b; {
		offset, until := c.steady(a, b)
		open += c.shown(until+offset) - c.shown(a+offset) + c.differing(a+offset, until+offset)
		a = until
	}
	return time.Duration(open) * time.Millisecond
}

// steady returns the zone's offset from UTC at a moment, and until when it stays
// the same, at most until end.
func (c *Calendar) steady(at, end int64) (offset, until int64) {
	t := time.UnixMilli(at).In(c.zone)
	_, seconds := t.Zone()
	if _, changes := t.ZoneBounds(); !changes.IsZero() {
		end = min(end, changes.UnixMilli())
	}
	return int64(seconds) * 1000, end
}

// shown returns how much is open up to a clock time if all weeks were alike.
func (c *Calendar) shown(clock int64) int64 {
	number := floorDiv(clock, dayMS)
	day := weekday(number)
	return floorDiv(number+3, 7)*c.upTo[7] + c.upTo[day] + c.week[day].within(0, clock-number*dayMS)
}

// differing returns how much the own days change that, from one clock time to
// another.
func (c *Calendar) differing(from, to int64) (more int64) {
	first, _ := slices.BinarySearchFunc(c.days, floorDiv(from, dayMS), func(d ownDay, number int64) int { return int(d.number - number) })
	for _, d := range c.days[first:] {
		begin := d.number * dayMS
		if begin >= to {
			break
		}
		a, b := max(from-begin, 0), min(to-begin, dayMS)
		more += d.open.within(a, b) - c.week[weekday(d.number)].within(a, b)
	}
	return more
}

// After returns the first moment at which the given time has been open since from.
// It returns false if that is not within twenty years.
func (c *Calendar) After(from time.Time, open time.Duration) (time.Time, bool) {
	switch {
	case open <= 0:
		return from, true
	case c == nil:
		return from.Add(open), true
	}
	// Open time never exceeds elapsed time, so this is the earliest possible
	// moment. Search from here in doubling steps until it is too late, then halve.
	low, step := from.Add(open-time.Millisecond), max(open, 24*time.Hour)
	open -= c.Between(from, low)
	for {
		if low.Sub(from) > farthest {
			return time.Time{}, false
		}
		passed := c.Between(low, low.Add(step))
		if passed >= open {
			break
		}
		low, open, step = low.Add(step), open-passed, step*2
	}
	for step > time.Millisecond {
		half := (step / 2).Truncate(time.Millisecond)
		if half == 0 {
			half = time.Millisecond
		}
		if passed := c.Between(low, low.Add(half)); passed >= open {
			step = half
		} else {
			low, open, step = low.Add(half), open-passed, step-half
		}
	}
	return low.Add(step), true
}

// Stretch is a part of time that is open or closed, and why.
type Stretch struct {
	From, To time.Time
	Open     bool
	Why      string
}

// The reasons for stretches.
const (
	whyOpen    = "business hours"
	whyAlways  = "calendar time"
	whyOutside = "outside the schedule"
	whyHoliday = "holiday"
)

// Stretches splits the time between two moments into its open and closed parts.
func (c *Calendar) Stretches(from, to time.Time) (all []Stretch) {
	if !to.After(from) {
		return nil
	}
	if c == nil {
		return []Stretch{{from, to, true, whyAlways}}
	}
	add := func(a, b int64, open bool, why string) {
		if a >= b {
			return
		}
		if n := len(all); n > 0 && all[n-1].Open == open && all[n-1].Why == why {
			all[n-1].To = time.UnixMilli(b).UTC()
			return
		}
		all = append(all, Stretch{time.UnixMilli(a).UTC(), time.UnixMilli(b).UTC(), open, why})
	}
	for a, b := from.UnixMilli(), to.UnixMilli(); a < b; {
		offset, until := c.steady(a, b)
		for a < until {
			number := floorDiv(a+offset, dayMS)
			day, why := c.day(number)
			begin := number*dayMS - offset
			end := min(until, begin+dayMS)
			for _, s := range day {
				open, shut := max(min(begin+s.from, end), a), max(min(begin+s.to, end), a)
				add(a, open, false, why)
				add(open, shut, true, whyOpen)
				a = shut
			}
			add(a, end, false, why)
			a = end
		}
	}
	return all
}

// day returns when a day is open, and why it is closed otherwise.
func (c *Calendar) day(number int64) (openDay, string) {
	i, own := slices.BinarySearchFunc(c.days, number, func(d ownDay, number int64) int { return int(d.number - number) })
	switch {
	case !own:
		return c.week[weekday(number)], whyOutside
	case !c.days[i].holiday:
		return c.days[i].open, whyOutside
	case c.days[i].name == "":
		return c.days[i].open, whyHoliday
	}
	return c.days[i].open, whyHoliday + ": " + c.days[i].name
}
