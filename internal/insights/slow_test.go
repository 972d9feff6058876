package insights

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// slowly answers a question by looking at every fact for every number.
func slowly(t *testing.T, q Question, facts []fact) (rows []desk.InsightsRow) {
	t.Helper()
	type group struct {
		bucket string
		dims   []any
		facts  []fact
	}
	td := q.Query.TimeDimensions[0]
	var groups []*group
	for _, f := range facts {
		when := f.created
		if td.Dimension == "Requests.csat_triggered_at" {
			if f.surveyAt == nil {
				continue
			}
			when = *f.surveyAt
		}
		local := when.In(q.Zone)
		day := local.Format(dayForm)
		if td.Days != nil && (day < td.Days[0] || day > td.Days[1]) {
			continue
		}
		if td.Range != "" && (day < q.Now.In(q.Zone).AddDate(0, 0, -30).Format(dayForm) || when.After(q.Now)) {
			continue
		}
		if !passes(q.Query.Filters, f) {
			continue
		}
		g := &group{}
		midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
		switch td.Granularity {
		case "week":
			for midnight.Weekday() != time.Monday {
				midnight = midnight.AddDate(0, 0, -1)
			}
		case "month":
			midnight = time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, time.UTC)
		case "quarter":
			midnight = time.Date(local.Year(), time.Month(int(local.Month()-1)/3*3+1), 1, 0, 0, 0, 0, time.UTC)
		}
		if td.Granularity != "" {
			g.bucket = midnight.Format("2006-01-02T15:04:05.000")
		}
		for _, d := range q.Query.Dimensions {
			g.dims = append(g.dims, dimension(d, f))
		}
		i := slices.IndexFunc(groups, func(o *group) bool { return o.bucket == g.bucket && slices.Equal(o.dims, g.dims) })
		if i < 0 {
			groups, i = append(groups, g), len(groups)
		}
		groups[i].facts = append(groups[i].facts, f)
	}
	if len(groups) == 0 && td.Granularity == "" && len(q.Query.Dimensions) == 0 {
		groups = []*group{{}}
	}
	sort.Slice(groups, func(i, j int) bool {
		a, b := groups[i], groups[j]
		if a.bucket != b.bucket {
			return a.bucket < b.bucket
		}
		for k := range a.dims {
			if a.dims[k] != b.dims[k] {
				return b.dims[k] == nil || a.dims[k] != nil && fmt.Sprint(a.dims[k]) < fmt.Sprint(b.dims[k])
			}
		}
		return false
	})
	for _, g := range groups {
		var r desk.InsightsRow
		for i, d := range q.Query.Dimensions {
			r = append(r, desk.InsightsCell{Name: d, Value: g.dims[i]})
		}
		if td.Granularity != "" {
			r = append(r, desk.InsightsCell{Name: td.Dimension + "." + td.Granularity, Value: g.bucket})
		}
		for _, m := range q.Query.Measures {
			r = append(r, desk.InsightsCell{Name: m, Value: slowNumber(m, g.facts, q.Now)})
		}
		rows = append(rows, r)
	}
	return rows
}

func dimension(name string, f fact) any {
	switch name {
	case "Requests.state":
		return f.state
	case "Requests.assignee_user_id":
		if f.assignee != nil {
			return *f.assignee
		}
	case "Requests.csat_score":
		if f.points != nil && *f.points == 5 && f.value != nil {
			return *f.value
		}
	}
	return nil
}

func passes(filters []desk.InsightsFilter, f fact) bool {
	for _, w := range filters {
		switch w.Member {
		case "Requests.state":
			if f.state == *w.Values[0] {
				return false
			}
		case "Requests.has_ticket":
			if !f.hasTicket {
				return false
			}
		case "Requests.priority":
			if !strings.Contains(f.priority, strings.ToLower(*w.Values[0])) {
				return false
			}
		}
	}
	return true
}

