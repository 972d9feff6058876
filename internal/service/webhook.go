package service

import (
	"context"
	"crypto/rand"
	"strings"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/webhook"
	"frontdesk/internal/wire"
)

// Webhooks returns a page of the account's webhooks.
func (s *Service) Webhooks(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.Webhook], error) {
	return look(ctx, s, c, desk.ListWebhooks, func(tx *store.Tx) (desk.List[desk.Webhook], error) { return tx.Webhooks(p) })
}

// Webhook returns one webhook of the account.
func (s *Service) Webhook(ctx context.Context, c Caller, id desk.WebhookID) (desk.Webhook, error) {
	return look(ctx, s, c, desk.GetWebhook, func(tx *store.Tx) (desk.Webhook, error) { return tx.Webhook(id) })
}

// checkURL sets what is wrong with the address that a caller gave.
func (s *Service) checkURL(g *desk.GivenWebhook) {
	if g.URL == nil {
		return
	}
	if err := s.webhooks.Check(*g.URL); err != nil {
		// "The URL must …" is a sentence. A problem has no subject, because the
		// field's name stands before it.
		said := strings.TrimSuffix(err.Error(), ".")
		rest, ok := strings.CutPrefix(said, "The URL ")
		if !ok {
			rest = "cannot be used: " + said
		}
		g.URLProblem = rest
	}
}

// CreateWebhook adds a webhook, which receives events from now on. Its secret is
// shown only this once.
func (s *Service) CreateWebhook(ctx context.Context, c Caller, g desk.GivenWebhook) (desk.ShownWebhook, error) {
	s.checkURL(&g)
	return write(ctx, s, c, desk.CreateWebhook, func(tx *store.Tx) (w desk.ShownWebhook, err error) {
		if w.Webhook, err = g.Webhook(tx.Now); err != nil {
			return w, err
		}
		if err := tx.CheckRoom(w.Webhook); err != nil {
			return w, err
		}
		w.Secret = webhook.NewSecret()
		if err := tx.AddWebhook(&w.Webhook, w.Secret); err != nil {
			return w, err
		}
		return w, change.Record(tx, c.Actor, "webhook.created", nil, w.Webhook)
	})
}

// UpdateWebhook changes a webhook. If it is enabled again, it goes on where it
// stopped, unless the caller wants to skip what it missed.
func (s *Service) UpdateWebhook(ctx context.Context, c Caller, id desk.WebhookID, g desk.GivenWebhook) (desk.Webhook, error) {
	s.checkURL(&g)
	return update(ctx, s, c, desk.UpdateWebhook, "webhook.updated", id, (*store.Tx).Webhook, func(tx *store.Tx, before desk.Webhook, w *desk.Webhook) error {
		if err := w.Apply(g, tx.Now); err != nil {
			return err
		}
		if err := tx.SaveWebhook(*w); err != nil || !w.Enabled || before.Enabled {
			return err
		}
		again := tx.TryAgain
		if g.SkipMissed != nil && *g.SkipMissed {
			again = tx.SkipWaiting
		}
		if err := again(id); err != nil {
			return err
		}
		return tx.DeliverWebhookAt(id, tx.Now)
	})
}

// DeleteWebhook removes a webhook. It receives nothing more.
func (s *Service) DeleteWebhook(ctx context.Context, c Caller, id desk.WebhookID) (None, error) {
	return remove(ctx, s, c, desk.DeleteWebhook, "webhook.deleted", id, (*store.Tx).Webhook, (*store.Tx).RemoveWebhook)
}

// RotateWebhook gives a webhook a new secret, which is shown only this once. The
// old one also signs for a while, so that the receiver can switch.
func (s *Service) RotateWebhook(ctx context.Context, c Caller, id desk.WebhookID, r desk.Rotation) (desk.ShownWebhook, error) {
	return write(ctx, s, c, desk.RotateWebhook, func(tx *store.Tx) (w desk.ShownWebhook, err error) {
		before, err := tx.Webhook(id)
		if err != nil {
			return w, err
		}
		until, err := r.Until(tx.Now)
		if err != nil {
			return w, err
		}
		w.Secret = webhook.NewSecret()
		if err := tx.RotateSecret(id, w.Secret, until); err != nil {
			return w, err
		}
		w.Webhook = before
		w.UpdatedAt = tx.Now
		return w, change.Record(tx, c.Actor, "webhook.rotated", before, w.Webhook)
	})
}

