package rest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// frame is the API on a database of its own, with an account, its admin and one of
// their tokens. Tests add their own routes to the real ones.
type frame struct {
	t       testing.TB
	store   *store.Store
	service *service.Service
	server  *Server
	handler http.Handler
	url     string // empty if there is no server
	clock   *frameClock
	log     *frameLog
	calls   chan Observation // the calls that were responded to
	account desk.Account
	admin   desk.Member
	secret  string
	broken  map[string]int // never created
}

// frameClock follows the real time unless it is moved.
type frameClock struct {
	mu  sync.Mutex
	off time.Duration
}

func (c *frameClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.off)
}

func (c *frameClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off += d
}

// frameLog records what was logged.
type frameLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *frameLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *frameLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// frameRoute creates a route for a frame's server.
type frameRoute func(*frame) route

// newFrame creates a frame on a migrated database, without a server. send calls its
// handler, and serve starts a server.
func newFrame(t testing.TB, db *sqldb.DB, routes ...frameRoute) *frame {
	t.Helper()
	f := &frame{t: t, clock: &frameClock{}, log: &frameLog{}, calls: make(chan Observation, 1000)}
	log := slog.New(slog.NewJSONHandler(f.log, nil))
	key := seal.NewKey()
	f.store = store.New(db, key, f.clock.now)
	f.service = service.New(service.Config{Store: f.store, PublicURL: "https://desk.example", Log: log})
	f.server = newServer(Config{Service: f.service, Key: key, Log: log, Observe: func(o Observation) { f.calls <- o }})
	all := f.server.routes()
	for _, r := range routes {
		all = append(all, r(f))
	}
	f.handler = f.server.handler(all)

	admin := desk.Admin
	var err error
	f.account, f.admin, err = f.service.NewAccount(context.Background(), "Acme", desk.NewMember{Email: "admin@acme.example", Role: &admin})
	f.must(err)
	f.secret = f.newToken(desk.NewToken{Name: "test", Scope: desk.ReadWrite})
	return f
}

func (f *frame) newToken(n desk.NewToken) (secret string) {
	f.t.Helper()
	made, err := f.service.NewToken(context.Background(), f.account.ID, f.admin, n)
	f.must(err)
	return made.Secret
}

// frameOnSQLite returns a frame on a fresh SQLite database, with a server.
func frameOnSQLite(t testing.TB, routes ...frameRoute) *frame {
	t.Helper()
	return newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}), routes...).serve()
}

func (f *frame) serve() *frame {
	server := httptest.NewServer(f.handler)
	f.t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *frame) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// frameReply is a response that was read.
type frameReply struct {
	status int
	header http.Header
	body   string
}

func (r frameReply) String() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// request creates a call of the admin. A header is "Name: value". One with the name
// of a default replaces it, and without a value removes it.
func (f *frame) request(method, path string, body io.Reader, headers ...string) *http.Request {
	f.t.Helper()
	r, err := http.NewRequest(method, cmp.Or(f.url, "http://desk.example")+path, body)
	f.must(err)
	r.Header.Set("Authorization", "Bearer "+f.secret)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		if value = strings.TrimSpace(value); value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, value)
	}
	return r
}

// do makes a call through the server, or through the handler if there is no server.
func (f *frame) do(r *http.Request) frameReply {
	f.t.Helper()
	reply, err := f.try(r)
	f.must(err)
	return reply
}

