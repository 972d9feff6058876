package store_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/schema"
	"frontdesk/internal/store"
)

// respondingCast are users who are responders in one way or another, or only seem
// to be.
var respondingCast = []desk.Responding{
	{ID: "U_MIRA", Email: "mira@acme.test"},
	{ID: "U_JO", Email: "Jo@ACME.Test"},
	{ID: "U_EVE", Email: "eve@evil-acme.test"},
	{ID: "U_SUB", Email: "sub@mail.acme.test"},
	{ID: "U_NONE"},
	{ID: "U_BARE", Email: "acme.test"},
	{ID: "U_TWO", Email: `"x@evil.test"@acme.test`},
	{ID: "U_QUOTED", Email: `"x@acme.test"@evil.test`},
	{ID: "U_KELVIN", Email: "k@acme.te\u212at"},
	{ID: "U_LONG_S", Email: "s@acme.te\u017ft"},
	{ID: "U_GONE", Email: "gone@acme.test", Deleted: true},
	{ID: "U_BOT", Email: "bot@acme.test", IsBot: true},
	{ID: "U_TEAM", Email: "team@else.test"},
	{ID: "U_TEAM_GONE", Deleted: true},
	{ID: "U_TEAM_BOT", IsBot: true},
	{ID: "U_PAST", Email: "past@else.test"},
	{ID: "U_GUEST", Email: "guest@acme.test", External: true},
	{ID: "U_TEAM_GUEST", External: true},
}

// addResponding adds the cast, with a team that is active and one that is not.
func addResponding(tx *store.Tx) (active, past desk.TeamID, err error) {
	for _, u := range respondingCast {
		told := desk.User{ID: u.ID, Name: u.ID, Email: u.Email, Deleted: u.Deleted, IsBot: u.IsBot, External: u.External}
		if _, err := tx.PutUsers([]store.Report[desk.User]{{Is: told, Revision: 1}}, time.Time{}); err != nil {
			return 0, 0, err
		}
	}
	members := func(ids ...string) (all []desk.TeamMember) {
		for _, id := range ids {
			all = append(all, desk.TeamMember{User: id})
		}
		return all
	}
	_, err = tx.PutTeams("sandbox", []store.Report[desk.Team]{
		{Is: desk.Team{Name: "active", SourceID: "S1", Active: true, Members: members("U_TEAM", "U_TEAM_GONE", "U_TEAM_BOT", "U_TEAM_GUEST", "U_JO", "U_STRANGER")}, Revision: 1},
		{Is: desk.Team{Name: "past", SourceID: "S2", Members: members("U_PAST", "U_TEAM")}, Revision: 1},
	}, time.Time{})
	if err != nil {
		return 0, 0, err
	}
	l, err := tx.Teams(false, desk.Page{Ascending: true})
	if err != nil {
		return 0, 0, err
	}
	return l.Items[0].ID, l.Items[1].ID, nil
}

// ResponderIDs finds exactly the users for whom IsResponder is true.
func TestResponderIDs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		other, _ := newAccount(t, s, "Other")
		var active, past desk.TeamID
		write(t, s, account.ID, func(tx *store.Tx) (err error) { active, past, err = addResponding(tx); return err })
		write(t, s, other.ID, func(tx *store.Tx) error { return addUser(tx, "U_OTHER", "other@acme.test", false, false) })
		teams := map[string][]desk.TeamID{"U_TEAM": {active}, "U_TEAM_GONE": {active}, "U_TEAM_BOT": {active}, "U_TEAM_GUEST": {active}, "U_JO": {active}}
		for _, responders := range [][]desk.Responder{
			nil,
			{{UserID: "U_MIRA"}},
			{{UserID: "U_MIRA"}, {UserID: "U_GONE"}, {UserID: "U_BOT"}, {UserID: "U_NOBODY"}, {UserID: "U_NONE"}},
			{{TeamID: active}},
			{{TeamID: past}},
			{{TeamID: past}, {TeamID: active}, {TeamID: 99999999}},
			{{EmailDomain: "acme.test"}},
			{{EmailDomain: "else.test"}, {EmailDomain: "evil.test"}},
			{{EmailDomain: "test"}, {EmailDomain: "acme.tekt"}},
			{{EmailDomain: "acme.test"}, {UserID: "U_SUB"}, {TeamID: active}, {UserID: "U_JO"}},
			{{UserID: "U_GUEST"}, {UserID: "U_SUB"}},
		} {
			col := desk.Collection{Responders: responders}
			var want, turns []string // a guest may answer, but has no turn
			for _, u := range respondingCast {
				u.Teams = teams[u.ID]
				if col.IsResponder(u) {
					want = append(want, u.ID)
				}
				if col.IsResponder(u) && !u.External {
					turns = append(turns, u.ID)
				}
			}
			slices.Sort(want)
			slices.Sort(turns)
			read(t, s, account.ID, func(tx *store.Tx) error {
				if got, err := tx.ResponderIDs(col); err != nil || !slices.Equal(got, want) {
					t.Errorf("%+v: got %v, %v; want %v", responders, got, err, want)
				}
				if got, err := tx.Candidates(col); err != nil || !slices.Equal(got, turns) {
					t.Errorf("%+v: candidates %v, %v; want %v", responders, got, err, turns)
				}
				col.AssignTeam = &active
				if got, err := tx.Candidates(col); err != nil || !slices.Equal(got, []string{"U_JO", "U_TEAM"}) {
					t.Errorf("%+v: candidates of the team %v, %v", responders, got, err)
				}
				return nil
			})
		}
	})
}

