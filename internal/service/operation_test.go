package service

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/wire"
)

// entry is an audit log entry in short.
type entry struct {
	action, resource, id, before, after string
	by                                  desk.Actor
}

func entryOf(e desk.AuditLog) entry {
	return entry{e.Action, e.ResourceType, e.ResourceID, string(e.Before), string(e.After), e.Actor}
}

// shown returns a noun as the audit log stores it.
func shown(t testing.TB, noun any) string {
	t.Helper()
	_, v := wire.Of(noun)
	b, err := wire.JSON(v)
	must(t, err)
	return string(b)
}

// Every change leaves an entry with the state before and after, and an event with
// the object as the API shows it.
func TestChangesAreRecorded(t *testing.T) {
	c := newCompany(t)
	command := desk.Actor{Name: "command line", Source: desk.SourceCommand}
	admin := c.caller().Actor
	want := []entry{
		{"account.created", "Account", id(c.account.ID), "", shown(t, c.account), command},
		{"member.created", "Member", id(c.admin.ID), "", shown(t, c.admin), command},
		{"token.created", "Token", id(c.token.ID), "", shown(t, c.token.Token), command},
	}
	events := []string{"member.created " + object(t, c.admin)}

	c.clock.move(time.Minute)
	member, err := c.CreateMember(ctx, c.caller(), desk.NewMember{Email: "jo@acme.example"})
	must(t, err)
	want = append(want, entry{"member.created", "Member", id(member.ID), "", shown(t, member), admin})
	events = append(events, "member.created "+object(t, member))

	c.clock.move(time.Minute)
	changed, err := c.UpdateMember(ctx, c.caller(), member.ID, desk.MemberChange{Name: ptr("Jo"), Role: ptr(desk.Viewer)})
	must(t, err)
	if !changed.UpdatedAt.Equal(c.clock.Now()) || !changed.CreatedAt.Equal(member.CreatedAt) {
		t.Errorf("created %v, updated %v", changed.CreatedAt, changed.UpdatedAt)
	}
	want = append(want, entry{"member.updated", "Member", id(member.ID), shown(t, member), shown(t, changed), admin})
	events = append(events, "member.updated "+object(t, changed))

	c.clock.move(time.Minute)
	account, err := c.UpdateAccount(ctx, c.caller(), desk.AccountChange{Name: ptr("Bolt")})
	must(t, err)
	want = append(want, entry{"account.updated", "Account", id(account.ID), shown(t, c.account), shown(t, account), admin})
	events = append(events, "account.updated "+object(t, account))

	made, err := c.CreateToken(ctx, c.caller(), desk.NewToken{Name: "CI", Scope: desk.ReadOnly})
	must(t, err)
	want = append(want, entry{"token.created", "Token", id(made.ID), "", shown(t, made.Token), admin})
	_, err = c.DeleteToken(ctx, c.caller(), made.ID)
	must(t, err)
	want = append(want, entry{"token.deleted", "Token", id(made.ID), shown(t, made.Token), "", admin})

	c.clock.move(time.Minute)
	_, err = c.DeleteMember(ctx, c.caller(), member.ID)
	must(t, err)
	want = append(want, entry{"member.deleted", "Member", id(member.ID), shown(t, changed), "", admin})
	events = append(events, "member.deleted "+object(t, changed))

	got := c.auditLog()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("entry %d is missing: %+v", i, want[i])
		case i >= len(want):
			t.Errorf("entry %d is unexpected: %+v", i, entryOf(got[i]))
		case entryOf(got[i]) != want[i]:
			t.Errorf("entry %d\n got %+v\nwant %+v", i, entryOf(got[i]), want[i])
		}
	}
	all := c.events()
	if len(all) != len(events) {
		t.Errorf("%d events, want %d", len(all), len(events))
	}
	for i, e := range all[:min(len(all), len(events))] {
		if got := fmt.Sprintf("%s %s", e.Type, e.Data); got != events[i] || e.Seq != int64(i+1) {
			t.Errorf("event %d\n got %s\nwant %s", e.Seq, got, events[i])
		}
		if source := map[bool]desk.Source{true: desk.SourceCommand, false: desk.SourceAPI}[i == 0]; e.Source != source {
			t.Errorf("event %d: source %s, want %s", e.Seq, e.Source, source)
		}
	}
	if _, err := c.store.VerifyAuditLog(ctx, c.account.ID); err != nil {
		t.Error(err)
	}
}

func object(t testing.TB, noun any) string {
	t.Helper()
	b, err := wire.Object(noun)
	must(t, err)
	return string(b)
}

