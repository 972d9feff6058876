package store_test

import (
	"fmt"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// There is room up to the limit and not beyond it, and what is removed leaves room.
func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		var customer desk.Customer
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			customer, err = addCustomer(tx, desk.Customer{Name: "Fern"})
			return err
		})
		for name, of := range map[string]struct {
			most int
			// add adds a thing and returns it, with what removes it.
			add func(tx *store.Tx) (desk.Noun, func() error, error)
		}{
			"custom fields": {desk.MostCustomFields, func(tx *store.Tx) (desk.Noun, func() error, error) {
				f, err := addCustomField(tx, desk.FieldDate)
				return f, func() error { return tx.RemoveCustomField(f.ID) }, err
			}},
			"schedules": {desk.MostSchedules, func(tx *store.Tx) (desk.Noun, func() error, error) {
				s, err := addSchedule(tx)
				return s, func() error { return tx.RemoveSchedule(s.ID) }, err
			}},
			"ticket forms": {desk.MostTicketForms, func(tx *store.Tx) (desk.Noun, func() error, error) {
				f, err := addTicketForm(tx)
				return f, func() error { return tx.RemoveTicketForm(f.ID) }, err
			}},
			"webhooks": {desk.MostWebhooks, func(tx *store.Tx) (desk.Noun, func() error, error) {
				w, err := addWebhook(tx)
				return w, func() error { return tx.RemoveWebhook(w.ID) }, err
			}},
			"shared views": {desk.MostViews, func(tx *store.Tx) (desk.Noun, func() error, error) {
				v := desk.View{Member: admin.ID, Shared: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
				err := saved.AddView(tx, &v)
				return v, func() error { return saved.RemoveView(tx, v.ID) }, err
			}},
			"customer notes": {desk.MostCustomerNotes, func(tx *store.Tx) (desk.Noun, func() error, error) {
				n := desk.CustomerNote{Customer: customer.ID, Author: admin.ID, CreatedAt: tx.Now}
				err := tx.AddCustomerNote(&n)
				return n, func() error { return tx.RemoveCustomerNote(n.ID) }, err
			}},
			"own quick replies": {desk.MostQuickReplies, func(tx *store.Tx) (desk.Noun, func() error, error) {
				r := desk.QuickReply{Member: admin.ID, CreatedAt: tx.Now, UpdatedAt: tx.Now}
				err := tx.AddQuickReply(&r)
				return r, func() error { return tx.RemoveQuickReply(r.ID) }, err
			}},
		} {
			write(t, s, account.ID, func(tx *store.Tx) error {
				var last desk.Noun
				var remove func() error
				for i := range of.most {
					if i == of.most-1 {
						if err := tx.CheckRoom(last); err != nil {
							return fmt.Errorf("room for the last of %d %s: %w", of.most, name, err)
						}
					}
					var err error
					if last, remove, err = of.add(tx); err != nil {
						return err
					}
				}
				if err := tx.CheckRoom(last); desk.KindOf(err) != desk.Invalid {
					t.Errorf("room for more than %d %s: %v", of.most, name, err)
				}
				if err := remove(); err != nil {
					return err
				}
				return tx.CheckRoom(last) // for another
			})
		}
		// What others keep for themselves, and what is shared, counts by itself.
		write(t, s, account.ID, func(tx *store.Tx) error {
			return all(tx.CheckRoom(desk.QuickReply{Member: admin.ID + 1}), tx.CheckRoom(desk.QuickReply{Member: admin.ID, Shared: true}), tx.CheckRoom(desk.View{Member: admin.ID}))
		})
	})
}
