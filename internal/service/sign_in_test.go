package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

const goodPassword = "correct horse"

var aVisitor = desk.Visitor{Browser: "a browser", IP: "192.0.2.9"}

// withPassword gives the admin a password.
func (c *company) withPassword() *company {
	c.t.Helper()
	must(c.t, c.SetPassword(ctx, c.account.ID, c.admin, goodPassword))
	return c
}

func (c *company) signIn(s *Service) desk.MadeSession {
	c.t.Helper()
	made, err := s.SignIn(ctx, aVisitor, "Admin@ACME.example ", goodPassword)
	must(c.t, err)
	return made.MadeSession
}

// as returns the caller of a session.
func (c *company) as(made desk.MadeSession) Caller {
	c.t.Helper()
	caller, err := c.AuthenticateSession(ctx, made.Secret)
	must(c.t, err)
	caller.Actor.IP = "192.0.2.9"
	return caller
}

// Somebody who signs in again and repeats a call with the same key has made it
// once. The key works for nobody else, and for no token.
func TestKeyOutlivesItsSession(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		session := func(m desk.Member) Caller {
			made := desk.NewSession(m, aVisitor, c.store.Now())
			must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error { return tx.AddToken(&made.Token) }))
			return c.as(made)
		}
		first, again, other := session(c.admin), session(c.admin), session(c.newMember("jo@acme.example", desk.Agent))
		k, err := c.BeginKey(ctx, first, "once")
		must(t, err)
		if _, err := c.BeginKey(ctx, again, "once"); desk.KindOf(err) != desk.Conflict {
			t.Errorf("while it is in progress: %v", err)
		}
		must(t, c.FinishKey(ctx, first, k, desk.Answer{Status: 201, Body: []byte("said")}))
		if k, err := c.BeginKey(ctx, again, "once"); err != nil || k.Answer == nil || string(k.Answer.Body) != "said" {
			t.Errorf("after signing in again the key is %+v, %v", k, err)
		}
		for name, who := range map[string]Caller{"another member": other, "a token of the member": c.caller()} {
			if k, err := c.BeginKey(ctx, who, "once"); err != nil || k.Answer != nil {
				t.Errorf("with %s the key is %+v, %v", name, k, err)
			}
		}
	})
}

func TestSignInTellsNobodyApart(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url).withPassword()
		c.newMember("none@acme.example", desk.Agent)
		gone := c.newMember("gone@acme.example", desk.Agent)
		must(t, c.SetPassword(ctx, c.account.ID, gone, goodPassword))
		_, err := c.DeleteMember(ctx, c.caller(), gone.ID)
		must(t, err)
		jobs := c.rows("jobs")
		for i, who := range []struct{ email, password string }{
			{"admin@acme.example", "wrong horse"},
			{"admin@acme.example", ""},
			{"admin@acme.example", goodPassword + " "},
			{"admin@acme.example", strings.Repeat("x", 100_000)},
			{"none@acme.example", goodPassword},
			{"none@acme.example", ""},
			{"gone@acme.example", goodPassword},
			{"nobody@acme.example", goodPassword},
			{"", goodPassword},
			{"' OR 1=1 --", goodPassword},
		} {
			if _, err := c.SignIn(ctx, aVisitor, who.email, who.password); err != ErrSignIn {
				t.Errorf("%q with %.20q: %v", who.email, who.password, err)
			}
			if n := c.rows("jobs"); n != jobs+i+1 {
				t.Errorf("%q with %.20q: %d jobs were added, want one, as for everybody", who.email, who.password, n-jobs-i)
			}
		}
		for _, email := range []string{"a\x00b", "\xff", strings.Repeat("a", mostEmail+1)} {
			if _, err := c.SignIn(ctx, aVisitor, email, goodPassword); err != ErrSignIn {
				t.Errorf("%.20q: %v", email, err)
			}
		}
		if made := c.signIn(c.Service); made.Member != c.admin.ID || !strings.HasPrefix(made.Secret, "fs_") {
			t.Errorf("signed in as %+v", made)
		}
	})
}

