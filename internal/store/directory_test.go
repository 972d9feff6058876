package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// event is the readAt of an event. A page has the time at which it was read.
var event time.Time

func putUsers(t *testing.T, s *store.Store, a desk.AccountID, readAt time.Time, told ...store.Report[desk.User]) (doubt bool) {
	t.Helper()
	write(t, s, a, func(tx *store.Tx) (err error) {
		doubt, err = tx.PutUsers(told, readAt)
		return err
	})
	return doubt
}

func userNames(t *testing.T, s *store.Store, a desk.AccountID, q desk.UserQuery) (names []string) {
	t.Helper()
	read(t, s, a, func(tx *store.Tx) error {
		l, err := tx.Users(q)
		for _, u := range l.Items {
			names = append(names, u.Name)
		}
		return err
	})
	return names
}

func toldUser(id, name string, revision int64) store.Report[desk.User] {
	return store.Report[desk.User]{Is: desk.User{ID: id, Name: name}, Revision: revision}
}

// A report replaces the stored entry only if it is the later one.
func TestLaterTellingWins(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		expect := func(what, want string, doubt, wantDoubt bool) {
			t.Helper()
			if got := userNames(t, s, a.ID, desk.UserQuery{}); !slices.Equal(got, []string{want}) || doubt != wantDoubt {
				t.Errorf("%s: %q, doubt %t; want %q, doubt %t", what, got, doubt, want, wantDoubt)
			}
			c.move(time.Second)
		}
		expect("a new one", "one", putUsers(t, s, a.ID, event, toldUser("U1", "one", 10)), false)
		expect("a later event", "two", putUsers(t, s, a.ID, event, toldUser("U1", "two", 20)), false)
		expect("the same again", "two", putUsers(t, s, a.ID, event, toldUser("U1", "two", 20)), false)
		expect("an earlier event that comes late", "two", putUsers(t, s, a.ID, event, toldUser("U1", "one", 10)), false)
		expect("another of the same revision", "three", putUsers(t, s, a.ID, event, toldUser("U1", "three", 20)), true)
		expect("a page from before", "three", putUsers(t, s, a.ID, c.Now().Add(-time.Hour), toldUser("U1", "two", 20)), false)
		expect("a page that is older", "three", putUsers(t, s, a.ID, c.Now(), toldUser("U1", "one", 10)), false)
		expect("a page that is read now", "two", putUsers(t, s, a.ID, c.Now(), toldUser("U1", "two", 20)), false)
		expect("twice on one page", "five", putUsers(t, s, a.ID, c.Now(), toldUser("U1", "four", 30), toldUser("U1", "five", 40)), false)
	})
}

func TestSearchUsers(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		other, _ := newAccount(t, s, "Other")
		people := []desk.User{
			{ID: "U1", Name: "Mira Vance", Email: "mira@acme.test"},
			{ID: "U2", Name: "Tomás Herrera", Email: "tomas@acme.test"},
			{ID: "U3", Name: "Miranda Low", Email: "m.low@harborpine.test", Deleted: true},
			{ID: "U4", Name: "田中太郎", Email: "tanaka@fernhill.test"},
			{ID: "U5", Name: "100%_sure\\", IsBot: true},
		}
		for _, u := range people {
			putUsers(t, s, a.ID, event, store.Report[desk.User]{Is: u})
			u.Name += " elsewhere"
			putUsers(t, s, other.ID, event, store.Report[desk.User]{Is: u})
		}
		tests := []struct {
			query   string
			deleted bool
			want    []string
		}{
			{"mir", false, []string{"Mira Vance"}},
			{"MIR", true, []string{"Mira Vance", "Miranda Low"}},
			{"vance mira", false, []string{"Mira Vance"}},
			{"mira herrera", false, nil},
			{"tomas", false, []string{"Tomás Herrera"}},
			{"TOMÁS", false, []string{"Tomás Herrera"}},
			{"@acme.test", false, []string{"Mira Vance", "Tomás Herrera"}},
			{"mira@acme.test", false, []string{"Mira Vance"}},
			{"太郎", false, []string{"田中太郎"}},
			{"ance", false, nil},
			{"%", false, nil},
			{"100%", false, []string{"100%_sure\\"}},
			{"' OR 1=1 --", false, nil},
		}
		for _, tt := range tests {
			if got := userNames(t, s, a.ID, desk.UserQuery{Text: tt.query, IncludeDeleted: tt.deleted}); !slices.Equal(got, tt.want) {
				t.Errorf("%q, deleted %t: %q, want %q", tt.query, tt.deleted, got, tt.want)
			}
		}

		// A renamed user is found by the new name only.
		putUsers(t, s, a.ID, event, store.Report[desk.User]{Is: desk.User{ID: "U1", Name: "Ada Vance"}, Revision: 1})
		for query, want := range map[string][]string{"mira": nil, "ada": {"Ada Vance"}, "acme": {"Tomás Herrera"}} {
			if got := userNames(t, s, a.ID, desk.UserQuery{Text: query}); !slices.Equal(got, want) {
				t.Errorf("after the renaming, %q: %q, want %q", query, got, want)
			}
		}
	})
}