// A refusal leaves nothing behind: no change, no entry, no event.
func TestRefusalsLeaveNothing(t *testing.T) {
	c := newCompany(t)
	member := c.newMember("jo@acme.example", desk.Agent)
	agent := c.caller()
	agent.Role, agent.Actor = desk.Agent, desk.Actor{ID: member.ID, Name: "jo", Source: desk.SourceAPI}
	viewer, reader := agent, c.caller()
	viewer.Role = desk.Viewer
	reader.Scope = desk.ReadOnly
	broken := desk.Body{Problem: desk.Errorf(desk.Invalid, "The body is empty.")}

	tables := []string{"accounts", "members", "tokens", "audit_logs", "events", "idempotency_keys", "jobs"}
	count := func() (n []int) {
		for _, table := range tables {
			n = append(n, c.rows(table))
		}
		return n
	}
	before := fmt.Sprint(count(), c.auditLog())
	for _, refused := range []struct {
		name string
		err  error
		want desk.Kind
	}{
		{"agent creates a member", errOf(c.CreateMember(ctx, agent, desk.NewMember{Email: "x@acme.example"})), desk.Forbidden},
		{"agent changes a member", errOf(c.UpdateMember(ctx, agent, member.ID, desk.MemberChange{Role: ptr(desk.Admin)})), desk.Forbidden},
		{"agent removes a member", errOf(c.DeleteMember(ctx, agent, c.admin.ID)), desk.Forbidden},
		{"agent changes the account", errOf(c.UpdateAccount(ctx, agent, desk.AccountChange{Name: ptr("x")})), desk.Forbidden},
		{"agent reads the account", errOf(c.Account(ctx, agent)), desk.Forbidden},
		{"agent lists members", errOf(c.Members(ctx, agent, desk.Page{})), desk.Forbidden},
		{"agent reads a member", errOf(c.Member(ctx, agent, member.ID)), desk.Forbidden},
		{"agent reads the audit log", errOf(c.AuditLogs(ctx, agent, desk.AuditLogFilter{}, desk.Page{})), desk.Forbidden},
		{"viewer makes a token that writes", errOf(c.CreateToken(ctx, viewer, desk.NewToken{Name: "x", Scope: desk.ReadWrite})), desk.Forbidden},
		{"read-only token creates a member", errOf(c.CreateMember(ctx, reader, desk.NewMember{Email: "x@acme.example"})), desk.Forbidden},
		{"read-only token makes a token", errOf(c.CreateToken(ctx, reader, desk.NewToken{Name: "x", Scope: desk.ReadOnly})), desk.Forbidden},
		{"read-only token revokes a token", errOf(c.DeleteToken(ctx, reader, c.token.ID)), desk.Forbidden},
		{"another's token", errOf(c.Token(ctx, agent, c.token.ID)), desk.NotFound},
		{"another's token revoked", errOf(c.DeleteToken(ctx, agent, c.token.ID)), desk.NotFound},
		{"a member that is not there", errOf(c.Member(ctx, c.caller(), 9999)), desk.NotFound},
		{"404 before 400", errOf(c.UpdateMember(ctx, c.caller(), 9999, desk.MemberChange{Body: broken})), desk.NotFound},
		{"403 before 404", errOf(c.UpdateMember(ctx, agent, 9999, desk.MemberChange{Body: broken})), desk.Forbidden},
		{"a broken body", errOf(c.UpdateMember(ctx, c.caller(), member.ID, desk.MemberChange{Body: broken})), desk.Invalid},
		{"a broken body of a new member", errOf(c.CreateMember(ctx, c.caller(), desk.NewMember{Body: broken, Email: "x@acme.example"})), desk.Invalid},
		{"nothing to change", errOf(c.UpdateAccount(ctx, c.caller(), desk.AccountChange{})), desk.Invalid},
		{"an email that is taken", errOf(c.CreateMember(ctx, c.caller(), desk.NewMember{Email: "JO@ACME.example"})), desk.Conflict},
		{"the only admin demoted", errOf(c.UpdateMember(ctx, c.caller(), c.admin.ID, desk.MemberChange{Role: ptr(desk.Agent)})), desk.Refused},
		{"the only admin removed", errOf(c.DeleteMember(ctx, c.caller(), c.admin.ID)), desk.Refused},
		{"a token expired from the start", errOf(c.CreateToken(ctx, c.caller(), desk.NewToken{Name: "x", Scope: desk.ReadOnly, ExpiresAt: desk.Just(c.clock.Now())})), desk.Invalid},
	} {
		if refused.err == nil || desk.KindOf(refused.err) != refused.want {
			t.Errorf("%s: %v, want an error of kind %d", refused.name, refused.err, refused.want)
		}
	}
	if after := fmt.Sprint(count(), c.auditLog()); after != before {
		t.Errorf("rows of %v and the audit log:\nbefore %s\nafter  %s", tables, before, after)
	}
}

func errOf[T any](_ T, err error) error { return err }

