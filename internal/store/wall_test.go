package store_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Accounts are walls: a transaction of one account neither sees nor changes
// anything of another, whatever ids it is given.

// neighbour is the other account, whose ids are tried.
type neighbour struct {
	account desk.Account
	admin   desk.Member
	second  desk.Member // another admin
	token   desk.MadeToken
	held    desk.IdempotencyKey // in flight
	done    desk.IdempotencyKey // answered
	chat    desk.Integration    // with the nonce "theirs"
	user    desk.User
	team    desk.Team
}

func newNeighbour(t *testing.T, s *store.Store) (n neighbour) {
	n.account, n.admin = newAccount(t, s, "Neighbour")
	write(t, s, n.account.ID, func(tx *store.Tx) (err error) {
		if n.second, err = addMember(tx, "second@neighbour.example", desk.Admin); err != nil {
			return err
		}
		if err := recordUpdate(tx, n.admin); err != nil {
			return err
		}
		if n.token, err = addToken(tx, n.admin); err != nil {
			return err
		}
		if n.held, err = tx.BeginKey(n.token.ID, "held", "owner"); err != nil {
			return err
		}
		if n.done, err = tx.BeginKey(n.token.ID, "done", "owner"); err != nil {
			return err
		}
		if err := tx.FinishKey(n.done, desk.Answer{Status: 201, Body: []byte("theirs")}); err != nil {
			return err
		}
		if n.chat, err = addChat(tx, "TNEIGHBOUR"); err != nil {
			return err
		}
		n.user = desk.User{ID: "U1", Name: "neighbour", Email: "u1@neighbour.example"}
		n.team = desk.Team{Name: "neighbours", SourceID: "S1", Active: true, Members: []desk.TeamMember{{User: "U1"}}}
		if _, err := tx.PutUsers([]store.Told[desk.User]{{Is: n.user}}, time.Time{}); err != nil {
			return err
		}
		if _, err := tx.PutTeams("slack", []store.Told[desk.Team]{{Is: n.team}}, time.Time{}); err != nil {
			return err
		}
		l, err := tx.Teams(false, desk.Page{})
		n.team = l.Items[0]
		return err
	})
	sequence(t, s, "wall")
	return n
}

