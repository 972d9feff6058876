package change

import (
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// WebhookChange is a change to be recorded; its event types are no secret, its
// secret is in neither.
func WebhookChange(by desk.Actor, action string, before, after *desk.Webhook) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Webhook"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// ReplayEvents has the events of a time told to a webhook once more, a part of
// them at a time.
type ReplayEvents struct {
	Account desk.AccountID
	Webhook desk.WebhookID
	After   time.Time
	Before  time.Time
	From    *desk.Position // behind the last of the part before; nil for the first
}

func (ReplayEvents) Kind() string { return "webhook.replay" }

// Replay has events told to a webhook once more, behind what waits already.
func Replay(tx *store.Tx, id desk.WebhookID, events []desk.Event) error {
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
