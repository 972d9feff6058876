package rest

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"frontdesk/internal/desk"
)

// mostLimiters bounds the tokens that are counted at once.
const mostLimiters = 10_000

// limits counts the calls of each token, in this process.
type limits struct {
	every rate.Limit
	burst int

	mu    sync.Mutex
	token map[desk.TokenID]*rate.Limiter
}

// newLimits takes perMinute calls a minute; 0 turns limits off.
func newLimits(perMinute, burst int) *limits {
	return &limits{every: rate.Limit(float64(perMinute) / 60), burst: burst, token: map[desk.TokenID]*rate.Limiter{}}
}

// take counts a call and says in the headers where the token stands. Past the
// limit it gives Busy.
func (l *limits) take(id desk.TokenID, h http.Header) error {
	if l.every == 0 {
		return nil
	}
	now := time.Now()
	limiter := l.limiter(id, now)
	ok := limiter.AllowN(now, 1)
	left := max(limiter.TokensAt(now), 0)
	h.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	h.Set("RateLimit-Remaining", strconv.Itoa(int(left)))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil((float64(l.burst)-left)/float64(l.every)))))
	if ok {
		return nil
	}
	wait := time.Duration((1 - left) / float64(l.every) * float64(time.Second))
	return &desk.Error{Kind: desk.Busy, RetryAfter: wait,
		Message: "Too many calls with this token. Wait as long as Retry-After says, and slow down."}
}

func (l *limits) limiter(id desk.TokenID, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.token[id]
	if limiter == nil {
		if len(l.token) >= mostLimiters {
			l.forget(now)
		}
		limiter = rate.NewLimiter(l.every, l.burst)
		l.token[id] = limiter
	}
	return limiter
}

// forget drops the tokens that have all their calls left: a new limiter would
// say the same. When so many are busy that this makes little room, some of
// those begin anew: the memory is bounded, whatever comes.
func (l *limits) forget(now time.Time) {
	for id, limiter := range l.token {
		if limiter.TokensAt(now) >= float64(l.burst) {
			delete(l.token, id)
		}
	}
	for id := range l.token {
		if len(l.token) <= mostLimiters*9/10 {
			break
		}
		delete(l.token, id)
	}
}
