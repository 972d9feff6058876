package zendesktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is an account with a requester and an agent.
type world struct {
	t    *testing.T
	z    *Zendesk
	url  string
	mira *User // the requester
	jo   *User // an agent
}

func newWorld(t *testing.T, c Config) *world {
	z := New(c)
	server := httptest.NewServer(z)
	t.Cleanup(func() { server.Close(); z.Close() })
	return &world{t, z, server.URL, z.AddUser("Mira", "mira@example.org", "end-user"), z.AddUser("Jo", "jo@acme.test", "agent")}
}

// ask makes a call as the owner of the token, and decodes the answer.
func (w *world) ask(method, path, body string, edits ...func(*http.Request)) (status int, out map[string]any) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.SetBasicAuth(Email+"/token", Token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edits {
		e(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	json.Unmarshal(b, &out)
	if out == nil {
		out = map[string]any{}
	}
	out["Retry-After"] = res.Header.Get("Retry-After")
	return res.StatusCode, out
}

// at returns a field of JSON by its path, such as ticket.status or comments.0.id.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func TestWhoIsLetIn(t *testing.T) {
	w := newWorld(t, Config{})
	id := w.z.AddTicket(w.mira, "Printer", "<p>It is on fire.</p>")
	ticket := fmt.Sprintf("/api/v2/tickets/%d.json", id)
	as := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	for name, edit := range map[string]func(*http.Request){
		"another token":  as(Email+"/token", "x"),
		"a password":     as(Email, Token),
		"somebody else":  as("jo@acme.test/token", Token),
		"a bearer token": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+Token) },
		"nothing at all": func(r *http.Request) { r.Header.Del("Authorization") },
	} {
		status, out := w.ask("GET", ticket, "", edit)
		want(t, name, []any{status, out["error"]}, []any{401, "Couldn't authenticate you"})
	}
	status, out := w.ask("GET", "/api/v2/users/me.json", "")
	want(t, "me", []any{status, at(out, "user.email"), at(out, "user.role")}, []any{200, Email, "admin"})
	status, out = w.ask("GET", "/api/v2/users/me.json", "", func(r *http.Request) { r.Header.Del("Authorization") })
	want(t, "nobody", []any{status, at(out, "user.id"), at(out, "user.name")}, []any{200, nil, "Anonymous user"})

	w.z.Revoke()
	status, _ = w.ask("GET", "/api/v2/users/me.json", "")
	want(t, "after it was revoked", status, 401)
}

