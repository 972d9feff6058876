package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// demoRequest has the fields of a request that the test checks.
type demoRequest struct {
	ID         int64
	Title      string
	State      *string
	Mark       *string `json:"not_a_request_state"`
	Collection struct{ Name string }
	CustomerID *int64         `json:"customer_id"`
	Card       *struct{}      `json:"triage_thread"`
	CreatedAt  time.Time      `json:"created_at"`
	Values     map[string]any `json:"custom_field_values"`
	Tags       []string
	Children   []int64 `json:"child_requests"`
	Survey     *struct {
		Status   string
		Response struct {
			Type  string `json:"survey_type"`
			Value int
		}
		Comment *string
	} `json:"csat_survey"`
	Messages []struct{ Text string }
}

// furnishedWord is what the demo logs once it has created everything.
const furnishedWord = "the sample requests are there"

// The demo has a history: about three hundred requests in all states. What its
// customers say in the workspace becomes requests, and a second start creates
// nothing twice.
func TestDemoIsFurnished(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, database string) {
		in := install(t, database)
		p, token, stop := startDemo(t, in)
		var all []demoRequest
		awaitFor(t, 20*time.Minute, "the end of furnishing", func() bool { return strings.Contains(p.logs.String(), furnishedWord) })
		awaitFor(t, 20*time.Minute, "the sample requests with their cards", func() bool {
			all = demoRequests(t, p, token)
			return len(all) >= 280 && furnished(all)
		})
		checkDemo(t, all)
		checkMarks(t, p, token, all)
		checkOutage(t, p, token, all)
		checkNews(t, p, token)
		checkSurveys(t, demoRequests(t, p, token))
		checkMoments(t, p, database)
		sessions := checkSessions(t, p, token)
		checkInsights(t, p, token)
		await(t, "what a search finds", func() bool {
			var found struct{ Requests []demoRequest }
			p.get(t, token, "/requests/search?query="+url.QueryEscape("scanners Gdynia"), &found)
			return len(found.Requests) > 0
		})
		stop()

		p, token, stop = startDemo(t, in)
		await(t, "the end of the second start", func() bool { return strings.Contains(p.logs.String(), furnishedWord) })
		again := demoRequests(t, p, token)
		if len(again) != len(all) {
			t.Errorf("%d requests after a second start, %d before", len(again), len(all))
		}
		checkNews(t, p, token)
		checkSurveys(t, again)
		if n := checkSessions(t, p, token); n != sessions {
			t.Errorf("%d sessions after a second start, %d before", n, sessions)
		}
		addFile(t, p, token)
		stop()
		checkMoves(t, in, database, token)
	})
}

// startDemo starts the demo and waits until it has printed the lines to paste.
func startDemo(t *testing.T, in *installation) (p *process, token string, stop func()) {
	t.Helper()
	addr := freeAddr(t)
	p = &process{Cmd: in.command("demo", "--addr", addr, "--operations-addr=", "--rate-limit=0"), url: "http://" + addr, logs: &logs{}}
	p.Stderr = p.logs
	out, err := p.StdoutPipe()
	must(t, err)
	must(t, p.Start())
	t.Cleanup(func() { p.Process.Kill() })
	for s := bufio.NewScanner(out); s.Scan(); {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(s.Text()), "T="); ok {
			token = rest
		}
		if strings.Contains(s.Text(), "Ctrl-C") {
			break
		}
	}
	if token == "" {
		t.Fatalf("the demo has printed no token:\n%s", p.logs)
	}
	return p, token, func() {
		t.Helper()
		must(t, p.Process.Signal(os.Interrupt))
		if err := p.Wait(); err != nil {
			t.Errorf("Ctrl-C ended the demo with %v:\n%s", err, p.logs)
		}
	}
}

