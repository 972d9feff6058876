package rest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// TestAccess calls every operation as every role with every scope. It gets 403
// exactly where desk.Permissions says so.
func TestAccess(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		s := newStage(t, db, scriptRate{})
		s.client.Transport = checkContract(t, s.client.Transport)
		for _, r := range new(Server).routes() {
			for _, role := range desk.Roles {
				for _, scope := range []desk.Scope{desk.ReadOnly, desk.ReadWrite} {
					t.Run(string(r.op)+" "+string(role)+" "+string(scope), func(t *testing.T) {
						checkAccess(t, s, r, role, scope)
					})
				}
			}
		}
	})
}

func checkAccess(t *testing.T, s *stage, r route, role desk.Role, scope desk.Scope) {
	who := string(role)
	if scope == desk.ReadOnly {
		who += " read-only"
	}
	// The id belongs to nothing and the body changes nothing. So an allowed caller
	// gets an error other than 403, and the next call finds everything unchanged.
	path := prefix + strings.NewReplacer("{id}", "99999999", "{ticket}", "99999999", "{delivery}", "99999999", "{message}", "99999999", "{note}", "99999999").Replace(r.path)
	switch r.op { // these require a parameter
	case desk.SearchRequests:
		path += "?query=nothing"
	case desk.CountViews:
		path += "?query=state%3Dopen"
	case desk.ListAnnouncementMessages:
		path += "?channel_id=C_NOWHERE"
	}
	request, err := http.NewRequest(r.method, s.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.body == jsonBody || r.body == eitherBody || r.body == listBody {
		if request, err = http.NewRequest(r.method, s.server.URL+path, strings.NewReader("{}")); err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		// Some operations accept an empty object.
		if !slices.Contains([]desk.Operation{desk.SearchCustomers, desk.UndoRequest, desk.RotateWebhook, desk.AcceptEmail, desk.TestCollectionEmail, desk.ResyncAnnouncement, desk.SummariseRequest}, r.op) {
			request = wrongRequest(request)
		}
	}
	if r.op == desk.StreamEvents {
		request.Header.Set("Last-Event-ID", "nothing") // otherwise the stream would stay open
	}
	request.Header.Set("Authorization", "Bearer "+s.callers[who].secret)
	w, body, err := s.do(request)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := desk.Permissions[r.op]
	if !ok {
		t.Fatalf("%s has no row in desk.Permissions", r.op)
	}
	refusal := ""
	switch {
	case p.Writes && scope != desk.ReadWrite:
		refusal = desk.ErrReadOnlyToken.Message
	case p.Of(role) == desk.No:
		refusal = desk.ErrNotAllowed.Message
	case r.op == desk.SetPresence: // whatever the role, because the caller is a token
		refusal = desk.ErrSessionOnly.Message
	}
	if refusal == "" {
		if w.StatusCode == http.StatusForbidden || w.StatusCode >= 500 {
			t.Errorf("%d %s, though the table allows it", w.StatusCode, body)
		}
		return
	}
	if w.StatusCode != http.StatusForbidden || !strings.Contains(body, refusal) {
		t.Errorf("%d %s, want 403 %s", w.StatusCode, body, refusal)
	}
}

func TestPermissionsAndRoutes(t *testing.T) {
	routes := map[desk.Operation]route{}
	for _, r := range new(Server).routes() {
		if _, twice := routes[r.op]; twice {
			t.Errorf("%s has two routes", r.op)
		}
		routes[r.op] = r
		p, ok := desk.Permissions[r.op]
		if !ok {
			t.Errorf("%s %s: %s has no row in desk.Permissions", r.method, r.path, r.op)
		}
		if p.Writes != changes(r.method) {
			t.Errorf("%s %s: the row of %s says Writes: %t", r.method, r.path, r.op, p.Writes)
		}
	}
	for op := range desk.Permissions {
		if _, ok := routes[op]; !ok {
			t.Errorf("desk.Permissions has a row for %s, which has no route", op)
		}
	}
}

// The document and the routes name the same operations, and the document says which
// roles may call each.
func TestDocumentAndRoutes(t *testing.T) {
	w := httptest.NewRecorder()
	New(Config{Key: scriptKey}).ServeHTTP(w, httptest.NewRequest("GET", "/v1/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	routes := map[string]route{}
	for _, r := range new(Server).routes() {
		routes[r.method+" "+prefix+r.path] = r
	}
	documented := map[string]bool{}
	for path, item := range document.Paths {
		for method, text := range item {
			if method == "parameters" {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			documented[name] = true
			r, ok := routes[name]
			if !ok {
				t.Errorf("the document has %s, which has no route", name)
				continue
			}
			checkDocumented(t, name, r, text)
		}
	}
	for name := range routes {
		if !documented[name] {
			t.Errorf("the document misses %s", name)
		}
	}
}

func checkDocumented(t *testing.T, name string, r route, text []byte) {
	t.Helper()
	var operation struct {
		OperationID string                     `json:"operationId"`
		Summary     string                     `json:"summary"`
		Tags        []string                   `json:"tags"`
		Body        json.RawMessage            `json:"requestBody"`
		Responses   map[string]json.RawMessage `json:"responses"`
		Access      map[desk.Role]string       `json:"x-access"`
		Scope       desk.Scope                 `json:"x-scope"`
	}
	if err := json.Unmarshal(text, &operation); err != nil {
		t.Fatal(err)
	}
	if operation.OperationID != string(r.op) {
		t.Errorf("%s is %q in the document, want %s", name, operation.OperationID, r.op)
	}
	if operation.Summary == "" || len(operation.Tags) != 1 {
		t.Errorf("%s needs a summary and one tag", name)
	}
	if (operation.Body != nil) != (r.body != noBody) {
		t.Errorf("%s: the document and the route disagree about a body", name)
	}
	for _, status := range expectedStatuses(r) {
		if operation.Responses[status] == nil {
			t.Errorf("%s misses the status %s", name, status)
		}
	}
	p := desk.Permissions[r.op]
	for role, want := range map[desk.Role]desk.Access{desk.Admin: p.Admin, desk.Agent: p.Agent, desk.Viewer: p.Viewer} {
		words := map[desk.Access]string{desk.No: "none", desk.Own: "own", desk.All: "all"}
		if got := operation.Access[role]; got != words[want] {
			t.Errorf("%s: x-access of %s is %q, want %q", name, role, got, words[want])
		}
	}
	want := desk.ReadOnly
	if p.Writes {
		want = desk.ReadWrite
	}
	if operation.Scope != want {
		t.Errorf("%s: x-scope is %q, want %s", name, operation.Scope, want)
	}
}

// expectedStatuses returns the statuses that the frame alone can give for a route.
func expectedStatuses(r route) []string {
	all := []string{"403", "429", "500", "503"}
	if r.body != noBody {
		all = append(all, "400", "413", "415")
	}
	if r.body != noBody && !r.asks {
		all = append(all, "409", "422") // with Idempotency-Key
	}
	if strings.Contains(r.path, "{id}") {
		all = append(all, "400", "404")
	}
	switch r.status {
	case 0:
		all = append(all, "200")
	case http.StatusCreated:
		all = append(all, "201")
	case http.StatusAccepted:
		all = append(all, "202")
	case http.StatusNoContent:
		all = append(all, "204")
	}
	slices.Sort(all)
	return slices.Compact(all)
}
