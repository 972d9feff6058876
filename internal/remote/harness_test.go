package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// transport answers calls without a network, so that a test can use fake time.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return f(r), nil
}

func said(status int, body string, header ...string) *http.Response {
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(header); i += 2 {
		res.Header.Set(header[i], header[i+1])
	}
	return res
}

// over returns a system that answers so.
func over(f transport, change ...func(*Config)) *System {
	c := Config{Name: "Acme", Client: &http.Client{Transport: f}, Log: slog.New(slog.DiscardHandler)}
	for _, fn := range change {
		fn(&c)
	}
	return New(c)
}

// get makes a call in queues, and expects JSON.
func (s *System) get(ctx context.Context, queues ...Queue) error {
	return s.Do(ctx, Call{Name: "get", Method: http.MethodGet, URL: "https://acme.test/x", Queues: queues}, func(got Answer) error {
		return got.JSON(&struct{}{})
	})
}

// slow is a queue of twenty calls a minute, ten of them at once.
func slow(name string) Queue { return Queue{name, Limit{20, time.Minute, 10}} }

// times records when calls came, in seconds since the test began.
type times struct {
	mu    sync.Mutex
	began time.Time
	at    []float64
}

func newTimes() *times { return &times{began: time.Now()} }

// note records a call, and returns how many came until now.
func (s *times) note() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Since(s.began).Seconds())
	return len(s.at)
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// wantKind expects an error of a kind, with a sentence for the caller.
func wantKind(t *testing.T, what string, err error, kind desk.Kind) *desk.Error {
	t.Helper()
	var e *desk.Error
	if !errors.As(err, &e) || e.Kind != kind || !strings.HasSuffix(e.Message, ".") {
		t.Fatalf("%s: got %v, want kind %d", what, err, kind)
	}
	return e
}

func check(err error) {
	if err != nil {
		panic(fmt.Sprint("check: ", err))
	}
}
