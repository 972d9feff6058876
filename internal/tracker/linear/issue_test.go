package linear

import (
	"errors"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

const anIssue = `{"issue":{"id":"` + issueID + `","identifier":"ENG-17","url":"https://linear.app/acme/issue/ENG-17/printer","title":"Printer","updatedAt":"2026-03-01T12:00:00.123Z","state":{"id":"s2","name":"In Review","type":"started"}}}`

func TestPlace(t *testing.T) {
	w, s := scripted(t, exchange{operation: "Place", answer: `{"viewer":{"id":"u1"},"organization":{"id":"o1","name":"Acme","urlKey":"acme"}}`})
	want(t, "place", must(w.Place(t.Context())), tracker.Place{ID: "o1", Name: "Acme", URL: "https://linear.app/acme", User: "u1"})
	want(t, "asked", s.asked, []string{"query Place { viewer { id } organization { id name urlKey } }"})
}

func TestTicket(t *testing.T) {
	is := tracker.Ticket{ID: issueID, Key: "ENG-17", URL: "https://linear.app/acme/issue/ENG-17/printer", Title: "Printer",
		Status:    tracker.Status{ID: "s2", Name: "In Review", Means: []desk.State{desk.InProgress, desk.Pending, desk.OnHold}},
		UpdatedAt: time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)}
	for name, sent := range map[string]string{"ENG-17": "ENG-17", " eng-17\n": "ENG-17", issueID: issueID, "0B1EE1BC-3F51-4E87-9D3C-0A4A1C2D3E4F": issueID} {
		w, s := scripted(t, exchange{operation: "Issue", variables: `{"id":"` + sent + `"}`, answer: anIssue})
		want(t, name, must(w.Ticket(t.Context(), name)), is)
		want(t, "asked", s.asked, []string{"query Issue($id: String!) { issue(id: $id) { id identifier url title updatedAt state { id name type } } }"})
	}
	// Impossible names cause no call.
	w, _ := scripted(t)
	for _, name := range []string{"", "17", "ENG", "ENG-", "-17", "ENG-17-1", "https://linear.app/acme/issue/ENG-17", "ENG 17", "'", "ENG-12345678901", "0b1ee1bc"} {
		_, err := w.Ticket(t.Context(), name)
		wantKind(t, name, err, desk.NotFound)
	}
	w, _ = scripted(t, exchange{operation: "Issue", variables: `{"id":"ENG-18"}`, answer: notThere})
	_, err := w.Ticket(t.Context(), "ENG-18")
	wantKind(t, "not there", err, desk.NotFound)
}

func TestStatuses(t *testing.T) {
	for kind, m := range map[string][]desk.State{
		"triage": {desk.Open}, "backlog": {desk.Open}, "unstarted": {desk.Open}, "started": {desk.InProgress, desk.Pending, desk.OnHold},
		"completed": {desk.Solved, desk.Closed}, "canceled": {desk.Solved, desk.Closed}, "duplicate": {desk.Solved, desk.Closed}, "something new": {desk.Open},
	} {
		want(t, kind, state{ID: "s", Name: "n", Type: kind}.status(), tracker.Status{ID: "s", Name: "n", Means: m})
	}
	// The caller may change the result.
	state{Type: "started"}.status().Means[0] = desk.Closed
	want(t, "still", state{Type: "started"}.status().Means[0], desk.InProgress)
}

const states = `{"nodes":[
	{"id":"done2","name":"Shipped","type":"completed","position":5},{"id":"done","name":"Done","type":"completed","position":3},
	{"id":"no","name":"Canceled","type":"canceled","position":4},{"id":"review","name":"In Review","type":"started","position":1002},
	{"id":"doing","name":"In Progress","type":"started","position":2},{"id":"todo","name":"Todo","type":"unstarted","position":1},
	{"id":"later","name":"Backlog","type":"backlog","position":0},{"id":"new","name":"Triage","type":"triage","position":-1}]}`