func TestUsersInPages(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var told []store.Report[desk.User]
		for i := range 25 {
			u := toldUser(fmt.Sprintf("U%02d", i), fmt.Sprintf("person %02d", i), 0)
			u.Is.Deleted = i%5 == 4
			told = append(told, u)
		}
		putUsers(t, s, a.ID, event, told...)
		for _, text := range []string{"", "person"} {
			for deleted, want := range map[bool]int{false: 20, true: 25} {
				q := desk.UserQuery{Text: text, IncludeDeleted: deleted, Page: desk.Page{Limit: 7}}
				var got []string
				for pages := 0; ; pages++ {
					var l desk.List[desk.User]
					read(t, s, a.ID, func(tx *store.Tx) (err error) {
						l, err = tx.Users(q)
						return err
					})
					for _, u := range l.Items {
						got = append(got, u.ID)
					}
					if q.From = l.Next; l.Next == nil || pages > 5 {
						break
					}
				}
				if len(got) != want || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != want {
					t.Errorf("%q, deleted %t: %d of %d: %v", text, deleted, len(got), want, got)
				}
			}
		}
		// Users asked for by id are returned once each, including deleted ones.
		if got := userNames(t, s, a.ID, desk.UserQuery{IDs: []string{"U04", "U01", "U99", "U01"}}); !slices.Equal(got, []string{"person 01", "person 04"}) {
			t.Errorf("by id: %q", got)
		}
	})
}

// Entries that the chat system no longer shows end, except those we heard of while
// the directory was being read.
func TestRetire(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		seen := map[string]bool{}
		for i := range 1200 {
			if id := fmt.Sprintf("U%04d", i); i%400 != 7 {
				seen[id] = true
			}
		}
		for i := 0; i < 1200; i += 100 {
			var told []store.Report[desk.User]
			for n := range 100 {
				told = append(told, toldUser(fmt.Sprintf("U%04d", i+n), "x", 0))
			}
			putUsers(t, s, a.ID, event, told...)
		}
		c.move(time.Second)
		began := c.Now()
		c.move(time.Second)
		putUsers(t, s, a.ID, event, toldUser("UNEW", "came meanwhile", 0))
		must(t, s.RetireUsers(ctx, a.ID, seen, began))
		var gone []string
		read(t, s, a.ID, func(tx *store.Tx) error {
			l, err := tx.Users(desk.UserQuery{IDs: []string{"U0006", "U0007", "U0407", "U0807", "UNEW"}})
			for _, u := range l.Items {
				if u.Deleted {
					gone = append(gone, u.ID)
				}
			}
			return err
		})
		if want := []string{"U0007", "U0407", "U0807"}; !slices.Equal(gone, want) {
			t.Errorf("gone are %v, want %v", gone, want)
		}
	})
}