// addChat connects the account to a workspace.
func addChat(tx *store.Tx, workspace string) (desk.Integration, error) {
	i := desk.Integration{Kind: desk.Slack, Status: desk.Connected, ExternalID: workspace, Name: workspace, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	if err := tx.AddIntegration(&i); err != nil {
		return i, err
	}
	if err := tx.SetNonce(i.ID, "theirs"); err != nil {
		return i, err
	}
	return i, tx.PutCredential(i.ID, "", []byte("secret of "+workspace))
}

// home is the account whose transaction tries.
type home struct {
	account desk.Account
	admin   desk.Member
}

// walls has a check for each method of a transaction. It fails with what came
// through the wall; what was changed behind it is looked at afterwards.
var walls = map[string]func(tx *store.Tx, h home, n neighbour) error{
	"ThisAccount": func(tx *store.Tx, h home, n neighbour) error {
		a, err := tx.ThisAccount()
		return all(err, same("account", a.ID, h.account.ID))
	},
	"SaveAccount": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.account
		taken.Name = "taken"
		return tx.SaveAccount(taken) // it is kept as one's own
	},
	"Member": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Member(n.admin.ID)
		return notFound(err)
	},
	"Members": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Members(desk.Page{Limit: 100})
		for _, m := range l.Items {
			err = all(err, strange(m))
		}
		return err
	},
	"AddMember": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addMember(tx, n.admin.Email, desk.Viewer) // no conflict
		return err
	},
	"SaveMember": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.admin
		taken.Name, taken.Role = "taken", desk.Viewer
		return tx.SaveMember(taken)
	},
	"RemoveMember": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveMember(n.admin.ID) },
	"HasOtherAdmin": func(tx *store.Tx, h home, n neighbour) error {
		other, err := tx.HasOtherAdmin(h.admin.ID)
		return all(err, same("another admin", other, false))
	},
	"Token": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Token(n.admin.ID, n.token.ID)
		return notFound(err)
	},
	"Tokens": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Tokens(n.admin.ID, desk.Page{Limit: 100})
		return all(err, same("tokens", len(l.Items), 0))
	},
	"AddToken": func(tx *store.Tx, h home, n neighbour) error {
		_, err := addToken(tx, n.admin) // it would act as the neighbour's admin
		return notFound(err)
	},
	"RevokeToken": func(tx *store.Tx, h home, n neighbour) error { return tx.RevokeToken(n.token.ID) },
	"TouchToken":  func(tx *store.Tx, h home, n neighbour) error { return tx.TouchToken(n.token.ID, tx.Now.Add(time.Hour)) },
	"AuditLogs": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, f := range []desk.AuditLogFilter{{}, {Actor: n.admin.ID}, {ResourceType: "Member", ResourceID: fmt.Sprint(n.admin.ID)}} {
			l, e := tx.AuditLogs(f, desk.Page{Limit: 100})
			err = all(err, e)
			for _, a := range l.Items {
				err = all(err, strange(a))
			}
		}
		return err
	},
	"Events": func(tx *store.Tx, h home, n neighbour) error {
		events, _, err := tx.Events(0, 100)
		for _, e := range events {
			err = all(err, strange(e))
		}
		return err
	},
	"Record": func(tx *store.Tx, h home, n neighbour) error { return recordUpdate(tx, n.admin) },
	"BeginKey": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, name := range []string{"held", "done"} { // neither held here nor answered
			k, e := tx.BeginKey(n.token.ID, name, "other owner")
			err = all(err, e, same("an answer", k.Answer != nil, false))
		}
		return err
	},
	"FinishKey": func(tx *store.Tx, h home, n neighbour) error {
		if err := tx.FinishKey(n.held, desk.Answer{Status: 200}); desk.KindOf(err) != desk.Conflict {
			return fmt.Errorf("finishing gives %v, want Conflict", err)
		}
		return nil
	},
	"Integration": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Integration(n.chat.ID)
		return notFound(err)
	},
	"Integrations": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Integrations(desk.Page{})
		return all(err, same("integrations", len(l.Items), 0))
	},
	"Chat": func(tx *store.Tx, h home, n neighbour) error {
		if _, err := tx.Chat(); !errors.Is(err, desk.ErrNotConnected) {
			return fmt.Errorf("got %v, want not connected", err)
		}
		return nil
	},
	"AddIntegration": func(tx *store.Tx, h home, n neighbour) error {
		i := desk.Integration{Kind: desk.Slack, Status: desk.Pending, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		return tx.AddIntegration(&i)
	},
	"SaveIntegration": func(tx *store.Tx, h home, n neighbour) error {
		taken := n.chat
		taken.Status, taken.Name = desk.Lost, "taken"
		return tx.SaveIntegration(taken)
	},
	"NoteSync":          func(tx *store.Tx, h home, n neighbour) error { return tx.NoteSync(n.chat.ID) },
	"RemoveIntegration": func(tx *store.Tx, h home, n neighbour) error { return tx.RemoveIntegration(n.chat.ID) },
	"SetNonce":          func(tx *store.Tx, h home, n neighbour) error { return tx.SetNonce(n.chat.ID, "taken") },
	"TakeNonce": func(tx *store.Tx, h home, n neighbour) error {
		good, err := tx.TakeNonce(n.chat.ID, "theirs")
		return all(err, same("good", good, false))
	},
	"PutCredential": func(tx *store.Tx, h home, n neighbour) error {
		return notFound(tx.PutCredential(n.chat.ID, "", []byte("taken")))
	},
	"Credential": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Credential(n.chat.ID, "")
		return notFound(err)
	},
	"ForgetCredentials": func(tx *store.Tx, h home, n neighbour) error { return tx.ForgetCredentials(n.chat.ID) },
	"Users": func(tx *store.Tx, h home, n neighbour) error {
		var err error
		for _, q := range []desk.UserQuery{{}, {IDs: []string{n.user.ID}}, {Text: n.user.Name}} {
			l, e := tx.Users(q)
			err = all(err, e, same("users", len(l.Items), 0))
		}
		return err
	},
	"PutUsers": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.PutUsers([]store.Told[desk.User]{{Is: desk.User{ID: n.user.ID, Name: "taken"}, Revision: 9}}, time.Time{})
		return err
	},
	"Team": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.Team(n.team.ID, true)
		return notFound(err)
	},
	"Teams": func(tx *store.Tx, h home, n neighbour) error {
		l, err := tx.Teams(true, desk.Page{})
		return all(err, same("teams", len(l.Items), 0))
	},
	"PutTeams": func(tx *store.Tx, h home, n neighbour) error {
		_, err := tx.PutTeams("slack", []store.Told[desk.Team]{{Is: desk.Team{Name: "taken", SourceID: n.team.SourceID}, Revision: 9}}, time.Time{})
		return err
	},
	"ReleaseKey": func(tx *store.Tx, h home, n neighbour) error { return tx.ReleaseKey(n.held) },
	"RenewKey":   func(tx *store.Tx, h home, n neighbour) error { return tx.RenewKey(n.held) },
}

