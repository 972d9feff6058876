package main

import (
	"slices"
	"sync"
	"time"
)

// answers are the moments at which callers were answered, to say afterwards how long nobody was.
type answers struct {
	mu  sync.Mutex
	all []answered
}

// answered is one acknowledged call, from the moment at which it was made first.
type answered struct{ began, ended time.Time }

func (a *answers) add(began, ended time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, answered{began, ended})
}

// silence returns the longest time between from and to in which nobody was answered, and the longest that a single call took
// that was in flight then.
func (a *answers) silence(from, to time.Time) (nobody, longest time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := from
	slices.SortFunc(a.all, func(x, y answered) int { return x.ended.Compare(y.ended) })
	for _, call := range a.all {
		if call.ended.Before(from) || call.began.After(to) {
			continue
		}
		longest = max(longest, call.ended.Sub(call.began))
		if call.ended.After(to) {
			continue
		}
		nobody = max(nobody, call.ended.Sub(last))
		last = call.ended
	}
	return max(nobody, to.Sub(last)), longest
}
