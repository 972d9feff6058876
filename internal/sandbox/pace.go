package sandbox

import (
	"math"
	"sync"
	"time"
)

// Pace limits how fast an app may call in a workspace.
type Pace struct {
	// On turns the limits on.
	On bool
	// PerMinute is how often a method may be called in a minute. Methods without an
	// entry use their tier: 1, 20, 50 or 100.
	PerMinute map[string]int
	// PostEvery is the time between two messages to the same channel. Defaults
	// to a second.
	PostEvery time.Duration
}

// tiers are the calls a minute of Slack's tiers.
var tiers = map[int]int{1: 1, 2: 20, 3: 50, 4: 100}

// pacer counts calls. A bucket holds how many calls are still allowed at once, and
// fills steadily.
type pacer struct {
	pace    Pace
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newPacer(p Pace) *pacer {
	if p.PostEvery == 0 {
		p.PostEvery = time.Second
	}
	return &pacer{pace: p, buckets: map[string]*bucket{}}
}

// call takes a call off the method's bucket, or returns how long to wait.
func (p *pacer) call(who string, m *method, now time.Time) (wait time.Duration) {
	perMinute := p.pace.PerMinute[m.name]
	if perMinute == 0 {
		perMinute = tiers[m.tier]
	}
	if !p.pace.On || perMinute == 0 {
		return 0
	}
	return p.take(who+" "+m.name, float64(perMinute), time.Minute/time.Duration(perMinute), now)
}

// post takes a message off the channel's bucket.
func (p *pacer) post(who, channel string, now time.Time) time.Duration {
	if !p.pace.On {
		return 0
	}
	return p.take(who+" post "+channel, 1, p.pace.PostEvery, now)
}

func (p *pacer) take(key string, size float64, every time.Duration, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.buckets[key]
	if b == nil {
		b = &bucket{left: size, at: now}
		p.buckets[key] = b
	}
	b.left = min(size, b.left+float64(now.Sub(b.at))/float64(every))
	b.at = now
	// Tolerate a billionth, because the steady filling adds up fractions.
	if b.left >= 1-1e-9 {
		b.left--
		return 0
	}
	return time.Duration(math.Ceil((1 - b.left) * float64(every)))
}