func TestSignInTriesAreLimited(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url).withPassword()
		nodes := []*Service{c.Service, c.another().Service}
		try := func(i int, email, password, ip string) error {
			_, err := nodes[i%2].SignIn(ctx, desk.Visitor{IP: ip}, email, password)
			return err
		}
		busy := func(what string, err error, wait time.Duration) {
			t.Helper()
			if e := new(desk.Error); !errors.As(err, &e) || e.Kind != desk.Busy || e.RetryAfter != wait {
				t.Errorf("%s: %v, want to wait %v", what, err, wait)
			}
		}
		// Signing in resets the count.
		for i := range mostNetworkTries - 1 {
			if err := try(i, "admin@acme.example", "wrong horse", "192.0.2.1"); err != ErrSignIn {
				t.Fatal(err)
			}
		}
		must(t, try(0, "admin@acme.example", goodPassword, "192.0.2.1"))
		c.clock.move(tryWindow)
		const pace = tryWindow / mostEmailTries
		for _, email := range []string{"admin@acme.example", "nobody@acme.example"} {
			for i := range mostNetworkTries {
				if err := try(i, email, "wrong horse", "192.0.2.1"); err != ErrSignIn {
					t.Fatalf("%s, try %d: %v", email, i, err)
				}
			}
			busy("the network", try(0, strings.ToUpper(email), "wrong horse", "192.0.2.1"), tryWindow/mostNetworkTries)
			// People from other networks still can, and all of them together are
			// slowed down.
			for i := range mostEmailTries - mostNetworkTries {
				if err := try(i, email, "wrong horse", fmt.Sprintf("198.51.100.%d", i)); err != ErrSignIn {
					t.Fatalf("%s, try %d from elsewhere: %v", email, i, err)
				}
			}
			busy("everybody", try(0, email, goodPassword, "203.0.113.1"), pace)
			c.clock.move(pace)
			if err := try(0, email, "wrong horse", "203.0.113.1"); err != ErrSignIn {
				t.Errorf("%s, after the wait: %v", email, err)
			}
			busy("everybody again", try(0, email, goodPassword, "203.0.113.2"), pace)
		}
		// An invitation helps at once.
		i, err := c.NewInvitation(ctx, c.account.ID, c.admin.ID)
		must(t, err)
		_, code, _ := strings.Cut(i.URL, "#")
		_, err = c.Welcome(ctx, aVisitor, code, goodPassword, nil)
		must(t, err)
		must(t, try(0, "admin@acme.example", goodPassword, "203.0.113.2"))

		// One address, which for IPv6 means a network.
		for i := range mostAddressTries {
			if err := try(i, "p"+id(desk.MemberID(i))+"@acme.example", "x", "2001:db8::"+id(desk.MemberID(i))); err != ErrSignIn {
				t.Fatal(err)
			}
		}
		busy("the address", try(0, "admin@acme.example", goodPassword, "2001:db8::ffff"), tryWindow/mostAddressTries)
		must(t, try(0, "admin@acme.example", goodPassword, "2001:db8:0:1::1"))
	})
}

