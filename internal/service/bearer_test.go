package service

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestAuthenticate(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		got, err := c.Authenticate(ctx, c.token.Secret)
		must(t, err)
		want := c.caller()
		want.Actor.IP = "" // only the edge knows it
		if got.Account != want.Account || got.Actor != want.Actor || got.Role != want.Role || !got.Reach.All || got.Token != want.Token || got.Scope != want.Scope || got.Key != nil {
			t.Errorf("got %+v, want %+v", got, want)
		}

		s := c.token.Secret
		for name, secret := range map[string]string{
			"none":                   "",
			"something else":         "Bearer",
			"the prefix":             c.token.Prefix,
			"another rest":           c.token.Prefix + strings.Repeat("a", len(s)-len(c.token.Prefix)),
			"an unknown prefix":      "fd_" + strings.Repeat("a", len(s)-3),
			"one letter too many":    s + "a",
			"one letter too few":     s[:len(s)-1],
			"in capitals":            strings.ToUpper(s),
			"its digest":             string(c.token.Digest[:]),
			"bytes that no text has": "fd_" + strings.Repeat("\xff", len(s)-3),
			"a NUL":                  "fd_\x00" + s[4:],
			"SQL":                    "fd_' OR 1=1 --" + s[14:],
			"a wildcard":             "fd_%" + s[4:],
		} {
			if _, err := c.Authenticate(ctx, secret); err != ErrNoToken {
				t.Errorf("%s: %v, want ErrNoToken", name, err)
			}
		}
	})
}

func TestTokenExpires(t *testing.T) {
	c := newCompany(t)
	ends := c.clock.Now().Add(time.Hour)
	made := c.newToken(c.admin, desk.NewToken{Name: "short", Scope: desk.ReadOnly, ExpiresAt: desk.Just(ends)})
	for _, step := range []struct {
		move time.Duration
		ok   bool
	}{
		{0, true},
		{time.Hour - time.Millisecond, true},
		{time.Millisecond, false}, // also for the remembered token
		{24 * time.Hour, false},
		{-48 * time.Hour, true}, // the clock was set back, and by that clock it is valid
	} {
		c.clock.move(step.move)
		if _, err := c.Authenticate(ctx, made.Secret); (err == nil) != step.ok || err != nil && err != ErrNoToken {
			t.Errorf("at %v: %v, want valid: %v", c.clock.Now(), err, step.ok)
		}
	}
}

