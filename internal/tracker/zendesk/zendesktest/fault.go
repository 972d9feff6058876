package zendesktest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is a failure of a call.
type Fault struct {
	Method string // which calls; empty for all
	Path   string // a part of their path; empty for all
	Skip   int    // how many of them succeed first
	Times  int    // how many of them fail; 0 means one
	// After lets the call run first, so that only its answer is lost.
	After bool
	// Status is the status of the answer. 0 drops the connection.
	Status int
	// RetryAfter is the pause that a 429 or 503 asks for. 0 asks for none.
	RetryAfter time.Duration
}

// Fail makes the next calls fail.
func (z *Zendesk) Fail(f Fault) {
	f.Times = max(f.Times, 1)
	z.mu.Lock()
	defer z.mu.Unlock()
	z.faults = append(z.faults, &f)
}

// Heal ends all faults and pauses. It returns how many calls were still going to
// fail.
func (z *Zendesk) Heal() (left int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, f := range z.faults {
		left += f.Times
	}
	z.faults, z.paused = nil, time.Time{}
	return left
}

// Pause refuses every call for a while with a 429.
func (z *Zendesk) Pause(d time.Duration) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.paused = z.cfg.Now().Add(d)
}

// Calls returns all calls that arrived, whatever their result, such as "GET
// /api/v2/users/me".
func (z *Zendesk) Calls() []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.Clone(z.calls)
}

// Count returns how many calls arrived with a method and a part of a path.
func (z *Zendesk) Count(method, path string) (n int) {
	for _, c := range z.Calls() {
		if m, p, _ := strings.Cut(c, " "); m == method && strings.Contains(p, path) {
			n++
		}
	}
	return n
}

// arrived records a call. It returns the fault that applies to it, or how long the
// caller must wait.
func (z *Zendesk) arrived(r *http.Request) (f *Fault, wait time.Duration) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.calls = append(z.calls, r.Method+" "+r.URL.Path)
	for i, f := range z.faults {
		if (f.Method == "" || f.Method == r.Method) && strings.Contains(r.URL.Path, f.Path) {
			if f.Skip > 0 {
				f.Skip--
				continue
			}
			if f.Times--; f.Times == 0 {
				z.faults = slices.Delete(z.faults, i, i+1)
			}
			return f, 0
		}
	}
	if wait := z.paused.Sub(z.cfg.Now()); wait > 0 || !z.cfg.Limits {
		return nil, wait
	}
	return nil, z.count(r)
}

func (f *Fault) answer(w http.ResponseWriter) {
	switch {
	case f.Status == 0:
		panic(http.ErrAbortHandler) // the server then drops the connection
	case f.Status == http.StatusTooManyRequests && f.RetryAfter > 0:
		tooMany(w, f.RetryAfter)
	default:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
		}
		// This answer stands for a proxy in front of Zendesk, which does not send
		// JSON.
		http.Error(w, "<html><body>"+http.StatusText(f.Status)+"</body></html>", f.Status)
	}
}
