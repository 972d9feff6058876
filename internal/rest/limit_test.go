package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// by returns a call of a member with a token.
func by(member desk.MemberID) service.Caller { return service.Caller{Actor: desk.Actor{ID: member}} }

// took returns the result of one call, as its caller sees it.
func took(l limits, member desk.MemberID) string {
	h := http.Header{}
	err := l.take(by(member), h)
	a := errorAnswer(err)
	text := fmt.Sprintf("limit %s remaining %s reset %s", h.Get("RateLimit-Limit"), h.Get("RateLimit-Remaining"), h.Get("RateLimit-Reset"))
	if err != nil {
		text += fmt.Sprintf(": %d after %v", a.Status, a.retryAfter)
	}
	return text
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(60, 3) // one a second, three at once
		step := func(id desk.MemberID, want string) {
			t.Helper()
			if got := took(l, id); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		step(1, "limit 3 remaining 2 reset 1")
		step(1, "limit 3 remaining 1 reset 2")
		step(1, "limit 3 remaining 0 reset 3")
		step(1, "limit 3 remaining 0 reset 3: 429 after 1s")
		step(2, "limit 3 remaining 2 reset 1") // each member has their own limit
		time.Sleep(400 * time.Millisecond)
		step(1, "limit 3 remaining 0 reset 3: 429 after 600ms")
		time.Sleep(600 * time.Millisecond) // as long as the header said; refusals cost nothing
		step(1, "limit 3 remaining 0 reset 3")
		step(1, "limit 3 remaining 0 reset 3: 429 after 1s")
		time.Sleep(2500 * time.Millisecond)
		step(1, "limit 3 remaining 1 reset 2")
		time.Sleep(time.Hour)
		step(1, "limit 3 remaining 2 reset 1") // never more than the burst
	})
}

// A caller who waits as long as the header says gets through, at every rate.
func TestLimitKeepsItsWord(t *testing.T) {
	for _, c := range []struct{ perMinute, burst int }{{600, 100}, {1, 1}, {7, 2}, {59, 5}, {100_000, 1}, {6000, 1}} {
		synctest.Test(t, func(t *testing.T) {
			l := newLimits(c.perMinute, c.burst)
			refused := 0
			for range 3*c.burst + 5 {
				h := http.Header{}
				err := l.take(by(1), h)
				if err == nil {
					continue
				}
				refused++
				after := errorAnswer(err).retryAfter
				w := newHeaderRecorder()
				writeAnswer(w, errorAnswer(err))
				seconds, e := strconv.Atoi(w.Header().Get("Retry-After"))
				if e != nil || seconds < 1 || time.Duration(seconds)*time.Second < after {
					t.Fatalf("Retry-After is %q for %v", w.Header().Get("Retry-After"), after)
				}
				time.Sleep(time.Duration(seconds) * time.Second)
				if err := l.take(by(1), h); err != nil {
					t.Fatalf("%+v: refused again after %d s", c, seconds)
				}
				reset, e := strconv.Atoi(h.Get("RateLimit-Reset"))
				if e != nil || reset < 0 {
					t.Fatalf("RateLimit-Reset is %q", h.Get("RateLimit-Reset"))
				}
			}
			if refused == 0 {
				t.Errorf("%+v: nothing was refused", c)
			}
			// When the header says that the allowance is full again, it is.
			h := http.Header{}
			_ = l.take(by(1), h)
			reset, err := strconv.Atoi(h.Get("RateLimit-Reset"))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(reset) * time.Second)
			for i := range c.burst {
				if err := l.take(by(1), http.Header{}); err != nil {
					t.Fatalf("%+v: call %d of a full burst is refused", c, i)
				}
			}
		})
	}
}

type headerRecorder struct{ header http.Header }

func newHeaderRecorder() headerRecorder { return headerRecorder{http.Header{}} }

func (h headerRecorder) Header() http.Header         { return h.header }
func (h headerRecorder) Write(b []byte) (int, error) { return len(b), nil }
func (h headerRecorder) WriteHeader(int)             {}

func TestLimitOff(t *testing.T) {
	l := newLimits(0, 100)
	for range 1000 {
		if got := took(l, 1); got != "limit  remaining  reset " {
			t.Fatalf("got %q", got)
		}
	}
}

// Concurrent calls are counted one by one.
func TestLimitAtOnce(t *testing.T) {
	l := newLimits(1, 50)
	var mu sync.Mutex
	var all sync.WaitGroup
	passed := 0
	for range 200 {
		all.Go(func() {
			if l.take(by(7), http.Header{}) == nil {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if passed != 50 {
		t.Errorf("%d calls passed, want 50", passed)
	}
}

// The headers are on every response to a token, including errors. A refused call
// does nothing and takes no key.
func TestLimitOfCalls(t *testing.T) {
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	f.server.limits = newLimits(1, 4)
	f.serve()
	for i, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/v1/rest/account", "", 200},
		{"GET", "/v1/rest/nothing", "", 404},
		{"POST", "/v1/rest/members", "{", 400},
		{"PUT", "/v1/rest/members", "{}", 405},
		{"POST", "/v1/rest/members", frameMember("jo@acme.example"), 429},
	} {
		r := f.send(c.method, c.path, c.body, "Idempotency-Key: k")
		wantStatus(t, r, c.status)
		if got, want := r.header.Get("RateLimit-Remaining"), strconv.Itoa(max(3-i, 0)); got != want || r.header.Get("RateLimit-Limit") != "4" || r.header.Get("RateLimit-Reset") == "" {
			t.Errorf("call %d: the headers say %v", i, r.header)
		}
		if (r.header.Get("Retry-After") != "") != (c.status == 429) {
			t.Errorf("call %d: Retry-After is %q", i, r.header.Get("Retry-After"))
		}
	}
	wantProblem(t, f.send("GET", "/v1/rest/account", ""), 429, "RATE_LIMITED")
	f.wantMembers()

	// Another token does not help. The browser has its own allowance, and so has
	// another member.
	first := f.secret
	f.secret = f.newToken(desk.NewToken{Name: "other", Scope: desk.ReadWrite})
	wantProblem(t, f.send("GET", "/v1/rest/account", ""), 429, "RATE_LIMITED")
	session := f.newSession()
	for range 4 {
		wantStatus(t, f.send("GET", "/v1/rest/account", "", "Authorization:", "Cookie: "+desk.SessionCookie(false)+"="+session), 200)
	}
	wantProblem(t, f.send("GET", "/v1/rest/account", "", "Authorization:", "Cookie: "+desk.SessionCookie(false)+"="+f.newSession()), 429, "RATE_LIMITED")
	admin := desk.Admin
	other, err := f.service.CreateMember(t.Context(), f.caller(), desk.NewMember{Email: "other@acme.example", Role: &admin})
	f.must(err)
	f.admin = other
	f.secret = f.newToken(desk.NewToken{Name: "theirs", Scope: desk.ReadWrite})
	wantStatus(t, f.send("GET", "/v1/rest/account", ""), 200)

	// Without a valid token, the headers are missing.
	f.secret = first + "x"
	if r := f.send("GET", "/v1/rest/account", ""); r.status != 403 || r.header.Get("RateLimit-Limit") != "" {
		t.Errorf("%s %v", r, r.header)
	}
}
