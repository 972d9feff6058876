package worker

import (
	"sync"
)

// atWork is what this process is at work for. Without it the jobs of something
// busy would wait for each other, and be in the way of all others.
type atWork[K comparable] struct {
	mu sync.Mutex
	on map[K]bool // true: there is more to do than when it began
}

// begin reports whether the caller is to do the work. If not, who is at it will
// look again before their job is done.
func (w *atWork[K]) begin(k K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, begun := w.on[k]; begun {
		w.on[k] = true
		return false
	}
	if w.on == nil {
		w.on = map[K]bool{}
	}
	w.on[k] = false
	return true
}

// end reports whether there is more to do. Who has failed leaves it to the next
// try of their job.
func (w *atWork[K]) end(k K, failed bool) (more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if more = w.on[k] && !failed; more {
		w.on[k] = false
	} else {
		delete(w.on, k)
	}
	return more
}
