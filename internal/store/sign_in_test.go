package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Using a session extends it, up to a maximum. A token is not extended.
func TestSessionsLastWhileTheyAreUsed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		began := s.Now()
		made := desk.NewSession(admin, desk.Visitor{Browser: "a \x00browser\xff", IP: "192.0.2.1"}, began)
		ends := began.Add(time.Hour)
		token, err := desk.NewToken{Name: "test", Scope: desk.ReadOnly, ExpiresAt: desk.Just(ends)}.Token(admin, began)
		must(t, err)
		write(t, s, a.ID, func(tx *store.Tx) error { return all(tx.AddToken(&made.Token), tx.AddToken(&token.Token)) })
		for _, used := range []struct{ after, expires time.Duration }{
			{time.Hour, time.Hour + desk.SessionKept},
			{10 * 24 * time.Hour, 24 * 24 * time.Hour},
			{time.Hour, 24 * 24 * time.Hour}, // reported late
			{76 * 24 * time.Hour, desk.MostSession},
			{80 * 24 * time.Hour, desk.MostSession},
		} {
			write(t, s, a.ID, func(tx *store.Tx) error {
				if err := all(tx.TouchToken(made.ID, began.Add(used.after)), tx.TouchToken(token.ID, began.Add(used.after))); err != nil {
					return err
				}
				got, err := tx.Session(admin.ID, made.ID)
				if err != nil {
					return err
				}
				plain, err := tx.Token(admin.ID, token.ID)
				return all(err, same("expiry", got.ExpiresAt.Sub(began), used.expires), same("the token's", plain.ExpiresAt.Sub(began), time.Hour),
					same("browser", got.Browser, "a browser"))
			})
		}
		c.move(desk.MostSession)
		read(t, s, a.ID, func(tx *store.Tx) error {
			_, err := tx.Session(admin.ID, made.ID)
			l, e := tx.Sessions(admin.ID, desk.Page{Limit: 10})
			return all(notFound(err), e, same("sessions", len(l.Items), 0))
		})
	})
}

// Each attempt is counted once, whichever process counts it: a fixed number at
// once, and then one at a time.
func TestTriesAreCounted(t *testing.T) {
	eachWithAnother(t, func(t *testing.T, s, other *store.Store, c *clock) {
		email, address := store.Try{Digest: "email", Most: 10, Pace: time.Minute}, store.Try{Digest: "address", Most: 15, Pace: time.Second}
		var mu sync.Mutex
		refused := 0
		var all sync.WaitGroup
		for i := range 14 {
			all.Go(func() {
				by := []*store.Store{s, other}[i%2]
				wait, err := by.CountTries(ctx, email, address)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if wait > 0 {
					refused++
				}
			})
		}
		all.Wait()
		if refused != 4 {
			t.Errorf("of 14 tries %d were refused, want 4", refused)
		}
		count := func(want time.Duration, tries ...store.Try) {
			t.Helper()
			wait, err := s.CountTries(ctx, tries...)
			must(t, err)
			if wait != want {
				t.Errorf("wait %v, want %v", wait, want)
			}
		}
		count(time.Minute, email, address)
		c.move(59 * time.Second)
		count(time.Second, email) // refused attempts did not extend the wait
		c.move(time.Second)
		count(0, email)
		count(time.Minute, email)
		// An attempt refused for the email was not counted for the address either.
		for range 15 {
			count(0, address)
		}
		count(time.Minute, email, address)
		must(t, s.TakeBackTries(ctx, address, address))
		count(0, address)
		count(0, address)
		count(time.Second, address)
		must(t, s.ForgetTries(ctx, "email", "nothing"))
		for range 10 {
			count(0, email)
		}
		count(time.Minute, email)
		c.move(time.Hour)
		for range 10 { // not more than ten at once, however long nobody has tried
			count(0, email)
		}
		count(time.Minute, email)
		c.move(10*time.Minute - time.Millisecond)
		must(t, s.SweepTries(ctx))
		if n := len(rows(t, s, "SELECT * FROM sign_in_tries")); n != 1 {
			t.Errorf("%d rows, want the one that counts", n)
		}
		c.move(time.Millisecond)
		must(t, s.SweepTries(ctx))
		if n := len(rows(t, s, "SELECT * FROM sign_in_tries")); n != 0 {
			t.Errorf("%d rows after all are over", n)
		}
	})
}

// A removed member's credentials are removed too.
func TestRemovedMembersCannotSignIn(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		add := func(i int) (m desk.Member) {
			write(t, s, a.ID, func(tx *store.Tx) (err error) {
				if m, err = addMember(tx, "jo@acme.example", desk.Agent); err != nil {
					return err
				}
				linked, err := tx.LinkIdentity(m.ID, "https://issuer.example", "jo")
				another, e := tx.LinkIdentity(m.ID, "https://issuer.example", "another jo")
				return all(err, e, same("linked", linked, true), same("linked twice", another, false),
					tx.SetPassword(m.ID, fmt.Sprint("hash ", i)), tx.SetInvitation(m.ID, []byte("x"), tx.Now.Add(time.Hour)))
			})
			return m
		}
		for i := range 2 {
			m := add(i)
			found, err := s.PasswordMembers(ctx, "JO@acme.example")
			who, e := s.Identified(ctx, "https://issuer.example", "jo")
			must(t, all(err, e, same("found", len(found), 1), same("identified", len(who), 1)))
			must(t, all(same("hash", found[0].Hash, fmt.Sprint("hash ", i)), same("member", found[0].Member.ID, m.ID), same("member", who[0].Member.ID, m.ID), same("account", who[0].Account, a.ID)))
			write(t, s, a.ID, func(tx *store.Tx) error { return tx.RemoveMember(m.ID) })
			found, err = s.PasswordMembers(ctx, "jo@acme.example")
			who, e = s.Identified(ctx, "https://issuer.example", "jo")
			must(t, all(err, e, same("found", len(found), 0), same("identified", len(who), 0)))
			read(t, s, a.ID, func(tx *store.Tx) error {
				hash, err := tx.Password(m.ID)
				has, e := tx.HasInvitation(m.ID, []byte("x"))
				return all(err, e, same("hash", hash, ""), same("invited", has, false))
			})
		}
	})
}
