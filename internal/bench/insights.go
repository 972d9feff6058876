package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	_ "time/tzdata"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/sqldb"
)

// insightsNow is when the questions are asked: always the same time, so that all
// runs use the same days.
var insightsNow = time.Date(2026, 5, 13, 14, 30, 0, 0, time.UTC)

// insightsYears is how far back the requests go.
const insightsYears = 2

// insightsParts are the accounts, each with its share of the requests. Questions
// are about the first.
var insightsParts = []float64{0.6, 0.3, 0.1}

// insightsQuestion is asked in both ways.
type insightsQuestion struct {
	name  string
	goal  time.Duration // for SQLite; 0 for none
	query desk.InsightsQuery
	scan  func(*columns) [][]any // returns the values of the same rows
}

// insightsQuestions are those that dashboards ask.
func insightsQuestions(f desk.CustomFieldID) []insightsQuestion {
	day := func(ago int) string { return insightsNow.AddDate(0, 0, -ago).Format(time.DateOnly) }
	created := func(t desk.TimeDimension) []desk.TimeDimension {
		t.Dimension = "Requests.created_at"
		return []desk.TimeDimension{t}
	}
	csat := []string{"Requests.csat_triggered_request_count", "Requests.csat_received_request_count", "Requests.csat_response_percent", "Requests.csat_score_avg"}
	return []insightsQuestion{
		{"requests by day, 30 days", 300 * time.Millisecond, desk.InsightsQuery{
			Measures:       []string{"Requests.count"},
			TimeDimensions: created(desk.TimeDimension{Granularity: "day", Range: "from 30 days ago to now"}),
		}, (*columns).countByDay},
		{"first response, p50 to p95 by month, 2 years", time.Second, desk.InsightsQuery{
			Measures: []string{"Requests.first_response_time_p50", "Requests.first_response_time_p75", "Requests.first_response_time_p90", "Requests.first_response_time_p95"},
			// All of time, which is the default.
			TimeDimensions: created(desk.TimeDimension{Granularity: "month"}),
		}, (*columns).firstResponseByMonth},
		{"response times, p95 by assignee and week, 90 days", time.Second, desk.InsightsQuery{
			Measures:       []string{"Requests.response_times_p95"},
			Dimensions:     []string{"Requests.assignee_user_id"},
			TimeDimensions: created(desk.TimeDimension{Granularity: "week", Days: []string{day(89), day(0)}}),
		}, (*columns).responseByAssignee},
		{"rates by priority and collection, a quarter", 300 * time.Millisecond, desk.InsightsQuery{
			Measures: []string{"Requests.resolution_rate_percent", "Requests.first_response_sla_breached_percent", "Requests.resolution_time_sla_breached_percent",
				"Requests.one_touch_resolution_breached_percent", "Requests.csat_response_percent"},
			Dimensions:     []string{"Requests.priority", "Requests.collection_id"},
			TimeDimensions: created(desk.TimeDimension{Range: "Last quarter"}),
		}, (*columns).ratesByPriority},
		{"CSAT by a custom field, a quarter", 300 * time.Millisecond, desk.InsightsQuery{
			Measures: csat, Dimensions: []string{fmt.Sprint("Requests.custom_field_", f)}, TimeDimensions: created(desk.TimeDimension{Range: "Last quarter"}),
		}, (*columns).csatLastQuarter},
		{"CSAT by a custom field, 2 years", 0, desk.InsightsQuery{
			Measures: csat, Dimensions: []string{fmt.Sprint("Requests.custom_field_", f)}, TimeDimensions: created(desk.TimeDimension{}),
		}, (*columns).csat},
	}
}

// columnsGoal is how long an answer from columns may take.
const columnsGoal = 30 * time.Millisecond

// benchInsights asks questions about a million requests, of SQL and of columns, and
// compares them with a loop that is written for the question.
func benchInsights(ctx context.Context, engines map[sqldb.Engine]string) {
	zone := must(time.LoadLocation("Europe/Berlin"))
	fmt.Printf("Insights: %d requests in %d accounts; questions about the one with %.0f%% of them, by SQL and from columns in memory, against a loop that knows the question\n",
		*facts, len(insightsParts), 100*insightsParts[0])
	for _, engine := range names(engines) {
		benchInsightsOn(ctx, engine, engines[engine], zone)
	}
}

