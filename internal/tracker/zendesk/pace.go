package zendesk

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// perMinute is half of what Zendesk allows the smallest of its plans: an
	// account's other apps live off the same.
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
	until   time.Time // of a pause
}

func newPacer(unlimited bool) *pacer {
	limit := rate.Limit(perMinute / 60.0)
	if unlimited {
		limit = rate.Inf
	}
	return &pacer{limiter: rate.NewLimiter(limit, atOnce)}
}

// wait returns when it is a call's turn. It gives Busy at once when the context
// ends before that.
func (p *pacer) wait(ctx context.Context) error {
	for {
		now := time.Now()
		turn, giveBack := p.take(now)
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
		if !p.paused(time.Now()) {
			return nil
		}
	}
}

// take gives a turn, and a way to give it back unused.
func (p *pacer) take(now time.Time) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := later(now, p.until)
	r := p.limiter.ReserveN(from, 1)
	return from.Add(r.DelayFrom(from)), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		// For the limiter time must not go back: it would count the pause as time
		// in which calls were saved up.
		r.CancelAt(later(time.Now(), p.until))
	}
}

// pause holds all calls for a while. After it they come singly: those that waited
// would else all come at once, and cause the next.
func (p *pacer) pause(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = later(p.until, time.Now().Add(d))
	if spare := int(p.limiter.TokensAt(p.until)) - 1; p.limiter.Limit() != rate.Inf && spare > 0 {
		p.limiter.ReserveN(p.until, spare)
	}
}

func (p *pacer) paused(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.After(now)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