// A revoked token, a removed member and a new role take effect at once in the
// process that made the change, and within a second in every other.
func TestChangesOfATokenAct(t *testing.T) {
	type world struct {
		*company
		member     desk.Member
		made       desk.MadeToken
		collection desk.Collection // on the member's list
	}
	refused := func(got Caller, err error) bool { return err == ErrNoToken }
	for _, change := range []struct {
		name string
		do   func(w world) error
		acts func(Caller, error) bool
	}{
		{"revoked", func(w world) error {
			own := w.caller()
			own.Actor.ID = w.member.ID
			_, err := w.DeleteToken(ctx, own, w.made.ID)
			return err
		}, refused},
		{"member removed", func(w world) error {
			_, err := w.DeleteMember(ctx, w.caller(), w.member.ID)
			return err
		}, refused},
		{"role changed", func(w world) error {
			_, err := w.UpdateMember(ctx, w.caller(), w.member.ID, desk.MemberChange{Role: ptr(desk.Viewer)})
			return err
		}, func(got Caller, err error) bool { return err == nil && got.Role == desk.Viewer }},
		{"another list of collections", func(w world) error {
			_, err := w.UpdateMember(ctx, w.caller(), w.member.ID, desk.MemberChange{Collections: desk.Null[[]desk.CollectionID]()})
			return err
		}, func(got Caller, err error) bool { return err == nil && got.Reach.All }},
		{"a collection removed", func(w world) error {
			_, err := w.DeleteCollection(ctx, w.caller(), w.collection.ID)
			return err
		}, func(got Caller, err error) bool { return err == nil && !got.Reach.All && len(got.Reach.IDs) == 0 }},
	} {
		t.Run(change.name, func(t *testing.T) {
			dbtest.EachURL(t, func(t *testing.T, url string) {
				c := companyAt(t, url)
				other := c.another()
				m := c.newMember("jo@acme.example", desk.Agent)
				w := world{c, m, c.newToken(m, desk.NewToken{Name: "jo", Scope: desk.ReadWrite}), c.newCollection("listed", desk.ChatCollection)}
				_, err := c.UpdateMember(ctx, c.caller(), m.ID, desk.MemberChange{Collections: desk.Just([]desk.CollectionID{w.collection.ID})})
				must(t, err)
				for _, s := range []*Service{c.Service, other.Service} {
					got, err := s.Authenticate(ctx, w.made.Secret)
					if err != nil || got.Role != desk.Agent || got.Reach.All || !got.Reach.Has(w.collection.ID) {
						t.Fatalf("before: %+v, %v", got, err)
					}
				}
				must(t, change.do(w))
				if got, err := c.Authenticate(ctx, w.made.Secret); !change.acts(got, err) {
					t.Errorf("in the process that made the change: %+v, %v", got, err)
				}
				eventually(t, "the change in another process", func() bool {
					return change.acts(other.Authenticate(ctx, w.made.Secret))
				})
				if _, err := c.Authenticate(ctx, c.token.Secret); err != nil {
					t.Errorf("another's token: %v", err)
				}
			})
		})
	}
}

// Thousands of streams check their tokens every half second, with a statement for many
// of them.
func TestTokensAreRefreshedTogether(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		other := c.another()
		var made []desk.MadeToken
		var ids []desk.TokenID
		for range 20 {
			made = append(made, c.newToken(c.admin, desk.NewToken{Name: "stream", Scope: desk.ReadOnly}))
			ids = append(ids, made[len(made)-1].ID)
		}
		_, err := other.DeleteToken(ctx, c.caller(), ids[3])
		must(t, err)

		c.bearers.init(time.Hour) // none is known
		before := c.store.DB().Stats().Statements
		must(t, c.RefreshTokens(ctx, ids))
		if n := c.store.DB().Stats().Statements - before; n != 1 {
			t.Errorf("%d statements, want 1", n)
		}
		for i, m := range made {
			if _, err := c.Authenticate(ctx, m.Secret); (err == ErrNoToken) != (i == 3) {
				t.Errorf("token %d: %v", i, err)
			}
		}
		if n := c.store.DB().Stats().Statements - before; n != 2 { // the revoked one was looked up
			t.Errorf("%d statements after all were used, want 2", n)
		}
		_, err = other.DeleteToken(ctx, c.caller(), ids[4])
		must(t, err)
		must(t, c.RefreshTokens(ctx, ids))
		if _, err := c.Authenticate(ctx, made[4].Secret); err != ErrNoToken {
			t.Errorf("a token that was revoked elsewhere: %v", err)
		}
	})
}

// A token is looked up again after half a second, and not more often.
func TestBearersAreRemembered(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	synctest.Test(t, func(t *testing.T) {
		c := companyAt(t, url)
		_, err := c.Authenticate(ctx, c.token.Secret)
		must(t, err)
		// Behind the service's back, as another process would do it.
		must(t, c.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec("UPDATE tokens SET revoked_at = 1 WHERE account_id = $1 AND id = $2", c.account.ID, c.token.ID)
			return err
		}))
		time.Sleep(bearerKept - time.Nanosecond)
		if _, err := c.Authenticate(ctx, c.token.Secret); err != nil {
			t.Errorf("a remembered token: %v", err)
		}
		time.Sleep(time.Nanosecond) // using it in between has not extended it
		if _, err := c.Authenticate(ctx, c.token.Secret); err != ErrNoToken {
			t.Errorf("a token that was remembered for too long: %v, want ErrNoToken", err)
		}
	})
}