func benchInsightsOn(ctx context.Context, engine sqldb.Engine, server string, zone *time.Location) {
	url, drop := freshURL(engine, server)
	defer drop()
	b := openBase(ctx, url)
	defer b.db.Close()
	began := time.Now()
	account, field := fillFacts(ctx, b.db, *facts)
	if engine == sqldb.Postgres {
		vacuum(ctx, url)
	}
	filled := time.Since(began)
	c := loadColumns(ctx, b.db, account, field.ID, zone)
	fmt.Printf("  %-8s filled in %.0f s; %d requests and %d waits are the first account's\n", engine, filled.Seconds(), len(c.created), len(c.waits))
	ask := func(question insightsQuestion) insights.Question {
		return insights.Question{Account: account, Query: question.query, Fields: map[desk.CustomFieldID]desk.CustomField{field.ID: field}, Reach: desk.Everything, Now: insightsNow, Zone: zone}
	}
	questions := insightsQuestions(field.ID)
	inColumns := insights.NewColumns(insights.ColumnsConfig{})
	began = time.Now()
	check(inColumns.Load(ctx, b.db, ask(questions[len(questions)-1])))
	fmt.Printf("  %-8s its columns are loaded in %.1f s and take %.1f MB\n", engine, time.Since(began).Seconds(), float64(inColumns.Bytes())/(1<<20))
	for _, question := range questions {
		question.measure(ctx, b.db, ask(question), inColumns, c)
	}
}

// measure asks in all ways in turns, after one round to warm up.
func (question insightsQuestion) measure(ctx context.Context, db *sqldb.DB, q insights.Question, inColumns *insights.Columns, c *columns) {
	var asked, cpus, fast, fastCPUs, scanned []float64
	rows := 0
	for round := range *rounds + 1 {
		began, before := time.Now(), ownCPU()
		answer, err := insights.SQL{}.Answer(ctx, db, q)
		took, cpu := time.Since(began), ownCPU()-before
		check(err)
		began, before = time.Now(), ownCPU()
		fromColumns, ok, err := inColumns.Try(ctx, db, q)
		fastTook, fastCPU := time.Since(began), ownCPU()-before
		if err == nil && !ok {
			err = errors.New("columns do not answer")
		}
		check(err)
		began = time.Now()
		want := question.scan(c)
		bare := time.Since(began)
		check(sameNumbers(answer, want))
		check(sameNumbers(fromColumns, want))
		rows = len(answer)
		if round > 0 {
			asked, cpus, scanned = append(asked, took.Seconds()), append(cpus, cpu.Seconds()), append(scanned, bare.Seconds())
			fast, fastCPUs = append(fast, fastTook.Seconds()), append(fastCPUs, fastCPU.Seconds())
		}
	}
	goal := ""
	if db.Engine() == sqldb.SQLite && question.goal > 0 {
		goal = fmt.Sprintf(" (goal under %.1f s: %s)", question.goal.Seconds(), mark(median(asked) < question.goal.Seconds()))
	}
	fmt.Printf("  %-8s %-50s %4d rows   %6.3f s, %6.3f s of our CPU%s   the loop %8.5f s   takes %.0f times as long\n",
		db.Engine(), question.name, rows, median(asked), median(cpus), goal, median(scanned), median(ratios(asked, scanned)))
	fmt.Printf("  %-8s %-50s             %7.4f s, %7.4f s of our CPU (goal under %v: %s)   takes %.1f times as long as the loop; SQL takes %.0f times as long\n",
		db.Engine(), "  from columns", median(fast), median(fastCPUs), columnsGoal, mark(median(fast) < columnsGoal.Seconds()), median(ratios(fast, scanned)), median(ratios(asked, fast)))
}

// sameNumbers compares an answer with the loop's.
func sameNumbers(answer []desk.InsightsRow, want [][]any) error {
	if len(answer) != len(want) {
		return fmt.Errorf("the answer has %d rows, the loop found %d", len(answer), len(want))
	}
	for i, row := range answer {
		got := desk.Each(row, func(cell desk.InsightsCell) any { return cell.Value })
		if fmt.Sprint(got) != fmt.Sprint(want[i]) {
			return fmt.Errorf("row %d of the answer is %v, the loop found %v", i, got, want[i])
		}
	}
	return nil
}