func workflow(kind, id string) exchange {
	return exchange{operation: "Workflow", variables: `{"id":"` + issueID + `"}`,
		answer: `{"issue":{"id":"` + issueID + `","state":{"id":"` + id + `","name":"Now","type":"` + kind + `"},"team":{"states":` + states + `}}}`}
}

func TestSetStatus(t *testing.T) {
	tests := []struct {
		from string
		to   desk.State
		id   string // the state that it is moved to; empty if it is not moved
	}{
		{"triage", desk.Open, ""}, {"backlog", desk.Open, ""}, {"unstarted", desk.Open, ""}, {"started", desk.Open, "todo"}, {"completed", desk.Open, "todo"},
		{"canceled", desk.Open, "todo"}, {"unstarted", desk.InProgress, "doing"}, {"started", desk.InProgress, ""}, {"started", desk.Pending, ""},
		{"started", desk.OnHold, ""}, {"completed", desk.Pending, "doing"}, {"backlog", desk.OnHold, "doing"}, {"started", desk.Solved, "done"},
		{"started", desk.Closed, "done"}, {"completed", desk.Solved, ""}, {"completed", desk.Closed, ""}, {"canceled", desk.Solved, ""}, {"canceled", desk.Closed, ""},
	}
	for _, tt := range tests {
		all := []exchange{workflow(tt.from, "now")}
		if tt.id != "" {
			all = append(all, exchange{operation: "Move", variables: `{"id":"` + issueID + `","input":{"stateId":"` + tt.id + `"}}`,
				answer: `{"issueUpdate":{"success":true,"issue":{"state":{"id":"` + tt.id + `","name":"Then","type":"started"}}}}`})
		}
		w, s := scripted(t, all...)
		got := must(w.SetStatus(t.Context(), issueID, tt.to))
		id, name := "now", "Now"
		if tt.id != "" {
			id, name = tt.id, "Then"
			want(t, "asked", s.asked[1], "mutation Move($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { state { id name type } } } }")
		}
		want(t, tt.from+" to "+string(tt.to), []string{got.ID, got.Name}, []string{id, name})
		want(t, "asked", s.asked[0], "query Workflow($id: String!) { issue(id: $id) { id state { id name type } team { states(first: 250) { nodes { id name type position } } } } }")
	}

	// If a team has no matching state, the issue stays as it is. Without the best
	// match it gets the next best.
	w, _ := scripted(t, exchange{operation: "Workflow", variables: `{"id":"` + issueID + `"}`,
		answer: `{"issue":{"id":"i","state":{"id":"a","name":"Todo","type":"unstarted"},"team":{"states":{"nodes":[{"id":"a","name":"Todo","type":"unstarted","position":1}]}}}}`})
	want(t, "none", must(w.SetStatus(t.Context(), issueID, desk.Solved)).ID, "a")
	to, _ := choose([]state{{ID: "b", Type: "canceled"}, {ID: "c", Type: "triage"}}, desk.Solved)
	want(t, "the next best", to.ID, "b")

	w, _ = scripted(t, workflow("started", "now"), exchange{operation: "Move", variables: `{"id":"` + issueID + `","input":{"stateId":"done"}}`, answer: `{"issueUpdate":{"success":false,"issue":null}}`})
	_, err := w.SetStatus(t.Context(), issueID, desk.Solved)
	wantKind(t, "no success", err, desk.Refused)
}

func TestCheck(t *testing.T) {
	l := New(Config{})
	want(t, "good", l.Check(tracker.Credential{Token: key}), nil)
	for _, token := range []string{"", "a b", "a\nb", "ключ", string(make([]byte, 300))} {
		err := l.Check(tracker.Credential{Token: token})
		wantKind(t, token, err, desk.Invalid)
		if e := (*desk.Error)(nil); !errors.As(err, &e) || e.Fields[0].Field != "token" {
			t.Errorf("%q: %v", token, err)
		}
	}
	want(t, "name", l.Name(), "linear")
}
