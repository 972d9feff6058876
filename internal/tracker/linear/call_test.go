package linear

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

func TestErrors(t *testing.T) {
	for _, status := range []int{200, 400} {
		for _, tt := range []struct {
			message, kind, code, words string
			is                         desk.Kind
			says                       string
		}{
			{"Entity not found: Issue", "invalid input", "INPUT_ERROR", "Could not find referenced Issue.", desk.NotFound, "There is no such issue"},
			{"Entity not found: Issue", "", "INPUT_ERROR", "", desk.NotFound, "There is no such issue"},
			{"Argument Validation Error", "invalid input", "INPUT_ERROR", "stateId must be a UUID.", desk.Refused, "Linear refused this: stateId must be a UUID."},
			{"x", "invalid input", "INPUT_ERROR", "", desk.Refused, "Linear refused this."},
			{"x", "invalid input", "INPUT_ERROR", strings.Repeat("long ", 100), desk.Refused, "Linear refused this."},
			{"x", "user error", "USER_ERROR", "The issue is\narchived", desk.Refused, "Linear refused this: The issue is archived."},
			{"x", "usage limit exceeded", "USAGE_LIMIT_EXCEEDED", "Upgrade your plan.", desk.Refused, "Upgrade your plan."},
			{"x", "forbidden", "FORBIDDEN", "", desk.Refused, "does not let Frontdesk"},
			{"x", "feature not accessible", "FEATURE_NOT_ACCESSIBLE", "", desk.Refused, "does not let Frontdesk"},
			{"Cannot query field", "graphql error", "GRAPHQL_VALIDATION_FAILED", "", desk.Refused, "did not understand"},
			{"x", "internal error", "INTERNAL_SERVER_ERROR", "", desk.Unavailable, notNow},
			{"x", "lock timeout", "LOCK_TIMEOUT", "", desk.Unavailable, notNow},
			{"x", "something new", "NEW", "", desk.Unavailable, notNow},
			{"x", "", "", "", desk.Unavailable, notNow},
		} {
			w, _ := scripted(t, exchange{operation: "Issue", variables: `{"id":"ENG-1"}`, status: status, answer: refusedWith(tt.message, tt.kind, tt.code, tt.words)})
			_, err := w.Ticket(t.Context(), "ENG-1")
			wantKind(t, tt.kind, err, tt.is)
			if e := (*desk.Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Message, tt.says) {
				t.Errorf("%s: it says %v", tt.kind, err)
			}
		}
	}
}

// The key was revoked. Linear says so in several ways.
func TestLost(t *testing.T) {
	auth := refusedWith("Authentication required, not authenticated", "authentication error", "AUTHENTICATION_ERROR", "You need to authenticate to access this operation.")
	for _, e := range []exchange{{status: 401, answer: auth}, {status: 400, answer: auth}, {answer: auth}, {status: 401, answer: `null`},
		{answer: refusedWith("x", "", "AUTHENTICATION_ERROR", "")}, {answer: refusedWith("x", "Authentication error", "", "")}} {
		e.operation = "Place"
		w, _ := scripted(t, e)
		_, err := w.Place(t.Context())
		if !errors.Is(err, tracker.ErrLost) || desk.KindOf(err) != desk.Refused {
			t.Errorf("%d %s: %v", e.status, e.answer, err)
		}
	}
}

// A broken answer does not tell what was done.
func TestNoAnswers(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"500":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"502 in HTML": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); io.WriteString(w, "<html>") },
		"200 in HTML": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"nothing":     func(http.ResponseWriter, *http.Request) {},
		"no data":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"data":null}`) },
		"other data":  func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"data":{"viewer":[]}}`) },
		"a half": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"data":`)
		},
		"a dropped": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(307)
		},
		"much too much": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"data":{"viewer":{"id":"`)
			io.WriteString(w, strings.Repeat("x", remote.MostAnswer))
			io.WriteString(w, `"}}}`)
		},
	} {
		calls := 0
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls++
			io.Copy(io.Discard, r.Body)
			answer(w, r)
		}))
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		server.Start()
		_, err := connected(server.URL).Place(t.Context())
		server.Close()
		wantKind(t, name, err, desk.Unavailable)
		want(t, name+": calls", calls, 1)
	}
}

// No error contains the key.
func TestErrorsKeepTheKey(t *testing.T) {
	_, err := connected("http://127.0.0.1:1/" + key).Place(t.Context())
	wantKind(t, "nobody there", err, desk.Unavailable)
	if strings.Contains(err.Error(), key) {
		t.Error(err)
	}
}

func TestNULIsLeftOut(t *testing.T) {
	w, _ := scripted(t, exchange{operation: "Place", answer: `{"viewer":{"id":"u\u00001"},"organization":{"id":"o1","name":"A\\u0000c\u0000me","urlKey":"acme"}}`})
	p := must(w.Place(t.Context()))
	want(t, "place", []string{p.User, p.Name}, []string{"u1", `A\u0000cme`})
}

// transport answers calls without a network, so that a test can use fake time.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return f(r), nil
}

func over(f transport) *Linear {
	return New(Config{API: "https://linear.test/graphql", Client: &http.Client{Transport: f}, Log: slog.New(slog.DiscardHandler)})
}

func said(status int, body string, header ...string) *http.Response {
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(header); i += 2 {
		res.Header.Set(header[i], header[i+1])
	}
	return res
}

