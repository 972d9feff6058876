package linear

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

const (
	key     = "lin_api_1"
	issueID = "0b1ee1bc-3f51-4e87-9d3c-0a4a1c2d3e4f"
	said1   = "11111111-2222-4333-8444-555555555555"
)

// exchange is an expected call and Linear's answer to it.
type exchange struct {
	operation string
	variables string // JSON, or empty for none
	answer    string // the data; or the errors, if it begins with [
	status    int    // 0 means 200
	header    http.Header
}

// script is a Linear that expects calls in a fixed order.
type script struct {
	t     *testing.T
	mu    sync.Mutex
	left  []exchange
	asked []string // the queries that arrived
}

// scripted returns a workspace that expects all of these calls.
func scripted(t *testing.T, all ...exchange) (tracker.Tracker, *script) {
	s := &script{t: t, left: all}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		if len(s.left) > 0 {
			t.Errorf("%s did not come", s.left[0].operation)
		}
	})
	return connected(server.URL), s
}

func connected(url string) tracker.Tracker {
	return New(Config{API: url, Log: slog.New(slog.DiscardHandler)}).Tracker(tracker.Credential{Token: key})
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, _ := io.ReadAll(r.Body)
	var body struct {
		OperationName string
		Query         string
		Variables     json.RawMessage
	}
	if err := json.Unmarshal(b, &body); err != nil {
		s.t.Error(err)
	}
	if len(s.left) == 0 {
		s.t.Errorf("%s was called with %s", body.OperationName, body.Variables)
		return
	}
	e := s.left[0]
	s.left = s.left[1:]
	s.asked = append(s.asked, strings.Join(strings.Fields(body.Query), " "))
	want(s.t, "method, type and key", []string{r.Method, r.Header.Get("Content-Type"), r.Header.Get("Authorization")}, []string{"POST", "application/json", key})
	want(s.t, "operation", body.OperationName, e.operation)
	want(s.t, e.operation+" with", value(s.t, string(body.Variables)), value(s.t, e.variables))
	for name, values := range e.header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if e.status != 0 {
		w.WriteHeader(e.status)
	}
	if strings.HasPrefix(e.answer, "[") {
		fmt.Fprintf(w, `{"errors":%s,"data":null}`, e.answer)
		return
	}
	fmt.Fprintf(w, `{"data":%s}`, e.answer)
}

// value decodes JSON. It returns nil for an empty string.
func value(t *testing.T, s string) (v any) {
	if s == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Errorf("%q: %v", s, err)
	}
	return v
}

// refusedWith returns errors in the published form.
func refusedWith(message, kind, code, words string) string {
	return fmt.Sprintf(`[{"message":%q,"path":["issue"],"locations":[{"line":2,"column":3}],"extensions":{"type":%q,"code":%q,"userError":true,"userPresentableMessage":%q}}]`, message, kind, code, words)
}

var notThere = refusedWith("Entity not found: Issue", "invalid input", "INPUT_ERROR", "Could not find referenced Issue.")

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// wantKind expects an error of a kind, with a sentence for the caller.
func wantKind(t *testing.T, what string, err error, kind desk.Kind) {
	t.Helper()
	var e *desk.Error
	if !errors.As(err, &e) || e.Kind != kind || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("%s: got %v, want kind %d", what, err, kind)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("must: ", err))
	}
	return v
}