// However often strangers try an email, its owner still gets in with a browser that
// they used before. With that browser nobody can guess more often than others.
func TestKnownBrowserHasItsOwnTries(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url).withPassword()
		c.newMember("jo@acme.example", desk.Agent)
		first, err := c.SignIn(ctx, aVisitor, "admin@acme.example", goodPassword)
		must(t, err)
		owner := desk.Visitor{IP: "192.0.2.9", Device: first.Device}
		for i := range 3 * mostAddressTries {
			_, _ = c.SignIn(ctx, desk.Visitor{IP: "192.0.2.9"}, []string{"admin@acme.example", "jo@acme.example", fmt.Sprint(i)}[i%3], "wrong horse")
		}
		_, err = c.SignIn(ctx, desk.Visitor{IP: "192.0.2.9"}, "admin@acme.example", goodPassword)
		wantKind(t, err, desk.Busy)
		for range 2 * mostOwnTries { // any number of times
			again, err := c.SignIn(ctx, owner, "ADMIN@acme.example", goodPassword)
			must(t, err)
			if again.Device != owner.Device {
				t.Errorf("the browser is now %s", again.Device)
			}
		}
		// It is known only for this email, and nobody can make another from it.
		for what, device := range map[string]string{
			"another's email": owner.Device, "no name": strings.Repeat("A", deviceName), "a mark of another name": strings.Repeat("A", deviceName) + owner.Device[deviceName:],
			"a long one": owner.Device + strings.Repeat(".x", mostDevice), "nonsense": "...",
		} {
			email := "admin@acme.example"
			if what == "another's email" {
				email = "jo@acme.example"
			}
			if _, err := c.SignIn(ctx, desk.Visitor{IP: "192.0.2.9", Device: device}, email, goodPassword); desk.KindOf(err) != desk.Busy {
				t.Errorf("%s: %v", what, err)
			}
		}
		for range mostOwnTries {
			if _, err := c.SignIn(ctx, owner, "admin@acme.example", "wrong horse"); err != ErrSignIn {
				t.Fatal(err)
			}
		}
		_, err = c.SignIn(ctx, owner, "admin@acme.example", goodPassword)
		wantKind(t, err, desk.Busy)
		c.clock.move(tryWindow / mostOwnTries)
		_, err = c.SignIn(ctx, owner, "admin@acme.example", goodPassword)
		must(t, err)
	})
}

// A browser that many people use is known for the last of them.
func TestBrowserIsKnownForTheLast(t *testing.T) {
	s := newCompany(t)
	device := ""
	for i := range mostMarks + 1 {
		device = s.know(device, fmt.Sprintf("P%d@acme.example", i))
	}
	for i := range mostMarks + 1 {
		if _, known := s.knows(device, fmt.Sprintf("p%d@acme.example", i)); known != (i > 0) {
			t.Errorf("p%d is known: %t", i, known)
		}
	}
	if again := s.know(device, "p5@acme.example"); again != device || len(device) > mostDevice {
		t.Errorf("%s became %s", device, again)
	}
}

// Somebody who finds an open browser cannot guess the password there, and strangers
// cannot keep its owner from changing it.
func TestCurrentPasswordIsNotGuessed(t *testing.T) {
	c := newCompany(t).withPassword()
	caller := c.as(c.signIn(c.Service))
	change := func(current string) error {
		_, err := c.UpdateMe(ctx, caller, desk.MeChange{Password: &desk.PasswordChange{Current: current, New: "another horse"}})
		return err
	}
	for i := range 2 * mostEmailTries {
		_, _ = c.SignIn(ctx, desk.Visitor{IP: fmt.Sprintf("198.51.100.%d", i)}, "admin@acme.example", "wrong horse")
	}
	for range mostOwnTries {
		wantKind(t, change("wrong horse"), desk.Invalid)
	}
	wantKind(t, change(goodPassword), desk.Busy)
	c.clock.move(tryWindow / mostOwnTries)
	must(t, change(goodPassword))
}