// try is do for calls that may fail. It can also be used in other goroutines.
func (f *frame) try(r *http.Request) (frameReply, error) {
	if f.url == "" {
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		return frameReply{w.Code, w.Header(), w.Body.String()}, nil
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return frameReply{}, err
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	return frameReply{w.StatusCode, w.Header, string(body)}, err
}

func (f *frame) send(method, path, body string, headers ...string) frameReply {
	f.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	return f.do(f.request(method, path, reader, headers...))
}

// answered waits for the observation of a call.
func (f *frame) answered() Observation {
	f.t.Helper()
	select {
	case o := <-f.calls:
		return o
	case <-time.After(5 * time.Minute):
		f.t.Fatal("no call was answered")
		return Observation{}
	}
}

// members returns the emails of all members except the admin.
func (f *frame) members() (emails []string) {
	f.t.Helper()
	f.must(f.store.Read(context.Background(), f.account.ID, func(tx *store.Tx) error {
		emails = nil
		l, err := tx.Members(desk.Page{Limit: 1000, Ascending: true})
		for _, m := range l.Items {
			if m.ID != f.admin.ID {
				emails = append(emails, m.Email)
			}
		}
		return err
	}))
	return emails
}

func (f *frame) wantMembers(want ...string) {
	f.t.Helper()
	if got := f.members(); strings.Join(got, " ") != strings.Join(want, " ") {
		f.t.Errorf("members %v, want %v", got, want)
	}
}

// wantProblem checks an error response: its status, its code, and that it has the
// common format of errors.
func wantProblem(t testing.TB, r frameReply, status int, code string) {
	t.Helper()
	var p struct {
		Message, Error *string
		Errors         []map[string]string
	}
	d := json.NewDecoder(strings.NewReader(r.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || p.Message == nil || *p.Message == "" || p.Error == nil {
		t.Errorf("the body of %v is not in the form of errors: %v", r, err)
		return
	}
	if r.status != status || *p.Error != code {
		t.Errorf("got %v, want %d %s", r, status, code)
	}
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%v has the type %q", r, got)
	}
	if r.header.Get("X-Request-Id") == "" {
		t.Errorf("%v has no X-Request-Id", r)
	}
}

func wantStatus(t testing.TB, r frameReply, status int) {
	t.Helper()
	if r.status != status {
		t.Errorf("got %v, want %d", r, status)
	}
}

// frameMember returns a body that creates a member.
func frameMember(email string) string { return fmt.Sprintf(`{"email":%q}`, email) }

// raw sends bytes as they are, over a connection of its own, and reads a response.
func (f *frame) raw(text string) (frameReply, error) {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	f.must(err)
	defer conn.Close()
	f.must(conn.SetDeadline(time.Now().Add(5 * time.Minute)))
	go io.WriteString(conn, text) // the response may come before everything was read
	method, _, _ := strings.Cut(text, " ")
	w, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return frameReply{}, err
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	return frameReply{w.StatusCode, w.Header, string(body)}, err
}

// A panic is a 500 in our own format that reveals nothing about it. The log has it
// with the call's id, and the next call works normally.
func TestFramePanic(t *testing.T) {
	left := 1
	f := frameOnSQLite(t, func(f *frame) route {
		return route{method: "POST", path: "/panics", op: desk.CreateMember, body: jsonBody, status: 201, do: func(c *call) (any, error) {
			if left--; left == 0 {
				f.broken["hunter2"] = 1
			}
			return f.createMember(c)
		}}
	}, func(f *frame) route {
		return route{method: "POST", path: "/panics-late", op: desk.CreateMember, body: jsonBody, status: 201, do: func(c *call) (any, error) {
			_, err := f.createMember(c)
			panic(fmt.Sprint("hunter2 after the commit", err))
		}}
	}, func(f *frame) route {
		return route{method: "GET", path: "/aborts", op: desk.ListMembers, do: func(c *call) (any, error) { panic(http.ErrAbortHandler) }}
	})

	r := f.send("POST", "/v1/rest/panics", frameMember("jo@acme.example"), "Idempotency-Key: k", "X-Request-Id: the-call")
	wantProblem(t, r, 500, "INTERNAL")
	if want := `{"message":"Something went wrong on our side. It has been logged under this response's X-Request-Id.","error":"INTERNAL"}`; r.body != want {
		t.Errorf("got %s, want %s", r.body, want)
	}
	if o := f.answered(); o.Status != 500 || o.Operation != desk.CreateMember {
		t.Errorf("observed %+v", o)
	}
	f.wantMembers()
	log := f.log.String()
	for _, want := range []string{`"level":"ERROR"`, `"msg":"panic"`, `"request_id":"the-call"`, "assignment to entry in nil map", "frame_test.go"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %s: %s", want, log)
		}
	}
	// The key is free again, and so is everything else.
	r = f.send("POST", "/v1/rest/panics", frameMember("jo@acme.example"), "Idempotency-Key: k")
	wantStatus(t, r, 201)
	if r.header.Get("Idempotent-Replayed") != "" {
		t.Error("an answer was replayed that nobody had given")
	}
	f.wantMembers("jo@acme.example")

	// If the change was committed before the panic, its response is stored.
	r = f.send("POST", "/v1/rest/panics-late", frameMember("al@acme.example"), "Idempotency-Key: late")
	wantProblem(t, r, 500, "INTERNAL")
	if strings.Contains(r.body, "hunter2") {
		t.Errorf("the panic is in the answer: %s", r.body)
	}
	r = f.send("POST", "/v1/rest/panics-late", frameMember("al@acme.example"), "Idempotency-Key: late")
	if r.status != 201 || r.header.Get("Idempotent-Replayed") != "true" || !strings.Contains(r.body, "al@acme.example") {
		t.Errorf("got %v, want the kept answer", r)
	}
	f.wantMembers("jo@acme.example", "al@acme.example")

	// The one panic that is not a fault ends the connection without a response.
	if r, err := f.try(f.request("GET", "/v1/rest/aborts", nil)); err == nil {
		t.Errorf("got %v, want no answer", r)
	}
	wantStatus(t, f.send("GET", "/v1/rest/account", ""), 200)
}

// The text of an operation's error stays internal, unless it was written for the
// caller.
func TestFrameInternalsStayInside(t *testing.T) {
	const secret = "password=hunter2"
	var fault error
	f := frameOnSQLite(t, func(f *frame) route {
		return route{method: "POST", path: "/fails", op: desk.CreateMember, body: jsonBody, do: func(*call) (any, error) { return nil, fault }}
	})
	cause := errors.New("dial tcp: " + secret)
	for _, c := range []struct {
		fault   error
		status  int
		code    string
		message string // what the caller sees, if we wrote it
	}{
		{cause, 500, "INTERNAL", ""},
		{fmt.Errorf("save member: %w", cause), 500, "INTERNAL", ""},
		{&desk.Error{Kind: desk.Internal, Message: "oops " + secret, Err: cause}, 500, "INTERNAL", ""},
		{&desk.Error{Kind: desk.Unavailable, Message: "Later.", Err: cause}, 503, "UNAVAILABLE", "Later."},
		{fmt.Errorf("%s: %w", secret, &desk.Error{Kind: desk.NotFound, Message: "Gone.", Err: cause}), 404, "NOT_FOUND", "Gone."},
		{&desk.Error{Kind: desk.Kind(99), Message: secret}, 500, "INTERNAL", ""},
		{context.Canceled, 500, "INTERNAL", ""},
	} {
		fault = c.fault
		r := f.send("POST", "/v1/rest/fails", "{}")
		wantProblem(t, r, c.status, c.code)
		if strings.Contains(r.String(), "hunter2") || strings.Contains(fmt.Sprint(r.header), "hunter2") {
			t.Errorf("%v: its text left: %v", c.fault, r)
		}
		if c.message != "" && !strings.Contains(r.body, `"message":"`+c.message+`"`) {
			t.Errorf("%v: got %v, want the message %q", c.fault, r, c.message)
		}
		if logged := strings.Contains(f.log.String(), "hunter2"); c.status >= 500 && c.fault != context.Canceled && !logged {
			t.Errorf("%v: it is not in the log", c.fault)
		}
		f.log.text.Reset()
	}

	// The same holds for the database's own errors.
	f.must(f.store.DB().Close())
	r := f.send("GET", "/v1/rest/members", "")
	wantProblem(t, r, 503, "UNAVAILABLE")
	if strings.Contains(r.body, "closing") || strings.Contains(r.body, "sql") || r.header.Get("Retry-After") == "" {
		t.Errorf("got %v, %v", r, r.header)
	}
}

// Everything that does not exist gets a response in our own format, however the
// path is written. A caller without a token learns nothing else.
func TestFrameUnknown(t *testing.T) {
	f := frameOnSQLite(t)
	const notFound, notAllowed, ok = 404, 405, 200
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/v1/rest/nothing", notFound},
		{"GET", "/v1/rest", notFound},
		{"GET", "/v1/rest/", notFound},
		{"POST", "/v1/rest", notFound},
		{"GET", "/v1/rest/members/", notFound},
		{"GET", "/v1/rest/members/1/", notFound},
		{"GET", "/v1/rest/members/1/x", notFound},
		{"GET", "/v1/rest//members", notFound},
		{"GET", "//v1/rest/members", notFound},
		{"GET", "/v1//rest/members", notFound},
		{"GET", "/v1/rest/members//", notFound},
		{"GET", "/v1/rest/./members", notFound},
		{"GET", "/v1/rest/../rest/members", notFound},
		{"GET", "/v1/rest/members/..", notFound},
		{"GET", "/..", notFound},
		{"GET", "/v1/rest/%2e%2e/members", notFound},
		{"GET", "/v1/rest/%2E/members", notFound},
		{"GET", "/v1/rest%2Fmembers", notFound},
		{"GET", "/v1/rest/members%2F1", notFound},
		{"GET", "/v1/rest/%2Fmembers", notFound},
		{"GET", "/v1/rest/MEMBERS", notFound},
		{"GET", "/V1/rest/members", notFound},
		{"GET", "/v1/rest/members;x=1", notFound},
		{"GET", "/v1/rest/members%00", notFound},
		{"GET", "/v1/restaurant", notFound},
		{"GET", "/v1", notFound},
		{"GET", "/v1/", notFound},
		{"GET", "/", notFound},
		{"GET", "/favicon.ico", notFound},
		{"GET", "/" + strings.Repeat("x", 50_000), notFound},
		{"GET", "*", notFound},
		{"POST", "/docs", notFound},
		{"POST", "/v1/openapi.json", notAllowed},
		{"GET", "/v1/rest/members/1%2F2", 400}, // an id that is not a number
		{"GET", "/v1/rest/members/x", 400},
		{"GET", "/v1/rest/%6Dembers", ok}, // the same path, written differently
		{"GET", "http://elsewhere.example/v1/rest/members", ok},
		{"PUT", "/v1/rest/members", notAllowed},
		{"DELETE", "/v1/rest/members", notAllowed},
		{"PATCH", "/v1/rest/audit-logs", notAllowed},
		{"OPTIONS", "/v1/rest/members", notAllowed},
		{"TRACE", "/v1/rest/members", notAllowed},
		{"BREW", "/v1/rest/members", notAllowed},
		{"get", "/v1/rest/members", notAllowed},
	} {
		name := c.method + " " + c.target[:min(len(c.target), 40)]
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: desk.example\r\nContent-Length: 0\r\n", c.method, c.target)
		r, err := f.raw(head + "Authorization: Bearer " + f.secret + "\r\n\r\n")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		code := map[int]string{notFound: "NOT_FOUND", notAllowed: "METHOD_NOT_ALLOWED", 400: "BAD_REQUEST"}[c.status]
		switch c.status {
		case ok:
			wantStatus(t, r, ok)
		default:
			t.Run(name, func(t *testing.T) { wantProblem(t, r, c.status, code) })
		}
		if got := r.header.Get("Allow"); (got != "") != (c.status == notAllowed) {
			t.Errorf("%s: Allow is %q", name, got)
		}

		r, err = f.raw(head + "\r\n")
		if err != nil {
			t.Errorf("%s without a token: %v", name, err)
			continue
		}
		// Outside the API, and for paths that are not clean, there is nothing to
		// protect.
		target := strings.TrimPrefix(c.target, "http://elsewhere.example")
		path, err := url.PathUnescape(target)
		f.must(err)
		if guarded := path == cleaned(path) && strings.HasPrefix(target+"/", prefix+"/"); !guarded {
			t.Run(name+" without a token", func(t *testing.T) { wantProblem(t, r, c.status, code) })
		} else {
			t.Run(name+" without a token", func(t *testing.T) { wantProblem(t, r, 403, "FORBIDDEN") })
			if r.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s without a token: WWW-Authenticate is %q", name, r.header.Get("WWW-Authenticate"))
			}
		}
	}
	if r := f.send("PUT", "/v1/rest/members", ""); r.header.Get("Allow") != "GET, POST, HEAD" {
		t.Errorf("Allow is %q", r.header.Get("Allow"))
	}
}

