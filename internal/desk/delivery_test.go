package desk_test

import (
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// The pause before each try is longer than the one before, even if the jitter made
// the first as long and the second as short as it can.
func TestDeliveryPausesGrow(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	pause := func(tries int, jitter float64) time.Duration {
		d := desk.Delivery{Tries: tries - 1}
		d.Tried(desk.Attempt{At: at, Status: 500}, jitter)
		return d.TryAt.Sub(at)
	}
	for tries := 2; tries < desk.MostTries; tries++ {
		if before, after := pause(tries-1, 1), pause(tries, 0); after <= before {
			t.Errorf("after %d tries the pause is %v or longer, and before that up to %v", tries, after, before)
		}
	}
}
