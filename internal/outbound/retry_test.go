package outbound

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"": 0, "0": 0, "-5": 0, "soon": 0, "99999999999999999999": 0, "3": 3 * time.Second, "86400": 24 * time.Hour,
		"Wed, 18 Nov 2026 12:01:00 GMT": time.Minute, "Wed, 18 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