func TestBearersAreBounded(t *testing.T) {
	c := newCompany(t)
	_, err := c.Authenticate(ctx, c.token.Secret)
	must(t, err)
	b, ok := c.bearers.get(c.token.Prefix)
	if !ok {
		t.Fatal("the token is not remembered")
	}
	for i := range 2*mostBearers + 1 {
		c.bearers.put(strings.Repeat("x", i%7)+id(desk.TokenID(i)), b, time.Now())
		if len(c.bearers.kept) > mostBearers {
			t.Fatalf("%d tokens are remembered", len(c.bearers.kept))
		}
	}
	for range 2 {
		_, err = c.Authenticate(ctx, c.token.Secret)
		must(t, err)
	}
	// Invalid secrets are not remembered, because anyone can make them up.
	kept := len(c.bearers.kept)
	for i := range 20 {
		_, err := c.Authenticate(ctx, "fd_"+strings.Repeat(string(rune('a'+i)), len(c.token.Secret)-3))
		if err != ErrNoToken {
			t.Fatal(err)
		}
	}
	if len(c.bearers.kept) != kept {
		t.Errorf("%d unknown tokens are remembered", len(c.bearers.kept)-kept)
	}
}

func TestUseIsNoted(t *testing.T) {
	c := newCompany(t)
	other := c.another()
	used := func() *time.Time {
		t.Helper()
		got, err := c.Token(ctx, c.caller(), c.token.ID)
		must(t, err)
		return got.LastUsedAt
	}
	use := func(s *Service) time.Time {
		t.Helper()
		_, err := s.Authenticate(ctx, c.token.Secret)
		must(t, err)
		return c.clock.Now()
	}
	want := func(at time.Time) {
		t.Helper()
		if got := used(); got == nil || !got.Equal(at) {
			t.Errorf("last used %v, want %v", got, at)
		}
	}
	if used() != nil {
		t.Error("the token counts as used before it was used")
	}
	c.writeUse(ctx) // nothing to write
	use(c.Service)
	if _, err := c.Authenticate(ctx, c.token.Prefix+strings.Repeat("a", 26)); err != ErrNoToken {
		t.Fatal(err)
	}
	c.clock.move(time.Minute)
	first := use(c.Service)
	c.writeUse(ctx)
	want(first)

	// Two processes save late and in any order. The latest use wins.
	c.clock.move(time.Minute)
	use(other.Service)
	c.clock.move(time.Minute)
	last := use(c.Service)
	c.writeUse(ctx)
	other.writeUse(ctx)
	want(last)

	// What could not be saved is saved the next time.
	c.clock.move(time.Minute)
	late := use(c.Service)
	over, cancel := context.WithCancel(ctx)
	cancel()
	c.writeUse(over)
	want(last)
	c.writeUse(ctx)
	want(late)
	c.writeUse(ctx)
	want(late)

	// A failed attempt does not count as use.
	c.clock.move(time.Minute)
	if _, err := c.Authenticate(ctx, c.token.Prefix+strings.Repeat("a", 26)); err != ErrNoToken {
		t.Fatal(err)
	}
	c.writeUse(ctx)
	want(late)
}

// Run saves the use of tokens often enough to be right to the minute.
func TestUseIsNotedInTime(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	synctest.Test(t, func(t *testing.T) {
		c := companyAt(t, url)
		running, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(running)
		}()
		_, err := c.Authenticate(ctx, c.token.Secret)
		must(t, err)
		time.Sleep(time.Minute)
		got, err := c.Token(ctx, c.caller(), c.token.ID)
		must(t, err)
		if got.LastUsedAt == nil {
			t.Error("the use is not saved after a minute")
		}
		stop()
		<-ended
	})
}
