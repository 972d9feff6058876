package page

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A person opens a survey a few times. Invalid links never reach the database. So
// each link has its own limit, and addresses have none, because many people behind
// a proxy share one.
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

// allow counts a call of a link in this process and reports whether it is allowed.
func (l *limits) allow(token string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.links[token]
	if limiter == nil {
		if len(l.links) >= mostLimiters {
			l.dropLimiters()
		}
		limiter = rate.NewLimiter(rate.Every(time.Minute/perMinute), burst)
		l.links[token] = limiter
	}
	return limiter.Allow()
}

// dropLimiters makes room by dropping counts. A busy link soon reaches its limit again.
func (l *limits) dropLimiters() {
	for token := range l.links {
		if len(l.links) <= mostLimiters/2 {
			return
		}
		delete(l.links, token)
	}
}
