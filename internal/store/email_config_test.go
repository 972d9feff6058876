package store_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addEmailCollection adds a collection with an address and a mailbox.
func addEmailCollection(tx *store.Tx, address string) (desk.Collection, error) {
	change := desk.EmailConfigChange{Address: &address,
		Mailbox: desk.Just(desk.MailboxChange{Host: ptr("imap.example"), User: ptr("help"), Password: ptr("theirs")})}
	c, err := desk.NewCollection{Name: "Mail", Kind: desk.EmailCollection, Email: desk.Just(change)}.Collection(tx.Now)
	if err != nil {
		return c, err
	}
	if err := tx.AddCollection(&c); err != nil {
		return c, err
	}
	err = tx.SaveEmailConfig(desk.Collection{}, c)
	c.Email.Mailbox.Password = nil // which is not read with the collection
	return c, err
}

// saveEmail changes the mail of a collection as an operation does.
func saveEmail(tx *store.Tx, id desk.CollectionID, fn func(*desk.EmailConfig)) error {
	before, err := tx.Collection(id)
	if err != nil {
		return err
	}
	after, config := before, *before.Email
	if config.Mailbox != nil {
		m := *config.Mailbox
		config.Mailbox = &m
	}
	fn(&config)
	after.Email = &config
	if err := tx.SaveCollection(after); err != nil {
		return err
	}
	return tx.SaveEmailConfig(before, after)
}

// A mail configuration is stored as given, but for the password, which only MailboxOf
// reads.
func TestEmailConfigsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		full := desk.Collection{Name: "Mail", Kind: desk.EmailCollection, CreatedAt: c.Now(), UpdatedAt: c.Now(), Email: &desk.EmailConfig{
			Address: "Help@acme.example", FromName: "Ünï", Signature: "<p>S</p>", ForwardCC: true, AutoReply: desk.AutoReply{Enabled: true, HTML: "<p>A</p>"}, Tested: true,
			Mailbox: &desk.Mailbox{Host: "h", Port: 143, TLS: desk.StartTLS, User: "u", Folder: "f", PollSeconds: 10, PlusAddressing: true}}}
		least := desk.Collection{Name: "Mail", Kind: desk.EmailCollection, CreatedAt: c.Now(), UpdatedAt: c.Now(), Email: &desk.EmailConfig{Address: "a@acme.example"}}
		for _, col := range []desk.Collection{full, least} {
			write(t, s, a.ID, func(tx *store.Tx) error { col.ID = 0; return tx.AddCollection(&col) })
			read(t, s, a.ID, func(tx *store.Tx) error {
				got, err := tx.Collection(col.ID)
				if !reflect.DeepEqual(got.Email, col.Email) {
					t.Errorf("got %+v\nwant %+v", got.Email, col.Email)
				}
				return err
			})
		}
	})
}

// An address belongs to one collection of the server, in any case, until that gives it
// up.
func TestAddressesAreOfOneCollection(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		b, _ := newAccount(t, s, "Globex")
		var first, second desk.Collection
		write(t, s, a.ID, func(tx *store.Tx) (err error) { first, err = addEmailCollection(tx, "Help@acme.example"); return err })
		for _, account := range []desk.AccountID{a.ID, b.ID} {
			err := s.Write(ctx, account, func(tx *store.Tx) error { _, err := addEmailCollection(tx, "help@ACME.example"); return err })
			if desk.KindOf(err) != desk.Conflict {
				t.Errorf("a second collection of account %d has the address: %v", account, err)
			}
		}
		at := func(want map[string]store.AccountCollection) {
			t.Helper()
			got, err := s.CollectionsAt(ctx, []string{"help@acme.example", "sales@acme.example", "no@acme.example"})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		}
		at(map[string]store.AccountCollection{"help@acme.example": {Account: a.ID, Collection: first.ID}})
		write(t, s, a.ID, func(tx *store.Tx) error {
			return saveEmail(tx, first.ID, func(c *desk.EmailConfig) { c.Address = "sales@acme.example" })
		})
		write(t, s, b.ID, func(tx *store.Tx) (err error) { second, err = addEmailCollection(tx, "help@acme.example"); return err })
		at(map[string]store.AccountCollection{"help@acme.example": {Account: b.ID, Collection: second.ID}, "sales@acme.example": {Account: a.ID, Collection: first.ID}})
		boxes, err := s.Mailboxes(ctx)
		if want := []store.AccountCollection{{Account: a.ID, Collection: first.ID}, {Account: b.ID, Collection: second.ID}}; err != nil || !reflect.DeepEqual(boxes, want) {
			t.Errorf("mailboxes are %v, %v, want %v", boxes, err, want)
		}
		write(t, s, b.ID, func(tx *store.Tx) error {
			col, err := tx.Collection(second.ID)
			return all(err, tx.RemoveCollection(second.ID), tx.SaveEmailConfig(col, desk.Collection{}))
		})
		at(map[string]store.AccountCollection{"sales@acme.example": {Account: a.ID, Collection: first.ID}})
		if boxes, err := s.Mailboxes(ctx); err != nil || len(boxes) != 1 {
			t.Errorf("mailboxes are %v, %v", boxes, err)
		}
	})
}