var errNotEnabled = desk.Errorf(desk.Refused, "The webhook is not enabled. Enable it first.")

// enabledWebhook returns a webhook that can be sent something now. It returns
// Refused if the webhook is not enabled.
func enabledWebhook(tx *store.Tx, id desk.WebhookID) (desk.Webhook, error) {
	w, err := tx.Webhook(id)
	if err == nil && !w.Enabled {
		err = errNotEnabled
	}
	return w, err
}

// TestWebhook sends a webhook a test event, without retries. The delivery shows the
// result.
func (s *Service) TestWebhook(ctx context.Context, c Caller, id desk.WebhookID) (desk.Delivery, error) {
	return write(ctx, s, c, desk.TestWebhook, func(tx *store.Tx) (d desk.Delivery, err error) {
		w, err := enabledWebhook(tx, id)
		if err != nil {
			return d, err
		}
		data, err := wire.Object(w)
		if err != nil {
			return d, err
		}
		// It has its own subject, so that it waits for nothing else.
		test := desk.Event{Type: desk.WebhookTest, Subject: "test " + rand.Text(), Data: data}
		made, err := tx.AddDelivery(desk.Delivery{Webhook: id, Event: test, Cause: desk.CauseTest, Status: desk.DeliveryWaiting, TryAt: &tx.Now, CreatedAt: tx.Now})
		if err != nil {
			return d, err
		}
		if d, err = tx.Delivery(id, made); err != nil {
			return d, err
		}
		if err := tx.DeliverWebhookAt(id, tx.Now); err != nil {
			return d, err
		}
		return d, change.Record(tx, c.Actor, "webhook.tested", w, w)
	})
}

// ReplayWebhook sends events to a webhook again, with the same ids: one event, or
// those of its types in a time range.
func (s *Service) ReplayWebhook(ctx context.Context, c Caller, id desk.WebhookID, r desk.Replay) (None, error) {
	return write(ctx, s, c, desk.ReplayWebhook, func(tx *store.Tx) (none None, err error) {
		w, err := enabledWebhook(tx, id)
		if err != nil {
			return none, err
		}
		if err := r.Check(); err != nil {
			return none, err
		}
		if r.Event == "" {
			if r.Before == nil {
				r.Before = &tx.Now
			}
			err = job.Add(tx.Tx, change.ReplayEvents{Account: tx.Account, Webhook: id, After: *r.After, Before: *r.Before}, tx.Now)
		} else {
			err = s.replayOne(tx, id, r.Event)
		}
		if err != nil {
			return none, err
		}
		return none, change.Record(tx, c.Actor, "webhook.replayed", w, w)
	})
}

func (s *Service) replayOne(tx *store.Tx, id desk.WebhookID, event string) error {
	seq, ok := s.store.EventSeq(tx.Account, event)
	if !ok {
		return errUnknownEvent
	}
	e, err := tx.EventAt(seq)
	if desk.KindOf(err) == desk.NotFound {
		return errUnknownEvent
	}
	if err != nil {
		return err
	}
	return change.QueueReplay(tx, id, []desk.Event{e})
}

var errUnknownEvent = desk.Wrong("event_id", "must be the id of an event, as the feed or a delivery shows it")

// Deliveries returns a page of the delivery log of a webhook: what was and what
// will be sent to it.
func (s *Service) Deliveries(ctx context.Context, c Caller, id desk.WebhookID, f desk.DeliveryFilter, p desk.Page) (desk.List[desk.Delivery], error) {
	return read(ctx, s, c, desk.ListDeliveries, func(tx *store.Tx) (desk.List[desk.Delivery], error) {
		if _, err := tx.Webhook(id); err != nil {
			return desk.List[desk.Delivery]{}, err
		}
		return tx.Deliveries(id, f, p)
	})
}

// Delivery returns one delivery of a webhook, with what was sent and what came
// back.
func (s *Service) Delivery(ctx context.Context, c Caller, webhook desk.WebhookID, id desk.DeliveryID) (desk.Delivery, error) {
	return read(ctx, s, c, desk.GetDelivery, func(tx *store.Tx) (desk.Delivery, error) {
		if _, err := tx.Webhook(webhook); err != nil {
			return desk.Delivery{}, err
		}
		return tx.Delivery(webhook, id)
	})
}
