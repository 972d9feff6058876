package insights

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// span is a part of time, from its beginning up to but not including its end. A
// zero beginning or end is open.
type span struct{ from, to time.Time }

// and returns the intersection of two spans.
func (s span) and(o span) span {
	if s.from.IsZero() || o.from.After(s.from) {
		s.from = o.from
	}
	if s.to.IsZero() || !o.to.IsZero() && o.to.Before(s.to) {
		s.to = o.to
	}
	return s
}

// empty reports whether the span contains nothing.
func (s span) empty() bool { return !s.from.IsZero() && !s.to.IsZero() && !s.from.Before(s.to) }

const dayForm = "2006-01-02"

// parseDay returns the beginning of a day in a time zone.
func parseDay(text string, zone *time.Location) (time.Time, bool) {
	t, err := time.Parse(dayForm, text)
	if err != nil {
		return time.Time{}, false
	}
	return midnight(t.Year(), t.Month(), t.Day(), zone), true
}

// midnight returns when a day begins in a time zone. If the clock is put forward at
// midnight, that is later. A day that is skipped begins when the next one does.
func midnight(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	want := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	shown := func(t time.Time) time.Time {
		y, m, d := t.Date()
		h, min, s := t.Clock()
		return time.Date(y, m, d, h, min, s, 0, time.UTC)
	}
	// time.Date returns some moment near one that does not exist. The first moment
	// at or after midnight is at most a day away.
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
	// Of two midnights take the first, because the day begins once.
	if before := t.Add(-time.Hour); shown(before).Equal(want) {
		return before
	}
	return t
}

// granularity is the length of a bucket.
type granularity string

const (
	byDay     granularity = "day"
	byWeek    granularity = "week"
	byMonth   granularity = "month"
	byQuarter granularity = "quarter"
	byYear    granularity = "year"
)

var granularities = []granularity{byDay, byWeek, byMonth, byQuarter, byYear}

// begin returns the first day of the bucket that a time is in.
func (g granularity) begin(t time.Time) time.Time {
	y, m, d := t.Date()
	switch g {
	case byWeek:
		// From the day's number, because a day of the week may be skipped or short.
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

// date returns the first day of the bucket n buckets after the one that begins at a
// time; n may be negative.
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

// next returns the first day of the bucket after the one that begins at a time.
func (g granularity) next(t time.Time) time.Time {
	y, m, d := g.date(t, 1)
	next := midnight(y, m, d, t.Location())
	if !next.After(t) { // a skipped day begins together with the next one
		next = midnight(y, m, d+1, t.Location())
	}
	return next
}

// ranges are the words for time ranges that a screen offers. rangeOf accepts more.
var ranges = []string{"Today", "Yesterday", "This week", "This month", "This quarter", "This year", "from 7 days ago to now", "from 30 days ago to now",
	"Last week", "Last month", "Last quarter", "Last year"}

// mostAgo is how far back words reach, in the unit they count. With one bucket for
// each, that is as many as a query may have.
const mostAgo = mostBuckets

// rangesKnown lists all words that rangeOf accepts, for an error message.
func rangesKnown() string {
	return fmt.Sprintf("%s, last N days, weeks, months, quarters or years, from N days, weeks, months, quarters or years ago to now (N from 1 to %d)", strings.Join(ranges, ", "), mostAgo)
}

// rangeOf returns the time range that words name, without regard to case, in the
// zone of now.
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
	case len(said) == 6 && said[0] == "from" && slices.Equal(said[3:], []string{"ago", "to", "now"}):
		n, ok := countAgo(said[1])
		g := granularity(strings.TrimSuffix(said[2], "s"))
		if !ok || !slices.Contains(granularities, g) || !strings.HasSuffix(said[2], "s") {
			return span{}, false
		}
		return ago(n, g, now), true
	}
	return span{}, false
}

// countAgo reads the number in words for a time range.
func countAgo(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= mostAgo
}

// this returns the bucket that now is in.
func this(g granularity, now time.Time) span {
	begin := g.begin(now)
	return span{begin, g.next(begin)}
}

// last returns the n whole buckets before the one that now is in.
func last(n int, g granularity, now time.Time) span {
	begin := g.begin(now)
	y, m, d := g.date(begin, 1-n)
	// The last step is one of time, because by its number it could be a skipped
	// day.
	first := midnight(y, m, d, now.Location()).Add(-time.Millisecond)
	return span{g.begin(first), begin}
}

// ago returns the time from the beginning of the bucket n buckets before the one that
// now is in, until now.
func ago(n int, g granularity, now time.Time) span {
	y, m, d := g.date(g.begin(now), -n)
	return span{midnight(y, m, d, now.Location()), now.Add(time.Millisecond)}
}

// bucket is a bucket that a span touches, cut to the span. Its key is its uncut
// beginning.
type bucket struct {
	key string
	span
}

// bucketKey returns the beginning of a bucket in the form of a row.
func bucketKey(begin time.Time) string { return begin.Format("2006-01-02T15:04:05.000") }

func (g granularity) buckets(s span, most int) ([]bucket, error) {
	var all []bucket
	for begin := g.begin(s.from); begin.Before(s.to); begin = g.next(begin) {
		if len(all) == most {
			return nil, fmt.Errorf("more than %d buckets", most)
		}
		// The key is the day's own midnight, even if clocks skip it.
		y, m, d := begin.Date()
		key := bucketKey(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
		all = append(all, bucket{key, span{begin, g.next(begin)}.and(s)})
	}
	return all, nil
}
