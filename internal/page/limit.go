package page

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A survey is opened by a person a few times. What is no link never reaches the
// database, so each link has its own limit, and no address a common one: behind
// a proxy, many people have the same.
const (
	perMinute    = 30
	burst        = 20
	mostLimiters = 10_000
)

type limits struct {
	mu    sync.Mutex
	links map[string]*rate.Limiter
}

func newLimits() *limits { return &limits{links: map[string]*rate.Limiter{}} }

// allow counts a call of a link, in this process.
func (l *limits) allow(token string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.links[token]
	if limiter == nil {
		if len(l.links) >= mostLimiters {
			l.forget()
		}
		limiter = rate.NewLimiter(rate.Every(time.Minute/perMinute), burst)
		l.links[token] = limiter
	}
	return limiter.Allow()
}

// forget makes room. Who begins anew is soon where they were.
func (l *limits) forget() {
	for token := range l.links {
		if len(l.links) <= mostLimiters/2 {
			return
		}
		delete(l.links, token)
	}
}
