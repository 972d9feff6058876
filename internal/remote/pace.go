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
	// sweepTime is how often unused lanes are looked for.
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

// Lane is one queue of calls, such as the calls of a method in a workspace. Lanes
// with the same name are the same, and have the limit of the first.
type Lane struct {
	Name  string // for this process only: it may contain a token
	Limit Limit
}

// pacer holds calls back until it is their turn. It serves one process. Other
// processes show up in the pauses that the system asks for.
type pacer struct {
	system    string
	unlimited bool // only pauses apply

	mu    sync.Mutex
	lanes map[string]*queue
	swept time.Time
}

// queue is the state of a lane.
type queue struct {
	limiter *rate.Limiter
	until   time.Time // end of a pause
}

func newPacer(system string, unlimited bool) *pacer {
	return &pacer{system: system, unlimited: unlimited, lanes: map[string]*queue{}}
}

// queue returns the state of a lane, and creates it if needed.
func (p *pacer) queue(l Lane) *queue {
	q := p.lanes[l.Name]
	if q == nil {
		if p.unlimited {
			l.Limit = Limit{}
		}
		q = &queue{limiter: rate.NewLimiter(l.Limit.rate(), max(l.Limit.Burst, 1))}
		p.lanes[l.Name] = q
	}
	return q
}

// wait returns when it is a call's turn in all of its lanes. It returns Busy at
// once if the context ends before that.
func (p *pacer) wait(ctx context.Context, lanes []Lane) error {
	for {
		now := time.Now()
		turn, giveBack := p.take(lanes, now)
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
		if !p.paused(lanes, time.Now()) {
			return nil
		}
	}
}

// take reserves a turn in every lane, and returns a function that gives it back
// unused.
func (p *pacer) take(lanes []Lane, now time.Time) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep(now)
	turn = now
	var undo []func(now time.Time)
	for _, l := range lanes {
		q := p.queue(l)
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

// pause holds a lane for a while. After it, calls come one by one. Otherwise those
// that waited would all come at once and cause the next pause.
func (p *pacer) pause(l Lane, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(l)
	q.until = later(q.until, time.Now().Add(d))
	if spare := int(q.limiter.TokensAt(q.until)) - 1; q.limiter.Limit() != rate.Inf && spare > 0 {
		q.limiter.ReserveN(q.until, spare)
	}
}

func (p *pacer) paused(lanes []Lane, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range lanes {
		if q := p.lanes[l.Name]; q != nil && q.until.After(now) {
			return true
		}
	}
	return false
}

// sweep forgets lanes that a new one would be the same as: no pause, and nothing
// used up.
func (p *pacer) sweep(now time.Time) {
	if now.Sub(p.swept) < sweepTime {
		return
	}
	p.swept = now
	for name, q := range p.lanes {
		if !q.until.After(now) && q.limiter.TokensAt(now) >= float64(q.limiter.Burst()) {
			delete(p.lanes, name)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