func TestAccountsAreWalls(t *testing.T) {
	for _, name := range methods[*store.Tx](reflect.TypeFor[*sqldb.Tx]()) {
		if walls[name] == nil {
			t.Errorf("Tx.%s has no check that it keeps to its account", name)
		}
	}
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		n := newNeighbour(t, s)
		c.move(time.Second) // a renewed lease would show
		for _, name := range slices.Sorted(maps.Keys(walls)) {
			var h home
			h.account, h.admin = newAccount(t, s, "Home")
			before := everything(t, s, n.account.ID)
			if err := s.Write(ctx, h.account.ID, func(tx *store.Tx) error { return walls[name](tx, h, n) }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			sameRows(t, name, before, everything(t, s, n.account.ID))
		}
	})
}

// The methods of the store itself are for the command line and for work beside
// the operations. Those that take an account keep to it.
func TestStoreMethodsKeepToTheirAccount(t *testing.T) {
	checked := []string{"AddAccount", "Look", "Read", "Write", "SweepKeys", "VerifyAuditLog", "RetireUsers", "RetireTeams", "RetireChannels"}
	everyAccount := []string{"Accounts", "Bearer", "Chats", "ChatOf", "MembersByEmail", "RunSequencer", "Sequence", "DB", "Now", "Signer"}
	for _, name := range methods[*store.Store](nil) {
		if !slices.Contains(checked, name) && !slices.Contains(everyAccount, name) {
			t.Errorf("Store.%s is listed neither as checked here nor as made for every account", name)
		}
	}
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		n := newNeighbour(t, s)
		before := everything(t, s, n.account.ID)
		h, _ := newAccount(t, s, "Home") // AddAccount
		write(t, s, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) })
		read(t, s, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) })
		if err := s.Look(ctx, h.ID, func(tx *store.Tx) error { return same("account", tx.Account, h.ID) }); err != nil {
			t.Error(err)
		}
		c.move(desk.AnswerKept + time.Hour)
		must(t, s.SweepKeys(ctx, h.ID))
		nobody := map[string]bool{}
		must(t, s.RetireUsers(ctx, h.ID, nobody, s.Now()))
		must(t, s.RetireTeams(ctx, h.ID, nobody, s.Now()))
		must(t, s.RetireChannels(ctx, h.ID, nobody, s.Now()))
		sameRows(t, "after AddAccount, Write, Read, SweepKeys and Retire…", before, everything(t, s, n.account.ID))

		sql(t, s, "UPDATE audit_logs SET action = 'forged' WHERE account_id = $1", n.account.ID)
		if _, err := s.VerifyAuditLog(ctx, h.ID); err != nil {
			t.Errorf("VerifyAuditLog: another account's broken chain is found: %v", err)
		}
	})
}

