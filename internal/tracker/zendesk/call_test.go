package zendesk

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		it    exchange
		kind  desk.Kind
		words string
	}{
		{"a token that was revoked", exchange{status: 401, answer: `{"error":"Couldn't authenticate you"}`}, desk.Refused, "Connect it again"},
		{"not allowed", exchange{status: 403, answer: `{"error":{"title":"Forbidden","message":"You do not have access to this page."}}`}, desk.Refused, "does not let"},
		{"no such ticket", exchange{status: 404, answer: `{"error":"RecordNotFound","description":"Not found"}`}, desk.NotFound, "no such ticket"},
		{"not valid", exchange{status: 422, answer: `{"error":"RecordInvalid","description":"Record validation errors","details":{"status":[{"description":"Status: closed prevents ticket update"}]}}`},
			desk.Refused, "Zendesk refused this: Status: closed prevents ticket update."},
		{"not valid, without words", exchange{status: 422, answer: `?`}, desk.Refused, "Zendesk refused this."},
		{"a bad request", exchange{status: 400, answer: `{"error":{"title":"Invalid attribute","message":"You passed an invalid value for the id attribute."}}`},
			desk.Refused, "refused this: You passed an invalid value"},
		{"a long complaint", exchange{status: 400, answer: `{"error":"x","description":"` + strings.Repeat("é ", 1000) + `"}`}, desk.Refused, strings.Repeat("é ", 100)},
		{"a conflict", exchange{status: 409, answer: `{"error":"Conflict"}`}, desk.Unavailable, "cannot be reached"},
		{"a fault", exchange{status: 500, answer: `{}`}, desk.Unavailable, "cannot be reached"},
		{"a gateway's", exchange{status: 502, answer: `<html>`}, desk.Unavailable, "cannot be reached"},
		{"no JSON", exchange{answer: `<html>`}, desk.Unavailable, "cannot be reached"},
		{"no answer", exchange{before: hangUp}, desk.Unavailable, "cannot be reached"},
		{"half an answer", exchange{before: func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"ticket":`)
		}}, desk.Unavailable, "cannot be reached"},
	} {
		tt.it.call = "GET tickets/17"
		_, err := expect(t, tt.it).place.Ticket(t.Context(), "17")
		fails(t, tt.name, err, tt.kind, tt.words)
		if lost := tt.it.status == 401; errors.Is(err, tracker.ErrLost) != lost {
			t.Errorf("%s: lost is %v", tt.name, !lost)
		}
		if strings.Contains(err.Error(), agent.Token) || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: the error tells too much: %v", tt.name, err)
		}
		if e := (*desk.Error)(nil); errors.As(err, &e) && len(e.Message) > 800 {
			t.Errorf("%s: the message has %d bytes", tt.name, len(e.Message))
		}
	}
}

// TestRedirect shows that a token is sent to no other server, whatever Zendesk
// answers.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := expect(t, exchange{call: "GET tickets/17", status: status, header: map[string]string{"Location": other.URL}})
		_, err := s.place.Ticket(t.Context(), "17")
		fails(t, "a redirect", err, desk.Unavailable, "cannot be reached")
	}
}

func TestUnavailableSaysWhen(t *testing.T) {
	s := expect(t, exchange{call: "GET tickets/17", status: 503, header: map[string]string{"Retry-After": "30"}})
	_, err := s.place.Ticket(t.Context(), "17")
	if e := (*desk.Error)(nil); !errors.As(err, &e) || e.Kind != desk.Unavailable || e.RetryAfter != 30*time.Second {
		t.Errorf("got %v", err)
	}
}

func TestTooLong(t *testing.T) {
	s := expect(t, exchange{call: "GET tickets/17", before: func(w http.ResponseWriter) {
		io.WriteString(w, `{"ticket":{"id":17,"subject":"`)
		for chunk, n := strings.Repeat("a", 1<<20), 0; n <= mostAnswer; n += len(chunk) {
			io.WriteString(w, chunk)
		}
		io.WriteString(w, `"}}`)
	}})
	_, err := s.place.Ticket(t.Context(), "17")
	fails(t, "too long", err, desk.Unavailable, "cannot be reached")
}

// TestSlow shows that a call has its own time limit, and ends with its context.
func TestSlow(t *testing.T) {
	// The calls are not counted, because a slow machine may give up before the
	// first.
	until := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-until }))
	t.Cleanup(func() { close(until); server.Close() })
	app := New(Config{Address: server.URL, Unlimited: true, Log: slog.New(slog.DiscardHandler)})
	app.callTime = 30 * time.Millisecond
	_, err := app.Tracker(agent).Ticket(t.Context(), "17")
	fails(t, "no answer in time", err, desk.Unavailable, "did not answer in time")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	app.callTime = time.Hour
	_, err = app.Tracker(agent).Ticket(ctx, "17")
	fails(t, "a context that ends", err, desk.Unavailable, "did not answer in time")
}

