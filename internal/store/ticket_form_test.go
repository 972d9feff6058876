package store_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addTicketForm adds an enabled native form.
func addTicketForm(tx *store.Tx, fields ...desk.FormField) (desk.TicketForm, error) {
	f := desk.TicketForm{Name: "F", Enabled: true, Type: desk.Native, Create: desk.FormAction{Enabled: true, Fields: fields}, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	err := tx.AddTicketForm(&f)
	return f, err
}

// A form is stored as given, in its order. A change replaces it. A removed field is
// not shown.
func TestTicketFormsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var form, other desk.TicketForm
		var field desk.CustomField
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			field = desk.CustomField{Entity: desk.EntityRequest, Name: "Due", Type: desk.FieldDate, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddCustomField(&field); err != nil {
				return err
			}
			form, err = addTicketForm(tx,
				desk.FormField{Key: desk.FormStatus, Label: "S", Audience: desk.ForResponders, RequiredByResponder: true},
				desk.FormField{Key: desk.FormKey(fmt.Sprint(field.ID)), Label: "<Due>", Audience: desk.ForAll, RequiredByNonResponder: true},
				desk.FormField{Key: desk.FormTitle, Label: "T", Audience: desk.ForAll, Hidden: true})
			if err != nil {
				return err
			}
			other, err = addTicketForm(tx)
			return err
		})
		same := func(want desk.TicketForm) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) error {
				if got, err := tx.TicketForm(want.ID); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, %v\nwant %+v", got, err, want)
				}
				if l, err := tx.TicketForms(desk.FormFilter{}, desk.Page{Ascending: true}); err != nil || !reflect.DeepEqual(l.Items, []desk.TicketForm{want, other}) {
					t.Errorf("listed %+v, %v", l.Items, err)
				}
				return nil
			})
		}
		same(form)

		c.move(time.Minute)
		form.Name, form.Description, form.Enabled, form.Create.Enabled, form.UpdatedAt = "G", ptr("d"), false, false, c.Now()
		form.Create.Fields = append([]desk.FormField{{Key: desk.FormPriority, Label: "P", Audience: desk.ForAll}}, form.Create.Fields[1:]...)
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.SaveTicketForm(form) })
		same(form)

		write(t, s, account.ID, func(tx *store.Tx) error { return tx.RemoveCustomField(field.ID) })
		form.Create.Fields = []desk.FormField{form.Create.Fields[0], form.Create.Fields[2]}
		same(form)

		// A removed form can be read only by its id.
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.RemoveTicketForm(form.ID) })
		now := c.Now()
		form.DeletedAt = &now
		write(t, s, account.ID, func(tx *store.Tx) error {
			if got, err := tx.TicketForm(form.ID); desk.KindOf(err) != desk.NotFound {
				t.Errorf("a removed form is %+v, %v", got, err)
			}
			if l, err := tx.TicketForms(desk.FormFilter{}, desk.Page{}); err != nil || !reflect.DeepEqual(l.Items, []desk.TicketForm{other}) {
				t.Errorf("listed %+v, %v", l.Items, err)
			}
			changed := form
			changed.Name = "H"
			if err := tx.SaveTicketForm(changed); err != nil {
				return err
			}
			if got, err := tx.TicketFormOnceMade(form.ID); err != nil || !reflect.DeepEqual(got, form) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, form)
			}
			return nil
		})
	})
}

// Filters apply before the page is cut, and pages hold every form once.
func TestTicketFormFilters(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var all []desk.TicketForm
		write(t, s, account.ID, func(tx *store.Tx) error {
			for i := range 24 {
				f := desk.TicketForm{Name: "F", Enabled: i%2 == 0, Type: desk.FormTypes[i%3], CreatedAt: tx.Now.Add(time.Duration(i/4) * time.Second), UpdatedAt: tx.Now}
				if err := tx.AddTicketForm(&f); err != nil {
					return err
				}
				all = append(all, f)
			}
			return nil
		})
		yes, no := true, false
		read(t, s, account.ID, func(tx *store.Tx) error {
			for _, w := range []desk.FormFilter{{}, {Enabled: &yes}, {Enabled: &no}, {Type: desk.Native}, {Enabled: &yes, Type: "freshdesk"}, {Type: "jira"}} {
				var want, got []desk.TicketForm
				for _, f := range all {
					if (w.Enabled == nil || f.Enabled == *w.Enabled) && (w.Type == "" || f.Type == w.Type) {
						want = append(want, f)
					}
				}
				for p := (desk.Page{Limit: 3, Ascending: true}); ; {
					l, err := tx.TicketForms(w, p)
					if err != nil {
						return err
					}
					if got = append(got, l.Items...); l.Next == nil {
						break
					}
					p.From = l.Next
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%+v: %d forms, want %d", w, len(got), len(want))
				}
			}
			return nil
		})
	})
}

// A team is found by the chat system's id as long as it is active.
func TestTeamsBySource(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			_, err := tx.PutTeams("slack", []store.Report[desk.Team]{
				{Is: desk.Team{Name: "A", SourceID: "S_A", Active: true}, Revision: 1}, {Is: desk.Team{Name: "B", SourceID: "S_B"}, Revision: 1}}, tx.Now)
			return err
		})
		read(t, s, account.ID, func(tx *store.Tx) error {
			found, err := tx.TeamsBySource([]string{"S_A", "S_B", "S_C"})
			if err != nil || len(found) != 1 || found["S_A"] == 0 {
				t.Errorf("%v, %v", found, err)
			}
			return nil
		})
	})
}
