package change

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// ReplayEvents is a job that delivers the events of a period to a webhook again,
// one part at a time.
type ReplayEvents struct {
	Account desk.AccountID
	Webhook desk.WebhookID
	After   time.Time
	Before  time.Time
	From    *desk.Position // where the previous part ended; nil for the first part
}

func (ReplayEvents) Kind() string { return "webhook.replay" }

// QueueReplay queues events for delivery to a webhook again, after those about the
// same subjects that are already waiting.
func QueueReplay(tx *store.Tx, id desk.WebhookID, events []desk.Event) error {
	waiting, err := tx.WaitingSubjects(id, desk.Each(events, func(e desk.Event) string { return e.Subject }))
	if err != nil {
		return err
	}
	if waiting == nil {
		waiting = map[string]bool{}
	}
	all := make([]desk.Delivery, len(events))
	for i, e := range events {
		all[i] = desk.Delivery{Webhook: id, Event: e, Cause: desk.CauseReplay, Status: desk.DeliveryWaiting, CreatedAt: tx.Now}
		if !waiting[e.Subject] {
			all[i].TryAt = &tx.Now
		}
		waiting[e.Subject] = true
	}
	if err := tx.AddDeliveries(all); err != nil {
		return err
	}
	return tx.DeliverWebhookAt(id, tx.Now)
}
