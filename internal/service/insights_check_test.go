package service

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Insights gives the same answers as a slow computation that was written from
// docs/contract/insights.md alone: every measure, in every group, over every time,
// through every filter, and every two measures together. Of the groups, filters and pairs
// it asks for some only, and for fewer on PostgreSQL, which is slow to plan. The soak test
// asks for all.
func TestInsightsCheck(t *testing.T) {
	checkInsights(t, map[sqldb.Engine]insightsSample{sqldb.SQLite: {requests: 200, oneIn: 2}, sqldb.Postgres: {requests: 100, oneIn: 12}})
}

// insightsSample is how much is checked on an engine.
type insightsSample struct {
	requests int // of each firm
	oneIn    int // of the groups, filters and pairs, one in this many is asked for
}

// checkInsights checks three firms.
func checkInsights(t *testing.T, samples map[sqldb.Engine]insightsSample) {
	t.Parallel()
	seed := insightsSeed(t)
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		sample := samples[sqldb.EngineOf(url)]
		db := dbtest.Open(t, sqldb.Config{URL: url, Log: quiet})
		firms := make([]*firm, 3)
		began := time.Now()
		t.Run("a year", func(t *testing.T) {
			for i, zone := range []string{"Europe/Berlin", "Asia/Kolkata", "Africa/Cairo"} { // in Cairo the day on which summer time begins has no midnight
				t.Run(strings.ReplaceAll(zone, "/", " "), func(t *testing.T) {
					t.Parallel()
					f := newFirm(t, db, seed, uint64(i+1), zone, insightsAsked)
					f.populate(sample.requests) // including conversations that are no requests, and merged ones
					f.live()
					f.remembers()
					firms[i] = f
				})
			}
		})
		if t.Failed() {
			return
		}
		lived := time.Since(began)
		requests, asked := 0, new(atomic.Int64)
		t.Run("its numbers", func(t *testing.T) {
			for i, f := range firms {
				requests += len(f.talks)
				f.t = t
				c := &checking{firm: f, slow: f.asked(), seed: seed, asked: asked, measures: slowMeasures()}
				c.cases(t, i, len(firms), sample.oneIn)
			}
		})
		allIsKept(t, firms[0].process)
		t.Logf("seed %d: %d requests in %v, %d queries in %v", seed, requests, lived.Round(time.Millisecond), asked.Load(), (time.Since(began) - lived).Round(time.Millisecond))
	})
}

// insightsAsked is when the questions are asked: a Wednesday in the middle of a
// month.
var insightsAsked = time.Date(2026, 5, 13, 9, 12, 33, 0, time.UTC)