func slowNumber(name string, facts []fact, now time.Time) any {
	name = strings.TrimPrefix(name, "Requests.")
	count := func(holds func(fact) bool) int64 {
		var n int64
		for _, f := range facts {
			if holds(f) {
				n++
			}
		}
		return n
	}
	sessions := func(add func(fact, [5]int64) int64) (n int64) {
		for _, f := range facts {
			for _, s := range f.sessions {
				n += add(f, s)
			}
		}
		return n
	}
	one := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	percent := func(part, whole any) any {
		if whole.(int64) == 0 {
			return nil
		}
		return decimal(big.NewRat(100*part.(int64), whole.(int64)))
	}
	me := func(other string) any { return slowNumber("Requests."+other, facts, now) }
	five := func(f fact) bool { return f.points != nil && *f.points == 5 }
	two := func(f fact) bool { return f.points != nil && *f.points == 2 }
	for _, l := range []struct {
		name string
		of   func(fact) []float64
	}{
		{"response_times", func(f fact) []float64 { return minutes(f.waits...) }},
		{"resolution_time", func(f fact) []float64 { return there(f.resolution) }},
		{"first_response_time", func(f fact) []float64 { return there(f.response) }},
		{"first_resolution_time", func(f fact) []float64 { return there(f.resolution1) }},
		{"csat_score", func(f fact) []float64 {
			if five(f) && f.value != nil {
				return []float64{float64(*f.value)}
			}
			return nil
		}},
	} {
		suffix, ok := strings.CutPrefix(name, l.name)
		if suffix == "" && l.name == "resolution_time" {
			suffix = "_avg"
		}
		q, known := map[string]float64{"_avg": -1, "_p50": 0.5, "_p75": 0.75, "_p90": 0.9, "_p95": 0.95}[suffix]
		if !ok || !known {
			continue
		}
		var all []float64
		for _, f := range facts {
			all = append(all, l.of(f)...)
		}
		if len(all) == 0 {
			return nil
		}
		if q < 0 {
			sum := new(big.Rat)
			for _, v := range all {
				sum.Add(sum, big.NewRat(int64(math.Round(v*100)), 100))
			}
			return decimal(sum.Quo(sum, big.NewRat(int64(len(all)), 1)))
		}
		sort.Float64s(all)
		rank := q * float64(len(all)-1)
		low, high := all[int(rank)], all[min(int(rank)+1, len(all)-1)]
		return round(low + (high-low)*(rank-float64(int(rank))))
	}
	switch name {
	case "count":
		return count(func(fact) bool { return true })
	case "first_response_request_count":
		return count(func(f fact) bool { return f.response != nil })
	case "first_response_time_sla_request_count":
		return count(func(f fact) bool { return f.applies })
	case "first_response_sla_breached":
		return count(func(f fact) bool { return f.lateAt != nil && !f.lateAt.After(now) })
	case "first_response_sla_breached_percent":
		return percent(me("first_response_sla_breached"), me("first_response_time_sla_request_count"))
	case "resolution_time_sla_request_count", "one_touch_resolution_sla_request_count", "resolution_time_sla_breached", "one_touch_resolution_breached":
		return int64(0)
	case "resolution_time_sla_breached_percent", "one_touch_resolution_breached_percent":
		return nil
	case "requests_in_solved_state":
		return count(func(f fact) bool { return f.state == "solved" })
	case "first_resolution_requests_count":
		return count(func(f fact) bool { return f.resolution1 != nil })
	case "resolved_requests_count":
		return count(func(f fact) bool { return f.state == "solved" || f.state == "closed" })
	case "resolution_rate_percent":
		return percent(me("resolved_requests_count"), me("count"))
	case "agent_trigger_count":
		return sessions(func(_ fact, s [5]int64) int64 { return s[0] })
	case "agent_response_count":
		return sessions(func(_ fact, s [5]int64) int64 { return s[1] })
	case "agent_answer_count":
		return sessions(func(_ fact, s [5]int64) int64 { return s[2] })
	case "agent_positive_feedback_count":
		return sessions(func(_ fact, s [5]int64) int64 { return s[3] })
	case "agent_negative_feedback_count":
		return sessions(func(_ fact, s [5]int64) int64 { return s[4] })
	case "virtual_agent_session_count":
		return sessions(func(fact, [5]int64) int64 { return 1 })
	case "virtual_agent_session_with_resolution_attempt_count":
		return sessions(func(_ fact, s [5]int64) int64 { return one(s[2] > 0) })
	case "virtual_agent_resolution_attempt_rate_percent":
		return percent(me("virtual_agent_session_with_resolution_attempt_count"), me("virtual_agent_session_count"))
	case "virtual_agent_deflected_session_count":
		return sessions(func(f fact, s [5]int64) int64 { return one(s[2] > 0 && !f.answered && !f.hasTicket) })
	case "virtual_agent_deflection_rate_percent":
		return percent(me("virtual_agent_deflected_session_count"), me("virtual_agent_session_count"))
	case "virtual_agent_positive_feedback_count":
		return sessions(func(_ fact, s [5]int64) int64 { return one(s[3] > 0) })
	case "virtual_agent_negative_feedback_count":
		return sessions(func(_ fact, s [5]int64) int64 { return one(s[4] > 0) })
	case "csat_triggered_request_count":
		return count(five)
	case "csat_received_request_count":
		return count(func(f fact) bool { return five(f) && f.value != nil })
	case "csat_response_percent":
		return percent(me("csat_received_request_count"), me("csat_triggered_request_count"))
	case "csat_received_request_count_two_point_survey":
		return count(func(f fact) bool { return two(f) && f.value != nil })
	case "csat_two_point_positive_responses_count":
		return count(func(f fact) bool { return two(f) && f.value != nil && *f.value == 2 })
	case "csat_two_point_negative_responses_count":
		return count(func(f fact) bool { return two(f) && f.value != nil && *f.value == 1 })
	}
	return "no such measure: " + name
}

// decimal rounds a fraction to four decimals.
func decimal(r *big.Rat) float64 {
	f, _ := strconv.ParseFloat(r.FloatString(4), 64)
	return f
}

func there(v *int64) []float64 {
	if v == nil {
		return nil
	}
	return minutes(*v)
}

func minutes(hundredths ...int64) (all []float64) {
	for _, n := range hundredths {
		all = append(all, float64(n)/100)
	}
	return all
}
