package insights

import (
	"fmt"
	"slices"
	"strconv"
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

// date is the first day of the bucket that lies n buckets behind the one that
// begins at a moment; n may be negative.
func (g granularity) date(begin time.Time, n int) (year int, month time.Month, day int) {
	y, m, d := begin.Date()
	switch g {
	case byDay:
		d += n
	case byWeek:
		d += 7 * n
	case byMonth:
		m += time.Month(n)
	case byQuarter:
		m += time.Month(3 * n)
	case byYear:
		y += n
	}
	return y, m, d
}

// next is the first day of the bucket behind the one that begins at a moment.
func (g granularity) next(t time.Time) time.Time {
	y, m, d := g.date(t, 1)
	next := midnight(y, m, d, t.Location())
	if !next.After(t) { // a day that was skipped begins with the one behind it
		next = midnight(y, m, d+1, t.Location())
	}
	return next
}

// ranges are the words for parts of time that a screen offers. rangeOf takes more.
var ranges = []string{"Today", "Yesterday", "This week", "This month", "This quarter", "This year", "from 7 days ago to now", "from 30 days ago to now",
	"Last week", "Last month", "Last quarter", "Last year"}

// mostAgo is how far back words reach, in whatever they count. With a bucket for
// each, that is as many as a query may have.
const mostAgo = mostBuckets

// rangesKnown are all words that rangeOf takes, for who has used others.
func rangesKnown() string {
	return fmt.Sprintf("%s, last N days, weeks, months, quarters or years, from N days ago to now (N from 1 to %d)", strings.Join(ranges, ", "), mostAgo)
}

// rangeOf is the part of time that words name, without regard to case, in the zone
// of now.
func rangeOf(words string, now time.Time) (span, bool) {
	said := strings.Fields(strings.ToLower(words))
	switch {
	case slices.Equal(said, []string{"today"}):
		return this(byDay, now), true
	case slices.Equal(said, []string{"yesterday"}):
		return last(1, byDay, now), true
	case len(said) == 2 && (said[0] == "this" || said[0] == "last"):
		g := granularity(said[1])
		if !slices.Contains(granularities, g) {
			return span{}, false
		}
		if said[0] == "this" {
			return this(g, now), true
		}
		return last(1, g, now), true
	case len(said) == 3 && said[0] == "last":
		n, ok := countAgo(said[1])
		g := granularity(strings.TrimSuffix(said[2], "s"))
		if !ok || !slices.Contains(granularities, g) {
			return span{}, false
		}
		return last(n, g, now), true
	case len(said) == 6 && said[0] == "from" && slices.Equal(said[2:], []string{"days", "ago", "to", "now"}):
		n, ok := countAgo(said[1])
		return ago(n, now), ok
	}
	return span{}, false
}

// countAgo reads how many there are in words for a part of time.
func countAgo(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= mostAgo
}

// this is the bucket that now lies in.
func this(g granularity, now time.Time) span {
	begin := g.begin(now)
	return span{begin, g.next(begin)}
}

// last is the n whole buckets before the one that now lies in.
func last(n int, g granularity, now time.Time) span {
	begin := g.begin(now)
	y, m, d := g.date(begin, 1-n)
	// The last step is one of time: by its number, it could be a day that was skipped.
	first := midnight(y, m, d, now.Location()).Add(-time.Millisecond)
	return span{g.begin(first), begin}
}

// ago begins at the midnight of some days ago and ends now.
func ago(days int, now time.Time) span {
	y, m, d := now.Date()
	return span{midnight(y, m, d-days, now.Location()), now.Add(time.Millisecond)}
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
