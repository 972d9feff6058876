package desk

import (
	"fmt"
	"slices"
	"time"
)

// Webhook is an address that is told of events as they happen.
type Webhook struct {
	ID         WebhookID
	URL        string
	EventTypes []EventType // empty: all
	Enabled    bool
	// FailingSince is when the first of the tries failed that nothing has got
	// through since; nil where the last one got through.
	FailingSince *time.Time
	// DisabledAt is when it was disabled by the service itself, and
	// DisabledReason why. Whoever enables it again takes both away.
	DisabledAt     *time.Time
	DisabledReason string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// ShownWebhook is a webhook with its secret, which is shown when it is made and
// never again.
type ShownWebhook struct {
	Webhook
	Secret string
}

const (
	// MostWebhooks bounds the webhooks of an account: each event is told to each.
	MostWebhooks = 50
	// RotationTime is how long the secret before the last signs beside it, where
	// nobody says.
	RotationTime = 24 * time.Hour
	// MostRotationTime is how long it may.
	MostRotationTime = 7 * 24 * time.Hour
)

// WebhookTypes are the event types that a webhook can ask for. Some have nothing
// yet that would make them.
var WebhookTypes = func() []EventType {
	all := slices.Clone(EventTypes)
	for _, t := range []EventType{"request.deleted", "announcement.sent", "sla.breached"} {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}()

// WebhookTest is the type of what a test sends. No event has it.
const WebhookTest EventType = "webhook.test"

// GivenWebhook is a webhook as a caller gave it: what it is made from, or what is
// to be changed of it, where nil leaves a member.
type GivenWebhook struct {
	Body
	URL        *string
	EventTypes *[]EventType
	Enabled    *bool
	// SkipMissed begins anew with what happens next, where a webhook that is
	// enabled again would go on where it stopped.
	SkipMissed *bool

	// URLProblem is what is wrong with the address. The caller does not give it:
	// whoever knows where this server may send to.
	URLProblem string
}

// Webhook checks the input and makes the webhook: of all events and enabled,
// unless it says otherwise.
func (g GivenWebhook) Webhook(now time.Time) (Webhook, error) {
	if g.Problem != nil {
		return Webhook{}, g.Problem
	}
	w := Webhook{Enabled: true, CreatedAt: now, UpdatedAt: now}
	var p Problems
	if g.URL == nil {
		p.Add("url", "is required")
	}
	w.take(&p, g)
	err := p.Err()
	return w, err
}

// Apply changes the webhook as a whole, or gives Invalid and changes nothing.
func (w *Webhook) Apply(g GivenWebhook, now time.Time) error {
	if g.Problem != nil {
		return g.Problem
	}
	if g.URL == nil && g.EventTypes == nil && g.Enabled == nil {
		return Errorf(Invalid, "Nothing to change: give at least one of url, event_types, enabled.")
	}
	next := *w
	var p Problems
	if g.SkipMissed != nil && *g.SkipMissed && (w.Enabled || g.Enabled == nil || !*g.Enabled) {
		p.Add("skip_missed", "is for enabling a webhook that is not enabled")
	}
	next.take(&p, g)
	if err := p.Err(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*w = next
	return nil
}

// take takes over what was given and checks it. Another address, like somebody
// who enables it again, has a clean slate.
func (w *Webhook) take(p *Problems, g GivenWebhook) {
	if g.URL != nil && g.URLProblem != "" {
		p.Add("url", "%s", g.URLProblem)
	}
	if g.EventTypes != nil {
		w.EventTypes = slices.Clone(*g.EventTypes)
		seen := map[string]bool{}
		for i, t := range w.EventTypes {
			at := fmt.Sprintf("event_types[%d]", i)
			OneOf(p, at, t, WebhookTypes...)
			p.once(at, seen, string(t))
		}
	}
	if g.URL != nil && *g.URL != w.URL || g.Enabled != nil && *g.Enabled && !w.Enabled {
		w.FailingSince = nil
	}
	set(&w.URL, g.URL)
	set(&w.Enabled, g.Enabled)
	if w.Enabled {
		w.DisabledAt, w.DisabledReason = nil, ""
	}
}

// Disable has the service itself stop telling a webhook anything.
func (w *Webhook) Disable(reason string, now time.Time) {
	w.Enabled, w.DisabledAt, w.DisabledReason, w.UpdatedAt = false, &now, reason, now
}

// Rotation is a new secret for a webhook. The one before it signs beside it for a
// while.
type Rotation struct {
	Body
	Keep *time.Duration // for how long; nil for RotationTime
}

// Until is how long the secret before the new one is good.
func (r Rotation) Until(now time.Time) (time.Time, error) {
	if r.Problem != nil {
		return time.Time{}, r.Problem
	}
	keep := RotationTime
	set(&keep, r.Keep)
	var p Problems
	if keep < 0 || keep > MostRotationTime {
		p.Add("keep_previous_for", "must be 0 to %d seconds", int(MostRotationTime.Seconds()))
	}
	return now.Add(keep), p.Err()
}

// Replay asks that events are told once more: one, or those of a time.
type Replay struct {
	Body
	Event  string // the id of one
	After  *time.Time
	Before *time.Time
}

// Check finds what is wrong with it.
func (r Replay) Check() error {
	if r.Problem != nil {
		return r.Problem
	}
	var p Problems
	switch {
	case r.Event != "" && (r.After != nil || r.Before != nil):
		p.Add("event_id", "cannot be combined with after and before")
	case r.Event == "" && r.After == nil:
		p.Add("after", "is required, where event_id does not name one event")
	case r.After != nil && r.Before != nil && !r.After.Before(*r.Before):
		p.Add("before", "must be later than after")
	}
	return p.Err()
}
