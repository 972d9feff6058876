package job

import (
	"math/rand/v2"
	"time"
)

// Backoff returns how long a job waits after so many failures: a second after the
// first, doubling up to an hour. It varies by a quarter, so that jobs that failed
// together are not retried together.
func Backoff(failures int) time.Duration {
	d := time.Hour
	if failures <= 12 { // 2^12 seconds is more than an hour
		d = min(d, time.Second<<max(failures-1, 0))
	}
	return d - d/4 + rand.N(d/2+1)
}