// insightsSeed is the seed of the random numbers. Another seed is another year.
func insightsSeed(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("FRONTDESK_INSIGHTS_SEED")
	if given == "" {
		return 22
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	must(t, err)
	return seed
}

// checking asks a firm for its numbers and compares them.
type checking struct {
	*firm
	slow     slowDesk
	dice     *rand.Rand
	seed     uint64
	asked    *atomic.Int64
	measures []slowMeasure
	wrong    int
}

func (c *checking) names() (all []string) {
	for _, m := range c.measures {
		all = append(all, m.name)
	}
	return all
}

func (c *checking) field(kind desk.FieldType) string {
	i := slices.IndexFunc(c.fields, func(f desk.CustomField) bool { return f.Type == kind })
	return fmt.Sprint("Requests.custom_field_", c.fields[i].ID)
}

// dimensions returns all dimensions.
func (c *checking) dimensions() []string {
	return []string{
		"Requests.state", "Requests.assignee_user_id", "Requests.customer_id", "Requests.priority", "Requests.csat_score", "Requests.collection_id",
		"Requests.chat_channel_name", "Requests.customer_owner", c.field(desk.FieldSelect), c.field(desk.FieldMultiSelect),
		c.field(desk.FieldNumber), c.field(desk.FieldDate), c.field(desk.FieldUser),
	}
}

var (
	granularities = []string{"", "day", "week", "month", "quarter", "year"}
	times         = []string{"Requests.created_at", "Requests.csat_triggered_at"}
	rangeWords    = []string{"Today", "Yesterday", "This week", "This month", "This quarter", "This year", "from 7 days ago to now", "from 30 days ago to now",
		"Last week", "Last month", "Last quarter", "Last year", "last 3 days", "last 2 weeks", "last 2 quarters"}
)

// cases runs all queries, each kind in parallel with the others. The firms share
// the larger sets, and of the largest only one in oneIn is asked.
func (c *checking) cases(t *testing.T, part, of, oneIn int) {
	kinds := map[string]func(*testing.T, *checking){
		"groups":   func(t *testing.T, c *checking) { c.everyGroup(t, part, of*oneIn) },
		"filters":  func(t *testing.T, c *checking) { c.everyFilter(t, part, of*oneIn) },
		"ranges":   func(t *testing.T, c *checking) { c.everyRange(t) },
		"several":  func(t *testing.T, c *checking) { c.severalAtOnce(t, part, of) },
		"reach":    func(t *testing.T, c *checking) { c.everyReach(t) },
		"aliases":  func(t *testing.T, c *checking) { c.aliases(t) },
		"refusals": func(t *testing.T, c *checking) { c.refusals(t) },
	}
	if part == 0 {
		kinds["pairs"] = func(t *testing.T, c *checking) { c.everyPair(t, oneIn) }
	}
	for name, do := range kinds {
		t.Run(strings.ReplaceAll(c.zone.String(), "/", " ")+" "+name, func(t *testing.T) {
			t.Parallel()
			own := *c
			own.dice = rand.New(rand.NewPCG(c.seed, uint64(part*100+len(name))))
			do(t, &own)
		})
	}
}

// query asks for all measures, in random order, of the requests created since the
// earliest possible day.
func (c *checking) query(dimension, time, granularity string) desk.InsightsQuery {
	q := desk.InsightsQuery{Measures: c.names(), TimeDimensions: []desk.TimeDimension{{Dimension: time, Granularity: granularity}}}
	if dimension != "" {
		q.Dimensions = []string{dimension}
	}
	return q
}

// check asks and compares the rows, their order, the order of their keys, and every
// value.
func (c *checking) check(t *testing.T, q desk.InsightsQuery) {
	t.Helper()
	c.checkAs(t, c.caller(), desk.Everything, q)
}

func (c *checking) checkAs(t *testing.T, who Caller, reach desk.Reach, q desk.InsightsQuery) {
	t.Helper()
	c.asked.Add(1)
	got, err := c.QueryInsights(ctx, who, q)
	if err != nil {
		c.differ(t, q, "it gives %v", err)
		return
	}
	want := c.slow.rows(q, reach)
	for i, row := range want[:min(len(want), len(got))] {
		if wrong := c.compare(q, got[i], row); wrong != "" {
			c.differ(t, q, "row %d of %d, or %d: %s", i, len(got), len(want), wrong)
			return
		}
	}
	if len(got) != len(want) {
		c.differ(t, q, "there are %d rows, not %d", len(got), len(want))
	}
}

// key names a group.
func (r slowRow) key() string {
	key := strings.Join(r.times, " ")
	for _, v := range r.dimensions {
		key += " " + orNull(v)
	}
	return key
}

func (c *checking) differ(t *testing.T, q desk.InsightsQuery, format string, args ...any) {
	t.Helper()
	if c.wrong++; c.wrong > 4 {
		t.FailNow()
	}
	measures := ""
	if len(q.Measures) < 3 {
		measures = fmt.Sprint(q.Measures)
	}
	filters := ""
	for _, f := range q.Filters {
		filters += " " + f.Member + " " + f.Operator
		for _, v := range f.Values {
			filters += " " + orNull(v)
		}
	}
	t.Errorf("%s by %v over %v with%s: %s", measures, q.Dimensions, q.TimeDimensions, filters, fmt.Sprintf(format, args...))
}

// compare returns what is wrong with a row, or "".
func (c *checking) compare(q desk.InsightsQuery, got desk.InsightsRow, want slowRow) string {
	at := 0
	next := func(name string) (any, bool) {
		if at >= len(got) || got[at].Name != name {
			return nil, false
		}
		at++
		return got[at-1].Value, true
	}
	for i, name := range q.Dimensions {
		v, there := next(name)
		if !there {
			return fmt.Sprintf("%s is not at place %d", name, at)
		}
		if is := want.dimensions[i]; is == nil && v != nil || is != nil && !c.isValue(name, v, *is) {
			return fmt.Sprintf("%s is %v, not %s", name, v, orNull(is))
		}
	}
	i := 0
	for _, td := range q.TimeDimensions {
		if td.Granularity == "" {
			continue
		}
		name := td.Dimension + "." + strings.ToLower(td.Granularity)
		v, there := next(name)
		if !there {
			return fmt.Sprintf("%s is not at place %d", name, at)
		}
		if v != want.times[i] {
			return fmt.Sprintf("%s is %v, not %s", name, v, want.times[i])
		}
		i++
	}
	for _, name := range q.Measures {
		v, there := next(name)
		if !there {
			return fmt.Sprintf("%s is not at place %d of %v", name, at, got)
		}
		i := slices.IndexFunc(c.measures, func(m slowMeasure) bool { return m.name == name })
		if is := c.measures[i].of(want.requests); !sameNumber(v, is) {
			return fmt.Sprintf("in the group %s %s is %v (%T), not %v, of %d requests", want.key(), name, v, v, is, len(want.requests))
		}
	}
	if at != len(got) {
		return fmt.Sprintf("there is more: %v", got[at:])
	}
	return ""
}

// isValue reports whether a key has a value. Numbers are compared as numbers.
func (c *checking) isValue(name string, got any, want string) bool {
	if !c.slow.numeric(name) {
		return got == want
	}
	switch n := got.(type) {
	case int, int64:
		return fmt.Sprint(n) == want
	case float64:
		return n == numberOf(want)
	}
	return false
}

// sameNumber compares a measure. Counts are whole numbers; the rest is rounded to
// four decimals.
func sameNumber(got, want any) bool {
	switch want := want.(type) {
	case nil:
		return got == nil
	case int:
		switch got.(type) {
		case int, int64:
			return fmt.Sprint(got) == fmt.Sprint(want)
		}
		return false
	case float64:
		n, ok := got.(float64)
		rounded := math.Round(n*1e4) / 1e4
		return ok && rounded == n && math.Abs(n-want) < 0.00005+1e-9*math.Max(1, math.Abs(want))
	}
	return false
}

// everyGroup asks for every dimension by every granularity of each time dimension.
func (c *checking) everyGroup(t *testing.T, part, of int) {
	for i, d := range append(c.dimensions(), "") {
		for j, g := range granularities {
			for k, at := range times {
				if (i+j+k)%of == part {
					c.check(t, c.query(d, at, g))
				}
			}
		}
	}
}

// text returns values of a filter.
func text(v ...string) (all []*string) {
	for _, s := range v {
		all = append(all, &s)
	}
	return all
}

// filters returns a filter for every operator of every member, with random values.
func (c *checking) filters() (all []desk.InsightsFilter) {
	some := func(from []string, null bool) (values []*string) {
		for range 1 + c.dice.IntN(3) {
			values = append(values, &from[c.dice.IntN(len(from))])
		}
		if null && c.dice.IntN(3) == 0 {
			values = slices.Insert(values, c.dice.IntN(len(values)+1), nil)
		}
		return values
	}
	one := func(from []string) []*string { return some(from, false)[:1] }
	add := func(member string, values func() []*string, operators ...string) {
		for _, o := range operators {
			all = append(all, desk.InsightsFilter{Member: member, Operator: o, Values: values()})
		}
	}
	none := func() []*string { return nil }
	member := func(name string, equal []string, parts []string) {
		add(name, none, "set", "not_set")
		add(name, func() []*string { return some(equal, true) }, "equals", "not_equals")
		if parts != nil {
			add(name, func() []*string { return some(parts, false) }, "contains", "not_contains")
		}
	}
	var states, priorities []string
	for _, s := range desk.States {
		states = append(states, string(s))
	}
	for _, p := range desk.Priorities {
		priorities = append(priorities, string(p))
	}
	member("Requests.state", states, []string{"O", "_", "en", "SOLVED", "x", "%"})
	member("Requests.priority", priorities, []string{"L", "h", "urgent", "%"})
	member("Requests.has_ticket", []string{"true", "false"}, nil)
	member("Requests.is_csat_triggered", []string{"true", "false"}, nil)
	member("Requests.csat_two_point_survey_value", []string{"1", "2"}, nil)
	member("Requests.assignee_user_id", append([]string{"U_NOBODY"}, responding...), []string{"u_r", "R1", "%", "3"})
	member("Requests.csat_score", []string{"1", "2", "3", "4", "5"}, nil)
	member("Requests.customer_id", []string{"1", "2", "3", "4", "999"}, nil)
	member("Requests.collection_id", []string{"1", "2", "3", "4", "999"}, nil)
	member(c.field(desk.FieldSelect), []string{"1", "2", "3", "4", "77"}, nil)
	member(c.field(desk.FieldMultiSelect), []string{"1", "2", "3", "4", "5", "77"}, nil)
	member(c.field(desk.FieldNumber), append([]string{"2.0", "1e6", "99"}, seats...), nil)
	member(c.field(desk.FieldUser), append([]string{"U_NOBODY"}, responding...), []string{"u_r", "R1", "%", "3"})
	member(c.field(desk.FieldText), remarks, []string{"Ä", "ärger", "KÖLN", "σ", "Σ", "οδος", "ΟΔΟΣ", "привет", "%", "_", "'", "\\", "本", "å", "B>", "x"})
	day := func() string { return c.ends.AddDate(0, 0, -c.dice.IntN(60)).Format(time.DateOnly) }
	around := func() string { return c.ends.AddDate(0, 0, c.dice.IntN(40)-20).Format(time.DateOnly) }
	member(c.field(desk.FieldDate), []string{around(), around(), around(), around()}, nil)
	for name, day := range map[string]func() string{"Requests.created_at": day, c.field(desk.FieldDate): around} {
		add(name, func() []*string {
			days := []string{day(), day()}
			slices.Sort(days)
			return text(days...)
		}, "in_date_range")
		add(name, func() []*string { return text(day()) }, "before_date", "after_date")
	}
	add("Requests.created_at", none, "set", "not_set")
	add("Requests.csat_two_point_survey_value", func() []*string { return one([]string{"1", "2", "1.5", "0"}) }, "gt", "gte", "lt", "lte")
	add(c.field(desk.FieldNumber), func() []*string { return one(append([]string{"1e3", "11.99"}, seats...)) }, "gt", "gte", "lt", "lte")
	slices.SortStableFunc(all, func(a, b desk.InsightsFilter) int { return strings.Compare(a.Member+a.Operator, b.Member+b.Operator) })
	return all
}

// share returns a part of a list, a different one for each turn.
func share(list []string, turn, of int) (some []string) {
	for i := turn % of; i < len(list); i += of {
		some = append(some, list[i])
	}
	return some
}

// everyFilter asks for every dimension through every filter, two at a time.
// Granularities and measures take turns, so that each meets each filter and each
// dimension.
func (c *checking) everyFilter(t *testing.T, part, of int) {
	dimensions := append(c.dimensions(), "")
	for i, some := range slices.Collect(slices.Chunk(dimensions, 2)) {
		for j, f := range c.filters() {
			if (i+j)%of != part {
				continue
			}
			turn := i*5 + j*7
			q := c.query("", times[turn/len(granularities)%2], granularities[turn%len(granularities)])
			q.Dimensions = slices.DeleteFunc(slices.Clone(some), func(d string) bool { return d == "" })
			q.Measures = share(q.Measures, i+j, 6)
			if c.dice.IntN(4) == 0 { // in any case
				f.Operator = strings.ToUpper(f.Operator)
			}
			q.Filters = []desk.InsightsFilter{f}
			c.check(t, q)
		}
	}
}

func (c *checking) anyDimension() string {
	all := append(c.dimensions(), "")
	return all[c.dice.IntN(len(all))]
}

func (c *checking) anyGranularity() string { return granularities[c.dice.IntN(len(granularities))] }

// anyRange sets a random range: in words or of two days.
func (c *checking) anyRange(td *desk.TimeDimension) {
	switch c.dice.IntN(3) {
	case 0:
		td.Range = rangeWords[c.dice.IntN(len(rangeWords))]
	case 1:
		from := c.ends.AddDate(0, 0, -c.dice.IntN(420))
		td.Days = []string{from.Format(time.DateOnly), from.AddDate(0, 0, c.dice.IntN(90)).Format(time.DateOnly)}
	}
}

// everyRange asks for every range in words, and for days, including those on which
// the clocks change.
func (c *checking) everyRange(t *testing.T) {
	for _, at := range times {
		for i, word := range rangeWords {
			q := c.query(c.anyDimension(), at, c.anyGranularity())
			if q.TimeDimensions[0].Range = word; i%2 == 1 {
				q.TimeDimensions[0].Range = strings.ToUpper(word)
			}
			c.check(t, q)
		}
		for _, days := range [][]string{{"2026-03-29", "2026-03-29"}, {"2025-10-26", "2025-10-26"}, {"2025-04-25", "2025-04-25"}, {"2026-04-24", "2026-04-24"},
			{"2025-10-30", "2025-10-31"}, {"2026-05-13", "2026-05-13"}, {"2024-01-01", "2027-12-31"}, {"2026-02-28", "2026-03-01"}} {
			q := c.query(c.anyDimension(), at, c.anyGranularity())
			q.TimeDimensions[0].Days = days
			c.check(t, q)
		}
		for range 8 { // a single day each, with requests at its edges
			day := c.ends.AddDate(0, 0, -c.dice.IntN(30)).Format(time.DateOnly)
			q := c.query("", at, "")
			q.TimeDimensions[0].Days = []string{day, day}
			c.check(t, q)
		}
	}
}

// severalAtOnce asks for two and three dimensions, for several time dimensions, and
// through several filters.
func (c *checking) severalAtOnce(t *testing.T, part, of int) {
	all := c.dimensions()
	for i, a := range all {
		for j, b := range all[:i] {
			if (i+j)%of != part {
				continue
			}
			q := c.query(a, times[c.dice.IntN(2)], c.anyGranularity())
			q.Dimensions = append(q.Dimensions, b)
			if c.dice.IntN(5) == 0 {
				if d := all[c.dice.IntN(len(all))]; d != a && d != b {
					q.Dimensions = append(q.Dimensions, d)
				}
			}
			q.Measures = share(q.Measures, c.dice.IntN(3), 3)
			c.anyRange(&q.TimeDimensions[0])
			c.check(t, q)
		}
	}
	for range 30 {
		q := c.query(c.anyDimension(), times[0], c.anyGranularity())
		coarse := []string{"", "quarter", "year"} // both together may have at most 4,000 buckets
		if q.TimeDimensions[0].Granularity != "day" {
			coarse = append(coarse, "month")
		}
		q.TimeDimensions = append(q.TimeDimensions, desk.TimeDimension{Dimension: times[1], Granularity: coarse[c.dice.IntN(len(coarse))]})
		c.anyRange(&q.TimeDimensions[0])
		c.anyRange(&q.TimeDimensions[1])
		if c.dice.IntN(2) == 0 {
			slices.Reverse(q.TimeDimensions)
		}
		some := c.filters()
		for range c.dice.IntN(4) {
			q.Filters = append(q.Filters, some[c.dice.IntN(len(some))])
		}
		c.dice.Shuffle(len(q.Measures), func(i, j int) { q.Measures[i], q.Measures[j] = q.Measures[j], q.Measures[i] })
		q.Measures = q.Measures[:1+c.dice.IntN(len(q.Measures))]
		c.check(t, q)
	}
}

// everyReach asks as members who have some of the collections.
func (c *checking) everyReach(t *testing.T) {
	for i := range 12 {
		var ids []desk.CollectionID
		for _, col := range c.collections {
			if c.dice.IntN(2) == 0 && i > 0 { // the first has none
				ids = append(ids, col.ID)
			}
		}
		who := c.caller()
		if who.Role = desk.Agent; i%2 == 0 {
			who.Role = desk.Viewer
		}
		who.Reach = desk.ReachOf(&ids)
		if ids == nil {
			who.Reach = desk.Reach{}
		}
		c.checkAs(t, who, who.Reach, c.query(c.anyDimension(), times[c.dice.IntN(2)], c.anyGranularity()))
	}
}

// everyPair asks for each measure alone, and for every pair of them, or only for
// one pair in oneIn.
func (c *checking) everyPair(t *testing.T, oneIn int) {
	type group struct{ dimension, time, granularity string }
	multi := c.field(desk.FieldMultiSelect)
	groups := []group{{"", times[0], ""}, {multi, times[1], "month"}, {"Requests.assignee_user_id", times[0], "week"}}
	query := func(g group, measures ...string) (q desk.InsightsQuery) {
		q = c.query(g.dimension, g.time, g.granularity)
		q.Measures = measures
		return q
	}
	ask := func(g group, measures ...string) []desk.InsightsRow {
		c.asked.Add(1)
		rows, err := c.QueryInsights(ctx, c.caller(), query(g, measures...))
		must(t, err)
		return rows
	}
	alone := map[group]map[string][]desk.InsightsRow{}
	for _, g := range groups {
		alone[g] = map[string][]desk.InsightsRow{}
		for _, m := range c.measures {
			alone[g][m.name] = ask(g, m.name)
		}
	}
	for i, a := range c.names() {
		for j, b := range c.names()[:i] {
			if (i+j)%oneIn != 0 {
				continue
			}
			g := groups[c.dice.IntN(len(groups))]
			got, first, second := ask(g, a, b), alone[g][a], alone[g][b]
			var want []desk.InsightsRow
			for k := range first {
				want = append(want, append(slices.Clone(first[k]), second[min(k, len(second)-1)][len(first[k])-1]))
			}
			if len(first) != len(second) || fmt.Sprint(got) != fmt.Sprint(want) {
				c.differ(t, query(g, a, b), "together they are %v, alone %v and %v", got, first, second)
			}
		}
	}
}

// aliases asks by the other names that some members have. The answer uses them too:
// the keys of a row are the names asked for, and no others.
func (c *checking) aliases(t *testing.T) {
	q := c.query("Requests.chat_channel_name", times[0], "")
	q.Measures = []string{"Requests.agent_trigger_count", "Requests.agent_answer_count", "Requests.agent_negative_feedback_count"}
	c.check(t, q)
	want, err := c.QueryInsights(ctx, c.caller(), q)
	must(t, err)
	q.Dimensions = []string{"Requests.slack_channel_name"}
	q.Measures = []string{"Requests.sage_trigger_count", "Requests.sage_answer_count", "Requests.sage_negative_feedback_count"}
	got, err := c.QueryInsights(ctx, c.caller(), q)
	must(t, err)
	renamed := strings.NewReplacer("chat_channel_name", "slack_channel_name", ".agent_", ".sage_").Replace(fmt.Sprint(want))
	if fmt.Sprint(got) != renamed {
		t.Errorf("by other names the answer is %v, want %v", got, want)
	}
}

// refusals asks for things that do not exist.
func (c *checking) refusals(t *testing.T) {
	unlinked := c.caller()
	unlinked.Actor.Email = "nobody@nowhere.example"
	_, err := c.QueryInsights(ctx, unlinked, c.query("", times[0], ""))
	wantKind(t, err, desk.Refused)

	customers, err := c.CreateCustomField(ctx, c.caller(), desk.NewCustomField{Name: "Of customers", Type: desk.FieldNumber, Entity: desk.EntityCustomer})
	must(t, err)
	ofCustomers := fmt.Sprint("Requests.custom_field_", customers.ID)
	filter := func(member, operator string, values ...*string) func(*desk.InsightsQuery) {
		return func(q *desk.InsightsQuery) {
			q.Filters = []desk.InsightsFilter{{Member: member, Operator: operator, Values: values}}
		}
	}
	for name, change := range map[string]func(*desk.InsightsQuery){
		"Requests.nothing":              func(q *desk.InsightsQuery) { q.Measures = append(q.Measures, "Requests.nothing") },
		"count":                         func(q *desk.InsightsQuery) { q.Measures = []string{"count"} },
		"Requests.state":                func(q *desk.InsightsQuery) { q.Measures = []string{"Requests.state"} },
		"Requests.colour":               func(q *desk.InsightsQuery) { q.Dimensions = []string{"Requests.colour"} },
		"Requests.count":                func(q *desk.InsightsQuery) { q.Dimensions = []string{"Requests.count"} },
		ofCustomers:                     func(q *desk.InsightsQuery) { q.Dimensions = []string{ofCustomers} },
		c.field(desk.FieldText):         func(q *desk.InsightsQuery) { q.Dimensions = []string{c.field(desk.FieldText)} },
		"Requests.custom_field_9999999": func(q *desk.InsightsQuery) { q.Dimensions = []string{"Requests.custom_field_9999999"} },
		"Requests.custom_field_x":       filter("Requests.custom_field_x", "set"),
		"Requests.custom_field_999":     filter("Requests.custom_field_999", "set"),
		"Requests.mood":                 filter("Requests.mood", "equals", ptr("good")),
		"resembles":                     filter("Requests.state", "resembles", ptr("open")),
		"gt":                            filter("Requests.state", "gt", ptr("1")),
		"contains":                      filter(c.field(desk.FieldNumber), "contains", ptr("1")),
		"in_date_range":                 filter("Requests.priority", "in_date_range", ptr("2026-01-01"), ptr("2026-01-02")),
		"hour":                          func(q *desk.InsightsQuery) { q.TimeDimensions[0].Granularity = "hour" },
		"Next week":                     func(q *desk.InsightsQuery) { q.TimeDimensions[0].Range = "Next week" },
		"Requests.updated_at":           func(q *desk.InsightsQuery) { q.TimeDimensions[0].Dimension = "Requests.updated_at" },
		"2026-02-30":                    func(q *desk.InsightsQuery) { q.TimeDimensions[0].Days = []string{"2026-02-30", "2026-03-01"} },
		"yesterday's":                   func(q *desk.InsightsQuery) { q.TimeDimensions[0].Days = []string{"2026-03-01", "yesterday's"} },
		"tomorrow":                      filter("Requests.created_at", "before_date", ptr("tomorrow")),
		"many":                          filter(c.field(desk.FieldNumber), "gt", ptr("many")),
		"soon":                          filter(c.field(desk.FieldDate), "equals", ptr("soon")),
		"the first":                     filter(c.field(desk.FieldSelect), "equals", ptr("the first")),
		"perhaps":                       filter("Requests.has_ticket", "equals", ptr("perhaps")),
		"":                              filter("Requests.state", "equals"),
		"measures":                      func(q *desk.InsightsQuery) { q.Measures = nil },
		"time_dimensions":               func(q *desk.InsightsQuery) { q.TimeDimensions = nil },
		"date_range":                    func(q *desk.InsightsQuery) { q.TimeDimensions[0].Days = []string{"2026-03-01"} },
	} {
		q := c.query("", times[0], "")
		change(&q)
		_, err := c.QueryInsights(ctx, c.caller(), q)
		if wantKind(t, err, desk.Invalid); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("the error for %q is %v", name, err)
		}
	}
}
