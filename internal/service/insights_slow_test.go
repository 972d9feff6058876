package service

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// The numbers of docs/contract/insights.md, computed slowly and exactly as the page
// says. Every query looks at every request, and keeps nothing for the next.

// counted is a request as the page describes it.
type counted struct {
	id              desk.RequestID
	created         time.Time
	collection      desk.CollectionID
	state           desk.State
	priority        desk.Priority
	assignee        *string
	customer        *desk.CustomerID
	owner           *string // the customer's
	channel         *string // its channel's name
	ticket          bool
	survey          *survey
	values          map[desk.CustomFieldID][]string // the options of a multi-select, otherwise one value; empty: no value
	response        *float64                        // durations in minutes
	resolution      *float64
	firstResolution *float64
	waits           []float64
	promised        [3]bool // in the order of desk.SLAKinds
	broken          [3]bool
	sessions        []session
}

type survey struct {
	asked    desk.RequestID
	kind     desk.SurveyType
	at       time.Time
	value    int // 0 until it is answered
	answered time.Time
}

type session struct {
	id                           desk.AgentSessionID
	triggers, responses, answers int
	positive, negative           int
	deflected                    bool
}

// scores returns the values of answered surveys of a kind.
func scores(all []*counted, kind desk.SurveyType) (values []float64) {
	for _, r := range all {
		if r.survey != nil && r.survey.kind == kind && r.survey.value > 0 {
			values = append(values, float64(r.survey.value))
		}
	}
	return values
}

// lengths returns the durations of the requests that have one.
func lengths(all []*counted, of func(*counted) *float64) (values []float64) {
	for _, r := range all {
		if v := of(r); v != nil {
			values = append(values, *v)
		}
	}
	return values
}