func TestTicket(t *testing.T) {
	w := newWorld(t, Config{Hold: true})
	id := w.z.AddTicket(w.mira, "Printer", "<p>It is on <b>fire</b>.</p>")
	status, out := w.ask("GET", "/api/v2/tickets/1?include=users", "")
	want(t, "status", status, 200)
	for path, v := range map[string]any{"ticket.id": 1.0, "ticket.subject": "Printer", "ticket.status": "new", "ticket.description": "It is on fire.",
		"ticket.url": w.url + "/api/v2/tickets/1.json", "users.0.name": "Mira", "users.0.email": "mira@example.org", "users.1": nil} {
		want(t, path, at(out, path), v)
	}
	for _, path := range []string{"/api/v2/tickets/2.json", "/api/v2/tickets/x.json", "/api/v2/tickets/2/comments.json", "/api/v2/tickets/2/audits.json"} {
		status, out = w.ask("GET", path, "")
		want(t, path, []any{status, out["error"], out["description"]}, []any{404, "RecordNotFound", "Not found"})
	}
	status, out = w.ask("GET", "/api/v2/toasters.json", "")
	want(t, "no endpoint", []any{status, out["error"]}, []any{404, "InvalidEndpoint"})
	w.z.Delete(id)
	status, _ = w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"status":"open"}}`)
	want(t, "deleted", status, 404)
}

func TestUpdate(t *testing.T) {
	w := newWorld(t, Config{Hold: true})
	id := w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>")
	status, out := w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"status":"hold","comment":{"html_body":"<p>On it<script>x()</script>.</p>","public":false},"metadata":{"key":"k1"}}}`)
	want(t, "status", status, 200)
	for path, v := range map[string]any{"ticket.status": "hold", "audit.metadata.custom.key": "k1", "audit.events.0.field_name": "status", "audit.events.0.previous_value": "new",
		"audit.events.1.type": "Comment", "audit.events.1.body": "On it.", "audit.events.1.public": false, "audit.author_id": float64(w.z.Me().ID)} {
		want(t, path, at(out, path), v)
	}
	want(t, "comment", w.z.Comments(id)[1], Comment{ID: int64(at(out, "audit.events.1.id").(float64)), Author: w.z.Me().ID, HTML: "<p>On it.</p>", Custom: `{"key":"k1"}`})
	_, out = w.ask("GET", "/api/v2/tickets/1/audits.json?page[size]=10", "")
	want(t, "the audit's metadata", at(out, "audits.1.metadata.custom.key"), "k1")
	want(t, "the first audit's events", at(out, "audits.0.events.0.type"), "Create")

	// Text stays text.
	w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"comment":{"body":"a < b\nc","author_id":`+fmt.Sprint(w.jo.ID)+`}}}`)
	got := w.z.Comments(id)[2]
	want(t, "of a text", []any{got.HTML, got.Public, got.Author}, []any{`<p dir="auto">a &lt; b<br>c</p>`, true, w.jo.ID})
}

func TestUpdatesThatAreRefused(t *testing.T) {
	w := newWorld(t, Config{})
	id := w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>")
	for body, wanted := range map[string]struct {
		status int
		path   string
		says   string
	}{
		`{"ticket":{"status":"asleep"}}`:                                                         {422, "details.status.0.description", "Status: asleep is not included in the list"},
		`{"ticket":{"status":"hold"}}`:                                                           {422, "details.status.0.description", "Status: hold is not included in the list"},
		`{"ticket":{"comment":{}}}`:                                                              {422, "details.comment.0.error", "BlankValue"},
		`{"ticket":{"comment":{"html_body":"<p> </p>"}}}`:                                        {422, "details.comment.0.error", "BlankValue"},
		`{"ticket":{"comment":{"body":"` + strings.Repeat("x", mostComment+1) + `"}}}`:           {422, "details.comment.0.error", "ValueTooLong"},
		`{"ticket":{"comment":{"body":"x","author_id":1}}}`:                                      {422, "details.author_id.0.error", "InvalidValue"},
		`{"ticket":{"comment":"x"}}`:                                                             {400, "error.title", "Invalid attribute"},
		`{"ticket":{"comment":{"body":"x","public":"no"}}}`:                                      {400, "error.title", "Invalid attribute"},
		`{"ticket":{"metadata":"x"}}`:                                                            {400, "error.title", "Invalid attribute"},
		`{"status":"open"}`:                                                                      {400, "error.title", "Invalid attribute"},
		`{"ticket":{"status":"open","safe_update":true}}`:                                        {400, "error.title", "Invalid attribute"},
		`{"ticket":{"status":"open","safe_update":true,"updated_stamp":"2020-01-01T00:00:00Z"}}`: {409, "error", "UpdateConflict"},
		`{"ticket":{"status":"open"`:                                                             {422, "message", "Server could not parse JSON"},
	} {
		status, out := w.ask("PUT", "/api/v2/tickets/1.json", body)
		want(t, body[:min(len(body), 60)], []any{status, at(out, wanted.path)}, []any{wanted.status, wanted.says})
	}
	status, _ := w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"status":"open"}}`, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	want(t, "no JSON", status, 415)
	want(t, "nothing was done", []any{w.z.Ticket(id).Status, len(w.z.Comments(id))}, []any{"new", 1})

	_, out := w.ask("GET", "/api/v2/tickets/1.json", "")
	status, _ = w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"status":"open","safe_update":true,"updated_stamp":"`+at(out, "ticket.updated_at").(string)+`"}}`)
	want(t, "a safe update", status, 200)

	// A closed ticket is closed for good.
	w.z.SetStatus(id, w.jo, "closed")
	status, out = w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"comment":{"body":"more"}}}`)
	want(t, "closed", []any{status, out["error"], at(out, "details.status.0.description")}, []any{422, "RecordInvalid", "Status: closed prevents ticket update"})
	want(t, "comments", len(w.z.Comments(id)), 1)
}

