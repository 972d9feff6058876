package zendesk

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// exchange is an expected call and its answer.
type exchange struct {
	call   string // method and address below /api/v2/, decoded
	body   string // JSON, or empty for none
	status int    // 0 means 200
	header map[string]string
	answer string
	before func(w http.ResponseWriter) // runs instead of all that
}

// script is a Zendesk account that expects calls in a fixed order.
type script struct {
	t      *testing.T
	server *httptest.Server
	app    *App
	place  tracker.Tracker
	calls  chan exchange
}

var agent = tracker.Credential{Domain: "Acme", Email: "ada@acme.test", Token: "t0ken"}

func expect(t *testing.T, calls ...exchange) *script {
	t.Helper()
	s := &script{t: t, calls: make(chan exchange, len(calls))}
	for _, c := range calls {
		s.calls <- c
	}
	s.server = httptest.NewServer(s)
	s.app = New(Config{Address: s.server.URL, Unlimited: true, Log: slog.New(slog.DiscardHandler)})
	s.place = s.app.Tracker(agent)
	t.Cleanup(func() {
		s.server.Close()
		if left := len(s.calls); left > 0 {
			t.Errorf("%d more calls were expected: %s", left, (<-s.calls).call)
		}
	})
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address, err := url.QueryUnescape(strings.TrimPrefix(r.RequestURI, "/api/v2/"))
	if err != nil {
		s.t.Error(err)
	}
	got := r.Method + " " + address
	var next exchange
	select {
	case next = <-s.calls:
	default:
		s.t.Errorf("an unexpected call: %s", got)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if got != next.call {
		s.t.Errorf("called %s, want %s", got, next.call)
	}
	if want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada@acme.test/token:t0ken")); r.Header.Get("Authorization") != want {
		s.t.Errorf("%s: authorized by %q", got, r.Header.Get("Authorization"))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	if !sameJSON(s.t, string(body), next.body) {
		s.t.Errorf("%s: body %s, want %s", got, body, next.body)
	}
	if next.body != "" && r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("%s: the body is %s", got, r.Header.Get("Content-Type"))
	}
	if next.before != nil {
		next.before(w)
		return
	}
	for name, value := range next.header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if next.status != 0 {
		w.WriteHeader(next.status)
	}
	io.WriteString(w, next.answer)
}

// sameJSON compares two texts as JSON.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	if a == "" || b == "" {
		return a == b
	}
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Error(err)
	}
	return reflect.DeepEqual(x, y)
}

// hangUp closes a connection without an answer.
func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// fails checks an error's kind, and that its message contains some words.
func fails(t *testing.T, name string, err error, kind desk.Kind, words string) {
	t.Helper()
	e := (*desk.Error)(nil)
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("%s: got %v, want an error of kind %d", name, err, kind)
		return
	}
	if !strings.Contains(e.Message, words) {
		t.Errorf("%s: the message is %q, want %q in it", name, e.Message, words)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
