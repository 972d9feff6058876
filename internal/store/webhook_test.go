package store_test

import (
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

func addWebhook(tx *store.Tx, types ...desk.EventType) (desk.Webhook, error) {
	w := desk.Webhook{URL: "https://hooks.example/x", EventTypes: types, Enabled: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	err := tx.AddWebhook(&w, "whsec_c2VjcmV0")
	return w, err
}

// Deliveries wait in line. Only the first has a time, and when it ends, the next
// gets one. Sweeping deletes deliveries that are done, and all of a removed
// webhook.
func TestDeliveriesStandInLine(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var w, removed desk.Webhook
		line := func(hook desk.WebhookID, subject string, tryAt *time.Time) desk.Delivery {
			return desk.Delivery{Webhook: hook, Event: desk.Event{Type: desk.WebhookTest, Subject: subject, Data: []byte("{}")},
				Cause: desk.CauseTest, Status: desk.DeliveryWaiting, TryAt: tryAt, CreatedAt: c.Now()}
		}
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			if w, err = addWebhook(tx); err != nil {
				return err
			}
			if removed, err = addWebhook(tx); err != nil {
				return err
			}
			later := tx.Now.Add(time.Hour)
			return tx.AddDeliveries([]desk.Delivery{
				line(w.ID, "a", &tx.Now), line(w.ID, "b", &later), line(w.ID, "a", nil), line(w.ID, "b", nil), line(w.ID, "a", nil), line(removed.ID, "a", nil),
			})
		})
		subjects := func(limit int) (got []string) {
			read(t, s, account.ID, func(tx *store.Tx) error {
				due, err := tx.DueDeliveries(w.ID, limit)
				for _, d := range due {
					got = append(got, d.Event.Subject)
				}
				return err
			})
			return got
		}
		if got := subjects(10); len(got) != 3 || got[0] != "a" {
			t.Errorf("due are %v, want a and those behind it", got)
		}
		if got := subjects(2); len(got) != 2 {
			t.Errorf("of at most two, due are %v", got)
		}
		write(t, s, account.ID, func(tx *store.Tx) error {
			due, err := tx.DueDeliveries(w.ID, 1)
			if err != nil {
				return err
			}
			// The first already has a time, so releasing its line changes nothing.
			if err := tx.ReleaseLine(w.ID, "a"); err != nil {
				return err
			}
			first := due[0]
			first.Status, first.TryAt, first.EndedAt = desk.DeliveryFailed, nil, &tx.Now
			if err := tx.SaveDelivery(first); err != nil {
				return err
			}
			if again, err := tx.DueDeliveries(w.ID, 10); err != nil || len(again) != 0 {
				t.Errorf("the first has ended, and before its line is released these are due: %v, %v", again, err)
			}
			if err := tx.ReleaseLine(w.ID, "a"); err != nil {
				return err
			}
			again, err := tx.DueDeliveries(w.ID, 10)
			if err == nil && (len(again) != 2 || again[0].TryAt == nil || again[1].TryAt != nil) {
				t.Errorf("the next has no moment: %+v", again)
			}
			if err := tx.RemoveWebhook(removed.ID); err != nil {
				return err
			}
			more, err := tx.SweepDeliveries(tx.Now.Add(time.Second))
			if err != nil || more {
				t.Errorf("sweeping: more %v, %v", more, err)
			}
			left, err := tx.Deliveries(w.ID, desk.DeliveryFilter{}, desk.Page{})
			if len(left.Items) != 4 {
				t.Errorf("%d of the webhook are left, want the 4 that wait", len(left.Items))
			}
			if err != nil {
				return err
			}
			left, err = tx.Deliveries(removed.ID, desk.DeliveryFilter{}, desk.Page{})
			if len(left.Items) != 0 {
				t.Errorf("%d of the removed webhook are left", len(left.Items))
			}
			return err
		})
	})
}

// While somebody delivers the events of a webhook, they take the next ones too. The job
// for those waits a moment, so that no other node tries to hold the webhook for each.
func TestEventsAreLeftToWhoDelivers(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var w desk.Webhook
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			w, err = addWebhook(tx)
			return err
		})
		lane := store.Lane{Kind: store.WebhookLane, ID: int64(w.ID)}
		rung := s.DB().Rung("jobs." + store.QueueWebhooks)
		// dueIn records an event and returns how much later the job of the webhook runs.
		dueIn := func() (d time.Duration, rings uint64) {
			t.Helper()
			must(t, s.DB().Write(ctx, func(tx *sqldb.Tx) error { return tx.Do("DELETE FROM jobs") }))
			before := rung.Load()
			write(t, s, account.ID, func(tx *store.Tx) error {
				return tx.Record(desk.Change{By: by, Event: desk.AccountUpdated, Action: "account.updated", Resource: "Account", ID: "1", After: account})
			})
			var at int64
			must(t, s.DB().Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT run_at FROM jobs").Scan(&at) }))
			return time.UnixMilli(at).Sub(c.Now()), rung.Load() - before
		}
		if d, rings := dueIn(); d != 0 || rings == 0 {
			t.Errorf("nobody delivers, and the job is due in %v with %d rings", d, rings)
		}
		write(t, s, account.ID, func(tx *store.Tx) error {
			_, err := tx.Hold(lane, "somebody", tx.Now.Add(time.Minute))
			return err
		})
		before := rung.Load()
		if d, _ := dueIn(); d != store.DeliverGrace {
			t.Errorf("somebody delivers, and the job is due in %v", d)
		}
		if n := rung.Load(); s.DB().Engine() == sqldb.SQLite && n != before { // PostgreSQL's bells ring when it begins to listen
			t.Errorf("somebody delivers, and %d rings wake others", n-before)
		}
		c.move(time.Minute) // nobody knows what became of them
		if d, _ := dueIn(); d != 0 {
			t.Errorf("the hold is over, and the job is due in %v", d)
		}
	})
}