// vacuum does what PostgreSQL does on its own some time after many rows came in.
func vacuum(ctx context.Context, url string) {
	db := must(sql.Open("pgx", url))
	defer db.Close()
	must(db.ExecContext(ctx, "VACUUM (ANALYZE)"))
}

const (
	insightsAssignees = 30
	insightsOptions   = 8
)

var (
	insightsPriorities = []string{"low", "normal", "high", "urgent"}
	insightsStates     = []string{"open", "in_progress", "pending", "on_hold", "solved", "closed"}
)

// fillFacts makes accounts with requests, their facts and the values of a custom
// field. It returns the first account and its field.
func fillFacts(ctx context.Context, db *sqldb.DB, n int) (first desk.AccountID, field desk.CustomField) {
	var accounts []factAccount
	check(db.Write(ctx, func(tx *sqldb.Tx) error {
		accounts = nil
		for range insightsParts {
			a, err := newFactAccount(tx)
			if err != nil {
				return err
			}
			accounts = append(accounts, a)
		}
		return nil
	}))
	// In the order of time, as they would have come in, so the accounts take turns.
	const atOnce = 1000
	random := rand.New(rand.NewPCG(17, 17))
	began := insightsNow.AddDate(-insightsYears, 0, 0)
	step := insightsNow.Sub(began) / time.Duration(n)
	for from := 0; from < n; from += atOnce {
		rows := newFactRows()
		for i := from; i < min(from+atOnce, n); i++ {
			a, part := accounts[0], random.Float64()
			for k := 0; k+1 < len(accounts) && part >= insightsParts[k]; k++ {
				part -= insightsParts[k]
				a = accounts[k+1]
			}
			rows.add(random, a, int64(i+1), began.Add(time.Duration(i)*step))
		}
		check(db.Write(ctx, rows.write))
		if done := from + atOnce; done < n && done*4/n > from*4/n {
			fmt.Printf("  %-8s %d of %d requests are filled in\n", db.Engine(), done, n)
		}
	}
	a := accounts[0]
	return desk.AccountID(a.id), desk.CustomField{ID: desk.CustomFieldID(a.field), Entity: desk.EntityRequest, Type: desk.FieldSelect}
}

// factAccount is an account with the things its requests name.
type factAccount struct {
	id, field   int64
	collections [12]int64
}

func newFactAccount(tx *sqldb.Tx) (a factAccount, err error) {
	err = tx.Row("INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at) VALUES ('A', 'A', 'Europe/Berlin', TRUE, 0, 0) RETURNING id").Scan(&a.id)
	if err != nil {
		return a, err
	}
	if _, err = tx.Exec("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES ($1, 0, 0, $2)", a.id, []byte{}); err != nil {
		return a, err
	}
	for i := range a.collections {
		err = tx.Row("INSERT INTO collections (account_id, name, kind, created_at, updated_at) VALUES ($1, 'C', 'api', 0, 0) RETURNING id", a.id).Scan(&a.collections[i])
		if err != nil {
			return a, err
		}
	}
	err = tx.Row(`INSERT INTO custom_fields (account_id, entity_type, name, type, version, last_option_id, max_length, created_at, updated_at)
		VALUES ($1, 'request', 'Area', 'select', 1, $2, 0, 0, 0) RETURNING id`, a.id, insightsOptions).Scan(&a.field)
	if err != nil {
		return a, err
	}
	for o := range insightsOptions {
		if _, err = tx.Exec("INSERT INTO custom_field_options (account_id, field_id, option_id, n, value) VALUES ($1, $2, $3, $3, 'O')", a.id, a.field, o+1); err != nil {
			return a, err
		}
	}
	return a, nil
}

// factRows are rows to be written into the tables.
type factRows struct{ requests, facts, waits, choices manyRows }

func newFactRows() *factRows {
	return &factRows{
		requests: manyRows{table: "requests", columns: `id, account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, author_name, author_email, author_email_folded,
			assignee, workspace, thread_url, triage_url, source, created_at, updated_at, last_message_at`},
		facts: manyRows{table: "request_facts", columns: `account_id, created_at, request_id, collection_id, assignee, state, priority, has_ticket, is_answered, first_response, first_resolution, resolution,
			first_response_sla, first_response_late_at, resolution_sla, resolution_late_at, one_touch_sla, one_touch_late, survey_at, survey_points, survey_value`},
		waits:   manyRows{table: "response_facts", columns: "account_id, created_at, request_id, message_id, opened_at, length"},
		choices: manyRows{table: "custom_field_choices", columns: "account_id, entity_type, entity_id, field_id, option_id, n"},
	}
}