func TestSessionsEnd(t *testing.T) {
	for _, tt := range []struct {
		name  string
		end   func(c *company, own Caller) error
		stays bool // the session that makes the change stays
	}{
		{"signed out", func(c *company, own Caller) error { return c.SignOut(ctx, own) }, false},
		{"ended from elsewhere", func(c *company, own Caller) error {
			_, err := c.DeleteSession(ctx, c.caller(), own.Token)
			return err
		}, false},
		{"another password", func(c *company, own Caller) error {
			_, err := c.UpdateMe(ctx, own, desk.MeChange{Password: &desk.PasswordChange{Current: goodPassword, New: "another horse"}})
			return err
		}, true},
		{"a password by the command line", func(c *company, own Caller) error {
			return c.SetPassword(ctx, c.account.ID, c.admin, "another horse")
		}, false},
		{"an invitation", func(c *company, own Caller) error {
			i, err := c.InviteMember(ctx, own, c.admin.ID)
			if err != nil {
				return err
			}
			_, code, _ := strings.Cut(i.URL, "#")
			_, err = c.Welcome(ctx, aVisitor, code, "another horse", nil)
			return err
		}, false},
		{"removed", func(c *company, own Caller) error {
			second := c.newMember("second@acme.example", desk.Admin)
			by := c.caller()
			by.Actor.ID = second.ID
			_, err := c.DeleteMember(ctx, by, c.admin.ID)
			return err
		}, false},
		{"expired", func(c *company, own Caller) error { c.clock.move(desk.SessionKept); return nil }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dbtest.EachURL(t, func(t *testing.T, url string) {
				c := companyAt(t, url).withPassword()
				node := c.another().Service
				first, second := c.signIn(c.Service), c.signIn(node)
				single := tt.name == "signed out" || tt.name == "ended from elsewhere"
				for _, s := range []*Service{c.Service, node} {
					for _, made := range []desk.MadeSession{first, second} {
						if _, err := s.AuthenticateSession(ctx, made.Secret); err != nil {
							t.Fatal(err)
						}
					}
				}
				must(t, tt.end(c, c.as(first)))
				over := func(s *Service, made desk.MadeSession) bool {
					_, err := s.AuthenticateSession(ctx, made.Secret)
					return err == ErrNoSession
				}
				if over(c.Service, first) == tt.stays || over(c.Service, second) == single {
					t.Errorf("in the process that made the change: first session ended: %t, second: %t", over(c.Service, first), over(c.Service, second))
				}
				eventually(t, "the end in another process", func() bool {
					return over(node, first) != tt.stays && over(node, second) != single
				})
				if _, err := c.Authenticate(ctx, c.token.Secret); (err != nil) != (tt.name == "removed") {
					t.Errorf("the token: %v", err)
				}
			})
		})
	}
}

func TestSignInToOneOfSeveralAccounts(t *testing.T) {
	c := newCompany(t).withPassword()
	other, owner, err := c.NewAccount(ctx, "Globex", desk.NewMember{Email: "ADMIN@acme.example"})
	must(t, err)
	must(t, c.SetPassword(ctx, other.ID, owner, "another horse"))
	for password, want := range map[string]desk.MemberID{goodPassword: c.admin.ID, "another horse": owner.ID} {
		made, err := c.SignIn(ctx, aVisitor, "admin@acme.example", password)
		must(t, err)
		if made.Member != want || made.Choice != nil || made.Proof != "" {
			t.Errorf("%s leads to %+v, want member %d", password, made, want)
		}
	}
}

