// Package limit bounds what one caller may take of this process: buckets that
// fill again with time, and a log that cannot be flooded. Everything is in memory
// and of a bounded size. It knows no word of the product.
package limit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// mostKept bounds the keys that are counted at once.
const mostKept = 10_000

// Buckets are a bucket for each key. Each begins full and fills again with time.
//
// Two generations bound the memory. What is used moves into the young one; when
// that is full it becomes the old one, and the old one is forgotten. So a call
// costs the same whatever comes, and a key is forgotten, to begin anew, only
// while thousands of others are used and it is not.
type Buckets[K comparable] struct {
	every rate.Limit
	burst int

	mu         sync.Mutex
	young, old map[K]*rate.Limiter
}

// New returns buckets that hold burst and fill by perMinute a minute; 0 a minute
// turns them off: they are never empty and keep nothing.
func New[K comparable](perMinute, burst int) *Buckets[K] {
	return &Buckets[K]{every: rate.Limit(float64(perMinute) / 60), burst: burst, young: map[K]*rate.Limiter{}}
}

// Off says that there is no limit.
func (b *Buckets[K]) Off() bool { return b.every == 0 }

// Take takes one out of a bucket and says what is left. When it is empty nothing
// is taken, and wait is how long until there is one again; else wait is 0.
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

// Wait is how long until there is one in a bucket; 0 for now. It takes nothing.
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

// Refill is how long until a bucket with so much left is full.
func (b *Buckets[K]) Refill(left float64) time.Duration {
	return time.Duration((float64(b.burst) - left) / float64(b.every) * float64(time.Second))
}

// Burst is what a full bucket holds.
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
	if len(b.young) >= mostKept/2 {
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
