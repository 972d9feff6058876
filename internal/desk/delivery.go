package desk

import (
	"fmt"
	"time"
)

// Delivery is an event on its way to a webhook, or what came of it.
type Delivery struct {
	ID        DeliveryID
	Webhook   WebhookID
	Event     Event // of a test, only its type and data
	Cause     DeliveryCause
	Status    DeliveryStatus
	Tries     int        // so far, since it last began anew
	TryAt     *time.Time // when it is tried next; nil for what is done, or stands in line behind another
	Attempts  []Attempt  // the last of them, oldest first
	CreatedAt time.Time
	EndedAt   *time.Time
}

// DeliveryCause is why an event is told.
type DeliveryCause string

const (
	CauseEvent  DeliveryCause = "event"  // it happened
	CauseReplay DeliveryCause = "replay" // somebody wants it told again
	CauseTest   DeliveryCause = "test"   // somebody tries whether the webhook works
)

// DeliveryStatus is what has become of a delivery.
type DeliveryStatus string

const (
	DeliveryWaiting   DeliveryStatus = "waiting" // it will be tried, perhaps again
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed" // set aside after the last try
)

// DeliveryStatuses are all of them.
var DeliveryStatuses = []DeliveryStatus{DeliveryWaiting, DeliveryDelivered, DeliveryFailed}

// Attempt is one try: what was sent and what came back.
type Attempt struct {
	At        time.Time
	Took      time.Duration
	URL       string
	Signature string            // as it was sent
	Status    int               // of the answer; 0 where there was none
	Header    map[string]string // of the answer, the beginning of it
	Body      string            // of the answer, the beginning of it
	Cut       bool              // there was more of it
	Error     string            // why there was no answer
	// RetryAfter is how long the receiver wants to be left alone; 0 where it does
	// not say.
	RetryAfter time.Duration
}

// Delivered reports whether the receiver has it. A redirect is no yes: whoever
// wants it elsewhere changes the address.
func (a Attempt) Delivered() bool { return a.Status >= 200 && a.Status <= 299 }

// Gone reports whether the receiver wants nothing more at this address.
func (a Attempt) Gone() bool { return a.Status == 410 }

// Reason says in words why it did not arrive.
func (a Attempt) Reason() string {
	if a.Error != "" {
		return a.Error
	}
	return fmt.Sprintf("the receiver answered with status %d", a.Status)
}

// retryGaps are the times between the tries: together about three days.
var retryGaps = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// MostTries is after how many tries a delivery is set aside.
var MostTries = len(retryGaps) + 1

const (
	// mostRetryAfter bounds what a receiver may ask for.
	mostRetryAfter = 24 * time.Hour
	// mostAttempts is how many of the last tries a delivery keeps.
	mostAttempts = 20
)

// Tried notes what came of a try. jitter, from 0 to 1, spreads the next ones: of
// many that failed together, not all come back together.
func (d *Delivery) Tried(a Attempt, jitter float64) {
	d.Tries++
	d.Attempts = append(d.Attempts[:len(d.Attempts):len(d.Attempts)], a)
	if over := len(d.Attempts) - mostAttempts; over > 0 {
		d.Attempts = d.Attempts[over:]
	}
	end := a.At.Add(a.Took)
	switch {
	case a.Delivered():
		d.Status, d.TryAt, d.EndedAt = DeliveryDelivered, nil, &end
	case d.Tries >= MostTries, d.Cause == CauseTest: // who tests looks at the answer, and tests again
		d.Status, d.TryAt, d.EndedAt = DeliveryFailed, nil, &end
	default:
		gap := time.Duration(float64(retryGaps[d.Tries-1]) * (0.9 + 0.2*jitter))
		next := end.Add(max(gap, min(a.RetryAfter, mostRetryAfter)))
		d.Status, d.TryAt = DeliveryWaiting, &next
	}
}

// Outlived reports whether nothing at all has got through to a webhook since a
// delivery that is set aside now was first tried.
func (w Webhook) Outlived(d Delivery) bool {
	return d.Status == DeliveryFailed && w.FailingSince != nil && len(d.Attempts) >= MostTries &&
		!w.FailingSince.After(d.Attempts[len(d.Attempts)-MostTries].At)
}

// DeliveryFilter narrows a list of deliveries; empty fields do not.
type DeliveryFilter struct {
	Status DeliveryStatus
}