// A secret is in the answer of the call that creates it and nowhere else: not in
// the audit log, not in an event, not in a byte of the database.
func TestSecretsAreNowhere(t *testing.T) {
	c := newCompany(t)
	k, err := c.BeginKey(ctx, c.caller(), "once")
	must(t, err)
	caller := c.caller()
	caller.Key = &k
	caller.Answer = func(result any) (desk.Answer, error) {
		k.Fingerprint = []byte("print")
		body, err := wire.Named("token", wire.NewMadeToken(result.(desk.MadeToken)))
		return desk.Answer{Status: 201, Body: body}, err
	}
	made, err := c.CreateToken(ctx, caller, desk.NewToken{Name: "CI", Scope: desk.ReadWrite})
	must(t, err)
	_, err = c.Authenticate(ctx, made.Secret)
	must(t, err)
	c.writeUse(ctx)
	c.events()
	again, err := c.BeginKey(ctx, c.caller(), "once")
	if err != nil || again.Answer == nil || !bytes.Contains(again.Answer.Body, []byte(made.Secret)) {
		t.Fatalf("the stored answer is %+v, %v", again, err)
	}
	_, err = c.DeleteToken(ctx, c.caller(), made.ID)
	must(t, err)

	disk := c.disk()
	if !bytes.Contains(disk, []byte(made.Prefix)) || !bytes.Contains(disk, made.Digest[:]) {
		t.Fatal("the bytes that were read do not contain the token")
	}
	for _, secret := range []string{made.Secret, c.token.Secret} {
		rest := secret[len(made.Prefix):]
		for _, form := range []string{secret, rest, rest[:12], hex.EncodeToString([]byte(rest[:12]))} {
			if bytes.Contains(disk, []byte(form)) {
				t.Errorf("%q is in the database in plain text", form)
			}
		}
	}
	for _, e := range c.auditLog() {
		digest := hex.EncodeToString(made.Digest[:])
		if text := fmt.Sprintf("%s %s %x %x", e.Before, e.After, e.Before, e.After); bytes.Contains([]byte(text), []byte(digest)) {
			t.Errorf("the digest is in the audit log: %s", text)
		}
	}
}

// The answer is saved in the transaction of the change: neither exists without the
// other.
func TestAnswerAndChangeAreOne(t *testing.T) {
	c := newCompany(t)
	create := func(k desk.IdempotencyKey, email string, answer func() error) error {
		caller := c.caller()
		caller.Key = &k
		caller.Answer = func(any) (desk.Answer, error) { return desk.Answer{Status: 201, Body: []byte(email)}, answer() }
		_, err := c.CreateMember(ctx, caller, desk.NewMember{Email: email})
		return err
	}
	fine := func() error { return nil }
	before := c.rows("members")

	k, err := c.BeginKey(ctx, c.caller(), "a")
	must(t, err)
	fault := errors.New("cannot be shown")
	if err := create(k, "a@acme.example", func() error { return fault }); !errors.Is(err, fault) {
		t.Errorf("got %v, want the fault", err)
	}
	if n := c.rows("members"); n != before {
		t.Errorf("%d members were created without an answer", n-before)
	}
	must(t, c.ReleaseKey(ctx, c.caller(), k))

	k, err = c.BeginKey(ctx, c.caller(), "a")
	must(t, err)
	c.clock.move(desk.KeyLease)
	taken, err := c.BeginKey(ctx, c.caller(), "a")
	must(t, err)
	if taken.Owner == k.Owner {
		t.Fatal("two calls of one process count as the same owner")
	}
	wantKind(t, create(k, "a@acme.example", fine), desk.Conflict)
	if n := c.rows("members"); n != before {
		t.Errorf("%d members were created by a call that had lost its key", n-before)
	}
	must(t, create(taken, "a@acme.example", fine))
	again, err := c.BeginKey(ctx, c.caller(), "a")
	if err != nil || again.Answer == nil || string(again.Answer.Body) != "a@acme.example" {
		t.Errorf("got %+v, %v", again, err)
	}
	if n := c.rows("members"); n != before+1 {
		t.Errorf("%d members were created, want 1", n-before)
	}
}

// Two admins, in a process each, demote or remove each other at the same time. One
// is always left.
func TestAnAdminIsLeft(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		processes := []*Service{c.Service, c.another().Service}
		first := c.admin
		for round := range 25 {
			second := c.newMember(fmt.Sprintf("admin%d@acme.example", round), desk.Admin)
			remove := rand.N(2) == 0
			var both sync.WaitGroup
			errs := make([]error, 2)
			for i, m := range []desk.Member{first, second} {
				both.Go(func() {
					if remove {
						_, errs[i] = processes[i].DeleteMember(ctx, c.caller(), m.ID)
					} else {
						_, errs[i] = processes[i].UpdateMember(ctx, c.caller(), m.ID, desk.MemberChange{Role: ptr(desk.Agent)})
					}
				})
			}
			both.Wait()
			var admins []desk.Member
			must(t, c.store.Read(ctx, c.account.ID, func(tx *store.Tx) error {
				admins = nil
				l, err := tx.Members(desk.Page{Limit: 100})
				for _, m := range l.Items {
					if m.Role == desk.Admin {
						admins = append(admins, m)
					}
				}
				return err
			}))
			if len(admins) != 1 {
				t.Fatalf("after round %d there are %d admins: %v", round, len(admins), errs)
			}
			for _, err := range errs {
				if err != nil && !errors.Is(err, desk.ErrLastAdmin) {
					t.Fatal(err)
				}
			}
			first = admins[0]
		}
	})
}
