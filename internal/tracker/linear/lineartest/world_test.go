package lineartest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is a workspace with an admin, another person and a team.
type world struct {
	t    *testing.T
	s    *Server
	url  string
	ada  Person // an admin
	bob  Person
	key  string // Ada's
	team Team
}

func newWorld(t *testing.T, c Config) *world {
	t.Helper()
	w := &world{t: t, s: New(c)}
	server := httptest.NewServer(w.s)
	w.url = server.URL + "/graphql"
	t.Cleanup(func() { server.Close(); w.s.Close() })
	w.ada, w.bob = w.s.Person("Ada", "ada@acme.test", true), w.s.Person("Bob", "bob@acme.test", false)
	w.key, w.team = w.ada.Key(), w.s.Team("ENG", "Engineering")
	return w
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// ticking returns a clock that advances a second at each reading.
func ticking() func() time.Time {
	c := newClock()
	return func() time.Time { c.pass(time.Second); return c.Now() }
}

type args map[string]any

// said is an answer.
type said struct {
	status int
	header http.Header
	data   map[string]any
	errors []problem
}

type problem struct {
	Message    string
	Path       []any
	Extensions struct {
		Type, Code, UserPresentableMessage string
		StatusCode                         int
		UserError                          bool
	}
}

// post sends a body with some headers.
func (w *world) post(body string, headers ...string) (said, error) {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", w.key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return said{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return said{}, err
	}
	got := said{status: res.StatusCode, header: res.Header}
	if bytes.HasPrefix(raw, []byte("{")) {
		var answer struct {
			Data   map[string]any
			Errors []problem
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			w.t.Fatal(err)
		}
		got.data, got.errors = answer.Data, answer.Errors
	}
	return got, nil
}

// try runs a query.
func (w *world) try(query string, variables args) (said, error) {
	w.t.Helper()
	body, err := json.Marshal(args{"query": query, "variables": variables})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.post(string(body))
}

// query runs a query that must succeed, and returns the value at a path.
func (w *world) query(path, query string, variables args) any {
	w.t.Helper()
	got, err := w.try(query, variables)
	if err != nil {
		w.t.Fatal(err)
	}
	if got.status != http.StatusOK || len(got.errors) > 0 {
		w.t.Fatalf("%s: %d %+v", query, got.status, got.errors)
	}
	return at(got.data, path)
}

// at returns the value at a path in JSON. For a list, it returns the value in each
// element.
func at(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			all := make([]any, len(v))
			for i, one := range v {
				all[i] = at(one, name)
			}
			value = all
		}
	}
	return value
}

// refused runs a query that must fail with one error and this status.
func (w *world) refused(name string, status int, code, words, query string, variables args) {
	w.t.Helper()
	got, err := w.try(query, variables)
	if err != nil {
		w.t.Fatal(err)
	}
	if got.status != status || len(got.errors) != 1 || got.data != nil || got.errors[0].Extensions.Code != code ||
		!strings.Contains(got.errors[0].Message+" "+got.errors[0].Extensions.UserPresentableMessage, words) {
		w.t.Errorf("%s: got %d %+v, want %d %s %q", name, got.status, got, status, code, words)
	}
}

func same(t *testing.T, name string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", name, got, want)
	}
}

func each(all ...any) []any { return append([]any{}, all...) }