func TestPutTeams(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		put := func(readAt time.Time, revision int64, name string, active bool, users ...string) (doubt bool) {
			t.Helper()
			team := desk.Team{SourceID: "S1", Name: name, Active: active}
			for _, u := range users {
				team.Members = append(team.Members, desk.TeamMember{User: u})
			}
			write(t, s, a.ID, func(tx *store.Tx) (err error) {
				doubt, err = tx.PutTeams("slack", []store.Report[desk.Team]{{Is: team, Revision: revision}}, readAt)
				return err
			})
			c.move(time.Second)
			return doubt
		}
		expect := func(what, want string) {
			t.Helper()
			var got string
			read(t, s, a.ID, func(tx *store.Tx) error {
				l, err := tx.Teams(true, desk.Page{})
				for _, team := range l.Items {
					got += fmt.Sprintf("%s %t %s %s", team.Name, team.Active, team.Source, team.SourceID)
					for _, m := range team.Members {
						got += " " + m.User
					}
				}
				return err
			})
			if got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		put(event, 1, "Support", true, "U2", "U1")
		expect("new", "Support true slack S1 U1 U2")
		put(event, 2, "Support", true, "U2", "U3")
		expect("another member", "Support true slack S1 U2 U3")
		put(event, 1, "Support", true, "U1", "U2")
		expect("told late", "Support true slack S1 U2 U3")
		if !put(event, 2, "Help", false) {
			t.Error("the same revision leaves no doubt")
		}
		expect("renamed, disabled and empty", "Help false slack S1")
		put(c.Now(), 2, "Help", true, "U9")
		expect("as it is now", "Help true slack S1 U9")
		c.move(time.Second)
		must(t, s.RetireTeams(ctx, a.ID, map[string]bool{}, c.Now()))
		expect("no longer shown", "Help false slack S1 U9")
	})
}

func TestUserIDByEmail(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		other, _ := newAccount(t, s, "Other")
		write(t, s, other.ID, func(tx *store.Tx) error { return addUser(tx, "U_OTHER", "other@acme.example", false, false) })
		write(t, s, account.ID, func(tx *store.Tx) error {
			for _, u := range []struct {
				id, email    string
				deleted, bot bool
			}{
				{"U_OLD", "jo@acme.example", true, false},
				{"U_BOT", "jo@acme.example", false, true},
				{"U_JO", "Jo@Acme.example", false, false},
				{"U_JO2", "jo@acme.example", false, false},
				{"U_ELI", "éli@acme.example", false, false},
				{"U_NONE", "", false, false},
				{"U_GONE", "gone@acme.example", true, false},
			} {
				if err := addUser(tx, u.id, u.email, u.deleted, u.bot); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, s, account.ID, func(tx *store.Tx) error {
			for email, want := range map[string]string{
				"jo@acme.example":    "U_JO", // the first of two
				"JO@acme.EXAMPLE":    "U_JO",
				"éli@acme.example":   "U_ELI",
				"Éli@acme.example":   "", // only A to Z are folded
				"":                   "",
				"gone@acme.example":  "",
				"other@acme.example": "",
				"%":                  "",
				"jo@acme.example ":   "",
			} {
				got, err := tx.UserIDByEmail(email)
				if err != nil || (got == nil) != (want == "") || got != nil && *got != want {
					t.Errorf("%q: %v, %v; want %q", email, got, err, want)
				}
			}
			return nil
		})
	})
}

// Two processes read the directory at the same moment, and both find the same
// people, teams and channels to be new.
func TestTwoReadersOfADirectory(t *testing.T) {
	eachWithAnother(t, func(t *testing.T, s, elsewhere *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		for round := range 20 {
			id := fmt.Sprint(round)
			var people []store.Report[desk.User]
			for i := range 10 {
				people = append(people, toldUser(fmt.Sprintf("U%s-%d", id, i), "one", 1))
			}
			errs := make(chan error, 2)
			for _, s := range []*store.Store{s, elsewhere} {
				go func() {
					errs <- s.Write(ctx, a.ID, func(tx *store.Tx) error {
						if _, err := tx.PutUsers(people, c.Now()); err != nil {
							return err
						}
						if _, err := tx.PutTeams("slack", []store.Report[desk.Team]{{Is: desk.Team{SourceID: "S" + id, Name: "one"}}}, c.Now()); err != nil {
							return err
						}
						_, err := tx.PutChannels([]store.Report[desk.Channel]{{Is: desk.Channel{ID: "C" + id, Name: "one"}}}, c.Now())
						return err
					})
				}()
			}
			for range 2 {
				if err := <-errs; err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		}
		if names := userNames(t, s, a.ID, desk.UserQuery{Page: desk.Page{Limit: 1000}}); len(names) != 200 {
			t.Errorf("%d people are there", len(names))
		}
	})
}
