package desk

import (
	"fmt"
	"time"
)

type DeliveryID int64

// Delivery is an event that is being sent to a webhook, or has been.
type Delivery struct {
	ID        DeliveryID
	Webhook   WebhookID
	Event     Event // for a test, only the type and data are set
	Cause     DeliveryCause
	Status    DeliveryStatus
	Tries     int        // tries so far, since the last restart
	TryAt     *time.Time // when it is tried next; nil if it is done or queued behind another
	Attempts  []Attempt  // the latest ones, oldest first
	CreatedAt time.Time
	EndedAt   *time.Time
}

// DeliveryCause says why an event is sent.
type DeliveryCause string

const (
	CauseEvent  DeliveryCause = "event"  // it happened
	CauseReplay DeliveryCause = "replay" // somebody asked to send it again
	CauseTest   DeliveryCause = "test"   // somebody tests the webhook
)

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

const (
	DeliveryWaiting   DeliveryStatus = "waiting" // will be tried, perhaps again
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed" // set aside after the last try
)

// DeliveryStatuses lists every value.
var DeliveryStatuses = []DeliveryStatus{DeliveryWaiting, DeliveryDelivered, DeliveryFailed}

// Attempt is one try: the request and its answer.
type Attempt struct {
	At        time.Time
	Took      time.Duration
	URL       string
	Signature string            // as sent
	Status    int               // of the answer; 0 if there was none
	Header    map[string]string // of the answer, shortened
	Body      string            // of the answer, shortened
	Cut       bool              // whether the body was longer
	Error     string            // why there was no answer
	// RetryAfter is how long the receiver asks us to wait; 0 if it does not say.
	RetryAfter time.Duration
}

// Delivered reports whether the receiver has accepted it. A redirect does not
// count: to receive events elsewhere, change the webhook's address.
func (a Attempt) Delivered() bool { return a.Status >= 200 && a.Status <= 299 }

// Gone reports whether the receiver wants nothing more at this address.
func (a Attempt) Gone() bool { return a.Status == 410 }

// Reason says in words why it was not delivered.
func (a Attempt) Reason() string {
	if a.Error != "" {
		return a.Error
	}
	return fmt.Sprintf("the receiver responded with status %d", a.Status)
}

// retryGaps are the times between tries, about three days in total. Each is so much
// longer than the one before that it stays longer whatever the jitter does to both.
var retryGaps = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 19 * time.Hour, 24 * time.Hour,
}

// MostTries is the number of tries after which a delivery is set aside.
var MostTries = len(retryGaps) + 1

const (
	// mostRetryAfter bounds RetryAfter.
	mostRetryAfter = 24 * time.Hour
	// mostAttempts bounds the attempts that a delivery keeps.
	mostAttempts = 20
)

// Tried records the result of a try. jitter, from 0 to 1, spreads the next tries,
// so that deliveries that failed together do not all come back together.
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
	case d.Tries >= MostTries, d.Cause == CauseTest: // a person runs a test, sees the answer and tests again
		d.Status, d.TryAt, d.EndedAt = DeliveryFailed, nil, &end
	default:
		gap := time.Duration(float64(retryGaps[d.Tries-1]) * (0.9 + 0.2*jitter))
		next := end.Add(max(gap, min(a.RetryAfter, mostRetryAfter)))
		d.Status, d.TryAt = DeliveryWaiting, &next
	}
}

// Outlived reports whether nothing has got through to the webhook since the first
// try of a delivery that is now set aside.
func (w Webhook) Outlived(d Delivery) bool {
	return d.Status == DeliveryFailed && w.FailingSince != nil && len(d.Attempts) >= MostTries &&
		!w.FailingSince.After(d.Attempts[len(d.Attempts)-MostTries].At)
}

// DeliveryFilter narrows a list of deliveries. An empty field does not filter.
type DeliveryFilter struct {
	Status DeliveryStatus
}
