package insights

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// BenchmarkScan answers the questions of `make bench` from made-up columns. It
// includes all of an answer but the one statement that asks what has changed.
//
//	go test -run '^$' -bench Scan ./internal/insights
func BenchmarkScan(b *testing.B) {
	for _, requests := range []int{600_000, 1_000_000} {
		now := time.Date(2026, 5, 13, 14, 30, 0, 0, time.UTC)
		field := desk.CustomField{ID: 1, Type: desk.FieldSelect}
		t := madeUp(requests, field, now)
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			b.Fatal(err)
		}
		created := func(d desk.TimeDimension) []desk.TimeDimension {
			d.Dimension = prefix + "created_at"
			return []desk.TimeDimension{d}
		}
		csat := []string{"Requests.csat_triggered_request_count", "Requests.csat_received_request_count", "Requests.csat_response_percent", "Requests.csat_score_avg"}
		for name, query := range map[string]desk.InsightsQuery{
			"1 count by day": {Measures: []string{"Requests.count"}, TimeDimensions: created(desk.TimeDimension{Granularity: "day", Range: "from 30 days ago to now"})},
			"2 quantiles by month": {Measures: []string{"Requests.first_response_time_p50", "Requests.first_response_time_p75", "Requests.first_response_time_p90", "Requests.first_response_time_p95"},
				TimeDimensions: created(desk.TimeDimension{Granularity: "month"})},
			"3 waits by assignee and week": {Measures: []string{"Requests.response_times_p95"}, Dimensions: []string{"Requests.assignee_user_id"},
				TimeDimensions: created(desk.TimeDimension{Granularity: "week", Days: []string{"2026-02-13", "2026-05-13"}})},
			"4 rates by priority and collection": {Measures: []string{"Requests.resolution_rate_percent", "Requests.first_response_sla_breached_percent", "Requests.resolution_time_sla_breached_percent",
				"Requests.one_touch_resolution_breached_percent", "Requests.csat_response_percent"}, Dimensions: []string{"Requests.priority", "Requests.collection_id"},
				TimeDimensions: created(desk.TimeDimension{Range: "Last quarter"})},
			"5 CSAT by field":    {Measures: csat, Dimensions: []string{"Requests.custom_field_1"}, TimeDimensions: created(desk.TimeDimension{Range: "Last quarter"})},
			"6 and of two years": {Measures: csat, Dimensions: []string{"Requests.custom_field_1"}, TimeDimensions: created(desk.TimeDimension{})},
		} {
			p, err := Question{Account: 1, Query: query, Fields: map[desk.CustomFieldID]desk.CustomField{1: field}, Reach: desk.Everything, Now: now, Zone: zone}.plan()
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", name, requests), func(b *testing.B) {
				before := cpu(b)
				for b.Loop() {
					a := &answering{plan: p, rows: map[string]*row{}}
					if err := a.scan(ctx, t); err != nil || len(a.answer()) == 0 {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// cpu returns the CPU time of this process, which other work on the machine does
// not increase.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// madeUp returns a table like those that internal/bench loads.
func madeUp(requests int, field desk.CustomField, now time.Time) *table {
	r := rand.New(rand.NewPCG(17, 17))
	t := newTable(marks{}, requests, []desk.CustomField{field})
	began := now.AddDate(-2, 0, 0)
	minutes := func(mean float64) int32 { return int32(r.ExpFloat64() * mean * 100) }
	for i := range requests {
		at := began.Add(time.Duration(i) * (now.Sub(began) / time.Duration(requests))).UnixMilli()
		f := record{id: int64(i + 1), created: at, surveyAt: none64, late: [2]int64{none64, none64}, lengths: [3]int32{minutes(40), none32, none32}, points: none8, score: none8, flags: uint8(r.IntN(64))}
		f.coded = [6]any{int64(r.IntN(12)), nil, nil, fmt.Sprint("U", r.IntN(30)), []string{"open", "solved", "closed"}[r.IntN(3)], []string{"low", "normal", "high", "urgent"}[r.IntN(4)]}
		if r.IntN(6) == 0 {
			f.late[0] = at + 3_600_000
		}
		if r.IntN(10) < 4 {
			if f.points, f.surveyAt = 5, at+7_200_000; r.IntN(3) == 0 {
				f.score = int8(1 + r.IntN(5))
			}
		}
		for range r.IntN(5) {
			f.waits = append(f.waits, minutes(60))
		}
		if r.IntN(2) == 0 {
			f.fields = map[desk.CustomFieldID]any{field.ID: []int64{int64(1 + r.IntN(8))}}
		}
		if err := t.put(&f); err != nil {
			panic(err)
		}
	}
	return t
}
