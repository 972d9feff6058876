package worker

import (
	"sync"
)

// atWork is what this process is currently working on. Without it, the jobs of a
// busy webhook would wait for each other and take up workers that others need.
type atWork[K comparable] struct {
	mu sync.Mutex
	on map[K]bool // true if more work came since the caller of begin started
}

// begin reports whether the caller should do the work. If not, whoever is doing it
// will check for more before their job is done.
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

// end reports whether there is more to do. If the caller failed, it returns false:
// the next attempt of the job does all of it.
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
