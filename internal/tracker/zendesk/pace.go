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
	// it sells. The account's other apps share the limit.
	perMinute = 100
	// atOnce is how many calls may be made before that limit applies.
	atOnce = 25
	// leastTime is how much time a call must have left after waiting. With less it
	// would be cut off, and its outcome would be unknown.
	leastTime = time.Second
)

// pacer delays the calls of a Zendesk account until it is their turn. It covers
// only one process. Other processes show only in the pauses that Zendesk asks for.
type pacer struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	until   map[string]time.Time // ends of pauses by name; the pause of all calls is under everything
}

// everything is the name of a pause that delays all calls.
const everything = ""

func newPacer(unlimited bool) *pacer {
	limit := rate.Limit(perMinute / 60.0)
	if unlimited {
		limit = rate.Inf
	}
	return &pacer{limiter: rate.NewLimiter(limit, atOnce), until: map[string]time.Time{}}
}

// wait returns when it is the call's turn. Pauses of its own name delay it too. It
// returns Busy at once if the context ends before that.
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
			return busyError(wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			giveBack()
			return busyError(time.Until(turn))
		}
		// If Zendesk asked another call for a pause meanwhile, it applies to this
		// one too.
		if !p.paused(time.Now(), name) {
			return nil
		}
	}
}

// take takes a turn, and returns a function that gives it back unused.
func (p *pacer) take(now time.Time, name string) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := later(now, p.until[everything])
	r := p.limiter.ReserveN(from, 1)
	return later(from.Add(r.DelayFrom(from)), p.until[name]), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		// The limiter's time must not go backwards. It would treat the pause as
		// time in which calls were saved up.
		r.CancelAt(later(time.Now(), p.until[everything]))
	}
}

// pause delays the calls of a name for a while, or all calls. Afterwards they come
// one by one. Otherwise all waiting calls would come at once and cause the next
// pause.
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
