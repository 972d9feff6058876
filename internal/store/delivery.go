package store

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

// DeliverWebhook is a job that delivers events to a webhook. It is added in each
// transaction that numbers events, so that no event is missed.
type DeliverWebhook struct {
	Account desk.AccountID
	Webhook desk.WebhookID
}

func (DeliverWebhook) Kind() string  { return "webhook.deliver" }
func (DeliverWebhook) Queue() string { return QueueWebhooks }

// QueueWebhooks is the queue of deliveries to webhooks, which must not hold up other
// work.
const QueueWebhooks = "webhook"

// DeliverGrace is how long an event is left to whoever is delivering the events before
// it. Otherwise every node would try to hold the webhook for each of its events.
const DeliverGrace = 5 * time.Second

// DeliverWebhookAt has events delivered to a webhook at a time.
func (tx *Tx) DeliverWebhookAt(id desk.WebhookID, at time.Time) error {
	return job.Add(tx.Tx, DeliverWebhook{tx.Account, id}, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d %d", tx.Account, id)))
}

// deliverNews has the webhooks that want one of these types of events told of them.
func (tx *Tx) deliverNews(news News) error {
	hooks, err := tx.EnabledWebhooks()
	if err != nil {
		return err
	}
	for _, w := range hooks {
		if len(w.EventTypes) > 0 && !slices.ContainsFunc(w.EventTypes, func(t desk.EventType) bool { return news[t] }) {
			continue
		}
		at := tx.Now
		if w.Delivering { // whoever does also takes this event; the job is for the case that they cannot
			at = at.Add(DeliverGrace)
		}
		if err := tx.DeliverWebhookAt(w.ID, at); err != nil {
			return err
		}
	}
	return nil
}

const deliveryColumns = "id, webhook_id, event_seq, type, subject, cause, status, try_at, tries, attempts, payload, created_at, ended_at"

// scanDelivery reads a delivery. It fills in only those parts of the event that the
// row holds.
func (tx *Tx) scanDelivery(scan scanner) (d desk.Delivery, err error) {
	var payload []byte
	err = scan(&d.ID, &d.Webhook, &d.Event.Seq, &d.Event.Type, &d.Event.Subject, &d.Cause, &d.Status, inMSOrNil(&d.TryAt), &d.Tries,
		stored.Attempts(&d.Attempts), &payload, inMS(&d.CreatedAt), inMSOrNil(&d.EndedAt))
	if d.Event.Seq != 0 {
		d.Event.ID = tx.store.EventID(tx.Account, d.Event.Seq)
	} else {
		d.Event.ID, d.Event.At, d.Event.Data = fmt.Sprintf("test_%d", d.ID), d.CreatedAt, payload
	}
	return d, err
}

// AddDeliveries inserts new deliveries, in the order in which they are to be sent.
func (tx *Tx) AddDeliveries(all []desk.Delivery) error {
	deliveries := tx.insert(`INSERT INTO deliveries
		(account_id, webhook_id, event_seq, type, subject, cause, status, try_at, tries, attempts, payload, created_at, ended_at) VALUES `)
	for _, d := range all {
		attempts, err := stored.Attempts(&d.Attempts).Value()
		if err != nil {
			return wrap("add deliveries", err)
		}
		var payload *string
		if d.Event.Seq == 0 {
			text := string(d.Event.Data)
			payload = &text
		}
		deliveries.Add(tx.Account, d.Webhook, d.Event.Seq, d.Event.Type, d.Event.Subject, d.Cause, d.Status, OptionalMS(d.TryAt), d.Tries,
			attempts, payload, ms(d.CreatedAt), OptionalMS(d.EndedAt))
	}
	return wrap("add deliveries", deliveries.Flush())
}

// AddDelivery inserts a delivery that is to be tried now, and returns its id.
func (tx *Tx) AddDelivery(d desk.Delivery) (desk.DeliveryID, error) {
	if err := tx.AddDeliveries([]desk.Delivery{d}); err != nil {
		return 0, err
	}
	var id desk.DeliveryID
	err := tx.Row("SELECT max(id) FROM deliveries WHERE account_id = $1 AND webhook_id = $2 AND subject = $3 AND status = 'waiting'",
		tx.Account, d.Webhook, d.Event.Subject).Scan(&id)
	return id, err
}

// SaveDelivery saves the result of an attempt.
func (tx *Tx) SaveDelivery(d desk.Delivery) error {
	return tx.Do("UPDATE deliveries SET status = $1, try_at = $2, tries = $3, attempts = $4, ended_at = $5 WHERE account_id = $6 AND id = $7",
		d.Status, OptionalMS(d.TryAt), d.Tries, stored.Attempts(&d.Attempts), OptionalMS(d.EndedAt), tx.Account, d.ID)
}

// Delivery returns one delivery of a webhook, with its event.
func (tx *Tx) Delivery(webhook desk.WebhookID, id desk.DeliveryID) (desk.Delivery, error) {
	d, err := tx.scanDelivery(tx.Row("SELECT "+deliveryColumns+" FROM deliveries WHERE account_id = $1 AND webhook_id = $2 AND id = $3",
		tx.Account, webhook, id).Scan)
	if err != nil {
		return d, Missing(err, "Delivery")
	}
	one := []desk.Delivery{d}
	err = tx.addEvents(one)
	return one[0], err
}

// Deliveries returns a page of a webhook's deliveries, without the data of their
// events.
func (tx *Tx) Deliveries(webhook desk.WebhookID, f desk.DeliveryFilter, p desk.Page) (desk.List[desk.Delivery], error) {
	var q query
	q.Add("SELECT "+deliveryColumns+" FROM deliveries WHERE account_id = ? AND webhook_id = ?", tx.Account, webhook)
	if f.Status != "" {
		q.Add(" AND status = ?", f.Status)
	}
	return page(tx, &q, "created_at", p, tx.scanDelivery, func(d desk.Delivery) desk.Position { return positionAt(d.CreatedAt, d.ID) })
}

// addEvents reads the events of all given deliveries in one query.
func (tx *Tx) addEvents(all []desk.Delivery) error {
	var places []int64
	for _, d := range all {
		if d.Event.Seq != 0 {
			places = append(places, d.Event.Seq)
		}
	}
	events, err := lookUp(tx, places, tx.scanEvent, "SELECT "+eventColumns+" FROM events WHERE account_id = ? AND seq IN ")
	if err != nil {
		return err
	}
	at := byKey(events, func(e desk.Event) int64 { return e.Seq })
	for i, d := range all {
		if d.Event.Seq != 0 {
			all[i].Event = at[d.Event.Seq]
		}
	}
	return nil
}

// DueDeliveries returns the deliveries of a webhook that are due now, each followed
// by those that wait behind it. It returns at most limit in all.
func (tx *Tx) DueDeliveries(webhook desk.WebhookID, limit int) ([]desk.Delivery, error) {
	subjects, err := sqldb.Collect(tx.Tx, scanText, "SELECT subject FROM deliveries WHERE account_id = $1 AND webhook_id = $2 AND try_at IS NOT NULL AND try_at <= $3 ORDER BY try_at, id LIMIT $4",
		tx.Account, webhook, ms(tx.Now), limit)
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	var q query
	q.Add("SELECT "+deliveryColumns+" FROM deliveries WHERE account_id = ? AND webhook_id = ? AND status = 'waiting' AND subject IN ", tx.Account, webhook)
	sqldb.In(&q, subjects)
	q.Add(" ORDER BY id LIMIT ?", limit)
	all, err := sqldb.Collect(tx.Tx, tx.scanDelivery, q.String(), q.Args()...)
	if err != nil {
		return nil, err
	}
	return all, tx.addEvents(all)
}

// WaitingSubjects returns which of the subjects have a delivery waiting for a
// webhook.
func (tx *Tx) WaitingSubjects(webhook desk.WebhookID, subjects []string) (map[string]bool, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	var q query
	q.Add("SELECT DISTINCT subject FROM deliveries WHERE account_id = ? AND webhook_id = ? AND status = 'waiting' AND subject IN ", tx.Account, webhook)
	sqldb.In(&q, subjects)
	waiting, err := sqldb.Collect(tx.Tx, scanText, q.String(), q.Args()...)
	return setOf(waiting), err
}

// ReleaseLine makes the first waiting delivery of a subject due now, unless it
// already has a time.
func (tx *Tx) ReleaseLine(webhook desk.WebhookID, subject string) error {
	return tx.Do(`UPDATE deliveries SET try_at = $1 WHERE account_id = $2 AND try_at IS NULL AND id =
		(SELECT min(id) FROM deliveries WHERE account_id = $2 AND webhook_id = $3 AND subject = $4 AND status = 'waiting')`,
		ms(tx.Now), tx.Account, webhook, subject)
}

// NextTry returns when the next delivery to a webhook is due; ok is false if none
// is waiting.
func (tx *Tx) NextTry(webhook desk.WebhookID) (at time.Time, ok bool, err error) {
	n, err := one[*int64](tx, "SELECT try_at FROM deliveries WHERE account_id = $1 AND webhook_id = $2 AND try_at IS NOT NULL ORDER BY try_at LIMIT 1",
		tx.Account, webhook)
	return value(FromOptionalMS(n)), n != nil, err
}

// TryAgain resets the waiting deliveries of a webhook: they get all their attempts
// again, the first of them now.
func (tx *Tx) TryAgain(webhook desk.WebhookID) error {
	return tx.Do("UPDATE deliveries SET try_at = $1, tries = 0 WHERE account_id = $2 AND webhook_id = $3 AND try_at IS NOT NULL",
		ms(tx.Now), tx.Account, webhook)
}

// SkipWaiting gives up on the waiting deliveries of a webhook and moves it to the
// end of the feed, so that it receives only what happens from now on.
func (tx *Tx) SkipWaiting(webhook desk.WebhookID) error {
	if err := tx.Do("UPDATE deliveries SET status = 'failed', try_at = NULL, ended_at = $1 WHERE account_id = $2 AND webhook_id = $3 AND status = 'waiting'",
		ms(tx.Now), tx.Account, webhook); err != nil {
		return err
	}
	end, err := tx.FeedEnd()
	if err != nil {
		return err
	}
	return tx.MoveWebhook(webhook, end)
}

// sweptAtOnce is how many deliveries are deleted in one transaction.
const sweptAtOnce = 500

// SweepDeliveries deletes one batch of the deliveries created before a time that
// are done or whose webhook was removed. more reports that there may be others.
func (tx *Tx) SweepDeliveries(before time.Time) (more bool, err error) {
	hooks, err := sqldb.Collect(tx.Tx, scanID[desk.WebhookID], "SELECT id FROM webhooks WHERE account_id = $1", tx.Account)
	if err != nil {
		return false, err
	}
	for _, id := range hooks {
		n, err := tx.Exec(`DELETE FROM deliveries WHERE account_id = $1 AND id IN (
			SELECT d.id FROM deliveries d JOIN webhooks w ON w.account_id = d.account_id AND w.id = d.webhook_id
			WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.created_at < $3 AND (d.status <> 'waiting' OR w.removed_at IS NOT NULL)
			ORDER BY d.created_at, d.id LIMIT $4)`, tx.Account, id, ms(before), sweptAtOnce)
		if err != nil || n == sweptAtOnce {
			return true, err
		}
	}
	return false, nil
}
