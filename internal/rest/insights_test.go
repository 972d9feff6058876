package rest

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/wire"
)

// A CSV result has a row of names and the cells of the rows. A spreadsheet would
// not compute any of them.
func TestInsightsAsCSV(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		s := newStage(t, db, scriptRate{})
		if err := s.join("admin"); err != nil {
			t.Fatal(err)
		}
		s.client.Transport = checkContract(t, s.client.Transport)
		post := func(path, accept, body string) (*http.Response, string) {
			t.Helper()
			r, err := http.NewRequest(http.MethodPost, s.server.URL+prefix+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+s.callers["admin"].secret)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", accept)
			w, answer, err := s.do(r)
			if err != nil {
				t.Fatal(err)
			}
			if w.StatusCode >= 300 {
				t.Fatalf("%s: %d %s", path, w.StatusCode, answer)
			}
			return w, answer
		}
		post("/collections", "", `{"name": "API", "kind": "api"}`)
		post("/requests", "", `{"description": "Help"}`)
		const query = `{"query": {"measures": ["Requests.count", "Requests.resolution_time_avg"], "dimensions": ["Requests.assignee_user_id", "Requests.priority"],
			"time_dimensions": [{"dimension": "Requests.created_at", "granularity": "day"}]}}`
		w, body := post("/insights/query", "text/csv", query)
		const want = "Requests.assignee_user_id,Requests.priority,Requests.created_at.day,Requests.count,Requests.resolution_time_avg\r\n,normal,2026-05-13T00:00:00.000,1,\r\n"
		if body != want || w.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" || !strings.Contains(w.Header.Get("Content-Disposition"), "insights.csv") {
			t.Errorf("%v\n%s", w.Header, body)
		}
		if _, own := post("/insights/query.csv", "application/json", query); own != want {
			t.Errorf("at its own path, whatever is accepted: %s", own)
		}
		for accept, isCSV := range map[string]bool{
			"": false, "*/*": false, "application/json": false, "text/csv": true, "Text/CSV; charset=utf-8": true, "text/csv, */*": true,
			"application/json, text/csv": false, "text/csv, application/json": true, "text/csv;q=0.5, application/json": false,
			"application/json;q=0.1, text/csv;q=0.2": true, "text/csv;q=0": false, "text/csv;q=x": false, "nonsense;;": false,
		} {
			w, _ := post("/insights/query", accept, query)
			if got := strings.HasPrefix(w.Header.Get("Content-Type"), "text/csv"); got != isCSV {
				t.Errorf("%q: CSV is %v", accept, got)
			}
		}
		_, body = post("/insights/query.csv", "", strings.Replace(query, `"granularity"`, `"date_range": "last year", "granularity"`, 1))
		if !strings.HasPrefix(body, "Requests.assignee_user_id,") || strings.Count(body, "\r\n") != 1 {
			t.Errorf("without rows: %s", body)
		}
	})
}

// Names in a workspace may look like formulas.
func TestInsightsCSVIsHarmless(t *testing.T) {
	for value, want := range map[any]string{`=cmd|' /C calc'!A0`: `'=cmd|' /C calc'!A0`, "@x": "'@x", "a\"b\nc": "a\"b\nc", "'x": "''x", int64(-5): "-5", -2.5: "-2.5", "-5": "-5", "-5+1": "'-5+1", nil: ""} {
		var b strings.Builder
		if err := wire.WriteInsights(&b, []string{"x", "y"}, insightsOf(value)); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][0] != want {
			t.Errorf("%v: %v %v", value, rows, err)
		}
	}
}

func insightsOf(value any) []desk.InsightsRow {
	return []desk.InsightsRow{{{Name: "x", Value: value}, {Name: "y", Value: int64(1)}}}
}