// Somebody who is a member of several accounts, and has shown it for each, chooses
// one and can switch to another from there. This works with a shared password and
// with an identity.
func TestChooseAnAccount(t *testing.T) {
	identity := desk.Identity{Issuer: "https://issuer.example", Subject: "jo", Email: "Admin@acme.example", Verified: true}
	for name, enter := range map[string]func(*company, desk.Visitor) (desk.Entrance, error){
		"password": func(c *company, v desk.Visitor) (desk.Entrance, error) {
			return c.SignIn(ctx, v, "admin@acme.example", goodPassword)
		},
		"identity": func(c *company, v desk.Visitor) (desk.Entrance, error) { return c.SignInWith(ctx, v, identity) },
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.EachURL(t, func(t *testing.T, url string) {
				c := companyAt(t, url).withPassword()
				globex, owner, err := c.NewAccount(ctx, "Globex", desk.NewMember{Email: "admin@ACME.example"})
				must(t, err)
				must(t, c.SetPassword(ctx, globex.ID, owner, goodPassword))
				stranger, other, err := c.NewAccount(ctx, "Initech", desk.NewMember{Email: "other@acme.example"})
				must(t, err)
				must(t, c.SetPassword(ctx, stranger.ID, other, goodPassword))
				to := func(a desk.AccountID) desk.Visitor {
					return desk.Visitor{Browser: "a browser", IP: "192.0.2.9", Account: a}
				}
				in, err := enter(c, to(0))
				must(t, err)
				if want := []desk.Choice{{Account: c.account.ID, Name: "Acme"}, {Account: globex.ID, Name: "Globex"}}; in.Secret != "" || in.Device != "" || !slices.Equal(in.Choice, want) {
					t.Fatalf("the choice is %+v", in)
				}
				if n := c.rows("member_identities"); n != 0 {
					t.Errorf("%d members are linked before an account was chosen", n)
				}
				nobody := Caller{}
				refused := func(what string, who Caller, account desk.AccountID, proof string, want error) {
					t.Helper()
					if _, err := c.Choose(ctx, who, to(account), proof); err != want {
						t.Errorf("%s: %v", what, err)
					}
				}
				refused("another's account", nobody, stranger.ID, in.Proof, errNoAccount)
				refused("no account", nobody, 0, in.Proof, errNoAccount)
				for _, forged := range []string{"", "x", in.Proof[1:], in.Proof + "AA", in.Proof[:len(in.Proof)-3]} {
					refused("forged", nobody, globex.ID, forged, errNoChoice)
				}
				second, err := c.Choose(ctx, nobody, to(globex.ID), in.Proof)
				must(t, err)
				if second.Member != owner.ID || second.Choice != nil || second.Device == "" {
					t.Fatalf("after choosing: %+v", second)
				}
				// From there to the other, only with this session.
				there := c.as(second.MadeSession)
				all, err := c.Choices(ctx, there, second.Proof)
				if want := []desk.Choice{{Account: c.account.ID, Name: "Acme"}, {Account: globex.ID, Name: "Globex", Current: true}}; err != nil || !slices.Equal(all, want) {
					t.Errorf("to switch to: %+v, %v", all, err)
				}
				refused("without the session", nobody, c.account.ID, second.Proof, errNoChoice)
				first, err := c.Choose(ctx, there, to(c.account.ID), second.Proof)
				must(t, err)
				if first.Member != c.admin.ID {
					t.Errorf("after switching: %+v", first)
				}
				refused("with another session", c.as(first.MadeSession), globex.ID, second.Proof, errNoChoice)
				// Somebody who names the account at once is not asked.
				if in, err := enter(c, to(globex.ID)); err != nil || in.Member != owner.ID || in.Proof == "" {
					t.Errorf("with an account: %+v, %v", in, err)
				}
				c.clock.move(desk.ChoiceKept)
				refused("too late", nobody, globex.ID, in.Proof, errNoChoice)
				// What it opens must be unchanged.
				here := c.as(first.MadeSession)
				if name == "password" {
					must(t, c.SetPassword(ctx, globex.ID, owner, "another horse"))
				} else {
					must(t, c.store.Write(ctx, globex.ID, func(tx *store.Tx) error { return tx.RemoveMember(owner.ID) }))
				}
				refused("another password, or removed", here, globex.ID, first.Proof, errNoAccount)
				if all, err := c.Choices(ctx, here, first.Proof); err != nil || len(all) != 1 {
					t.Errorf("then to switch to: %+v, %v", all, err)
				}
				must(t, c.SignOut(ctx, here))
				_, err = c.AuthenticateSession(ctx, first.Secret)
				if err != ErrNoSession {
					t.Errorf("signed out: %v", err)
				}
			})
		})
	}
}

func TestHashingTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPasswords(PasswordCost{Memory: 64, Passes: 1})
		for range mostHashing {
			p.turns <- struct{}{}
		}
		began := time.Now()
		if _, err := p.hash(ctx, goodPassword); err != errHashing || time.Since(began) != hashingWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := p.opens(gone, "", goodPassword); err != errHashing {
			t.Errorf("for a caller who has left: %v", err)
		}
		time.AfterFunc(time.Second, func() { <-p.turns })
		if _, err := p.hash(ctx, goodPassword); err != nil || len(p.turns) != mostHashing-1 {
			t.Errorf("%v, %d are hashing", err, len(p.turns))
		}
	})
}