// A token acts in the account of its row, and only for a member of that account.
func TestBearerStaysInItsAccount(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		n := newNeighbour(t, s)
		h, _ := newAccount(t, s, "Home")
		b, ok, err := s.Bearer(ctx, n.token.Prefix)
		if err != nil || !ok || b.Account != n.account.ID || b.Member.ID != n.admin.ID {
			t.Fatalf("got %+v, %v, %v", b, ok, err)
		}
		// No method can write this; if a row like it came about, it must not open.
		sql(t, s, "UPDATE tokens SET account_id = $1 WHERE id = $2", h.ID, n.token.ID)
		if b, ok, err := s.Bearer(ctx, n.token.Prefix); ok || err != nil {
			t.Errorf("a token of one account opens another: %+v, %v", b, err)
		}
	})
}

func TestMembersByEmailAreOfTheirAccounts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		first, _ := newAccount(t, s, "First")
		second, _ := newAccount(t, s, "Second")
		third, _ := newAccount(t, s, "Third")
		for _, a := range []desk.Account{first, second, third} {
			write(t, s, a.ID, func(tx *store.Tx) error {
				m, err := addMember(tx, "Jo@Example.com", desk.Agent)
				if err == nil && a.ID == third.ID {
					err = tx.RemoveMember(m.ID)
				}
				return err
			})
		}
		found, err := s.MembersByEmail(ctx, "jo@EXAMPLE.com")
		must(t, err)
		if len(found) != 2 || found[0].Account != first.ID || found[0].AccountName != "First" || found[1].Account != second.ID || found[0].Member.Email != "Jo@Example.com" {
			t.Errorf("found %+v", found)
		}
		ids, err := s.Accounts(ctx)
		if want := []desk.AccountID{first.ID, second.ID, third.ID}; err != nil || !slices.Equal(ids, want) {
			t.Errorf("accounts %v, %v; want %v", ids, err, want)
		}
	})
}

// methods are the names of T's exported methods but those of what it embeds.
func methods[T any](embedded reflect.Type) (names []string) {
	for m := range reflect.TypeFor[T]().Methods() {
		if embedded != nil {
			if _, promoted := embedded.MethodByName(m.Name); promoted {
				continue
			}
		}
		names = append(names, m.Name)
	}
	return names
}

// everything is each row of an account, in every table that has any.
func everything(t *testing.T, s *store.Store, account desk.AccountID) []string {
	t.Helper()
	lines := rows(t, s, "SELECT * FROM accounts WHERE id = $1", account)
	for _, table := range accountTables(t) {
		lines = append(lines, table)
		lines = append(lines, rows(t, s, "SELECT * FROM "+table+" WHERE account_id = $1", account)...)
	}
	return lines
}

func sameRows(t *testing.T, what string, before, after []string) {
	t.Helper()
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Errorf("%s: behind the wall this row changed: %s", what, line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Errorf("%s: behind the wall this row is new: %s", what, line)
		}
	}
}

func all(errs ...error) error { return errors.Join(errs...) }

func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

func notFound(err error) error {
	if err == nil || desk.KindOf(err) != desk.NotFound {
		return fmt.Errorf("got %v, want NotFound", err)
	}
	return nil
}

// strange finds the neighbour's name in whatever was read.
func strange(v any) error {
	text := fmt.Sprintf("%+v", v)
	for _, b := range []any{v} {
		if e, ok := b.(desk.Event); ok {
			text += string(e.Data)
		}
		if a, ok := b.(desk.AuditLog); ok {
			text += string(a.Before) + string(a.After)
		}
	}
	if strings.Contains(text, "neighbour") {
		return fmt.Errorf("it came through the wall: %s", text)
	}
	return nil
}