func TestFrameHead(t *testing.T) {
	f := frameOnSQLite(t)
	get, head := f.send("GET", "/v1/rest/members", ""), f.send("HEAD", "/v1/rest/members", "")
	if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != get.header.Get("Content-Length") || head.header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD gives %v with %v", head, head.header)
	}
	if r := f.send("HEAD", "/v1/rest/nothing", ""); r.status != 404 || r.body != "" {
		t.Errorf("HEAD of nothing gives %v", r)
	}
}

func TestFrameAuthorization(t *testing.T) {
	f := frameOnSQLite(t)
	good := f.secret
	for _, c := range []struct {
		header string
		ok     bool
	}{
		{"Bearer " + good, true},
		{"bearer " + good, true},
		{"BEARER   " + good, true},
		{good, false},
		{"Basic " + good, false},
		{"Bearer" + good, false},
		{"Bearer", false},
		{"Bearer " + good + " " + good, false},
		{"Bearer " + good + ",", false},
		{`Bearer "` + good + `"`, false},
		{"Bearer " + strings.ToUpper(good), false},
		{"Bearer fd_" + strings.Repeat("\xff", len(good)-3), false},
		{"Bearer " + strings.Repeat("x", 100_000), false},
	} {
		r := f.send("GET", "/v1/rest/account", "", "Authorization: "+c.header)
		if c.ok {
			wantStatus(t, r, 200)
			continue
		}
		wantProblem(t, r, 403, "FORBIDDEN")
		if r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%.40q: WWW-Authenticate is %q", c.header, r.header.Get("WWW-Authenticate"))
		}
	}
	r := f.send("GET", "/v1/rest/account?token="+good+"&access_token="+good, "", "Authorization:")
	wantProblem(t, r, 403, "FORBIDDEN") // a secret in an address ends up in logs
}

