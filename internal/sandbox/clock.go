package sandbox

import "time"

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// At sends when the time comes, or at once if it has passed. stop ends the wait
	// early.
	At(t time.Time) (come <-chan time.Time, stop func())
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) At(t time.Time) (<-chan time.Time, func()) {
	timer := time.NewTimer(time.Until(t))
	return timer.C, func() { timer.Stop() }
}