func TestPasswordsAreHashedAnew(t *testing.T) {
	c := newCompany(t).withPassword()
	before := c.hash()
	dear := c.another().Service
	dear.passwords = newPasswords(PasswordCost{Memory: 128, Passes: 2})
	c.signIn(dear)
	after := c.hash()
	if !strings.HasPrefix(before, "$argon2id$v=19$m=64,t=1,p=1$") || !strings.HasPrefix(after, "$argon2id$v=19$m=128,t=2,p=1$") {
		t.Errorf("%s became %s", before, after)
	}
	c.signIn(dear)
	if c.hash() != after {
		t.Error("it was hashed again needlessly")
	}
}

// A password that is changed in one account, while it is being hashed anew, still
// opens the other accounts.
func TestPasswordChangesWhileItIsHashed(t *testing.T) {
	c := newCompany(t).withPassword()
	other, owner, err := c.NewAccount(ctx, "Globex", desk.NewMember{Email: "admin@acme.example"})
	must(t, err)
	must(t, c.SetPassword(ctx, other.ID, owner, goodPassword))
	found, err := c.store.PasswordMembers(ctx, "admin@acme.example")
	must(t, err)
	must(t, c.SetPassword(ctx, other.ID, owner, "another horse"))
	dear := c.another().Service
	dear.passwords = newPasswords(PasswordCost{Memory: 128, Passes: 2})
	opened, err := dear.opened(ctx, found, goodPassword)
	must(t, err)
	if len(found) != 2 || len(opened) != 1 || opened[0].Member.ID != c.admin.ID {
		t.Errorf("%d were found, and it opened %+v", len(found), opened)
	}
}

func (c *company) hash() (hash string) {
	c.t.Helper()
	must(c.t, c.store.Look(ctx, c.account.ID, func(tx *store.Tx) (err error) {
		hash, err = tx.Password(c.admin.ID)
		return err
	}))
	return hash
}

// However a keyboard encodes a letter, it is the same letter.
func TestPasswordsAreNormal(t *testing.T) {
	p := newPasswords(PasswordCost{Memory: 64, Passes: 1})
	hash, err := p.hash(ctx, "caf\u00e9 caf\u00e9")
	must(t, err)
	for password, want := range map[string]bool{"caf\u00e9 caf\u00e9": true, "cafe\u0301 cafe\u0301": true, "cafe cafe": false} {
		if ok, err := p.opens(ctx, hash, password); err != nil || ok != want {
			t.Errorf("%q: %t, %v", password, ok, err)
		}
	}
	for _, hash := range []string{"x", "$argon2id$v=19$m=64,t=1,p=1$", "$argon2id$v=19$m=64,t=1,p=1$!$!", "$argon2id$v=19$m=4000000000,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=0,t=0,p=1$AAAA$AAAA", "$2a$10$xxxx"} {
		if ok, err := p.opens(ctx, hash, "x"); ok || err == nil {
			t.Errorf("%q is accepted, or gives no error", hash)
		}
	}
}

func TestPasswordsAreNowhere(t *testing.T) {
	c := newCompany(t).withPassword()
	made := c.signIn(c.Service)
	i, err := c.NewInvitation(ctx, c.account.ID, c.admin.ID)
	must(t, err)
	_, code, _ := strings.Cut(i.URL, "#")
	if _, err := c.SignIn(ctx, aVisitor, "nobody@elsewhere.example", "their own secret"); err != ErrSignIn {
		t.Fatal(err)
	}
	disk := c.disk()
	for _, secret := range []string{goodPassword, made.Secret, code, "their own secret"} {
		if bytes.Contains(disk, []byte(secret)) {
			t.Errorf("%s is in the database", secret)
		}
	}
}

