package zendesk

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
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
		for chunk, n := strings.Repeat("a", 1<<20), 0; n <= remote.MostAnswer; n += len(chunk) {
			io.WriteString(w, chunk)
		}
		io.WriteString(w, `"}}`)
	}})
	_, err := s.place.Ticket(t.Context(), "17")
	fails(t, "too long", err, desk.Unavailable, "cannot be reached")
}

// silent never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestSlow shows that a call has its own time limit, and ends with its context.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := New(Config{Client: &http.Client{Transport: silent{}}})
		for _, limit := range []time.Duration{time.Hour, callTime / 2} {
			began := time.Now()
			_, err := app.Tracker(agent).Ticket(within(t, limit), "17")
			fails(t, "no answer in time", err, desk.Unavailable, "did not answer in time")
			if took := time.Since(began); took != min(limit, callTime) {
				t.Errorf("it took %v", took)
			}
		}
	})
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

// tickets answers every call with a ticket, without a network.
type tickets struct{}

func (tickets) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(`{"ticket":{"id":17,"status":"open"}}`))}, nil
}

// TestPace shows that we make at most half of the calls that the Team plan allows,
// whatever they are, and that each account has its own pace.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := New(Config{Client: &http.Client{Transport: tickets{}}})
		began := time.Now()
		for i := range perAccount.Burst + perAccount.Calls {
			_, err := app.Tracker(agent).Ticket(t.Context(), strconv.Itoa(i+1))
			check(t, err)
		}
		took := time.Since(began)
		if took < 59*time.Second || took > 61*time.Second {
			t.Errorf("the last of a minute's calls waited %v", took)
		}
		other := agent
		other.Domain = "other"
		_, err := app.Tracker(other).Ticket(t.Context(), "1")
		check(t, err)
		if time.Since(began) != took {
			t.Error("another account had to wait")
		}
	})
}
