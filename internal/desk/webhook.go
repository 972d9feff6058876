package desk

import (
	"slices"
	"time"
)

type WebhookID int64

// Webhook is an address that receives events as they happen.
type Webhook struct {
	ID         WebhookID
	URL        string
	EventTypes []EventType // empty: all
	Enabled    bool
	// FailingSince is the first failed try since the last delivery that got
	// through; nil if the last try got through.
	FailingSince *time.Time
	// DisabledAt is when the service disabled the webhook, and DisabledReason why.
	// Enabling it again clears both.
	DisabledAt     *time.Time
	DisabledReason string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

func (w Webhook) Named() (resource, id string) { return "Webhook", FormatID(w.ID) }

// ShownWebhook is a webhook with its secret, which is shown only when it is made.
type ShownWebhook struct {
	Webhook
	Secret string
}

const (
	// MostWebhooks bounds the webhooks of an account, because each event is sent to
	// each of them.
	MostWebhooks = 50
	// RotationTime is how long the old secret signs along with the new one, by
	// default.
	RotationTime = 24 * time.Hour
	// MostRotationTime is the maximum of that time.
	MostRotationTime = 7 * 24 * time.Hour
)

// WebhookTypes are the event types that a webhook can ask for. Nothing produces
// some of them yet.
var WebhookTypes = func() []EventType {
	all := slices.Clone(EventTypes)
	for _, t := range []EventType{"request.deleted", "announcement.sent", "sla.breached"} {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}()

// WebhookTest is the type of what a test sends. No real event has it.
const WebhookTest EventType = "webhook.test"

// GivenWebhook is a webhook as a caller gave it, for a new one or for a change. In
// a change a nil field stays as it is.
type GivenWebhook struct {
	Body
	URL        *string
	EventTypes *[]EventType
	Enabled    *bool
	// SkipMissed starts an enabled webhook with the next event. Otherwise it
	// continues where it stopped.
	SkipMissed *bool

	// URLProblem is what is wrong with the address. The caller does not give it: it
	// is set by the code that knows where this server may send to.
	URLProblem string
}

// Webhook checks the input and makes the webhook. By default it gets all events and
// is enabled.
func (g GivenWebhook) Webhook(now time.Time) (Webhook, error) {
	return create(Webhook{Enabled: true, CreatedAt: now, UpdatedAt: now}, g.Body, g.fill, "url")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (w *Webhook) Apply(g GivenWebhook, now time.Time) error {
	return amend(w, g.Body, func(next *Webhook, p *patch) {
		if g.SkipMissed != nil && *g.SkipMissed && (w.Enabled || g.Enabled == nil || !*g.Enabled) {
			p.Add("skip_missed", "can only be given when a disabled webhook is enabled")
		}
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

// fill applies the given parts and checks them. A new address, or enabling the
// webhook again, clears its failures.
func (g GivenWebhook) fill(w *Webhook, p *patch) {
	if g.URL != nil && *g.URL != w.URL || g.Enabled != nil && *g.Enabled && !w.Enabled {
		w.FailingSince = nil
	}
	if take(p, "url", &w.URL, g.URL) && g.URLProblem != "" {
		p.Add("url", "%s", g.URLProblem)
	}
	if take(p, "event_types", &w.EventTypes, g.EventTypes) {
		w.EventTypes = slices.Clone(w.EventTypes)
		eachOnce(&p.Problems, "event_types", w.EventTypes, func(at string, t *EventType) { OneOf(&p.Problems, at, *t, WebhookTypes...) })
	}
	if take(p, "enabled", &w.Enabled, g.Enabled); w.Enabled {
		w.DisabledAt, w.DisabledReason = nil, ""
	}
}

// Disable makes the service stop sending to a webhook.
func (w *Webhook) Disable(reason string, now time.Time) {
	w.Enabled, w.DisabledAt, w.DisabledReason, w.UpdatedAt = false, &now, reason, now
}

// Rotation is a new secret for a webhook. The old one signs along with it for a
// while.
type Rotation struct {
	Body
	Keep *time.Duration // for how long; nil for RotationTime
}

// Until returns how long the old secret is valid.
func (r Rotation) Until(now time.Time) (time.Time, error) {
	keep := RotationTime
	set(&keep, r.Keep)
	p := r.problems()
	if keep < 0 || keep > MostRotationTime {
		p.Add("keep_previous_for", "must be 0 to %d seconds", int(MostRotationTime.Seconds()))
	}
	return now.Add(keep), p.Err()
}

// Replay asks to send events again: one, or those of a time range.
type Replay struct {
	Body
	Event  string // the id of a single event
	After  *time.Time
	Before *time.Time
}

// Check returns what is wrong with it.
func (r Replay) Check() error {
	p := r.problems()
	switch {
	case r.Event != "" && (r.After != nil || r.Before != nil):
		p.Add("event_id", "cannot be combined with after and before")
	case r.Event == "" && r.After == nil:
		p.Add("after", "is required unless event_id is given")
	case r.After != nil && r.Before != nil && !r.After.Before(*r.Before):
		p.Add("before", "must be later than after")
	}
	return p.Err()
}
