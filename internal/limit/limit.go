// Package limit bounds how much one caller can use of this process. It has buckets
// that refill with time, and a log that cannot be flooded. Everything is in memory
// and of bounded size. The package knows no word of the product.
package limit

import (
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxKeys bounds the number of keys that are counted at once.
const maxKeys = 10_000

// Buckets holds a bucket for each key. A bucket starts full and refills with time.
//
// Two generations bound the memory. A bucket that is used moves into the young
// generation. When that is full, it becomes the old one, and the previous old one
// is dropped. So every call costs the same. A key is dropped, and starts over with
// a full bucket, only if thousands of other keys are used and it is not.
type Buckets[K comparable] struct {
	every rate.Limit
	burst int

	mu         sync.Mutex
	young, old map[K]*rate.Limiter
}

// New returns buckets that hold burst and refill by perMinute a minute. A perMinute
// of 0 turns them off: they are never empty and store nothing.
func New[K comparable](perMinute, burst int) *Buckets[K] {
	return &Buckets[K]{every: rate.Limit(float64(perMinute) / 60), burst: burst, young: map[K]*rate.Limiter{}}
}

// Off reports whether there is no limit.
func (b *Buckets[K]) Off() bool { return b.every == 0 }

// Take takes one out of a bucket and returns how much is left. If the bucket is
// empty it takes nothing, and wait is the time until there is one again. Otherwise
// wait is 0.
func (b *Buckets[K]) Take(key K) (left float64, wait time.Duration) {
	if b.Off() {
		return float64(b.burst), 0
	}
	now := time.Now()
	limiter := b.limiter(key)
	ok := limiter.AllowN(now, 1)
	if left = max(limiter.TokensAt(now), 0); ok {
		return left, 0
	}
	return left, b.until(left)
}

// Wait returns the time until a bucket has at least one. It takes nothing.
func (b *Buckets[K]) Wait(key K) time.Duration {
	if b.Off() {
		return 0
	}
	b.mu.Lock()
	limiter := b.kept(key)
	b.mu.Unlock()
	if limiter == nil {
		return 0
	}
	if left := max(limiter.TokensAt(time.Now()), 0); left < 1 {
		return b.until(left)
	}
	return 0
}

// Refill returns the time until a bucket with so much left is full.
func (b *Buckets[K]) Refill(left float64) time.Duration {
	return time.Duration((float64(b.burst) - left) / float64(b.every) * float64(time.Second))
}

// Burst returns the size of a full bucket.
func (b *Buckets[K]) Burst() int { return b.burst }

func (b *Buckets[K]) until(left float64) time.Duration {
	return time.Duration((1 - left) / float64(b.every) * float64(time.Second))
}

func (b *Buckets[K]) limiter(key K) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if limiter := b.young[key]; limiter != nil {
		return limiter
	}
	limiter := b.old[key]
	if limiter == nil {
		limiter = rate.NewLimiter(b.every, b.burst)
	}
	if len(b.young) >= maxKeys/2 {
		b.old, b.young = b.young, map[K]*rate.Limiter{}
	}
	b.young[key] = limiter
	return limiter
}

func (b *Buckets[K]) kept(key K) *rate.Limiter {
	if limiter := b.young[key]; limiter != nil {
		return limiter
	}
	return b.old[key]
}

// ClientIP returns the address that a request comes from, without its port.
func ClientIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
