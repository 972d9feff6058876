package store_test

import (
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// mailed adds a request with a mail to two people.
func mailed(tx *store.Tx) (r desk.Request, m store.Mail, err error) {
	c, err := addCollection(tx, "Help", desk.EmailCollection)
	if err != nil {
		return r, m, err
	}
	if r, err = addRequest(tx, c.ID, func(r *desk.Request) { r.Source = desk.FromEmail }); err != nil {
		return r, m, err
	}
	said := desk.Message{Request: r.ID, Text: "Push it.", Source: desk.SourceAPI, CreatedAt: tx.Now}
	if err := tx.AddMessage(&said); err != nil {
		return r, m, err
	}
	m = store.Mail{Request: r.ID, Message: said.ID, Direction: desk.EmailOut, External: "out@reply.desk.example"}
	return r, m, all(tx.AddMail(&m), tx.AddMailCopies(m, []string{"jo@customer.example"}, []string{"kim@customer.example"}))
}

// Copies are sent in the order in which they are due, and each ends by itself.
func TestMailCopies(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var m store.Mail
		statuses := func(tx *store.Tx) (text string, err error) {
			copies, err := tx.MailCopies(m.ID)
			for _, c := range copies {
				is := c.Status()
				text += is.Email[:3] + " " + string(is.Status) + is.Error + " "
			}
			return text, err
		}
		next := func(tx *store.Tx, want string) (store.MailCopy, error) {
			c, ok, err := tx.NextMailCopy(m.ID)
			if !ok {
				return c, all(err, same("next", "", want))
			}
			return c, all(err, same("next", c.Email, want))
		}
		has := func(tx *store.Tx, want string) error {
			got, err := statuses(tx)
			return all(err, same("statuses", got, want))
		}
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			if _, m, err = mailed(tx); err != nil {
				return err
			}
			jo, err := next(tx, "jo@customer.example")
			return all(err, has(tx, "jo@ waiting kim waiting "), tx.PostponeMailCopy(jo, tx.Now.Add(time.Minute)))
		})
		write(t, s, a.ID, func(tx *store.Tx) error {
			kim, err := next(tx, "kim@customer.example")
			if err := all(err, same("in Cc", kim.CC, true), tx.KeepEffect(kim.Effect, "sent"), tx.SettleEffect(kim.Effect, "")); err != nil {
				return err
			}
			jo, err := next(tx, "jo@customer.example") // although it is not due yet
			if err := all(err, same("due", jo.DueAt.Sub(tx.Now), time.Minute), has(tx, "jo@ waiting kim sent ")); err != nil {
				return err
			}
			return all(tx.TryEffect(jo.Effect), tx.KeepEffect(jo.Effect, "perhaps_sent"), tx.SettleEffect(jo.Effect, ""), has(tx, "jo@ perhaps_sent kim sent "))
		})
		c.move(time.Hour)
		write(t, s, a.ID, func(tx *store.Tx) error {
			_, err := next(tx, "")
			copies, e := tx.MailCopies(m.ID)
			if err := all(err, e, tx.FailMailCopy(copies[1], ": no"), has(tx, "jo@ perhaps_sent kim failed: no "), tx.RenewMailCopy(copies[1]), has(tx, "jo@ perhaps_sent kim waiting ")); err != nil {
				return err
			}
			kim, err := next(tx, "kim@customer.example")
			return all(err, same("tried", kim.TriedAt.IsZero(), true), same("waits since", kim.CreatedAt.Equal(tx.Now), true))
		})
	})
}

