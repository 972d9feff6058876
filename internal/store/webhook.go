package store

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const webhookColumns = "id, url, event_types, is_enabled, failing_since, disabled_at, disabled_reason, created_at, updated_at"

func scanWebhook(scan scanner) (w desk.Webhook, err error) {
	err = scan(&w.ID, &w.URL, stored.EventTypes(&w.EventTypes), &w.Enabled, inMSOrNil(&w.FailingSince), inMSOrNil(&w.DisabledAt), &w.DisabledReason,
		inMS(&w.CreatedAt), inMS(&w.UpdatedAt))
	return w, err
}

// Webhook returns one webhook.
func (tx *Tx) Webhook(id desk.WebhookID) (desk.Webhook, error) {
	w, err := scanWebhook(tx.Row("SELECT "+webhookColumns+" FROM webhooks WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	return w, Missing(err, "Webhook")
}

// Webhooks returns a page of webhooks.
func (tx *Tx) Webhooks(p desk.Page) (desk.List[desk.Webhook], error) {
	var q query
	q.Add("SELECT "+webhookColumns+" FROM webhooks WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	return page(tx, &q, "created_at", p, scanWebhook, func(w desk.Webhook) desk.Position { return positionAt(w.CreatedAt, w.ID) })
}

// EnabledWebhook is a webhook that receives events.
type EnabledWebhook struct {
	desk.Webhook
	Delivering bool // somebody holds its lane
}

// EnabledWebhooks returns all webhooks that receive events.
func (tx *Tx) EnabledWebhooks() ([]EnabledWebhook, error) {
	return sqldb.Collect(tx.Tx, func(scan func(...any) error) (w EnabledWebhook, err error) {
		w.Webhook, err = scanWebhook(func(dest ...any) error { return scan(append(dest, &w.Delivering)...) })
		return w, err
	}, "SELECT "+webhookColumns+`, EXISTS (SELECT 1 FROM lanes l WHERE l.account_id = $1 AND l.kind = $2 AND l.id = webhooks.id AND l.held_until > $3)
		FROM webhooks WHERE account_id = $1 AND removed_at IS NULL AND is_enabled`, tx.Account, WebhookLane, ms(tx.Now))
}

func (tx *Tx) secretPlace() seal.Place {
	return seal.Place{Account: int64(tx.Account), Column: "webhooks.secret"}
}

// AddWebhook inserts a new webhook with its secret and sets its id. It receives
// events from now on.
func (tx *Tx) AddWebhook(w *desk.Webhook, secret string) error {
	end, err := tx.FeedEnd()
	if err != nil {
		return err
	}
	err = tx.Row(`INSERT INTO webhooks (account_id, url, event_types, is_enabled, secret, taken_to, disabled_reason, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8) RETURNING id`,
		tx.Account, w.URL, stored.EventTypes(&w.EventTypes), w.Enabled, tx.store.key.Seal(tx.secretPlace(), []byte(secret)), end, ms(w.CreatedAt), ms(w.UpdatedAt)).Scan(&w.ID)
	return wrap("add webhook", err)
}

// SaveWebhook saves a changed webhook.
func (tx *Tx) SaveWebhook(w desk.Webhook) error {
	return tx.Do(`UPDATE webhooks SET url = $1, event_types = $2, is_enabled = $3, failing_since = $4, disabled_at = $5, disabled_reason = $6, updated_at = $7
		WHERE account_id = $8 AND id = $9`,
		w.URL, stored.EventTypes(&w.EventTypes), w.Enabled, OptionalMS(w.FailingSince), OptionalMS(w.DisabledAt), w.DisabledReason, ms(w.UpdatedAt), tx.Account, w.ID)
}

// RemoveWebhook removes a webhook. Its deliveries stay until they are swept.
func (tx *Tx) RemoveWebhook(id desk.WebhookID) error {
	return tx.Do("UPDATE webhooks SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// RotateSecret gives a webhook a new secret. The old one also signs until the given
// time.
func (tx *Tx) RotateSecret(id desk.WebhookID, secret string, until time.Time) error {
	return tx.Do("UPDATE webhooks SET previous_secret = secret, previous_until = $1, secret = $2, updated_at = $3 WHERE account_id = $4 AND id = $5",
		ms(until), tx.store.key.Seal(tx.secretPlace(), []byte(secret)), ms(tx.Now), tx.Account, id)
}

// Route is what is needed to send events to a webhook.
type Route struct {
	desk.Webhook
	Secrets []string // those that sign, newest first
	TakenTo int64    // the place in the feed up to which its events were picked up
}

// Route returns what is needed to send events to a webhook.
func (tx *Tx) Route(id desk.WebhookID) (r Route, err error) {
	if r.Webhook, err = tx.Webhook(id); err != nil {
		return r, err
	}
	var secret, previous []byte
	var goodUntil *int64
	err = tx.Row("SELECT taken_to, secret, previous_secret, previous_until FROM webhooks WHERE account_id = $1 AND id = $2", tx.Account, id).
		Scan(&r.TakenTo, &secret, &previous, &goodUntil)
	if err != nil {
		return r, err
	}
	sealed := [][]byte{secret}
	if goodUntil != nil && *goodUntil > ms(tx.Now) {
		sealed = append(sealed, previous)
	}
	for _, b := range sealed {
		open, err := tx.store.key.Open(tx.secretPlace(), b)
		if err != nil {
			return r, err
		}
		r.Secrets = append(r.Secrets, string(open))
	}
	return r, nil
}

// MoveWebhook records the place in the feed up to which a webhook's events were
// picked up.
func (tx *Tx) MoveWebhook(id desk.WebhookID, to int64) error {
	return tx.Do("UPDATE webhooks SET taken_to = $1 WHERE account_id = $2 AND id = $3", to, tx.Account, id)
}