func TestWhatPeopleDo(t *testing.T) {
	w := newWorld(t, Config{})
	id := w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>")
	w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"comment":{"body":"Hello"}}}`)
	want(t, "answered", w.z.Ticket(id).Status, "open")
	w.z.SetStatus(id, w.jo, "solved")
	w.z.Say(id, w.jo, "<p>between us</p>", false)
	want(t, "a note changes nothing", w.z.Ticket(id).Status, "solved")
	w.z.Say(id, w.mira, "<p>still burning</p>", true)
	want(t, "who asked opens it again", w.z.Ticket(id).Status, "open")
	_, out := w.ask("GET", "/api/v2/tickets/1/comments.json?page[size]=100&include=users", "")
	want(t, "public", []any{at(out, "comments.2.public"), at(out, "comments.3.public")}, []any{false, true})
	want(t, "html", at(out, "comments.3.html_body"), `<div class="zd-comment" dir="auto"><p>still burning</p></div>`)
	want(t, "authors, each once", []any{at(out, "users.0.name"), at(out, "users.1.name"), at(out, "users.2.name"), at(out, "users.3")}, []any{"Desk", "Mira", "Jo", nil})
}

func TestPages(t *testing.T) {
	w := newWorld(t, Config{})
	id := w.z.AddTicket(w.mira, "Printer", "<p>0</p>")
	for i := range 6 {
		w.z.Say(id, w.jo, fmt.Sprintf("<p>%d</p>", i+1), true)
	}
	// All within one second, and each once.
	var got []string
	path, last := "/api/v2/tickets/1/comments.json?page[size]=3", ""
	for path != "" {
		status, out := w.ask("GET", path, "")
		want(t, "status", status, 200)
		for _, c := range out["comments"].([]any) {
			got = append(got, at(c, "body").(string))
		}
		last, path = at(out, "meta.after_cursor").(string), ""
		if at(out, "meta.has_more") == true {
			u, err := url.Parse(at(out, "links.next").(string))
			if err != nil {
				t.Fatal(err)
			}
			path = u.RequestURI()
		}
	}
	want(t, "all", strings.Join(got, " "), "0 1 2 3 4 5 6")
	// Later comments come after the last cursor.
	after := "/api/v2/tickets/1/comments.json?page[size]=3&page[after]=" + last
	_, out := w.ask("GET", after, "")
	want(t, "nothing more", []any{at(out, "meta.has_more"), at(out, "meta.after_cursor"), at(out, "comments.0")}, []any{false, nil, nil})
	w.z.Say(id, w.jo, "<p>7</p>", true)
	_, out = w.ask("GET", after, "")
	want(t, "one more", at(out, "comments.0.body"), "7")
	_, out = w.ask("GET", "/api/v2/tickets/1/comments.json?page[size]=3&sort=-created_at", "")
	want(t, "the newest first", at(out, "comments.0.body"), "7")
	_, out = w.ask("GET", "/api/v2/tickets/1/comments.json?page[size]=2&page[before]="+last, "")
	want(t, "before it", at(out, "comments.1.body"), "5")
	_, out = w.ask("GET", "/api/v2/tickets/1/comments.json?per_page=2&page=2", "")
	want(t, "by number", []any{at(out, "comments.0.body"), out["count"]}, []any{"2", 8.0})

	for _, bad := range []string{"page[size]=101", "page[size]=0", "page[size]=x", "page[after]=x", "page[size]=1&page[after]=" + last + "&page[before]=" + last} {
		status, out := w.ask("GET", "/api/v2/tickets/1/comments.json?"+bad, "")
		want(t, bad, []any{status, at(out, "errors.0.code")}, []any{400, "InvalidPaginationParameter"})
	}
}

func TestFaults(t *testing.T) {
	w := newWorld(t, Config{})
	id := w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>")
	say := func() int {
		status, _ := w.ask("PUT", "/api/v2/tickets/1.json", `{"ticket":{"comment":{"body":"more"}}}`)
		return status
	}
	for _, tt := range []struct {
		fault  Fault
		status int
		said   int
	}{
		{Fault{Method: "PUT"}, 0, 0},
		{Fault{Method: "PUT", After: true}, 0, 1},
		{Fault{Status: 503}, 503, 0},
		{Fault{Path: "/tickets/1", Status: 502, After: true}, 502, 1},
		{Fault{Status: 429, RetryAfter: time.Minute}, 429, 0},
		{Fault{Path: "/webhooks"}, 200, 1},
	} {
		before := len(w.z.Comments(id))
		w.z.Fail(tt.fault)
		want(t, fmt.Sprint(tt.fault), []any{say(), len(w.z.Comments(id)) - before}, []any{tt.status, tt.said})
	}
	want(t, "one was for others", []any{say(), w.z.Count("PUT", "/tickets/1"), w.z.Count("GET", "/")}, []any{200, 7, 0})
	want(t, "left", w.z.Heal(), 1)
	w.z.Fail(Fault{Skip: 1, Times: 2, Status: 500})
	want(t, "the second and the third", []int{say(), say(), say(), say()}, []int{200, 500, 500, 200})
}

func TestPause(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)
	w := newWorld(t, Config{Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }})
	w.z.Pause(90 * time.Second)
	status, out := w.ask("GET", "/api/v2/users/me.json", "")
	want(t, "paused", []any{status, out["Retry-After"]}, []any{429, "90"})
	mu.Lock()
	now = now.Add(91 * time.Second)
	mu.Unlock()
	status, _ = w.ask("GET", "/api/v2/users/me.json", "")
	want(t, "afterwards", status, 200)
}

func TestLimits(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	later := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	w := newWorld(t, Config{Limits: true, Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }})
	for range 5 {
		w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>")
	}
	update := func(id int) (int, any) {
		status, out := w.ask("PUT", fmt.Sprintf("/api/v2/tickets/%d.json", id), `{"ticket":{"status":"open"}}`)
		return status, out["Retry-After"]
	}
	// Thirty for a ticket in ten minutes, a hundred for all tickets in one.
	for i, n := range []int{30, 30, 30, 10} {
		for range n {
			if status, _ := update(i + 1); status != 200 {
				t.Fatal(i, status)
			}
		}
	}
	for id, after := range map[int]string{1: "600", 4: "60", 5: "60"} {
		status, wait := update(id)
		want(t, fmt.Sprint("ticket ", id), []any{status, wait}, []any{429, after})
	}
	later(time.Minute)
	status, _ := update(5)
	want(t, "a minute later", status, 200)
	status, wait := update(1)
	want(t, "the same ticket", []any{status, wait}, []any{429, "540"})
	for range 699 {
		if status, _ := w.ask("GET", "/api/v2/users/me.json", ""); status != 200 {
			t.Fatal(status)
		}
	}
	status, _ = w.ask("GET", "/api/v2/users/me.json", "")
	want(t, "too many of all", status, 429)
}
