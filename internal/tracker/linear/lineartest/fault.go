package lineartest

import (
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Fault is a failure of a call.
type Fault struct {
	// On is the field of Query or Mutation that a call must use, such as
	// commentCreate. Empty means any.
	On string
	// Skip is how many of those calls succeed first.
	Skip int
	// Times is how many calls fail. Defaults to one.
	Times int
	// After lets Linear run the call first. The effect is there, but the answer is
	// lost.
	After bool
	// Status is the status of the answer, which has a page that is not JSON. 0
	// drops the connection.
	Status int
	// Pause answers that there were too many calls, and when there may be more
	// again. It replaces all of the above, and nothing is done.
	Pause time.Duration
}

// faults are the faults that a test has asked for.
type faults struct {
	mu     sync.Mutex
	all    []Fault
	paused time.Time // no calls are allowed until then
}

// Fail makes calls fail.
func (s *Server) Fail(f Fault) {
	f.Times = max(f.Times, 1)
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.all = append(s.faults.all, f)
}

// Heal ends all faults and pauses. It returns how many calls were still going to
// fail.
func (s *Server) Heal() (left int) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	for _, f := range s.faults.all {
		left += f.Times
	}
	s.faults.all, s.faults.paused = nil, time.Time{}
	return left
}

// Pause answers every call for a while that there were too many.
func (s *Server) Pause(d time.Duration) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.paused = s.now().Add(d)
}

// next returns the first fault that applies to a call with these fields.
func (f *faults) next(roots []string, now time.Time) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if wait := f.paused.Sub(now); wait > 0 {
		return Fault{Pause: wait}, true
	}
	for i := range f.all {
		fault := f.all[i]
		if fault.On != "" && !slices.Contains(roots, fault.On) {
			continue
		}
		if fault.Skip > 0 {
			f.all[i].Skip--
			continue
		}
		if f.all[i].Times--; f.all[i].Times == 0 {
			f.all = slices.Delete(f.all, i, i+1)
		}
		return fault, true
	}
	return Fault{}, false
}

// strike writes the answer of a fault instead of the right one.
func (f Fault) strike(w http.ResponseWriter, now time.Time) {
	switch {
	case f.Pause > 0:
		w.Header().Set("X-RateLimit-Requests-Remaining", "0")
		w.Header().Set("X-RateLimit-Requests-Reset", strconv.FormatInt(now.Add(f.Pause).UnixMilli(), 10))
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.Pause.Seconds()))))
		rateLimited.answer(w)
	case f.Status != 0:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		io.WriteString(w, "<html>"+http.StatusText(f.Status)+"</html>")
	default:
		panic(http.ErrAbortHandler) // drops the connection
	}
}