func TestFrameRequestID(t *testing.T) {
	f := frameOnSQLite(t)
	for given, kept := range map[string]bool{
		"abc-123_X.y": true, strings.Repeat("a", 64): true,
		strings.Repeat("a", 65): false, "a b": false, "<script>": false, `"`: false, "ä": false, "a\tb": false,
	} {
		r := f.send("GET", "/v1/rest/account", "", "X-Request-Id: "+given)
		if got := r.header.Get("X-Request-Id"); (got == given) != kept || !requestIDShape.MatchString(got) {
			t.Errorf("%q: %q, want it kept: %v", given, got, kept)
		}
	}
	first, second := f.send("GET", "/", ""), f.send("GET", "/", "")
	if a, b := first.header.Get("X-Request-Id"), second.header.Get("X-Request-Id"); a == "" || a == b {
		t.Errorf("two calls have the ids %q and %q", a, b)
	}
}

// Headers that are very large, or very many, do no harm.
func TestFrameHugeHeaders(t *testing.T) {
	f := frameOnSQLite(t)
	r := f.send("GET", "/v1/rest/account", "", "X-Padding: "+strings.Repeat("x", 500_000))
	wantStatus(t, r, 200)
	r = f.send("POST", "/v1/rest/members", frameMember("jo@acme.example"), "Idempotency-Key: "+strings.Repeat("x", 500_000))
	wantProblem(t, r, 400, "BAD_REQUEST")
	if len(r.body) > 1000 {
		t.Errorf("the answer has %d bytes", len(r.body))
	}
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "X-Header-%d: value of this header, which is quite long for what it says\r\n", i)
	}
	// Past its own limit, the server responds by itself.
	if r, err := f.raw("GET /v1/rest/account HTTP/1.1\r\nHost: x\r\n" + many.String() + "\r\n"); err == nil && r.status != 431 {
		t.Errorf("20,000 headers: %v", r)
	}
	wantStatus(t, f.send("GET", "/v1/rest/account", ""), 200)
	f.wantMembers()
}

