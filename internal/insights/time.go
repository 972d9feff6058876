package insights

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// span is a part of time: from its beginning on, up to but without its end. A zero
// end or beginning is open.
type span struct{ from, to time.Time }

// and is the part that two spans have in common.
func (s span) and(o span) span {
	if s.from.IsZero() || o.from.After(s.from) {
		s.from = o.from
	}
	if s.to.IsZero() || !o.to.IsZero() && o.to.Before(s.to) {
		s.to = o.to
	}
	return s
}

// empty reports whether nothing lies in it.
func (s span) empty() bool { return !s.from.IsZero() && !s.to.IsZero() && !s.from.Before(s.to) }

const dayForm = "2006-01-02"

// parseDay is the beginning of a day in a time zone.
func parseDay(text string, zone *time.Location) (time.Time, bool) {
	t, err := time.Parse(dayForm, text)
	if err != nil {
		return time.Time{}, false
	}
	return midnight(t.Year(), t.Month(), t.Day(), zone), true
}

// midnight is when a day begins in a time zone. Where a clock is put forward at
// midnight, that is later; and where a day is skipped, it begins when the next
// does.
func midnight(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	want := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	shown := func(t time.Time) time.Time {
		y, m, d := t.Date()
		h, min, s := t.Clock()
		return time.Date(y, m, d, h, min, s, 0, time.UTC)
	}
	// time.Date gives some moment near one that does not exist: the first at or
	// after midnight is at most a day from it.
	if !shown(t).Equal(want) {
		lo, hi := t.Add(-26*time.Hour), t.Add(26*time.Hour)
		for hi.Sub(lo) > time.Millisecond {
			if mid := lo.Add(hi.Sub(lo) / 2); shown(mid).Before(want) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return hi.Truncate(time.Second)
	}
	// Of two midnights the first: the day begins once.
	if before := t.Add(-time.Hour); shown(before).Equal(want) {
		return before
	}
	return t
}

// granularity is how long a bucket is.
type granularity string

const (
	byDay     granularity = "day"
	byWeek    granularity = "week"
	byMonth   granularity = "month"
	byQuarter granularity = "quarter"
	byYear    granularity = "year"
)

var granularities = []granularity{byDay, byWeek, byMonth, byQuarter, byYear}

// begin is the first day of the bucket that a moment lies in.
func (g granularity) begin(t time.Time) time.Time {
	y, m, d := t.Date()
	switch g {
	case byWeek:
		// From the day's number, since a day of the week may be skipped or short.
		d -= (int(t.Weekday()) + 6) % 7
	case byMonth:
		d = 1
	case byQuarter:
		m, d = m-(m-1)%3, 1
	case byYear:
		m, d = time.January, 1
	}
	return midnight(y, m, d, t.Location())
}

// next is the first day of the bucket behind the one that begins at a moment.
func (g granularity) next(t time.Time) time.Time {
	y, m, d := t.Date()
	switch g {
	case byDay:
		d++
	case byWeek:
		d += 7
	case byMonth:
		m++
	case byQuarter:
		m += 3
	case byYear:
		y++
	}
	next := midnight(y, m, d, t.Location())
	if !next.After(t) { // a day that was skipped begins with the one behind it
		next = midnight(y, m, d+1, t.Location())
	}
	return next
}

// ranges are the words for parts of time, in the account's zone.
var ranges = []struct {
	words string
	of    func(now time.Time) span
}{
	{"Today", func(now time.Time) span { return this(byDay, now) }},
	{"Yesterday", func(now time.Time) span { return last(byDay, now) }},
	{"This week", func(now time.Time) span { return this(byWeek, now) }},
	{"This month", func(now time.Time) span { return this(byMonth, now) }},
	{"This quarter", func(now time.Time) span { return this(byQuarter, now) }},
	{"This year", func(now time.Time) span { return this(byYear, now) }},
	{"from 7 days ago to now", func(now time.Time) span { return ago(7, now) }},
	{"from 30 days ago to now", func(now time.Time) span { return ago(30, now) }},
	{"Last week", func(now time.Time) span { return last(byWeek, now) }},
	{"Last month", func(now time.Time) span { return last(byMonth, now) }},
	{"Last quarter", func(now time.Time) span { return last(byQuarter, now) }},
	{"Last year", func(now time.Time) span { return last(byYear, now) }},
}

// this is the bucket that now lies in, last the whole one before it.
func this(g granularity, now time.Time) span {
	begin := g.begin(now)
	return span{begin, g.next(begin)}
}

func last(g granularity, now time.Time) span {
	begin := g.begin(now)
	return span{g.begin(begin.Add(-time.Millisecond)), begin}
}

// ago begins at the midnight of some days ago and ends now.
func ago(days int, now time.Time) span {
	y, m, d := now.Date()
	return span{midnight(y, m, d-days, now.Location()), now.Add(time.Millisecond)}
}

// rangeOf is the part of time that words name, without regard to case.
func rangeOf(words string, now time.Time) (span, bool) {
	i := slices.IndexFunc(ranges, func(r struct {
		words string
		of    func(time.Time) span
	}) bool {
		return strings.EqualFold(r.words, words)
	})
	if i < 0 {
		return span{}, false
	}
	return ranges[i].of(now), true
}

// buckets are those that a span touches, each cut to it. Their keys are their
// beginnings, uncut.
type bucket struct {
	key string
	span
}

// bucketKey is how the beginning of a bucket looks in a row.
func bucketKey(begin time.Time) string { return begin.Format("2006-01-02T15:04:05.000") }

func (g granularity) buckets(s span, most int) ([]bucket, error) {
	var all []bucket
	for begin := g.begin(s.from); begin.Before(s.to); begin = g.next(begin) {
		if len(all) == most {
			return nil, fmt.Errorf("more than %d buckets", most)
		}
		// The key is the day's own midnight, also where clocks leave it out.
		y, m, d := begin.Date()
		key := bucketKey(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
		all = append(all, bucket{key, span{begin, g.next(begin)}.and(s)})
	}
	return all, nil
}