// A mail is found by what it says, its message, its Message-ID and its request.
func TestMailsAreFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			r, out, err := mailed(tx)
			if err != nil {
				return err
			}
			in := store.Mail{Request: r.ID, Direction: desk.EmailIn, External: "in@customer.example", Digest: "abc", Source: "key"}
			if err := tx.AddMail(&in); err != nil {
				return err
			}
			got, err := tx.Mail(in.ID)
			of, e := tx.MailOf(out.Message, desk.EmailOut)
			if err := all(err, e, same("mail", got, in), same("of the message", of.ID, out.ID)); err != nil {
				return err
			}
			known, err := tx.HasMail("abc")
			other, e := tx.HasMail("abd")
			ours, f := tx.SentMail("out@reply.desk.example")
			theirs, g := tx.SentMail("in@customer.example")
			if err := all(err, e, f, g, same("known", known, true), same("another", other, false), same("ours", ours, true), same("theirs", theirs, false)); err != nil {
				return err
			}
			found, err := tx.RequestsOfMails([]string{"in@customer.example", "out@reply.desk.example", "nobody"})
			before, e := tx.MailsBefore(r.ID, in.ID, 9)
			every, f := tx.MailsBefore(r.ID, 0, 9)
			last, g := tx.MailsBefore(r.ID, 0, 1)
			if err := all(err, e, f, g, same("found", len(found), 2), same("request", found["in@customer.example"], r.ID)); err != nil {
				return err
			}
			return all(same("before", len(before), 1), same("all", len(every), 2), same("the oldest first", every[0].ID, out.ID), same("the last", last[0].ID, in.ID))
		})
	})
}

// An address gets one automatic answer in a time.
func TestMayAutoReply(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		ask := func(email string, want bool) {
			t.Helper()
			write(t, s, a.ID, func(tx *store.Tx) error {
				may, err := tx.MayAutoReply(email, tx.Now.Add(-24*time.Hour))
				return all(err, same(email, may, want))
			})
		}
		ask("jo@customer.example", true)
		ask("JO@customer.example", false)
		ask("kim@customer.example", true)
		c.move(24*time.Hour - time.Second)
		ask("jo@customer.example", false)
		c.move(time.Second)
		ask("jo@customer.example", true)
		ask("jo@customer.example", false)
	})
}

// Participants are in the order in which they came, and keep the email as it was
// written first.
func TestParticipants(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var r desk.Request
		put := func(email, name string, status desk.ParticipantStatus) {
			t.Helper()
			write(t, s, a.ID, func(tx *store.Tx) error {
				return tx.PutParticipant(desk.Participant{Request: r.ID, Email: email, Name: name, Status: status})
			})
			c.move(time.Second)
		}
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			r, _, err = mailed(tx)
			return err
		})
		put("Kim@customer.example", "", desk.ParticipantAsked)
		put("ada@customer.example", "Ada", desk.ParticipantActive)
		put("kim@customer.example", "Kim", desk.ParticipantRemoved)
		read(t, s, a.ID, func(tx *store.Tx) error {
			found, err := tx.Participants(r.ID)
			if err := all(err, same("participants", len(found), 2)); err != nil {
				return err
			}
			kim, ada := found[0], found[1]
			return all(same("email", kim.Email, "Kim@customer.example"), same("name", kim.Name, "Kim"), same("status", kim.Status, desk.ParticipantRemoved), same("role", kim.Role, desk.RoleCC),
				same("request", kim.Request, r.ID), same("the second", ada.Name, "Ada"))
		})
	})
}

// A closed request is continued by the newest request that a mail began.
func TestMailSuccessor(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			r, _, err := mailed(tx)
			if err != nil {
				return err
			}
			none, err := tx.MailSuccessor(r.ID)
			if err := all(err, same("successor", none, 0)); err != nil {
				return err
			}
			var last desk.Request
			for _, source := range []desk.RequestSource{desk.FromEmail, desk.FromEmail, desk.FromAPI} {
				made, err := addRequest(tx, r.Collection.ID, func(n *desk.Request) { n.Parent, n.Source = &r.ID, source })
				if err != nil {
					return err
				}
				if source == desk.FromEmail {
					last = made
				}
			}
			found, err := tx.MailSuccessor(r.ID)
			return all(err, same("successor", found, last.ID))
		})
	})
}
