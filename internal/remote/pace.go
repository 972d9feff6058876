package remote

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// leastTime is how much time the context of a waiting call must have left. With
	// less the call would be cut off, and nobody would know what it has done.
	leastTime = time.Second
	// sweepTime is how often unused queues are looked for.
	sweepTime = time.Minute
)

// Limit is how many calls a system accepts. The zero Limit is none.
type Limit struct {
	Calls int           // so many calls
	Per   time.Duration // in so much time
	Burst int           // so many at once before that applies, at least one
}

func (l Limit) rate() rate.Limit {
	if l.Calls == 0 {
		return rate.Inf
	}
	return rate.Limit(float64(l.Calls) / l.Per.Seconds())
}

// Queue is a line of calls, such as the calls of a method in a workspace. Queues
// with the same name are the same, and have the limit of the first.
type Queue struct {
	Name  string // for this process only: it may contain a token
	Limit Limit
}

// pacer holds calls back until it is their turn. It serves one process. Other
// processes show up in the pauses that the system asks for.
type pacer struct {
	system    string
	unlimited bool // only pauses apply

	mu     sync.Mutex
	queues map[string]*state
	swept  time.Time
}

// state is the state of a queue.
type state struct {
	limiter *rate.Limiter
	until   time.Time // end of a pause
}

func newPacer(system string, unlimited bool) *pacer {
	return &pacer{system: system, unlimited: unlimited, queues: map[string]*state{}}
}

// state returns the state of a queue, and creates it if needed.
func (p *pacer) state(l Queue) *state {
	q := p.queues[l.Name]
	if q == nil {
		if p.unlimited {
			l.Limit = Limit{}
		}
		q = &state{limiter: rate.NewLimiter(l.Limit.rate(), max(l.Limit.Burst, 1))}
		p.queues[l.Name] = q
	}
	return q
}

// wait returns when it is a call's turn in all of its queues. It returns Busy at
// once if the context ends before that.
func (p *pacer) wait(ctx context.Context, queues []Queue) error {
	for {
		now := time.Now()
		turn, giveBack := p.take(queues, now)
		wait := turn.Sub(now)
		if wait <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && turn.Add(leastTime).After(end) {
			giveBack()
			return Busy(p.system, wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			giveBack()
			return Busy(p.system, time.Until(turn))
		}
		// A pause that the system asked for in the meantime applies to everybody.
		if !p.paused(queues, time.Now()) {
			return nil
		}
	}
}

// take reserves a turn in every queue, and returns a function that gives it back
// unused.
func (p *pacer) take(queues []Queue, now time.Time) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep(now)
	turn = now
	var undo []func(now time.Time)
	for _, l := range queues {
		q := p.state(l)
		from := later(now, q.until)
		r := q.limiter.ReserveN(from, 1)
		turn = later(turn, from.Add(r.DelayFrom(from)))
		// Time must not go back for the limiter, because it would count the pause
		// as time in which calls were saved up.
		undo = append(undo, func(now time.Time) { r.CancelAt(later(now, q.until)) })
	}
	return turn, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fn := range undo {
			fn(time.Now())
		}
	}
}

// pause holds a queue for a while. After it, calls come one by one. Otherwise those
// that waited would all come at once and cause the next pause.
func (p *pacer) pause(l Queue, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.state(l)
	q.until = later(q.until, time.Now().Add(d))
	if spare := int(q.limiter.TokensAt(q.until)) - 1; q.limiter.Limit() != rate.Inf && spare > 0 {
		q.limiter.ReserveN(q.until, spare)
	}
}

func (p *pacer) paused(queues []Queue, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range queues {
		if q := p.queues[l.Name]; q != nil && q.until.After(now) {
			return true
		}
	}
	return false
}

// sweep forgets queues that a new one would be the same as: no pause, and nothing
// used up.
func (p *pacer) sweep(now time.Time) {
	if now.Sub(p.swept) < sweepTime {
		return
	}
	p.swept = now
	for name, q := range p.queues {
		if !q.until.After(now) && q.limiter.TokensAt(now) >= float64(q.limiter.Burst()) {
			delete(p.queues, name)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