const (
	aPlace  = `{"data":{"viewer":{"id":"u1"},"organization":{"id":"o1","name":"Acme","urlKey":"acme"}}}`
	limited = `{"errors":[{"message":"Rate limit exceeded","extensions":{"code":"RATELIMITED","type":"ratelimited"}}]}`
)

func (l *Linear) with(token string) tracker.Tracker {
	return l.Tracker(tracker.Credential{Token: token})
}

func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Client: &http.Client{Transport: silent{}}})
		began := time.Now()
		_, err := l.with(key).Place(t.Context())
		wantKind(t, "a call", err, desk.Unavailable)
		want(t, "took", time.Since(began), callTime)
	})
}

type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A pause that Linear asks for applies to all users of the key, and to nobody else.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		at := map[string][]float64{}
		l := over(func(r *http.Request) *http.Response {
			mu.Lock()
			defer mu.Unlock()
			who := r.Header.Get("Authorization")
			at[who] = append(at[who], time.Since(began).Seconds())
			switch {
			case who == "a" && len(at[who]) == 1:
				return said(400, limited, "X-RateLimit-Requests-Remaining", "0", "X-RateLimit-Requests-Reset", strconv.FormatInt(began.Add(30*time.Second).UnixMilli(), 10))
			case who == "a" && len(at[who]) == 3:
				return said(400, limited, "Retry-After", "60")
			}
			return said(200, aPlace)
		})
		must(l.with("a").Place(t.Context()))
		must(l.with("b").Place(t.Context()))
		want(t, "a", at["a"], []float64{0, 30})
		want(t, "b", at["b"], []float64{30})

		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := l.with("a").Place(ctx)
		wantKind(t, "no time for it", err, desk.Busy)
		if e := (*desk.Error)(nil); !errors.As(err, &e) || e.RetryAfter != time.Minute {
			t.Errorf("retry after %v", e.RetryAfter)
		}
		want(t, "calls", len(at["a"]), 3)
	})
}

func TestHowLong(t *testing.T) {
	now := time.Now()
	in := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).UnixMilli(), 10) }
	for i, tt := range []struct {
		header []string
		is     time.Duration
	}{
		{nil, 0},
		{[]string{"Retry-After", "7"}, 7 * time.Second},
		{[]string{"Retry-After", "86400"}, remote.LongestPause},
		{[]string{"Retry-After", "soon"}, 0},
		{[]string{"X-RateLimit-Requests-Remaining", "0", "X-RateLimit-Requests-Reset", in(time.Minute)}, time.Minute},
		{[]string{"X-RateLimit-Requests-Remaining", "3", "X-RateLimit-Requests-Reset", in(time.Minute)}, 0},
		{[]string{"X-RateLimit-Requests-Remaining", "3", "X-RateLimit-Requests-Reset", in(time.Minute), "X-RateLimit-Complexity-Remaining", "0", "X-RateLimit-Complexity-Reset", in(2 * time.Minute)}, 2 * time.Minute},
		{[]string{"X-RateLimit-Endpoint-Requests-Remaining", "0", "X-RateLimit-Endpoint-Requests-Reset", in(40 * time.Second)}, 40 * time.Second},
		{[]string{"X-RateLimit-Requests-Remaining", "0", "X-RateLimit-Requests-Reset", in(-time.Minute)}, 0},
		{[]string{"X-RateLimit-Requests-Remaining", "0", "X-RateLimit-Requests-Reset", in(20 * time.Hour)}, 20 * time.Hour},
	} {
		// Linear's times are in milliseconds, ours are more precise.
		want(t, fmt.Sprint(i), pauseOf(said(400, limited, tt.header...).Header, now).Round(time.Second), tt.is)
	}
}

// Every form of a rate-limit refusal is recognised.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, first := range []*http.Response{said(400, limited), said(200, limited), said(429, `{}`), said(429, `<html>`), said(400, `{"errors":[{"message":"x","extensions":{"type":"Ratelimited"}}]}`),
			said(400, `{"errors":[{"message":"x","extensions":{"code":"RATELIMITED"}}]}`)} {
			calls := 0
			l := over(func(*http.Request) *http.Response {
				if calls++; calls == 1 {
					return first
				}
				return said(200, aPlace)
			})
			began := time.Now()
			must(l.with(key).Place(t.Context()))
			want(t, "calls and time", []any{calls, time.Since(began)}, []any{2, remote.SomePause})
		}
	})
}

// After a burst, the calls of a key come at a steady rate.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		l := over(func(*http.Request) *http.Response { calls++; return said(200, aPlace) })
		began := time.Now()
		for range perKey.Burst {
			must(l.with(key).Place(t.Context()))
		}
		want(t, "at once", time.Since(began), time.Duration(0))
		for range 100 {
			must(l.with(key).Place(t.Context()))
		}
		want(t, "then", time.Since(began).Round(time.Second), 144*time.Second)
		want(t, "calls", calls, perKey.Burst+100)

		free := New(Config{Unlimited: true, Client: &http.Client{Transport: transport(func(*http.Request) *http.Response { return said(200, aPlace) })}})
		began = time.Now()
		for range 3 * perKey.Burst {
			must(free.with(key).Place(t.Context()))
		}
		want(t, "unlimited", time.Since(began), time.Duration(0))
	})
}
