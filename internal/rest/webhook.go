package rest

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

func (s *Server) listWebhooks(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Webhooks(c.ctx, c.caller, page)
	return list(c, "webhooks", wire.NewWebhook, l, err)
}

func (s *Server) getWebhook(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Webhook(c.ctx, c.caller, id)
}

func (s *Server) createWebhook(c *call) (any, error) {
	return s.service.CreateWebhook(c.ctx, c.caller, givenWebhook(c.object()))
}

func (s *Server) updateWebhook(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.UpdateWebhook(c.ctx, c.caller, id, givenWebhook(c.object()))
}

// givenWebhook reads a webhook.
func givenWebhook(b object) desk.GivenWebhook {
	g := desk.GivenWebhook{URL: b.text("url"), Enabled: b.flag("enabled"), SkipMissed: b.flag("skip_missed")}
	if types := b.texts("event_types"); types != nil {
		given := make([]desk.EventType, len(*types))
		for i, t := range *types {
			given[i] = desk.EventType(t)
		}
		g.EventTypes = &given
	}
	g.Problem = b.problem()
	return g
}

func (s *Server) deleteWebhook(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	return service.None{}, s.service.DeleteWebhook(c.ctx, c.caller, id)
}

func (s *Server) rotateWebhook(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	b := c.object()
	var r desk.Rotation
	if seconds := member[int64](b, "keep_previous_for", "a whole number of seconds"); seconds != nil {
		keep := time.Duration(min(max(*seconds, -1), 1<<31)) * time.Second
		r.Keep = &keep
	}
	r.Problem = b.problem()
	return s.service.RotateWebhook(c.ctx, c.caller, id, r)
}

func (s *Server) testWebhook(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.TestWebhook(c.ctx, c.caller, id)
}

func (s *Server) replayWebhook(c *call) (any, error) {
	id, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	b := c.object()
	r := desk.Replay{After: b.moment("after"), Before: b.moment("before")}
	if event := b.text("event_id"); event != nil {
		r.Event = *event
	}
	r.Problem = b.problem()
	return service.None{}, s.service.ReplayWebhook(c.ctx, c.caller, id, r)
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

func (s *Server) getDelivery(c *call) (any, error) {
	webhook, err := id[desk.WebhookID](c, "id")
	if err != nil {
		return nil, err
	}
	delivery, err := id[desk.DeliveryID](c, "delivery")
	if err != nil {
		return nil, err
	}
	return s.service.Delivery(c.ctx, c.caller, webhook, delivery)
}
