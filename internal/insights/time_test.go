package insights

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A day begins at the first moment that clocks show it.
func TestMidnight(t *testing.T) {
	for _, test := range []struct{ zone, day, want string }{
		{"UTC", "2026-05-13", "2026-05-13T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"}, // from 00:00 to 01:00
		{"America/Havana", "2025-11-02", "2025-11-02T04:00:00Z"},    // 00:00 twice
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},      // the 30th was skipped
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z"},
	} {
		got, ok := parseDay(test.day, zone(t, test.zone))
		if !ok || got.UTC().Format(time.RFC3339) != test.want {
			t.Errorf("%s in %s begins at %s, want %s", test.day, test.zone, got.UTC().Format(time.RFC3339), test.want)
		}
	}
}

// Words for parts of time, on a Wednesday.
func TestRanges(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 5, 13, 15, 4, 5, 0, berlin)
	for _, test := range []struct{ words, from, to string }{
		{"Today", "2026-05-13", "2026-05-14"},
		{"yesterday", "2026-05-12", "2026-05-13"},
		{"This week", "2026-05-11", "2026-05-18"},
		{"Last week", "2026-05-04", "2026-05-11"},
		{"This month", "2026-05-01", "2026-06-01"},
		{"LAST MONTH", "2026-04-01", "2026-05-01"},
		{"This quarter", "2026-04-01", "2026-07-01"},
		{"Last quarter", "2026-01-01", "2026-04-01"},
		{"This year", "2026-01-01", "2027-01-01"},
		{"Last year", "2025-01-01", "2026-01-01"},
	} {
		got, ok := rangeOf(test.words, now)
		from, _ := parseDay(test.from, berlin)
		to, _ := parseDay(test.to, berlin)
		if !ok || !got.from.Equal(from) || !got.to.Equal(to) {
			t.Errorf("%s is %v to %v", test.words, got.from, got.to)
		}
	}
	week, _ := rangeOf("from 7 days ago to now", now)
	if from, _ := parseDay("2026-05-06", berlin); !week.from.Equal(from) || !week.to.After(now) || week.to.Sub(now) > time.Second {
		t.Errorf("from 7 days ago to now is %v to %v", week.from, week.to)
	}
	if _, ok := rangeOf("Next week", now); ok {
		t.Error("Next week is taken")
	}
}

// Buckets cover a span without gap and overlap, whatever clocks do.
func TestBuckets(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata"}
	rapid.Check(t, func(t *rapid.T) {
		l, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		from := time.UnixMilli(rapid.Int64Range(1.2e12, 1.9e12).Draw(t, "from")).In(l)
		s := span{from, from.Add(time.Duration(rapid.Int64Range(1, int64(900*24*time.Hour)).Draw(t, "length")))}
		g := rapid.SampledFrom(granularities).Draw(t, "granularity")
		all, err := g.buckets(s, 2000)
		if err != nil {
			t.Fatal(err)
		}
		at, keys := s.from, map[string]bool{}
		for _, b := range all {
			if !b.from.Equal(at) || !b.to.After(b.from) {
				t.Fatalf("the bucket %s is %v to %v, and the one before ended at %v", b.key, b.from, b.to, at)
			}
			if keys[b.key] {
				t.Fatalf("there are two buckets %s", b.key)
			}
			keys[b.key] = true
			day := b.from
			if g == byDay && b.key[:10] != day.Format(dayForm) {
				t.Fatalf("the bucket %s begins on %s", b.key, day.Format(dayForm))
			}
			if begins, err := time.Parse(dayForm, b.key[:10]); err != nil || g == byWeek && begins.Weekday() != time.Monday && l.String() != "Pacific/Apia" {
				t.Fatalf("the week %s begins on a %s", b.key, begins.Weekday())
			}
			at = b.to
		}
		if !at.Equal(s.to) {
			t.Fatalf("the last bucket ends at %v, and the span at %v", at, s.to)
		}
	})
}
