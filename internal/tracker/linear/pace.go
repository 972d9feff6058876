package linear

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// perHour is how many calls the keys of one person may make, and atOnce how many
	// of them in a row: Linear's bucket fills steadily, too.
	perHour = 2500
	atOnce  = 100
	// leastTime is what a call that has waited must have left of its context:
	// with less it would be cut off, and nobody would know what it has done.
	leastTime = time.Second
	// idle is when a queue is forgotten. Every bucket is full by then, so that a
	// new one is the same.
	idle = 5 * time.Minute
)

// pacer holds calls back until it is their turn, by key. It is for one process;
// that there are others, or other keys of the same person, shows in the pauses that
// Linear asks for.
type pacer struct {
	unlimited bool // only pauses count

	mu     sync.Mutex
	queues map[string]*queue
	swept  time.Time
}

// queue is the state of a key.
type queue struct {
	limiter *rate.Limiter
	until   time.Time // of a pause
	used    time.Time // the last turn that was given
}

func newPacer(unlimited bool) *pacer {
	return &pacer{unlimited: unlimited, queues: map[string]*queue{}}
}

// queue is the state of a key, made when it has none.
func (p *pacer) queue(key string) *queue {
	q := p.queues[key]
	if q == nil {
		limit := rate.Limit(float64(perHour) / 3600)
		if p.unlimited {
			limit = rate.Inf
		}
		q = &queue{limiter: rate.NewLimiter(limit, atOnce)}
		p.queues[key] = q
	}
	return q
}

// wait returns when it is a call's turn. It gives Busy at once when the context
// ends before that.
func (p *pacer) wait(ctx context.Context, key string) error {
	for {
		now := time.Now()
		turn, giveBack := p.take(key, now)
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
		if !p.paused(key, time.Now()) {
			return nil
		}
	}
}

// take gives a turn, and a way to give it back unused.
func (p *pacer) take(key string, now time.Time) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep(now)
	q := p.queue(key)
	from := later(now, q.until)
	r := q.limiter.ReserveN(from, 1)
	turn = from.Add(r.DelayFrom(from))
	q.used = later(q.used, turn)
	return turn, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		// For the limiter time must not go back: it would count the pause as
		// time in which calls were saved up.
		r.CancelAt(later(time.Now(), q.until))
	}
}

// pause holds a key's calls for a while. After it they come singly: those that
// waited would else all come at once, and cause the next.
func (p *pacer) pause(key string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(key)
	q.until = later(q.until, time.Now().Add(d))
	q.used = later(q.used, q.until)
	if spare := int(q.limiter.TokensAt(q.until)) - 1; q.limiter.Limit() != rate.Inf && spare > 0 {
		q.limiter.ReserveN(q.until, spare)
	}
}

func (p *pacer) paused(key string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queues[key]
	return q != nil && q.until.After(now)
}

// sweep forgets the keys that nobody has used for a while.
func (p *pacer) sweep(now time.Time) {
	if now.Sub(p.swept) < idle/2 {
		return
	}
	p.swept = now
	for key, q := range p.queues {
		if now.Sub(q.used) > idle {
			delete(p.queues, key)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