// TestPause shows that a rate-limited call is repeated when Zendesk says, and that
// others wait as well.
func TestPause(t *testing.T) {
	const ticket = `{"ticket":{"id":17,"status":"open"}}`
	s := expect(t,
		exchange{call: "GET tickets/17", status: 429, header: map[string]string{"Retry-After": "1"}, answer: `{"error":"APIRateLimitExceeded","description":"Number of allowed API requests per minute exceeded"}`},
		exchange{call: "GET tickets/17", answer: ticket})
	begun := time.Now()
	_, err := s.place.Ticket(t.Context(), "17")
	check(t, err)
	if passed := time.Since(begun); passed < time.Second {
		t.Errorf("it was called again after %v", passed)
	}
}

func TestBusy(t *testing.T) {
	s := expect(t, exchange{call: "GET tickets/17", status: 429, header: map[string]string{"Retry-After": "60"}})
	_, err := s.place.Ticket(within(t, 10*time.Second), "17")
	e := (*desk.Error)(nil)
	if !errors.As(err, &e) || e.Kind != desk.Busy || e.RetryAfter < 50*time.Second || e.RetryAfter > time.Minute {
		t.Errorf("got %v", err)
	}
	// Another call of the same account is not even sent.
	_, err = s.app.Tracker(agent).Ticket(within(t, 10*time.Second), "18")
	fails(t, "another", err, desk.Busy, "no more calls")
}

// TestCloserLimit shows that a narrower limit than the account's delays only the
// calls that it applies to.
func TestCloserLimit(t *testing.T) {
	s := expect(t, exchange{call: "PUT tickets/17", body: saying("x", true), status: 429, header: map[string]string{"Retry-After": "300", "X-Rate-Limit": "700", "X-Rate-Limit-Remaining": "699"}},
		exchange{call: "GET tickets/17", answer: `{"ticket":{"id":17,"status":"open"}}`})
	say := func() error {
		_, err := s.place.Say(within(t, 10*time.Second), "17", tracker.Said{Key: key, HTML: "x"})
		return err
	}
	fails(t, "too often", say(), desk.Busy, "no more calls")
	fails(t, "still", say(), desk.Busy, "no more calls")
	_, err := s.place.Ticket(within(t, 10*time.Second), "17")
	check(t, err)
}

// TestPace shows that we make at most half of the calls that the Team plan allows.
func TestPace(t *testing.T) {
	p := newPacer(false)
	now := time.Now()
	var last time.Time
	for range atOnce + perMinute {
		last, _ = p.take(now, "x")
	}
	if wait := last.Sub(now); wait < 59*time.Second || wait > 61*time.Second {
		t.Errorf("the last of a minute's calls waits %v", wait)
	}
	// A turn that is given back goes to the next call.
	_, giveBack := p.take(now, "x")
	giveBack()
	if next, _ := p.take(now, "x"); next.Sub(last) > 700*time.Millisecond {
		t.Errorf("the next waits %v more", next.Sub(last))
	}
}

func TestPauseOf(t *testing.T) {
	for value, want := range map[string]time.Duration{"": somePause, "x": somePause, "0": somePause, "-3": somePause, "93": 93 * time.Second, "999999": longestPause} {
		if got := pauseOf(&http.Response{Header: http.Header{"Retry-After": {value}}}, somePause); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
