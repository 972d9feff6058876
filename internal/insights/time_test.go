package insights

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"frontdesk/internal/desk"
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
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"}, // clocks go from 00:00 to 01:00
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

// Words for time ranges, on a Wednesday.
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
		{"this day", "2026-05-13", "2026-05-14"},
		{"last day", "2026-05-12", "2026-05-13"},
		{" last  1 DAY ", "2026-05-12", "2026-05-13"},
		{"Last 7 days", "2026-05-06", "2026-05-13"},
		{"last 2 weeks", "2026-04-27", "2026-05-11"},
		{"LAST 6 MONTHS", "2025-11-01", "2026-05-01"},
		{"last 5 quarters", "2025-01-01", "2026-04-01"},
		{"last 10 years", "2016-01-01", "2026-01-01"},
		{"last 4000 days", "2015-05-31", "2026-05-13"},
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
	for _, words := range []string{"", "Next week", "last", "this", "last 0 days", "last -1 days", "last 4001 days", "last 7", "last 7 fortnights", "last seven days", "this 7 days",
		"last 7 days ago", "last 99999999999999999999 days", "from 0 days ago to now", "from 4001 days ago to now", "from 7 hours ago to now", "week", "todayish"} {
		if _, ok := rangeOf(words, now); ok {
			t.Errorf("%q is taken", words)
		}
	}
	for _, words := range append(slices.Clone(ranges), "from 1 days ago to now", "from 4000 days ago to now", "last 4000 years") {
		if s, ok := rangeOf(words, now); !ok || s.empty() {
			t.Errorf("%q is %v to %v", words, s.from, s.to)
		}
	}
	// On the last day of 2011 yesterday was the 29th there.
	apia := time.Date(2011, 12, 31, 12, 0, 0, 0, zone(t, "Pacific/Apia"))
	for words, want := range map[string]string{"yesterday": "2011-12-29", "last 1 days": "2011-12-29", "last 3 days": "2011-12-28", "last 1 month": "2011-11-01"} {
		if s, ok := rangeOf(words, apia); !ok || s.from.Format(dayForm) != want {
			t.Errorf("%s in Apia is from %v", words, s.from)
		}
	}
}

// A query with unknown names is told the known ones, once for each kind of name.
func TestUnknownNamesAreToldTheKnown(t *testing.T) {
	field := desk.CustomField{ID: 7, Name: "Product", Type: desk.FieldSelect}
	q := Question{Now: time.Now(), Zone: time.UTC, Fields: map[desk.CustomFieldID]desk.CustomField{7: field}, Query: desk.InsightsQuery{
		Measures: []string{"count", "Stories.total"}, Dimensions: []string{"Requests.title"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.updated_at"}},
		Filters: []desk.InsightsFilter{{Member: "state"}, {Member: "Stories.count"}},
	}}
	_, err := q.plan()
	var refused *desk.Error
	if !errors.As(err, &refused) || len(refused.Fields) != 6 {
		t.Fatal(err)
	}
	for i, want := range [][]string{measureNames(), {"must be one of the measures;"}, {"Requests.state,", "Requests.custom_field_7;"},
		{"Requests.created_at, Requests.csat_triggered_at;"}, {"Requests.has_ticket,", "Requests.custom_field_7;"}, {"must be one of the filter members;"}} {
		for _, part := range want {
			if !strings.Contains(refused.Fields[i].Message, part) {
				t.Errorf("%s has no %s: %s", refused.Fields[i].Field, part, refused.Fields[i].Message)
			}
		}
	}
}

// Buckets cover a span without gaps and overlaps, whatever clocks do.
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

func TestRangesAgo(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 5, 13, 15, 4, 5, 0, berlin)
	for words, from := range map[string]string{
		"from 7 days ago to now": "2026-05-06", "FROM 1 weeks AGO to now": "2026-05-04", "from 11 months ago to now": "2025-06-01",
		"from 2 quarters ago to now": "2025-10-01", "from 1 years ago to now": "2025-01-01", "from 4000 days ago to now": "2015-05-31",
	} {
		got, ok := rangeOf(words, now)
		want, _ := parseDay(from, berlin)
		if !ok || !got.from.Equal(want) || !got.to.After(now) || got.to.After(now.Add(time.Second)) {
			t.Errorf("%s is %v, %v", words, got, ok)
		}
	}
	for _, words := range []string{"from 0 days ago to now", "from 4001 days ago to now", "from 3 day ago to now", "from 3 hours ago to now", "from 3 days ago"} {
		if got, ok := rangeOf(words, now); ok {
			t.Errorf("%s is %v", words, got)
		}
	}
}

// Periods are whole days, and the one before has as many of them, also when the clock
// was put forward in between.
func TestPeriods(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 4, 2, 0, 30, 0, 0, berlin)
	for _, test := range []struct {
		r                        desk.DateRange
		first, last, from, until string
		days                     int
	}{
		{desk.DateRange{Words: "from 29 days ago to now"}, "2026-03-04", "2026-04-02", "2026-02-02", "2026-03-03", 30},
		{desk.DateRange{Words: "Today"}, "2026-04-02", "2026-04-02", "2026-04-01", "2026-04-01", 1},
		{desk.DateRange{Words: "This month"}, "2026-04-01", "2026-04-02", "2026-03-30", "2026-03-31", 2}, // up to today
		{desk.DateRange{Words: "Last month"}, "2026-03-01", "2026-03-31", "2026-01-29", "2026-02-28", 31},
		{desk.DateRange{Days: []string{"2026-03-28", "2026-03-30"}}, "2026-03-28", "2026-03-30", "2026-03-25", "2026-03-27", 3},
		{desk.DateRange{Days: []string{"2026-05-01", "2026-05-02"}}, "2026-05-01", "2026-05-02", "2026-04-29", "2026-04-30", 2}, // all of it is to come
	} {
		p, err := PeriodOf(test.r, now, berlin)
		if err != nil {
			t.Fatal(err)
		}
		day := func(t time.Time) string { return t.Format(dayForm) }
		b := p.Before()
		if got := []string{day(p.First), day(p.Last), day(b.First), day(b.Last)}; !slices.Equal(got, []string{test.first, test.last, test.from, test.until}) || p.Length() != test.days {
			t.Errorf("%v is %v, %d days", test.r, got, p.Length())
		}
	}
	for _, r := range []desk.DateRange{{}, {Words: "since yesterday"}, {Days: []string{"2026-05-02", "2026-05-01"}}, {Days: []string{"x", "y"}}} {
		if p, err := PeriodOf(r, now, berlin); desk.KindOf(err) != desk.Invalid {
			t.Errorf("%v is %v, %v", r, p, err)
		}
	}
}