func TestInvitations(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		m := c.newMember("jo@acme.example", desk.Agent)
		invite := func() string {
			t.Helper()
			i, err := c.InviteMember(ctx, c.caller(), m.ID)
			must(t, err)
			address, code, _ := strings.Cut(i.URL, "#")
			if address != "https://desk.example/welcome" || !i.ExpiresAt.Equal(c.clock.Now().Add(desk.InvitationKept)) {
				t.Errorf("%+v", i)
			}
			return code
		}
		refused := func(what, code string) {
			t.Helper()
			if _, err := c.Invitation(ctx, aVisitor, code); err != ErrNoInvitation {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := c.Welcome(ctx, aVisitor, code, goodPassword, nil); err != ErrNoInvitation {
				t.Errorf("%s: %v", what, err)
			}
		}
		first := invite()
		second := invite()
		refused("one that was replaced", first)
		for _, code := range []string{"", "x", "!", second + "A", second[:len(second)-1], strings.Repeat("A", 99), strings.Repeat("A", 101), "AREzVkFMS1dFT0RKQlg"} {
			refused(code, code)
		}
		who, err := c.Invitation(ctx, aVisitor, second)
		if want := (desk.Invited{AccountName: "Acme", Email: "jo@acme.example", Name: "jo"}); err != nil || who != want {
			t.Errorf("it is for %+v, %v", who, err)
		}
		_, err = c.Welcome(ctx, aVisitor, second, "nine char", nil)
		wantKind(t, err, desk.Invalid)
		_, err = c.Welcome(ctx, aVisitor, second, goodPassword, ptr(" "))
		wantKind(t, err, desk.Invalid)
		made, err := c.Welcome(ctx, aVisitor, second, goodPassword, ptr("Jo Svensson"))
		must(t, err)
		me, err := c.Me(ctx, c.as(made.MadeSession))
		if err != nil || me.Member.Name != "Jo Svensson" || me.Session == nil || me.Session.ID != made.ID {
			t.Errorf("signed in as %+v, %v", me, err)
		}
		refused("one that was used", second)
		_, err = c.SignIn(ctx, aVisitor, "jo@acme.example", goodPassword)
		must(t, err)

		third := invite()
		c.clock.move(desk.InvitationKept - time.Millisecond)
		_, err = c.Invitation(ctx, aVisitor, third)
		must(t, err)
		c.clock.move(time.Millisecond)
		refused("an old one", third)
		fourth := invite()
		_, err = c.DeleteMember(ctx, c.caller(), m.ID)
		must(t, err)
		refused("of who was removed", fourth)
	})
}

func TestSigningInIsAudited(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url).withPassword()
		running, stop := context.WithCancel(ctx)
		var work sync.WaitGroup
		work.Go(func() { c.Run(running) })
		defer work.Wait()
		defer stop()
		caller := c.as(c.signIn(c.Service))
		_, err := c.UpdateMe(ctx, caller, desk.MeChange{Password: &desk.PasswordChange{Current: goodPassword, New: "another horse"}})
		must(t, err)
		_, err = c.InviteMember(ctx, caller, c.admin.ID)
		must(t, err)
		must(t, c.SignOut(ctx, caller))
		_, err = c.SignInWith(ctx, aVisitor, desk.Identity{Issuer: "https://issuer.example", Subject: "s", Email: "admin@acme.example", Verified: true})
		must(t, err)
		for _, email := range []string{"admin@acme.example", "nobody@acme.example"} {
			if _, err := c.SignIn(ctx, aVisitor, email, "wrong horse"); err != ErrSignIn {
				t.Fatal(err)
			}
		}
		want := []string{
			"account.created Account command  ", "member.created Member command  ", "token.created Token command  ",
			"member.password_set Member command  ",
			"session.created Session web 192.0.2.9 admin", "member.password_set Member api 192.0.2.9 admin",
			"member.invited Member api 192.0.2.9 admin", "session.deleted Session web 192.0.2.9 admin",
			"member.identity_linked Member web 192.0.2.9 admin", "session.created Session web 192.0.2.9 admin",
			"member.sign_in_failed Member web 192.0.2.9 somebody",
		}
		become(t, "the audit log", func() (log []string) {
			for _, e := range c.auditLog() {
				name := e.Actor.Name
				if e.Actor.Source == desk.SourceCommand {
					name = ""
				}
				log = append(log, e.Action+" "+e.ResourceType+" "+string(e.Actor.Source)+" "+e.Actor.IP+" "+name)
			}
			return log
		}, func(log []string) bool { return strings.Join(log, "\n") == strings.Join(want, "\n") })
	})
}