// When a user's email changes, so does their domain.
func TestResponderIDsFollowAnEmail(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		col := desk.Collection{Responders: []desk.Responder{{EmailDomain: "acme.test"}}}
		for i, step := range []struct {
			email string
			want  int
		}{{"jo@acme.test", 1}, {"jo@else.test", 0}, {"jo@Acme.Test", 1}, {"", 0}} {
			write(t, s, account.ID, func(tx *store.Tx) error {
				_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U1", Name: "Jo", Email: step.email}, Revision: int64(i + 1)}}, time.Time{})
				return err
			})
			read(t, s, account.ID, func(tx *store.Tx) error {
				if got, err := tx.ResponderIDs(col); err != nil || len(got) != step.want {
					t.Errorf("%q: %v, %v; want %d", step.email, got, err, step.want)
				}
				return nil
			})
		}
	})
}

func TestResponderIDsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		for from := 0; from < store.MostResponding+2; from += 100 {
			write(t, s, account.ID, func(tx *store.Tx) error {
				var told []store.Report[desk.User]
				for i := from; i < min(from+100, store.MostResponding+2); i++ {
					told = append(told, store.Report[desk.User]{Is: desk.User{ID: fmt.Sprintf("U%04d", i), Email: "x@acme.test"}, Revision: 1})
				}
				_, err := tx.PutUsers(told, time.Time{})
				return err
			})
		}
		for _, responders := range [][]desk.Responder{
			{{EmailDomain: "acme.test"}},
			{{EmailDomain: "acme.test"}, {UserID: fmt.Sprintf("U%04d", store.MostResponding+1)}},
		} {
			read(t, s, account.ID, func(tx *store.Tx) error {
				got, err := tx.ResponderIDs(desk.Collection{Responders: responders})
				if err != nil || len(got) != store.MostResponding || got[0] != "U0000" || !slices.IsSorted(got) {
					t.Errorf("%v: %d found, %v", responders, len(got), err)
				}
				return nil
			})
		}
	})
}

// Users from before domains were stored get the domain of their email.
func TestOlderUsersHaveADomain(t *testing.T) {
	migration, err := fs.ReadFile(schema.Files, "0006_collection_settings.sql")
	must(t, err)
	update := regexp.MustCompile(`(?s)UPDATE users SET [^;]*`).FindString(string(migration))
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error { _, _, err := addResponding(tx); return err })
		domains := func() []string {
			return rows(t, s, "SELECT user_id, email_domain FROM users WHERE account_id = $1 AND user_id NOT IN ('U_KELVIN', 'U_LONG_S') ORDER BY id", account.ID)
		}
		want := domains()
		sql(t, s, "UPDATE users SET email_domain = '' WHERE account_id = $1", account.ID)
		if slices.Equal(domains(), want) {
			t.Fatal("the domains are not gone")
		}
		sql(t, s, update)
		if got := domains(); !slices.Equal(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
		read(t, s, account.ID, func(tx *store.Tx) error {
			got, err := tx.ResponderIDs(desk.Collection{Responders: []desk.Responder{{EmailDomain: "acme.test"}, {EmailDomain: "acme.tekt"}}})
			if err != nil || !slices.Equal(got, []string{"U_GUEST", "U_JO", "U_MIRA", "U_TWO"}) {
				t.Errorf("got %v, %v", got, err)
			}
			return nil
		})
	})
}

func TestTurns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var first, second desk.Collection
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			if first, err = addCollection(tx, "first", desk.ChatCollection); err != nil {
				return err
			}
			second, err = addCollection(tx, "second", desk.ChatCollection)
			return err
		})
		last := func(id desk.CollectionID, want string) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) error {
				if got, err := tx.Turn(id); err != nil || got != want {
					t.Errorf("the last turn was of %q, %v; want %q", got, err, want)
				}
				return nil
			})
		}
		last(first.ID, "")
		for _, user := range []string{"U1", "U2", "U2", "U1"} {
			write(t, s, account.ID, func(tx *store.Tx) error { return tx.TakeTurn(first.ID, user) })
			last(first.ID, user)
			last(second.ID, "")
		}
		write(t, s, account.ID, func(tx *store.Tx) error {
			if err := tx.RemoveCollection(first.ID); err != nil {
				return err
			}
			return notFound(tx.TakeTurn(first.ID, "U1"))
		})
		last(first.ID, "")
	})
}
