package rest

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// givenWebhook reads a webhook.
func givenWebhook(b object) desk.GivenWebhook {
	g := desk.GivenWebhook{URL: b.text("url"), Enabled: b.flag("enabled"), SkipMissed: b.flag("skip_missed")}
	if types := b.texts("event_types"); types != nil {
		given := desk.Each(*types, func(t string) desk.EventType { return desk.EventType(t) })
		g.EventTypes = &given
	}
	return g
}

// readRotation reads how long the old secret stays valid.
func readRotation(b object) desk.Rotation {
	var r desk.Rotation
	if seconds := member[int64](b, "keep_previous_for", "a whole number of seconds"); seconds != nil {
		keep := time.Duration(min(max(*seconds, -1), 1<<31)) * time.Second
		r.Keep = &keep
	}
	return r
}

// readReplay reads which events to send again.
func readReplay(b object) desk.Replay {
	return desk.Replay{After: b.moment("after"), Before: b.moment("before"), Event: orZero(b.text("event_id"))}
}

func (s *Server) listDeliveries(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	var p desk.Problems
	f := desk.DeliveryFilter{Status: desk.DeliveryStatus(c.text(&p, "status"))}
	if c.values.Has("status") {
		desk.OneOf(&p, "status", f.Status, desk.DeliveryStatuses...)
	}
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Deliveries(c.ctx, c.caller, id, f, page)
	return list(c, "deliveries", wire.NewDelivery, l, err)
}