func average(values []float64) any {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// percentile interpolates linearly between the closest ranks.
func percentile(values []float64, p float64) any {
	if len(values) == 0 {
		return nil
	}
	values = slices.Sorted(slices.Values(values))
	rank := p / 100 * float64(len(values)-1)
	low, high := values[int(math.Floor(rank))], values[int(math.Ceil(rank))]
	return low + (high-low)*(rank-math.Floor(rank))
}

func percent(part, whole int) any {
	if whole == 0 {
		return nil
	}
	return 100 * float64(part) / float64(whole)
}

// slowMeasure is a measure of a group of requests. Its value is an int, a float64
// or nil.
type slowMeasure struct {
	name string
	of   func([]*counted) any
}

// slowMeasures returns all measures, in the order of the page.
func slowMeasures() (all []slowMeasure) {
	add := func(name string, of func([]*counted) any) { all = append(all, slowMeasure{"Requests." + name, of}) }
	number := func(has func(*counted) bool) func([]*counted) int {
		return func(group []*counted) (n int) {
			for _, r := range group {
				if has(r) {
					n++
				}
			}
			return n
		}
	}
	count := func(name string, has func(*counted) bool) func([]*counted) int {
		of := number(has)
		add(name, func(group []*counted) any { return of(group) })
		return of
	}
	ratio := func(name string, part, whole func([]*counted) int) {
		add(name, func(group []*counted) any { return percent(part(group), whole(group)) })
	}
	spread := func(name string, of func([]*counted) []float64) {
		add(name+"_avg", func(group []*counted) any { return average(of(group)) })
		for _, p := range []float64{50, 75, 90, 95} {
			add(fmt.Sprintf("%s_p%v", name, p), func(group []*counted) any { return percentile(of(group), p) })
		}
	}
	total := func(name string, of func(session) int) func([]*counted) int {
		sum := func(group []*counted) (n int) {
			for _, r := range group {
				for _, s := range r.sessions {
					n += of(s)
				}
			}
			return n
		}
		add(name, func(group []*counted) any { return sum(group) })
		return sum
	}
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	response := func(group []*counted) []float64 {
		return lengths(group, func(r *counted) *float64 { return r.response })
	}
	resolution := func(group []*counted) []float64 {
		return lengths(group, func(r *counted) *float64 { return r.resolution })
	}
	first := func(group []*counted) []float64 {
		return lengths(group, func(r *counted) *float64 { return r.firstResolution })
	}

	requests := count("count", func(*counted) bool { return true })
	count("first_response_request_count", func(r *counted) bool { return r.response != nil })
	spread("response_times", func(group []*counted) (waits []float64) {
		for _, r := range group {
			waits = append(waits, r.waits...)
		}
		return waits
	})
	add("resolution_time", func(group []*counted) any { return average(resolution(group)) })
	spread("resolution_time", resolution)
	spread("first_response_time", response)
	spread("first_resolution_time", first)
	for kind, names := range [3][2]string{
		{"first_response_time_sla_request_count", "first_response_sla_breached"},
		{"resolution_time_sla_request_count", "resolution_time_sla_breached"},
		{"one_touch_resolution_sla_request_count", "one_touch_resolution_breached"},
	} {
		applies := count(names[0], func(r *counted) bool { return r.promised[kind] })
		breached := count(names[1], func(r *counted) bool { return r.broken[kind] })
		ratio(names[1]+"_percent", breached, applies)
	}
	count("requests_in_solved_state", func(r *counted) bool { return r.state == desk.Solved })
	count("first_resolution_requests_count", func(r *counted) bool { return r.firstResolution != nil })
	resolved := count("resolved_requests_count", func(r *counted) bool { return r.state == desk.Solved || r.state == desk.Closed })
	ratio("resolution_rate_percent", resolved, requests)

	total("agent_trigger_count", func(s session) int { return s.triggers })
	total("agent_response_count", func(s session) int { return s.responses })
	total("agent_answer_count", func(s session) int { return s.answers })
	total("agent_positive_feedback_count", func(s session) int { return s.positive })
	total("agent_negative_feedback_count", func(s session) int { return s.negative })
	sessions := total("virtual_agent_session_count", func(session) int { return 1 })
	attempts := total("virtual_agent_session_with_resolution_attempt_count", func(s session) int { return one(s.answers > 0) })
	ratio("virtual_agent_resolution_attempt_rate_percent", attempts, sessions)
	deflected := total("virtual_agent_deflected_session_count", func(s session) int { return one(s.deflected) })
	ratio("virtual_agent_deflection_rate_percent", deflected, sessions)
	total("virtual_agent_positive_feedback_count", func(s session) int { return one(s.positive > 0) })
	total("virtual_agent_negative_feedback_count", func(s session) int { return one(s.negative > 0) })

	five := func(r *counted) bool { return r.survey != nil && r.survey.kind == desk.FivePointRating }
	two := func(r *counted) bool { return r.survey != nil && r.survey.kind == desk.TwoPointRating }
	triggered := count("csat_triggered_request_count", five)
	received := count("csat_received_request_count", func(r *counted) bool { return five(r) && r.survey.value > 0 })
	ratio("csat_response_percent", received, triggered)
	spread("csat_score", func(group []*counted) []float64 { return scores(group, desk.FivePointRating) })
	count("csat_received_request_count_two_point_survey", func(r *counted) bool { return two(r) && r.survey.value > 0 })
	count("csat_two_point_positive_responses_count", func(r *counted) bool { return two(r) && r.survey.value == 2 })
	count("csat_two_point_negative_responses_count", func(r *counted) bool { return two(r) && r.survey.value == 1 })
	return all
}

// slowDesk is what a query is about: an account's requests, and what its members
// mean.
type slowDesk struct {
	requests []*counted
	fields   map[desk.CustomFieldID]desk.FieldType
	zone     *time.Location
	now      time.Time
}

// member returns the values of a member for a request as texts; empty means no
// value.
func (d slowDesk) member(name string, r *counted) []string {
	text := func(s *string) []string {
		if s == nil {
			return nil
		}
		return []string{*s}
	}
	switch name {
	case "Requests.state":
		return []string{string(r.state)}
	case "Requests.priority":
		return []string{string(r.priority)}
	case "Requests.assignee_user_id":
		return text(r.assignee)
	case "Requests.customer_id":
		if r.customer == nil {
			return nil
		}
		return []string{fmt.Sprint(*r.customer)}
	case "Requests.customer_owner":
		return text(r.owner)
	case "Requests.collection_id":
		return []string{fmt.Sprint(r.collection)}
	case "Requests.chat_channel_name":
		return text(r.channel)
	case "Requests.csat_score":
		if r.survey == nil || r.survey.kind != desk.FivePointRating || r.survey.value == 0 {
			return nil
		}
		return []string{fmt.Sprint(r.survey.value)}
	case "Requests.csat_two_point_survey_value":
		if r.survey == nil || r.survey.kind != desk.TwoPointRating || r.survey.value == 0 {
			return nil
		}
		return []string{fmt.Sprint(r.survey.value)}
	case "Requests.has_ticket":
		return []string{fmt.Sprint(r.ticket)}
	case "Requests.is_csat_triggered":
		return []string{fmt.Sprint(r.survey != nil)}
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(name, "Requests.custom_field_"), 10, 64)
	if err != nil {
		panic("the check knows no " + name)
	}
	return r.values[desk.CustomFieldID(id)]
}

// moment returns a request's time in a time dimension, or nil.
func moment(name string, r *counted) *time.Time {
	switch {
	case name == "Requests.created_at":
		return &r.created
	case r.survey != nil:
		return &r.survey.at
	}
	return nil
}

// numeric reports whether the values of a member are ordered as numbers.
func (d slowDesk) numeric(name string) bool {
	switch name {
	case "Requests.customer_id", "Requests.collection_id", "Requests.csat_score", "Requests.csat_two_point_survey_value":
		return true
	}
	id, _ := strconv.ParseInt(strings.TrimPrefix(name, "Requests.custom_field_"), 10, 64)
	return d.fields[desk.CustomFieldID(id)] == desk.FieldNumber
}

func numberOf(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// day returns the day that the account's clocks show at a moment, as midnight UTC.
func (d slowDesk) day(at time.Time) time.Time {
	year, month, day := at.In(d.zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func parseDay(text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return day
}

// bucket returns the first day of the bucket that a day is in.
func bucket(day time.Time, granularity string) time.Time {
	year, month, _ := day.Date()
	switch granularity {
	case "day":
		return day
	case "week":
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case "month":
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	case "quarter":
		return time.Date(year, month-(month-1)%3, 1, 0, 0, 0, 0, time.UTC)
	case "year":
		return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	panic("the check knows no " + granularity)
}

// inRange reports whether a day is in the range of a time dimension.
func (d slowDesk) inRange(day time.Time, t desk.TimeDimension) bool {
	if len(t.Days) == 2 {
		return !day.Before(parseDay(t.Days[0])) && !day.After(parseDay(t.Days[1]))
	}
	today := d.day(d.now)
	same := func(granularity string, than time.Time) bool {
		return bucket(day, granularity).Equal(bucket(than, granularity))
	}
	switch strings.ToLower(t.Range) {
	case "":
		return true
	case "today":
		return day.Equal(today)
	case "yesterday":
		return day.Equal(today.AddDate(0, 0, -1))
	case "from 7 days ago to now":
		return !day.Before(today.AddDate(0, 0, -7))
	case "from 30 days ago to now":
		return !day.Before(today.AddDate(0, 0, -30))
	case "this week":
		return same("week", today)
	case "this month":
		return same("month", today)
	case "this quarter":
		return same("quarter", today)
	case "this year":
		return same("year", today)
	case "last week":
		return same("week", today.AddDate(0, 0, -7))
	case "last month":
		return same("month", bucket(today, "month").AddDate(0, 0, -1))
	case "last quarter":
		return same("quarter", bucket(today, "quarter").AddDate(0, 0, -1))
	case "last year":
		return same("year", bucket(today, "year").AddDate(0, 0, -1))
	}
	var n int
	var unit string
	if _, err := fmt.Sscanf(strings.ToLower(t.Range), "last %d %s", &n, &unit); err != nil {
		panic("the check knows no " + t.Range)
	}
	unit = strings.TrimSuffix(unit, "s")
	end := bucket(today, unit)
	begin := end
	for range n {
		begin = bucket(begin.AddDate(0, 0, -1), unit)
	}
	return !day.Before(begin) && day.Before(end)
}

// containsFold reports whether a text contains another, ignoring case.
func containsFold(text, part string) bool {
	if part == "" {
		return true
	}
	letters := utf8.RuneCountInString(part)
	runes := []rune(text)
	for i := 0; i+letters <= len(runes); i++ {
		if strings.EqualFold(string(runes[i:i+letters]), part) {
			return true
		}
	}
	return false
}

// holds reports whether a filter matches a request.
func (d slowDesk) holds(f desk.InsightsFilter, r *counted) bool {
	operator := strings.ToLower(f.Operator)
	if f.Member == "Requests.created_at" || f.Member == "Requests.csat_triggered_at" {
		return d.holdsOfTime(operator, f, moment(f.Member, r))
	}
	has := d.member(f.Member, r)
	switch operator {
	case "set":
		return len(has) > 0
	case "not_set":
		return len(has) == 0
	case "not_equals":
		return !d.holds(desk.InsightsFilter{Member: f.Member, Operator: "equals", Values: f.Values}, r)
	case "not_contains":
		return !d.holds(desk.InsightsFilter{Member: f.Member, Operator: "contains", Values: f.Values}, r)
	case "equals":
		for _, v := range f.Values {
			if v == nil && len(has) == 0 {
				return true
			}
			for _, h := range has {
				if v != nil && (h == *v || d.numeric(f.Member) && numberOf(h) == numberOf(*v)) {
					return true
				}
			}
		}
		return false
	case "contains":
		for _, v := range f.Values {
			for _, h := range has {
				if containsFold(h, *v) {
					return true
				}
			}
		}
		return false
	}
	if len(has) == 0 {
		return false
	}
	if id, err := strconv.ParseInt(strings.TrimPrefix(f.Member, "Requests.custom_field_"), 10, 64); err == nil && d.fields[desk.CustomFieldID(id)] == desk.FieldDate {
		return holdsOfDay(operator, f.Values, parseDay(has[0]))
	}
	a, b := numberOf(has[0]), numberOf(*f.Values[0])
	switch operator {
	case "gt":
		return a > b
	case "gte":
		return a >= b
	case "lt":
		return a < b
	case "lte":
		return a <= b
	}
	panic("the check knows no " + operator)
}

func (d slowDesk) holdsOfTime(operator string, f desk.InsightsFilter, at *time.Time) bool {
	switch {
	case operator == "set":
		return at != nil
	case operator == "not_set":
		return at == nil
	case at == nil:
		return false
	}
	return holdsOfDay(operator, f.Values, d.day(*at))
}

func holdsOfDay(operator string, values []*string, day time.Time) bool {
	switch operator {
	case "in_date_range":
		return !day.Before(parseDay(*values[0])) && !day.After(parseDay(*values[1]))
	case "before_date":
		return day.Before(parseDay(*values[0]))
	case "after_date":
		return day.After(parseDay(*values[0]))
	}
	panic("the check knows no " + operator)
}

// slowRow is a group: its keys as texts, where nil means no value, and its
// requests.
type slowRow struct {
	times      []string // bucket keys of the time dimensions that have a granularity
	dimensions []*string
	requests   []*counted
}

// rows returns the groups of a query among requests within reach, in order.
func (d slowDesk) rows(q desk.InsightsQuery, reach desk.Reach) []slowRow {
	groups, found := map[string]*slowRow{}, []*slowRow{}
	grouped := len(q.Dimensions) > 0
	for _, t := range q.TimeDimensions {
		grouped = grouped || t.Granularity != ""
	}
	if !grouped { // exactly one row
		groups[""] = &slowRow{}
		found = append(found, groups[""])
	}
	for _, r := range d.requests {
		if !reach.Has(r.collection) || !d.asked(q, r) {
			continue
		}
		for _, row := range d.groupsOf(q, r) {
			key := strings.Join(row.times, "|")
			for _, v := range row.dimensions {
				if key += "|"; v != nil {
					key += strconv.Quote(*v)
				}
			}
			if groups[key] == nil {
				groups[key] = &row
				found = append(found, &row)
			}
			groups[key].requests = append(groups[key].requests, r)
		}
	}
	slices.SortFunc(found, func(a, b *slowRow) int {
		if c := slices.Compare(a.times, b.times); c != 0 {
			return c
		}
		for i, name := range q.Dimensions {
			order := strings.Compare
			if d.numeric(name) {
				order = func(a, b string) int { return cmp.Compare(numberOf(a), numberOf(b)) }
			}
			if c := nullLast(a.dimensions[i], b.dimensions[i], order); c != 0 {
				return c
			}
		}
		return 0
	})
	rows := make([]slowRow, len(found))
	for i, row := range found {
		rows[i] = *row
	}
	return rows
}

func nullLast(a, b *string, order func(a, b string) int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return order(*a, *b)
}

// asked reports whether a query is about a request.
func (d slowDesk) asked(q desk.InsightsQuery, r *counted) bool {
	for _, t := range q.TimeDimensions {
		// A request without a survey is in no range of time, not even in all of it.
		if at := moment(t.Dimension, r); at == nil || !d.inRange(d.day(*at), t) {
			return false
		}
	}
	for _, f := range q.Filters {
		if !d.holds(f, r) {
			return false
		}
	}
	return true
}

// groupsOf returns the groups that a request is in. There are several if a member
// has several values.
func (d slowDesk) groupsOf(q desk.InsightsQuery, r *counted) []slowRow {
	var row slowRow
	for _, t := range q.TimeDimensions {
		if t.Granularity == "" {
			continue
		}
		row.times = append(row.times, bucket(d.day(*moment(t.Dimension, r)), t.Granularity).Format("2006-01-02T15:04:05.000"))
	}
	rows := []slowRow{row}
	for _, name := range q.Dimensions {
		var next []slowRow
		values := d.member(name, r)
		for _, row := range rows {
			if len(values) == 0 {
				next = append(next, slowRow{times: row.times, dimensions: append(slices.Clone(row.dimensions), nil)})
			}
			for _, v := range values {
				next = append(next, slowRow{times: row.times, dimensions: append(slices.Clone(row.dimensions), &v)})
			}
		}
		rows = next
	}
	return rows
}

// openQuarters are the times in which a schedule is open, in quarters of an hour. Nothing
// here begins or ends at another time.
type openQuarters struct {
	from time.Time
	upTo []int // number of open quarters before each
}

const quarter = 15 * time.Minute

// timetable is a schedule as the contract defines it: ranges of minutes of the day.
type timetable struct {
	zone     string
	week     map[time.Weekday][][2]int
	holidays map[string][][2]int
}

// open reports whether a schedule is open at a moment, by the local wall clock.
func (s timetable) open(at time.Time) bool {
	minute := at.Hour()*60 + at.Minute()
	of := func(day time.Time) ([][2]int, bool) {
		if len(s.holidays) > 0 {
			if ranges, holiday := s.holidays[day.Format(time.DateOnly)]; holiday {
				return ranges, true
			}
		}
		return s.week[day.Weekday()], false
	}
	today, holiday := of(at)
	for _, r := range today {
		if minute >= r[0] && (minute < r[1] || r[1] <= r[0]) {
			return true
		}
	}
	if holiday {
		return false
	}
	year, month, day := at.Date()
	yesterday, _ := of(time.Date(year, month, day-1, 12, 0, 0, 0, time.UTC))
	for _, r := range yesterday {
		if r[1] <= r[0] && minute < r[1] {
			return true
		}
	}
	return false
}

// hours looks at each quarter of an hour between two moments.
func (s timetable) hours(from, to time.Time) *openQuarters {
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		panic(err)
	}
	h, n := &openQuarters{from: from.Truncate(quarter)}, 0
	for at := h.from; at.Before(to.Add(quarter)); at = at.Add(quarter) {
		h.upTo = append(h.upTo, n)
		if s.open(at.In(zone)) {
			n++
		}
	}
	h.upTo = append(h.upTo, n)
	return h
}

// passed returns how much open time there is from the beginning to a moment.
func (h *openQuarters) passed(at time.Time) time.Duration {
	i := int(at.Sub(h.from) / quarter)
	open := time.Duration(h.upTo[i]) * quarter
	if h.upTo[i+1] > h.upTo[i] {
		open += at.Sub(h.from) % quarter
	}
	return open
}

// between returns how much of the time between two moments is open. Without hours,
// all of it is.
func (h *openQuarters) between(from, to time.Time) time.Duration {
	switch {
	case to.Before(from):
		return 0
	case h == nil:
		return to.Sub(from)
	}
	return h.passed(to) - h.passed(from)
}

// after returns the first moment at which this much time has been open since
// another; false if that is not before the end of all hours.
func (h *openQuarters) after(from time.Time, open time.Duration) (time.Time, bool) {
	if h == nil {
		return from.Add(open), true
	}
	want := h.passed(from) + open
	for i := int(from.Sub(h.from) / quarter); i+1 < len(h.upTo); i++ {
		if time.Duration(h.upTo[i+1])*quarter >= want {
			return h.from.Add(time.Duration(i)*quarter + want - time.Duration(h.upTo[i])*quarter), true
		}
	}
	return time.Time{}, false
}

// shownMinutes returns a duration as sla_metrics shows it.
func shownMinutes(d time.Duration) float64 { return math.Round(d.Minutes()*100) / 100 }