// add makes up a request.
func (r *factRows) add(random *rand.Rand, a factAccount, id int64, at time.Time) {
	ms := at.UnixMilli()
	collection := a.collections[min(int(random.ExpFloat64()*4), len(a.collections)-1)]
	var assignee any
	if random.IntN(20) > 0 {
		assignee = fmt.Sprintf("U%06d", min(int(random.ExpFloat64()*10), insightsAssignees-1))
	}
	priority := insightsPriorities[[]int{0, 1, 1, 1, 1, 1, 1, 2, 2, 3}[random.IntN(10)]]
	state := insightsStates[5]
	if random.IntN(8) == 0 {
		state = insightsStates[random.IntN(5)]
	}
	minutes := func(mean float64) int64 { return int64(random.ExpFloat64() * mean * 100) }
	var response, resolution1, resolution any
	answered := random.IntN(20) > 0
	if answered {
		response = minutes(40)
	}
	if state == "solved" || state == "closed" {
		first := minutes(1500)
		resolution1, resolution = first, first
		if random.IntN(10) == 0 {
			resolution = first + minutes(1500)
		}
	}
	// Some requests have promises, and some of those are broken.
	responseSLA, resolutionSLA, touchSLA := random.IntN(10) < 6, random.IntN(10) < 4, random.IntN(10) < 2
	var responseLate, resolutionLate any
	if responseSLA && random.IntN(6) == 0 {
		responseLate = ms + 3_600_000
	}
	if resolutionSLA && random.IntN(5) == 0 {
		resolutionLate = ms + 86_400_000
	}
	var surveyAt, points, value any
	if random.IntN(10) < 4 {
		surveyAt, points = ms+7_200_000, 5
		if random.IntN(3) == 0 {
			value = []int{1, 2, 3, 4, 4, 4, 5, 5, 5, 5}[random.IntN(10)]
		}
	}
	email := fmt.Sprintf("jo.%d@customer.test", random.IntN(50_000))
	r.requests.add(id, a.id, collection, fmt.Sprint("Request ", id), "rules", state, true, priority, "rules", "Jo", email, email, assignee, "", "", "", "api", ms, ms, ms)
	r.facts.add(a.id, ms, id, collection, assignee, state, priority, random.IntN(5) == 0, answered, response, resolution1, resolution,
		responseSLA, responseLate, resolutionSLA, resolutionLate, touchSLA, touchSLA && random.IntN(3) == 0, surveyAt, points, value)
	for w := range random.Int64N(5) {
		r.waits.add(a.id, ms, id, id*10+w, (ms+w*600_000)*1000, minutes(60))
	}
	if random.IntN(2) == 0 {
		r.choices.add(a.id, "request", id, a.field, 1+min(int(random.ExpFloat64()*3), insightsOptions-1), 0)
	}
}

func (r *factRows) write(tx *sqldb.Tx) error {
	for _, rows := range []*manyRows{&r.requests, &r.facts, &r.waits, &r.choices} {
		if err := rows.write(tx); err != nil {
			return err
		}
	}
	return nil
}

// manyRows are rows of one table, many written in one statement.
type manyRows struct {
	table, columns string
	rows           [][]any
}

func (m *manyRows) add(values ...any) { m.rows = append(m.rows, values) }

func (m *manyRows) write(tx *sqldb.Tx) error {
	const atOnce = 200
	for from := 0; from < len(m.rows); from += atOnce {
		var sql strings.Builder
		fmt.Fprintf(&sql, "INSERT INTO %s (%s) VALUES ", m.table, m.columns)
		var args []any
		for i, row := range m.rows[from:min(from+atOnce, len(m.rows))] {
			if i > 0 {
				sql.WriteString(", ")
			}
			for j, v := range row {
				sql.WriteString([]string{"($", ", $"}[min(j, 1)])
				args = append(args, v)
				fmt.Fprint(&sql, len(args))
			}
			sql.WriteByte(')')
		}
		if _, err := tx.Exec(sql.String(), args...); err != nil {
			return err
		}
	}
	return nil
}