func TestOneFirstRun(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := &company{t: t, url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}}
		nodes := []*Service{c.another().Service, c.another().Service}
		for _, s := range nodes {
			if first, err := s.FirstRun(ctx); err != nil || !first || s.FirstRunCode() != nodes[0].FirstRunCode() {
				t.Fatalf("%t, %v", first, err)
			}
		}
		n := NewDesk{Code: nodes[0].FirstRunCode(), AccountName: "Acme", Email: "jo@acme.example", Password: goodPassword}
		for _, wrong := range []NewDesk{
			{Code: "", AccountName: "Acme", Email: "jo@acme.example", Password: goodPassword},
			{Code: n.Code[1:], AccountName: "Acme", Email: "jo@acme.example", Password: goodPassword},
		} {
			_, err := nodes[0].MakeFirst(ctx, aVisitor, wrong)
			wantKind(t, err, desk.Forbidden)
		}
		_, err := nodes[0].MakeFirst(ctx, aVisitor, NewDesk{Code: n.Code, AccountName: " ", Email: "jo", Password: "short"})
		if e := new(desk.Error); !errors.As(err, &e) || len(e.Fields) != 3 || e.Fields[0].Field != "account_name" || e.Fields[1].Field != "email" || e.Fields[2].Field != "password" {
			t.Errorf("%v", err)
		}
		errs := make([]error, 6)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = nodes[i%2].MakeFirst(ctx, aVisitor, n) })
		}
		all.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if desk.KindOf(err) != desk.NotFound {
				t.Error(err)
			}
		}
		accounts, err := nodes[0].store.Accounts(ctx)
		if made != 1 || len(accounts) != 1 || err != nil {
			t.Errorf("%d calls succeeded, and there are %d accounts: %v", made, len(accounts), err)
		}
		for _, s := range nodes {
			if first, err := s.FirstRun(ctx); err != nil || first {
				t.Errorf("it is still the first run: %v", err)
			}
		}
		session, err := nodes[1].SignIn(ctx, aVisitor, "jo@acme.example", goodPassword)
		must(t, err)
		owner, err := nodes[1].AuthenticateSession(ctx, session.Secret)
		if err != nil || owner.Role != desk.Admin || !owner.Session {
			t.Errorf("the owner is %+v, %v", owner, err)
		}
	})
}

func TestIdentities(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		m := c.newMember("jo@acme.example", desk.Agent)
		jo := desk.Identity{Issuer: "https://issuer.example", Subject: "jo", Email: "JO@acme.example", Verified: true}
		with := func(change func(*desk.Identity)) error {
			i := jo
			change(&i)
			made, err := c.SignInWith(ctx, aVisitor, i)
			if err == nil && made.Member != m.ID {
				t.Errorf("it is member %d", made.Member)
			}
			return err
		}
		want := func(what string, got, want error) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		want("not verified", with(func(i *desk.Identity) { i.Verified = false }), ErrUnverified)
		want("no email", with(func(i *desk.Identity) { i.Email = "" }), ErrUnverified)
		want("no member", with(func(i *desk.Identity) { i.Email = "nobody@acme.example" }), ErrNotMember)
		want("no subject", with(func(i *desk.Identity) { i.Subject = "" }), ErrNotMember)
		want("the first time", with(func(*desk.Identity) {}), nil)
		want("from then on, whatever the email", with(func(i *desk.Identity) { i.Email, i.Verified = "other@acme.example", false }), nil)
		want("another with the same email", with(func(i *desk.Identity) { i.Subject = "new jo" }), ErrNotMember)
		want("another issuer", with(func(i *desk.Identity) { i.Issuer = "https://other.example" }), nil)
		_, err := c.DeleteMember(ctx, c.caller(), m.ID)
		must(t, err)
		want("removed", with(func(*desk.Identity) {}), ErrNotMember)
		m = c.newMember("jo@acme.example", desk.Agent)
		want("added again", with(func(i *desk.Identity) { i.Subject = "new jo" }), nil)
	})
}