// demoRequests returns all requests of the demo with their messages.
func demoRequests(t *testing.T, p *process, token string) (all []demoRequest) {
	t.Helper()
	query := "/requests?limit=100&include=messages&state=none,open,in_progress,pending,on_hold,solved,closed"
	for path := query; ; {
		var page struct {
			Requests []demoRequest
			Next     struct {
				Cursor string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		p.get(t, token, path, &page)
		all = append(all, page.Requests...)
		if page.Next.Cursor == "" {
			return all
		}
		path = query + "&next_cursor=" + page.Next.Cursor
	}
}

// furnished reports whether every message in the workspace has arrived, and the
// workspace shows the cards.
func furnished(all []demoRequest) bool {
	const said, tickets = 29, 4
	chats, cards, solved, messages := 0, 0, 0, 0
	for _, r := range all {
		if r.Card != nil {
			cards++
		}
		if r.Collection.Name == "Customer channels" {
			messages += len(r.Messages)
		}
		if r.Collection.Name == "Customer channels" && r.State != nil {
			chats++
			if *r.State == "solved" {
				solved++
			}
		}
	}
	return messages == said && chats == 11 && solved == 3 && cards == chats+tickets
}

func checkDemo(t *testing.T, all []demoRequest) {
	t.Helper()
	counts, seen := map[string]int{}, map[string]bool{}
	messages, first, last := 0, all[0].CreatedAt, all[0].CreatedAt
	for _, r := range all {
		switch {
		case r.State != nil:
			counts[*r.State]++
		default:
			counts["no request"]++
		}
		if r.CustomerID == nil && r.State != nil {
			t.Errorf("%q is nobody's", r.Title)
		}
		if len(r.Values) > 0 {
			counts["with custom fields"]++
		}
		if r.CreatedAt.Before(first) {
			first = r.CreatedAt
		}
		if r.CreatedAt.After(last) {
			last = r.CreatedAt
		}
		messages += len(r.Messages)
		if len(r.Messages) == 0 {
			continue // merged into another
		}
		key := r.Title + "\n" + r.Messages[0].Text
		if seen[key] {
			t.Errorf("there twice: %s", key)
		}
		seen[key] = true
		if r.Collection.Name == "API tickets" && r.Card != nil {
			counts["new tickets with cards"]++
		}
	}
	mean := float64(messages) / float64(len(all))
	t.Logf("%d requests over %.0f days, %.1f messages each: %v", len(all), last.Sub(first).Hours()/24, mean, counts)
	if len(all) < 280 || len(all) > 330 || last.Sub(first) < 85*24*time.Hour || mean < 4 {
		t.Errorf("%d requests over %s with %.1f messages each", len(all), last.Sub(first), mean)
	}
	for _, want := range []string{"open", "in_progress", "pending", "on_hold", "solved", "closed",
		"no request", "with custom fields"} {
		if counts[want] == 0 {
			t.Errorf("none is %s: %s", want, fmt.Sprint(counts))
		}
	}
	if counts["new tickets with cards"] != 4 {
		t.Errorf("%d tickets have cards: those that were imported are to have none", counts["new tickets with cards"])
	}
}

// checkSurveys checks that the surveys cover every measure about surveys.
func checkSurveys(t *testing.T, all []demoRequest) {
	t.Helper()
	counts := map[string]int{}
	for _, r := range all {
		switch s := r.Survey; {
		case s == nil:
		case s.Status == "pending":
			counts["pending"]++
		default:
			counts[s.Response.Type]++
			counts[fmt.Sprint(s.Response.Type, " ", s.Response.Value)]++
			if s.Comment != nil {
				counts["commented"]++
			}
		}
	}
	t.Logf("surveys: %v", counts)
	for _, want := range []string{"pending", "commented", "five_point_rating", "five_point_rating 5", "two_point_rating 1", "two_point_rating 2"} {
		if counts[want] == 0 {
			t.Errorf("no survey is %s: %v", want, counts)
		}
	}
}

// checkMoments checks that the surveys are spread over the ninety days, each at its
// own time. It also checks that the server accepted what people said while the
// demo was created: creating it must not make people wait for long.
func checkMoments(t *testing.T, p *process, database string) {
	t.Helper()
	db := dbtest.Open(t, sqldb.Config{URL: database})
	const tenDays = 10 * 24 * 60 * 60 * 1000
	for _, at := range []string{"triggered_at", "answered_at"} {
		if n := count(t, db, fmt.Sprintf("SELECT count(DISTINCT %s / %d) FROM surveys", at, tenDays)); n < 8 {
			t.Errorf("the %s of all surveys lie in %d periods of ten days", at, n)
		}
		if n := count(t, db, fmt.Sprintf("SELECT count(*) FROM surveys WHERE %s > $1", at), time.Now().UnixMilli()); n > 0 {
			t.Errorf("the %s of %d surveys is still to come", at, n)
		}
	}
	if n := count(t, db, "SELECT count(*) FROM surveys WHERE answered_at <= triggered_at"); n > 0 {
		t.Errorf("%d surveys were answered before they were sent", n)
	}
	// All rows of a transaction have the same time.
	if n := count(t, db, "SELECT max(n) FROM (SELECT count(*) AS n FROM events WHERE type = 'request.created' GROUP BY at) AS moments"); n > 8 {
		t.Errorf("%d requests were imported in one transaction, for which everybody waits", n)
	}
	for line := range strings.Lines(p.logs.String()) {
		// The workspace resends an event after a timeout, which can happen on a slow machine.
		if strings.Contains(line, "was not taken") && !strings.Contains(line, "took too long") {
			t.Errorf("an event was refused: %s", line)
		}
	}
}

// checkSessions checks the virtual agent's sessions in the same way, and their number.
func checkSessions(t *testing.T, p *process, token string) int {
	t.Helper()
	var list struct {
		Sessions []struct {
			Triggers, Responses, Answers int
			Positive                     int  `json:"positive_feedback"`
			Negative                     int  `json:"negative_feedback"`
			Attempt                      bool `json:"has_resolution_attempt"`
			Deflected                    bool
		} `json:"agent_sessions"`
	}
	sums := map[string]int{}
	await(t, "the sessions of the virtual agent", func() bool {
		p.get(t, token, "/agent-sessions?limit=100", &list)
		clear(sums)
		for _, s := range list.Sessions {
			sums["triggers"] += s.Triggers
			sums["responses"] += s.Responses
			sums["answers"] += s.Answers
			sums["positive"] += s.Positive
			sums["negative"] += s.Negative
			if s.Attempt {
				sums["attempts"]++
			}
			if s.Deflected {
				sums["deflected"]++
			}
		}
		return sums["deflected"] == 2
	})
	t.Logf("%d sessions: %v", len(list.Sessions), sums)
	for _, what := range []string{"triggers", "responses", "answers", "positive", "negative", "attempts"} {
		if sums[what] == 0 || sums["attempts"] >= len(list.Sessions) {
			t.Errorf("%d sessions with %v", len(list.Sessions), sums)
		}
	}
	return len(list.Sessions)
}

// checkInsights queries every measure. None of them may be empty.
func checkInsights(t *testing.T, p *process, token string) {
	t.Helper()
	var meta struct {
		Insights struct{ Measures []struct{ Name string } }
	}
	p.get(t, token, "/insights/meta", &meta)
	names := make([]string, len(meta.Insights.Measures))
	for i, m := range meta.Insights.Measures {
		names[i] = m.Name
	}
	query := map[string]any{"query": map[string]any{"measures": names, "time_dimensions": []any{map[string]any{"dimension": "Requests.created_at"}}}}
	status, body, _, err := call{method: "POST", path: "/insights/query", token: token, body: query}.do(t.Context(), http.DefaultClient, p.url)
	must(t, err)
	var answer struct{ Insights []map[string]*float64 }
	must(t, json.Unmarshal(body, &answer))
	if status != http.StatusOK || len(answer.Insights) != 1 || len(answer.Insights[0]) != 59 {
		t.Fatalf("%d %s", status, body)
	}
	for name, value := range answer.Insights[0] {
		if value == nil || *value == 0 {
			t.Errorf("there is nothing for %s", name)
		}
	}
}

// checkNews checks the announcement and the customers' reactions to it.
func checkNews(t *testing.T, p *process, token string) {
	t.Helper()
	var list struct {
		Announcements []struct {
			ID        int64
			Delivered int `json:"delivered_count"`
		}
	}
	p.get(t, token, "/announcements?status=sent", &list)
	if len(list.Announcements) != 1 || list.Announcements[0].Delivered != 2 {
		t.Fatalf("the announcements are %+v", list.Announcements)
	}
	await(t, "the reactions", func() bool {
		var metrics struct {
			Announcement struct {
				Reactions int `json:"reaction_count"`
			}
		}
		p.get(t, token, fmt.Sprintf("/announcements/%d/metrics", list.Announcements[0].ID), &metrics)
		return metrics.Announcement.Reactions == 6
	})
}

// checkMarks reads the requests without a state one by one, because a list does not
// say why they have none.
func checkMarks(t *testing.T, p *process, token string, all []demoRequest) {
	t.Helper()
	marks := map[string]int{}
	for _, r := range all {
		if r.State != nil {
			continue
		}
		var one struct{ Request demoRequest }
		p.get(t, token, fmt.Sprintf("/requests/%d", r.ID), &one)
		mark := "never one"
		if one.Request.Mark != nil {
			mark = *one.Request.Mark
		}
		marks[mark]++
	}
	t.Logf("no requests: %v", marks)
	if marks["temporary"] == 0 || marks["permanent"] == 0 || marks["never one"] == 0 {
		t.Errorf("no requests: %v", marks)
	}
}

// checkOutage checks the first request of the bad day: it is the parent of others,
// and others were merged into it.
func checkOutage(t *testing.T, p *process, token string, all []demoRequest) {
	t.Helper()
	var first demoRequest
	for _, r := range all { // newest first
		if slices.Contains(r.Tags, "outage") {
			first = r
		}
	}
	var one struct{ Request demoRequest }
	p.get(t, token, fmt.Sprintf("/requests/%d?include=parent_child_requests", first.ID), &one)
	if len(one.Request.Children) < 5 || len(first.Messages) < 12 {
		t.Errorf("%q has the children %v and %d messages", first.Title, one.Request.Children, len(first.Messages))
	}
}
