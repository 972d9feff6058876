package lineartest

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

func TestKeys(t *testing.T) {
	w := newWorld(t, Config{})
	gone := w.bob.Key()
	w.bob.Revoke()
	for name, header := range map[string]string{"none": "", "another": "lin_api_x", "revoked": gone, "as a bearer": "Bearer " + w.key, "with a word": "Token " + w.key} {
		got, err := w.post(`{"query":"{ viewer { id } }"}`, "Authorization", header)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != http.StatusUnauthorized || len(got.errors) != 1 || got.data != nil {
			t.Fatalf("%s: %+v", name, got)
		}
		e := got.errors[0].Extensions
		if e.Type != "authentication error" || e.Code != "AUTHENTICATION_ERROR" || e.StatusCode != 401 || !e.UserError || e.UserPresentableMessage == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	same(t, "with the key", w.query("viewer.email", `{ viewer { email } }`, nil), "ada@acme.test")
	same(t, "all calls", w.s.Requests(), 6)
	same(t, "those that were run", w.s.Calls(), map[string]int{"viewer": 1})
}

func TestRequests(t *testing.T) {
	w := newWorld(t, Config{})
	for _, tt := range []struct {
		name, body, kind, code string
	}{
		{"no JSON", `?`, "", "BAD_REQUEST"},
		{"no query", `{}`, "", "BAD_REQUEST"},
		{"a form", `{"query":"{ viewer { id } }"}`, "application/x-www-form-urlencoded", "BAD_REQUEST"},
		{"plain text", `{"query":"{ viewer { id } }"}`, "text/plain", "BAD_REQUEST"},
		{"no GraphQL", `{"query":"{ viewer {"}`, "", "GRAPHQL_PARSE_FAILED"},
		{"a field that there is not", `{"query":"{ viewer { shoeSize } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a query that there is not", `{"query":"{ everything { id } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"no selection", `{"query":"{ viewer }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"an argument missing", `{"query":"{ issue { id } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"an argument too many", `{"query":"{ viewer(id: 1) { id } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"an argument of another type", `{"query":"{ issue(id: 17) { id } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a member of an input missing", `{"query":"mutation { webhookCreate(input: {url: \"https://a.test\"}) { success } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a member of an input too many", `{"query":"mutation { commentCreate(input: {text: \"x\"}) { success } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a variable that may be null", `{"query":"query($id: String) { issue(id: $id) { id } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a variable of another type", `{"query":"query($id: ID!) { issue(id: $id) { id } }","variables":{"id":"x"}}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"an enum that there is not", `{"query":"{ issues(orderBy: title) { nodes { id } } }"}`, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a variable missing", `{"query":"query($id: String!) { issue(id: $id) { id } }"}`, "", "BAD_USER_INPUT"},
		{"a value of another type", `{"query":"query($id: String!) { issue(id: $id) { id } }","variables":{"id":17}}`, "", "BAD_USER_INPUT"},
		{"an unknown member in a value", `{"query":"mutation($i: CommentCreateInput!) { commentCreate(input: $i) { success } }","variables":{"i":{"text":"x"}}}`, "", "BAD_USER_INPUT"},
		{"a member missing in a value", `{"query":"mutation($i: WebhookCreateInput!) { webhookCreate(input: $i) { success } }","variables":{"i":{"url":"https://a.test"}}}`, "", "BAD_USER_INPUT"},
		{"no such operation", `{"query":"query A { viewer { id } }","operationName":"B"}`, "", "OPERATION_RESOLUTION_FAILURE"},
		{"one of two", `{"query":"query A { viewer { id } } query B { viewer { id } }"}`, "", "OPERATION_RESOLUTION_FAILURE"},
	} {
		var headers []string
		if tt.kind != "" {
			headers = []string{"Content-Type", tt.kind}
		}
		got, err := w.post(tt.body, headers...)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != http.StatusBadRequest || len(got.errors) == 0 || got.data != nil || got.errors[0].Extensions.Code != tt.code || got.errors[0].Message == "" {
			t.Errorf("%s: got %+v, want %s", tt.name, got, tt.code)
		}
	}
	same(t, "what was run", w.s.Calls(), map[string]int{})
	for address, want := range map[string]int{w.url: http.StatusMethodNotAllowed, w.url + "/x": http.StatusNotFound} {
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		same(t, address, res.StatusCode, want)
	}
}

// TestSelections shows that a query may use all syntax of GraphQL.
func TestSelections(t *testing.T) {
	w := newWorld(t, Config{Name: "Acme Inc", URLKey: "acme-inc"})
	i := w.ada.CreateIssue(w.team.ID, "Printer burns", "")
	body, err := json.Marshal(args{"operationName": "B", "variables": args{"id": i.ID, "yes": true}, "query": `query A { viewer { id } } query B($id: String!, $yes: Boolean!, $no: Boolean = false) {
		me: viewer { ...who __typename } organization { name urlKey }
		issue(id: $id) { ... on Issue { state { type } } state { name } title @skip(if: $yes) url @include(if: $yes) description @include(if: $no) team { key } } }
		fragment who on User { displayName isMe admin }`})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.post(string(body))
	if err != nil || len(got.errors) > 0 {
		t.Fatal(err, got.errors)
	}
	same(t, "the answer", got.data, map[string]any{
		"me":           map[string]any{"displayName": "ada", "isMe": true, "admin": true, "__typename": "User"},
		"organization": map[string]any{"name": "Acme Inc", "urlKey": "acme-inc"},
		"issue": map[string]any{"state": map[string]any{"type": "backlog", "name": "Backlog"}, "url": "https://linear.app/acme-inc/issue/ENG-1/printer-burns",
			"team": map[string]any{"key": "ENG"}},
	})
}

func TestIssue(t *testing.T) {
	w := newWorld(t, Config{})
	w.ada.CreateIssue(w.team.ID, "First", "")
	i := w.bob.CreateIssue("ENG", "Second", "It burns.")
	const query = `query($id: String!) { issue(id: $id) { id identifier number title description priorityLabel createdAt state { id name type position } creator { name } completedAt } }`
	for _, name := range []string{i.ID, "ENG-2"} {
		got := w.query("issue", query, args{"id": name}).(map[string]any)
		same(t, "identifier", got["identifier"], "ENG-2")
		same(t, "number", got["number"], 2.0)
		same(t, "title", got["title"], "Second")
		same(t, "description", got["description"], "It burns.")
		same(t, "creator", at(got, "creator.name"), "Bob")
		same(t, "completed", got["completedAt"], nil)
		same(t, "state", got["state"], map[string]any{"id": w.team.State("Backlog").ID, "name": "Backlog", "type": "backlog", "position": 0.0})
		if _, err := time.Parse(millis, got["createdAt"].(string)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"ENG-3", "OPS-1", newID(), ""} {
		w.refused(name, http.StatusOK, "INPUT_ERROR", "Entity not found: Issue", query, args{"id": name})
	}
	w.ada.DeleteIssue("ENG-2")
	w.refused("deleted", http.StatusOK, "INPUT_ERROR", "Could not find referenced Issue.", query, args{"id": i.ID})
}

// TestErrorPath shows that an error says where it happened, and that everything
// that requires the failed field is null.
func TestErrorPath(t *testing.T) {
	w := newWorld(t, Config{})
	w.key = w.bob.Key()
	got, err := w.try(`query($id: String!) { team(id: $id) { key webhooks { nodes { id } } } }`, args{"id": w.team.ID})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the path", got.errors[0].Path, each("team", "webhooks"))
	if got.data != nil {
		t.Errorf("the answer is %v", got.data)
	}
}
