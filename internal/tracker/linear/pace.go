package linear

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// perHour is how many calls the keys of one person may make. atOnce is how many
	// of them may come in a row. Linear's bucket also refills steadily.
	perHour = 2500
	atOnce  = 100
	// leastTime is how much time a call must have left after waiting. With less it
	// would be cut off, and its outcome would be unknown.
	leastTime = time.Second
	// idle is when a queue is dropped. Its bucket is full by then, so a new one is
	// the same.
	idle = 5 * time.Minute
)

// pacer delays calls until it is their turn, by key. It covers only one process.
// Other processes, and other keys of the same person, show only in the pauses that
// Linear asks for.
type pacer struct {
	unlimited bool // apply only pauses

	mu     sync.Mutex
	queues map[string]*queue
	swept  time.Time
}

// queue is the state of a key.
type queue struct {
	limiter *rate.Limiter
	until   time.Time // end of the pause
	used    time.Time // the last turn given
}

func newPacer(unlimited bool) *pacer {
	return &pacer{unlimited: unlimited, queues: map[string]*queue{}}
}

// queue returns the state of a key, and creates it if necessary.
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

// wait returns when it is the call's turn. It returns Busy at once if the context
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
		// If Linear asked another call for a pause meanwhile, it applies to this
		// one too.
		if !p.paused(key, time.Now()) {
			return nil
		}
	}
}

// take takes a turn, and returns a function that gives it back unused.
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
		// The limiter's time must not go backwards. It would treat the pause as
		// time in which calls were saved up.
		r.CancelAt(later(time.Now(), q.until))
	}
}

// pause delays a key's calls for a while. Afterwards they come one by one.
// Otherwise all waiting calls would come at once and cause the next pause.
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

// sweep drops the keys that have not been used for a while.
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