func TestFrameContentType(t *testing.T) {
	f := frameOnSQLite(t)
	for i, c := range []struct {
		kind string
		ok   bool
	}{
		{"application/json", true},
		{"application/json; charset=utf-8", true},
		{"Application/JSON;charset=UTF-8", true},
		{"application/json;", true},
		{"", true},
		{"text/plain", false},
		{"application/x-www-form-urlencoded", false},
		{"multipart/form-data; boundary=x", false},
		{"application/jsonx", false},
		{"application/vnd.api+json", false},
		{"json", false},
		{"application/json, text/plain", false},
		{"application/json; charset", false},
		{"/", false},
	} {
		r := f.send("POST", "/v1/rest/members", frameMember(fmt.Sprintf("m%d@acme.example", i)), "Content-Type: "+c.kind)
		if c.ok {
			wantStatus(t, r, 201)
			continue
		}
		t.Run(c.kind, func(t *testing.T) { wantProblem(t, r, 415, "UNSUPPORTED_MEDIA_TYPE") })
	}
	if n := len(f.members()); n != 5 {
		t.Errorf("%d members, want 5", n)
	}
}

// Bodies that are broken in any way are 400 and change nothing.
func TestFrameBodies(t *testing.T) {
	f := frameOnSQLite(t)
	for _, c := range []struct {
		name, body string
		said       string // a part of the message
	}{
		{"none", "", "The body is empty"},
		{"spaces, as many as are taken", strings.Repeat(" ", mostJSON), "The body is empty"},
		{"null", "null", "must be a JSON object"},
		{"an array", `[{"email":"x@acme.example"}]`, "must be a JSON object"},
		{"a text", `"email"`, "must be a JSON object"},
		{"a number", `1e999`, "must be a JSON object"},
		{"cut off", `{"email":"x@acme.example"`, "not valid JSON"},
		{"two", `{"email":"x@acme.example"}{}`, "not valid JSON"},
		{"something behind", `{"email":"x@acme.example"} x`, "not valid JSON"},
		{"a comma too many", `{"email":"x@acme.example",}`, "not valid JSON"},
		{"a comment", `{"email":"x@acme.example"}//`, "not valid JSON"},
		{"single quotes", `{'email':'x@acme.example'}`, "not valid JSON"},
		{"a byte order mark", "\ufeff" + `{"email":"x@acme.example"}`, "not valid JSON"},
		{"bytes that are no UTF-8", "{\"email\":\"x@acme.example\",\"name\":\"\xff\"}", "UTF-8"},
		{"UTF-16", "\x00{\x00}", "not valid"},
		{"half a pair", `{"email":"x@acme.example","name":"\ud800"}`, "surrogate"},
		{"the other half first", `{"email":"x@acme.example","name":"\udc00\ud800"}`, "surrogate"},
		{"U+0000", `{"email":"x@acme.example","name":"a\u0000"}`, "U+0000"},
		{"a raw control character", "{\"email\":\"x@acme.example\",\"name\":\"a\x01\"}", "not valid JSON"},
		{"a hundred thousand brackets", strings.Repeat("[", 100_000), "not valid JSON"},
		{"as many, closed", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "not valid JSON"},
		{"as many objects", strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000), "not valid JSON"},
		{"as many within an unknown member", `{"email":"x@acme.example","a":` + strings.Repeat("[", 100_000), "not valid JSON"},
		{"a number for a text", `{"email":1e999}`, "email must be a string"},
		{"a number too large for anything", `{"email":"x@acme.example","name":` + strings.Repeat("9", 100_000) + `}`, "name must be a string"},
		{"null for a text", `{"email":null}`, "email must be a string"},
		{"an object for a text", `{"email":{}}`, "email must be a string"},
		{"nothing known", `{"Email":"x@acme.example"}`, "email is required"},
		{"the last of two counts", `{"email":"x@acme.example","email":5}`, "email must be a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := f.send("POST", "/v1/rest/members", c.body)
			wantProblem(t, r, 400, "BAD_REQUEST")
			if !strings.Contains(r.body, c.said) {
				t.Errorf("got %.300v, want it to say %q", r, c.said)
			}
			if len(r.body) > 1000 {
				t.Errorf("the answer has %d bytes", len(r.body))
			}
			// With a key the response is the same, and so is the replay.
			for range 2 {
				if again := f.send("POST", "/v1/rest/members", c.body, "Idempotency-Key: "+strings.ReplaceAll(c.name, " ", "-")); again.String() != r.String() {
					t.Errorf("with a key: %.300v, want %.300v", again, r)
				}
			}
		})
	}
	f.wantMembers()

	for name, body := range map[string]string{
		"the last of two counts":  `{"email":5,"email":"last@acme.example"}`,
		"unknown members":         `{"email":"unknown@acme.example","x":[[1e999]],"é":null}`,
		"white space":             " \n\t{ \"email\" :\r\"space@acme.example\" } \n",
		"escapes":                 `{"em\u0061il":"\u0065scape@acme.example","name":"\ud83d\ude00 \\ud800 \\u0000"}`,
		"as large as is taken":    frameMember("large@acme.example") + strings.Repeat(" ", mostJSON-len(frameMember("large@acme.example"))),
		"nested, but not too far": `{"email":"nested@acme.example","x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	} {
		if r := f.send("POST", "/v1/rest/members", body); r.status != 201 {
			t.Errorf("%s: %.300v", name, r)
		}
	}
	if n := len(f.members()); n != 6 {
		t.Errorf("%d members, want 6", n)
	}
}

// One byte too many is 413, whether the length is announced or not.
func TestFrameBodySize(t *testing.T) {
	f := frameOnSQLite(t)
	body := func(n int) string { s := frameMember("jo@acme.example"); return s + strings.Repeat(" ", n-len(s)) }
	// A reader that is not a *strings.Reader has no length that is known in advance.
	chunked := func(n int) frameReply {
		return f.do(f.request("POST", "/v1/rest/members", struct{ io.Reader }{strings.NewReader(body(n))}, "Idempotency-Key: k"))
	}
	wantProblem(t, f.send("POST", "/v1/rest/members", body(mostJSON+1)), 413, "PAYLOAD_TOO_LARGE")
	wantProblem(t, chunked(mostJSON+1), 413, "PAYLOAD_TOO_LARGE")
	wantProblem(t, chunked(4*mostJSON), 413, "PAYLOAD_TOO_LARGE")
	f.wantMembers()
	wantStatus(t, chunked(mostJSON), 201) // the same key works, because no call had begun
	f.wantMembers("jo@acme.example")

	// If the length is announced, the body is refused before it is sent.
	r, err := f.raw("POST /v1/rest/members HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + f.secret +
		"\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n")
	f.must(err)
	wantProblem(t, r, 413, "PAYLOAD_TOO_LARGE")
}

// The announced length of a message may be wrong.
func TestFrameWrongLength(t *testing.T) {
	f := frameOnSQLite(t)
	head := "POST /v1/rest/members HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer " + f.secret + "\r\n"
	body := frameMember("jo@acme.example")
	for _, c := range []struct {
		name, rest string
		status     int
	}{
		{"shorter than what comes", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)-1, body), 400},
		{"zero", "Content-Length: 0\r\n\r\n" + body, 400},
		{"negative", "Content-Length: -1\r\n\r\n" + body, 400},
		{"no number", "Content-Length: many\r\n\r\n" + body, 400},
		{"two that differ", fmt.Sprintf("Content-Length: %d\r\nContent-Length: 1\r\n\r\n%s", len(body), body), 400},
		{"beyond all numbers", "Content-Length: 99999999999999999999\r\n\r\n" + body, 400},
		{"a chunk that is no number", "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body, 400},
		{"an unknown coding", "Transfer-Encoding: gzip\r\n\r\n" + body, 501},
	} {
		r, err := f.raw(head + c.rest)
		if err != nil || r.status != c.status {
			t.Errorf("%s: %v, %v; want %d", c.name, r, err, c.status)
		}
	}
	f.wantMembers()
	wantStatus(t, f.send("POST", "/v1/rest/members", body), 201)
}

// A client that disconnects in the middle of its body has changed nothing, and its
// key is free.
func TestFrameAbortedBody(t *testing.T) {
	f := frameOnSQLite(t)
	body := frameMember("jo@acme.example")
	for _, framing := range []string{
		fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)),
		fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", len(body)),
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
		f.must(err)
		_, err = io.WriteString(conn, "POST /v1/rest/members HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nAuthorization: Bearer "+
			f.secret+"\r\n"+framing+body[:len(body)-2])
		f.must(err)
		f.must(conn.Close())
		if o := f.answered(); o.Status != 400 {
			t.Errorf("observed %+v", o)
		}
	}
	f.wantMembers()
	r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k")
	if r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the key is not free: %v", r)
	}
}

// A body may arrive slowly.
func TestFrameSlowBody(t *testing.T) {
	f := frameOnSQLite(t)
	reader, writer := io.Pipe()
	reply := make(chan frameReply, 1)
	r := f.request("POST", "/v1/rest/members", reader)
	go func() {
		got, _ := f.try(r)
		reply <- got
	}()
	for _, b := range []byte(frameMember("jo@acme.example")) {
		_, err := writer.Write([]byte{b})
		f.must(err)
		// Other callers are served in between.
		if b == '@' {
			wantStatus(t, f.send("POST", "/v1/rest/members", frameMember("al@acme.example")), 201)
		}
	}
	f.must(writer.Close())
	wantStatus(t, <-reply, 201)
	f.wantMembers("al@acme.example", "jo@acme.example")
}

// A body that never ends is given up, and nothing has changed. A later call on the
// same connection has its full time again.
func TestFrameEndlessBody(t *testing.T) {
	f := frameOnSQLite(t)
	f.server.bodyTime = 50 * time.Millisecond
	head := "POST /v1/rest/members HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + f.secret + "\r\n"
	r, err := f.raw(head + "Content-Length: 1000\r\n\r\n{")
	f.must(err)
	wantProblem(t, r, 400, "BAD_REQUEST")
	if !strings.Contains(r.body, "took longer than 50ms") {
		t.Errorf("it says %s", r.body)
	}
	f.wantMembers()

	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	f.must(err)
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i, body := range []string{frameMember("al@acme.example"), frameMember("jo@acme.example")} {
		if i > 0 {
			time.Sleep(2 * f.server.bodyTime) // longer than the first body was allowed
		}
		_, err = fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
		f.must(err)
		w, err := http.ReadResponse(in, nil)
		f.must(err)
		_, err = io.Copy(io.Discard, w.Body)
		f.must(err)
		if w.StatusCode != 201 {
			t.Errorf("call %d was answered %s", i+1, w.Status)
		}
	}
}

// A client disconnects while its call waits for the database. Whatever happened to
// the change, the key knows.
func TestFrameAbortedCall(t *testing.T) {
	arrived, wait := make(chan struct{}), make(chan struct{})
	f := frameOnSQLite(t, func(f *frame) route {
		return route{method: "POST", path: "/waits", op: desk.CreateMember, body: jsonBody, status: 201, do: func(c *call) (any, error) {
			arrived <- struct{}{}
			<-wait
			<-c.ctx.Done() // the server has noticed
			return f.createMember(c)
		}}
	})
	ctx, leave := context.WithCancel(context.Background())
	left := make(chan struct{})
	r := f.request("POST", "/v1/rest/waits", strings.NewReader(frameMember("jo@acme.example")), "Idempotency-Key: k").WithContext(ctx)
	go func() {
		defer close(left)
		_, _ = f.try(r)
	}()
	<-arrived
	leave()
	<-left
	close(wait)
	if o := f.answered(); o.Status != 503 {
		t.Errorf("observed %+v", o)
	}
	f.wantMembers()
	r2 := f.send("POST", "/v1/rest/members", frameMember("jo@acme.example"), "Idempotency-Key: k")
	wantStatus(t, r2, 201) // the key is free, and for another path
}

// createMember is the handler of an operation that changes something.
func (f *frame) createMember(c *call) (any, error) {
	return fromBody(newMember, f.server.service.CreateMember)(c)
}