// A mailbox is read on from where it was read to, until it becomes another one.
func TestMailboxPositions(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var col desk.Collection
		write(t, s, a.ID, func(tx *store.Tx) (err error) { col, err = addEmailCollection(tx, "help@acme.example"); return err })
		box := func() (m store.Mailbox) {
			t.Helper()
			read(t, s, a.ID, func(tx *store.Tx) (err error) { m, err = tx.MailboxOf(col.ID); return err })
			return m
		}
		if m := box(); m.Password != "theirs" || m.Host != "imap.example" || m.UID != nil || m.UIDValidity != 0 || m.Failure != "" {
			t.Errorf("a new mailbox is %+v", m)
		}
		last := store.MailboxPosition{UIDValidity: 1<<32 - 1, UID: ptr(uint32(1<<32 - 2))}
		place := func() {
			t.Helper()
			write(t, s, a.ID, func(tx *store.Tx) error {
				m, err := tx.MailboxOf(col.ID)
				return all(err, tx.SaveMailboxFailure(m, "It is closed."), tx.SaveMailboxPosition(m, last))
			})
			if m := box(); !reflect.DeepEqual(m.MailboxPosition, last) || m.Failure != "" {
				t.Errorf("a read mailbox is %+v", m)
			}
		}
		for _, c := range []struct {
			name   string
			change func(*desk.EmailConfig)
			kept   bool
		}{
			{"another name", func(c *desk.EmailConfig) { c.FromName = "Other" }, true},
			{"another password", func(c *desk.EmailConfig) { c.Mailbox.Password = ptr("newer") }, true},
			{"another port", func(c *desk.EmailConfig) { c.Mailbox.Port, c.Mailbox.Password = 1, ptr("newer") }, true},
			{"another folder", func(c *desk.EmailConfig) { c.Mailbox.Folder = "Other" }, false},
			{"another user", func(c *desk.EmailConfig) { c.Mailbox.User, c.Mailbox.Password = "other", ptr("p") }, false},
			{"another host", func(c *desk.EmailConfig) { c.Mailbox.Host, c.Mailbox.Password = "other.example", ptr("q") }, false},
		} {
			place()
			old := box()
			write(t, s, a.ID, func(tx *store.Tx) error { return saveEmail(tx, col.ID, c.change) })
			if m := box(); reflect.DeepEqual(m.MailboxPosition, last) != c.kept || !c.kept && (m.UID != nil || m.UIDValidity != 0) {
				t.Errorf("%s: the position is %+v", c.name, m)
			}
			if !c.kept { // who still reads the old one does not disturb the new one
				for _, save := range []func(*store.Tx) error{
					func(tx *store.Tx) error { return tx.SaveMailboxPosition(old, last) },
					func(tx *store.Tx) error { return tx.SaveMailboxFailure(old, "It is closed.") },
				} {
					if err := s.Write(ctx, a.ID, save); desk.KindOf(err) != desk.NotFound {
						t.Errorf("%s: the old reader saved: %v", c.name, err)
					}
				}
			}
		}
		if got := box().Password; got != "q" {
			t.Errorf("the password is %q", got)
		}
		write(t, s, a.ID, func(tx *store.Tx) error {
			return saveEmail(tx, col.ID, func(c *desk.EmailConfig) { c.Mailbox = nil })
		})
		read(t, s, a.ID, func(tx *store.Tx) error { _, err := tx.MailboxOf(col.ID); return notFound(err) })
	})
}

// Passwords of mailboxes are nowhere in clear.
func TestMailboxPasswordsAreSealed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			c, err := addEmailCollection(tx, "help@acme.example")
			return all(err, saveEmail(tx, c.ID, func(c *desk.EmailConfig) { c.Mailbox.Password = ptr("marker-secret") }))
		})
		for _, row := range everything(t, s, a.ID) {
			if strings.Contains(row, "marker-secret") {
				t.Errorf("in clear: %s", row)
			}
		}
	})
}

// A test mail may come back for an hour.
func TestMailTests(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var col desk.Collection
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			col, err = addEmailCollection(tx, "help@acme.example")
			return all(err, tx.AddMailTest(store.MailTest{ID: "one", Collection: col.ID, Address: "help@acme.example", SentAt: tx.Now}))
		})
		test := func(id string) (got store.MailTest, err error) {
			err = s.Read(ctx, a.ID, func(tx *store.Tx) (err error) { got, err = tx.MailTest(id); return err })
			return got, err
		}
		sent := c.Now()
		c.move(time.Hour)
		if got, err := test("one"); err != nil || got.CameBackAt != nil || got.Collection != col.ID || got.Address != "help@acme.example" || !got.SentAt.Equal(sent) {
			t.Errorf("got %+v, %v", got, err)
		}
		write(t, s, a.ID, func(tx *store.Tx) error { return tx.EndMailTest("one") })
		if got, err := test("one"); err != nil || got.CameBackAt == nil || !got.CameBackAt.Equal(c.Now()) {
			t.Errorf("got %+v, %v", got, err)
		}
		c.move(time.Millisecond)
		if got, err := test("one"); desk.KindOf(err) != desk.NotFound {
			t.Errorf("got %+v, %v", got, err)
		}
		for i := range store.MostMailTests + 1 {
			err := s.Write(ctx, a.ID, func(tx *store.Tx) error {
				return tx.AddMailTest(store.MailTest{ID: fmt.Sprint(i), Collection: col.ID, Address: "help@acme.example", SentAt: tx.Now})
			})
			if busy := desk.KindOf(err) == desk.Busy; busy != (i == store.MostMailTests) || err != nil && !busy {
				t.Errorf("test %d: %v", i, err)
			}
		}
	})
}
