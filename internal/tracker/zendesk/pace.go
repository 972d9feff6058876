package zendesk

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// perMinute is half of what Zendesk allows on its Team plan, the smallest that
	// it sells: an account's other apps live off the same.
	perMinute = 100
	// atOnce is how many calls are made before that holds.
	atOnce = 25
	// leastTime is what a call that has waited must have left of its context:
	// with less it would be cut off, and nobody would know what it has done.
	leastTime = time.Second
)

// pacer holds the calls of an account of Zendesk back until it is their turn. It
// is for one process; that there are others shows in the pauses that Zendesk asks
// for.
type pacer struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	until   map[string]time.Time // of pauses, by what they are of; those of everything under everything
}

// everything is what a pause is of that holds all calls.
const everything = ""

func newPacer(unlimited bool) *pacer {
	limit := rate.Limit(perMinute / 60.0)
	if unlimited {
		limit = rate.Inf
	}
	return &pacer{limiter: rate.NewLimiter(limit, atOnce), until: map[string]time.Time{}}
}

// wait returns when it is the turn of a call, which pauses of its own name hold as
// well. It gives Busy at once when the context ends before that.
func (p *pacer) wait(ctx context.Context, name string) error {
	for {
		now := time.Now()
		turn, giveBack := p.take(now, name)
		wait := turn.Sub(now)
		if wait <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && turn.Add(leastTime).After(end) {
			giveBack()
			return busy(wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			giveBack()
			return busy(time.Until(turn))
		}
		// A pause that somebody was asked for meanwhile is for everybody.
		if !p.paused(time.Now(), name) {
			return nil
		}
	}
}

// take gives a turn, and a way to give it back unused.
func (p *pacer) take(now time.Time, name string) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := later(now, p.until[everything])
	r := p.limiter.ReserveN(from, 1)
	return later(from.Add(r.DelayFrom(from)), p.until[name]), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		// For the limiter time must not go back: it would count the pause as time
		// in which calls were saved up.
		r.CancelAt(later(time.Now(), p.until[everything]))
	}
}

// pause holds the calls of a name for a while, or everything. After that they come
// singly: those that waited would else all come at once, and cause the next.
func (p *pacer) pause(name string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(p.until, func(_ string, until time.Time) bool { return until.Before(now) })
	until := later(p.until[name], now.Add(d))
	p.until[name] = until
	if spare := int(p.limiter.TokensAt(until)) - 1; name == everything && p.limiter.Limit() != rate.Inf && spare > 0 {
		p.limiter.ReserveN(until, spare)
	}
}

func (p *pacer) paused(now time.Time, name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until[everything].After(now) || p.until[name].After(now)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
