package wire

import (
	"strconv"

	"frontdesk/internal/desk"
)

// Webhook is a webhook on the wire.
type Webhook struct {
	ID             desk.WebhookID   `json:"id"`
	URL            string           `json:"url"`
	EventTypes     []desk.EventType `json:"event_types"`
	Enabled        bool             `json:"enabled"`
	FailingSince   *Time            `json:"failing_since"`
	DisabledAt     *Time            `json:"disabled_at"`
	DisabledReason *string          `json:"disabled_reason"`
	CreatedAt      Time             `json:"created_at"`
	UpdatedAt      Time             `json:"updated_at"`
}

// NewWebhook returns the wire form of a webhook.
func NewWebhook(w desk.Webhook) Webhook {
	return Webhook{
		ID: w.ID, URL: w.URL, EventTypes: append([]desk.EventType{}, w.EventTypes...), Enabled: w.Enabled, FailingSince: optional(w.FailingSince),
		DisabledAt: optional(w.DisabledAt), DisabledReason: orNull(w.DisabledReason), CreatedAt: NewTime(w.CreatedAt), UpdatedAt: NewTime(w.UpdatedAt),
	}
}

// ShownWebhook is a webhook with its secret.
type ShownWebhook struct {
	Webhook
	Secret string `json:"secret"`
}

// NewShownWebhook returns the wire form of a webhook with its secret.
func NewShownWebhook(w desk.ShownWebhook) ShownWebhook {
	return ShownWebhook{NewWebhook(w.Webhook), w.Secret}
}

// Delivery is a delivery in a list.
type Delivery struct {
	ID          desk.DeliveryID     `json:"id"`
	WebhookID   desk.WebhookID      `json:"webhook_id"`
	EventID     string              `json:"event_id"` // also its webhook-id
	EventType   desk.EventType      `json:"event_type"`
	Cause       desk.DeliveryCause  `json:"cause"`
	Status      desk.DeliveryStatus `json:"status"`
	Tries       int                 `json:"tries"`
	NextTryAt   *Time               `json:"next_try_at"`
	LastTryAt   *Time               `json:"last_try_at"`
	LastStatus  *int                `json:"last_status"` // of the answer; null if there was none
	LastError   *string             `json:"last_error"`
	CreatedAt   Time                `json:"created_at"`
	DeliveredAt *Time               `json:"delivered_at"`
}

// NewDelivery returns the wire form of a delivery in a list.
func NewDelivery(d desk.Delivery) Delivery {
	w := Delivery{
		ID: d.ID, WebhookID: d.Webhook, EventID: d.Event.ID, EventType: d.Event.Type, Cause: d.Cause, Status: d.Status, Tries: d.Tries,
		NextTryAt: optional(d.TryAt), CreatedAt: NewTime(d.CreatedAt),
	}
	if d.Status == desk.DeliveryDelivered {
		w.DeliveredAt = optional(d.EndedAt)
	}
	if n := len(d.Attempts); n > 0 {
		last := d.Attempts[n-1]
		w.LastTryAt, w.LastStatus = optional(&last.At), orNull(last.Status)
		if !last.Delivered() {
			w.LastError = orNull(last.Reason())
		}
	}
	return w
}

// ShownDelivery is a delivery with its payload and its attempts.
type ShownDelivery struct {
	Delivery
	Payload  Payload   `json:"payload"`
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one attempt to deliver.
type Attempt struct {
	At      Time           `json:"at"`
	TookMS  float64        `json:"took_ms"`
	Error   *string        `json:"error"`
	Request AttemptRequest `json:"request"`
	Answer  *AttemptAnswer `json:"answer"` // null if there was none
}

// AttemptRequest is what was sent besides the payload.
type AttemptRequest struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// AttemptAnswer is the beginning of the answer.
type AttemptAnswer struct {
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      string            `json:"body"`
	Truncated bool              `json:"truncated"`
}

// NewShownDelivery returns the wire form of a delivery fetched by id.
func NewShownDelivery(d desk.Delivery) ShownDelivery {
	return ShownDelivery{Delivery: NewDelivery(d), Payload: NewPayload(d.Event),
		Attempts: desk.Each(d.Attempts, func(a desk.Attempt) Attempt { return newAttempt(d.Event.ID, a) })}
}

func newAttempt(id string, a desk.Attempt) Attempt {
	w := Attempt{At: NewTime(a.At), TookMS: float64(a.Took.Microseconds()) / 1000, Error: orNull(a.Error), Request: AttemptRequest{URL: a.URL, Headers: map[string]string{
		"content-type": "application/json", "webhook-id": id, "webhook-timestamp": strconv.FormatInt(a.At.Unix(), 10), "webhook-signature": a.Signature,
	}}}
	if a.Status != 0 {
		w.Answer = &AttemptAnswer{Status: a.Status, Headers: a.Header, Body: a.Body, Truncated: a.Cut}
		if w.Answer.Headers == nil {
			w.Answer.Headers = map[string]string{}
		}
	}
	return w
}
