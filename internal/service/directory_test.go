package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/worker"
)

// eachWorkplace runs a test on both engines, in parallel, because most of the time
// it waits.
func eachWorkplace(t *testing.T, fn func(t *testing.T, w *workplace)) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		fn(t, newWorkplace(t, url))
	})
}

// person returns the id of somebody in the workspace by their email.
func (w *workplace) person(email string) string {
	w.t.Helper()
	users, err := w.box.Users(ctx, w.workspace.ID)
	must(w.t, err)
	for _, u := range users {
		if u.Profile.Email == email {
			return u.ID
		}
	}
	w.t.Fatalf("%s is not in the workspace", email)
	return ""
}

// changePeople does everything to people and teams that can be done to them.
func (w *workplace) changePeople() {
	w.t.Helper()
	must(w.t, w.box.RenameUser(ctx, w.person("maya@acme.test"), "Maya Lindqvist-Öberg"))
	must(w.t, w.box.DeactivateUser(ctx, w.person("tomas@acme.test")))
	_, err := w.box.InviteUser(ctx, w.workspace.ID, sandbox.NewUser{RealName: "<b>New'); DROP TABLE users;--", Email: "new@acme.test"})
	must(w.t, err)
}

func (w *workplace) peopleAreSame() {
	w.t.Helper()
	sameAs(w.t, "the same people", w.ourUsers, w.boxUsers)
}

func TestDirectoryFollowsEvents(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.peopleAreSame()
		w.rests() // connecting and starting each read it once
		w.calls.take()
		w.changePeople()
		w.peopleAreSame()
		// The events were enough: nothing was read.
		if n := w.calls.take()["users.list"]; n != 0 {
			t.Errorf("the people were read %d times", n)
		}

		maya, priya := w.person("maya@acme.test"), w.person("priya@acme.test")
		g, err := w.box.CreateUsergroup(ctx, w.workspace.Owner, "Support", "support", []string{maya})
		must(t, err)
		team := func(name string, active bool, members ...string) {
			t.Helper()
			slices.Sort(members)
			want := strings.TrimSpace(fmt.Sprintf("%s %s %t %s", g.ID, name, active, strings.Join(members, " ")))
			sameAs(t, "the team", w.ourTeams, func() []string { return []string{want} })
		}
		team("Support", true, maya)
		_, err = w.box.SetUsergroupMembers(ctx, w.workspace.Owner, g.ID, []string{maya, priya})
		must(t, err)
		team("Support", true, maya, priya)
		_, err = w.box.ChangeUsergroup(ctx, w.workspace.Owner, g.ID, "Helpers", true)
		must(t, err)
		become(t, "the disabled team", w.ourTeams, func(got []string) bool {
			return len(got) == 1 && strings.HasPrefix(got[0], g.ID+" Helpers false")
		})
	})
}

// Whatever happens to events, the directory is right in the end.
func TestDirectorySurvivesBadDelivery(t *testing.T) {
	ways := map[string]func(*workplace){
		"twice and out of order": func(w *workplace) { w.faults(sandbox.DuplicateEvent, sandbox.ReorderEvent) },
		"the acknowledgement is lost": func(w *workplace) {
			told := map[string]bool{}
			w.delivers(func(ctx context.Context, e chat.Event) error {
				err := w.Receive(ctx, e)
				if u := e.User; u != nil && !told[u.ID] {
					told[u.ID] = true
					return errors.Join(err, errors.New("what was done is not acknowledged"))
				}
				return err
			})
		},
		"four deliveries": func(w *workplace) {
			w.delivers(func(ctx context.Context, e chat.Event) (err error) {
				for range 4 {
					err = errors.Join(err, w.Receive(ctx, e))
				}
				return err
			})
		},
		"the old after the new": func(w *workplace) {
			var first *chat.Event
			w.delivers(func(ctx context.Context, e chat.Event) error {
				if e.User != nil && first == nil {
					first = &e
					stale := *e.User
					stale.Name, stale.Revision = "as it was long ago", stale.Revision-100
					e.User = &stale
					return errors.Join(w.Receive(ctx, *first), w.Receive(ctx, e))
				}
				return w.Receive(ctx, e)
			})
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			eachWorkplace(t, func(t *testing.T, w *workplace) {
				w.connect()
				w.peopleAreSame()
				way(w)
				w.changePeople()
				w.delivered()
				w.peopleAreSame()
			})
		})
	}
}

// Two changes in the same second have the same revision. If they are reported in
// the wrong order, the directory is read again.
func TestDirectorySettlesDoubt(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.peopleAreSame()
		w.rests() // connecting and starting each read it once
		users, err := w.box.Users(ctx, w.workspace.ID)
		must(t, err)
		// Nothing reads the directory before the event's effect is seen.
		must(t, w.box.SetFaults(sandbox.FaultPlan{Faults: []sandbox.Fault{{Kind: sandbox.Down, Method: "users.list", Delay: sandbox.Duration(time.Hour)}}}))
		wrong := chat.User{ID: users[0].ID, Name: "told last, true first", Revision: users[0].Updated}
		must(t, w.Receive(ctx, chat.Event{System: "slack", Workspace: w.workspace.ID, User: &wrong}))
		if got := w.ourUsers(); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, wrong.Name) }) {
			t.Fatalf("the event has no effect: %v", got)
		}
		w.faults()
		w.peopleAreSame()
	})
}

// While the service is down, events are sent a few times and then dropped. The
// directory is right again once the service is back.
func TestDirectoryAfterDowntime(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.peopleAreSame()
		w.close()
		w.faults(sandbox.LoseEvent)
		w.changePeople()
		g, err := w.box.CreateUsergroup(ctx, w.workspace.Owner, "Support", "support", []string{w.person("maya@acme.test")})
		must(t, err)
		w.faults()
		w.clock.move(time.Hour)
		w.open()
		w.peopleAreSame()
		become(t, "the team", w.ourTeams, func(got []string) bool { return len(got) == 1 && strings.HasPrefix(got[0], g.ID+" Support true ") })
	})
}

// The other way round: the chat system is down, and its changes are never reported.
// The next tick finds them.
func TestDirectoryAfterTheirDowntime(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.peopleAreSame()
		must(t, w.box.SetFaults(sandbox.FaultPlan{Faults: []sandbox.Fault{{Kind: sandbox.LoseEvent}, {Kind: sandbox.Down, Delay: sandbox.Duration(time.Hour)}}}))
		w.changePeople()
		w.clock.move(worker.SyncEvery) // one read fails
		w.faults()
		w.clock.move(time.Hour)
		w.peopleAreSame()
	})
}

func TestChannelsFollow(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		owner := w.box.As(w.workspace.Owner)
		old, err := owner.CreateChannel(ctx, "old", false)
		must(t, err)
		w.connect()
		w.channelsBecome(old.ID + " old")
		must(t, owner.Rename(ctx, old.ID, "renamed"))
		w.channelsBecome(old.ID + " renamed")
		made, err := owner.CreateChannel(ctx, "new", false)
		must(t, err)
		secret, err := owner.CreateChannel(ctx, "secret", true)
		must(t, err)
		w.channelsBecome(old.ID+" renamed", made.ID+" new") // the bot does not see private channels
		must(t, owner.Archive(ctx, old.ID))
		w.channelsBecome(old.ID+" renamed archived", made.ID+" new")
		must(t, owner.Invite(ctx, secret.ID, w.bot()))
		w.channelsBecome(old.ID+" renamed archived", made.ID+" new", secret.ID+" secret private member")
		must(t, owner.Unarchive(ctx, old.ID))
		must(t, owner.Archive(ctx, secret.ID))
		w.channelsBecome(old.ID+" renamed", made.ID+" new", secret.ID+" secret private archived member")
	})
}

// The bot joins a channel that gets a purpose.
func TestBotJoinsChannels(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		owner := w.box.As(w.workspace.Owner)
		ids := map[string]string{}
		for _, name := range []string{"customers", "tickets", "triage", "apart"} {
			c, err := owner.CreateChannel(ctx, name, false)
			must(t, err)
			ids[name] = c.ID
		}
		w.connect()
		become(t, "the channels", w.ourChannels, func(got []string) bool { return len(got) == 5 })
		tickets, triage := ids["tickets"], ids["triage"]
		_, err := w.CreateCollection(ctx, w.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection, RequestChannel: &tickets, TriageChannel: &triage})
		must(t, err)
		made, err := w.CreateCollection(ctx, w.caller(), desk.NewCollection{Name: "Customers", Kind: desk.ChatCollection})
		must(t, err)
		_, err = w.AddChannels(ctx, w.caller(), made.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: ids["customers"]}}})
		must(t, err)
		w.channelsBecome(ids["customers"]+" customers member", tickets+" tickets member", triage+" triage member", ids["apart"]+" apart")
	})
}

// A large workspace is read page by page, not person by person.
func TestLargeDirectory(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		for i := range 2000 {
			_, err := w.box.InviteUser(ctx, w.workspace.ID, sandbox.NewUser{RealName: fmt.Sprintf("Person %04d", i), Email: fmt.Sprintf("p%04d@big.test", i)})
			must(t, err)
		}
		owner := w.box.As(w.workspace.Owner)
		for i := range 500 {
			_, err := owner.CreateChannel(ctx, fmt.Sprintf("channel-%03d", i), false)
			must(t, err)
		}
		w.connect()
		w.peopleAreSame()
		become(t, "all channels", w.ourChannels, func(got []string) bool { return len(got) == 501 })
		w.rests()
		n := w.calls.take()
		t.Logf("%d users and 501 channels took these calls: %v", len(w.ourUsers()), n)
		if n["users.list"] > 11 || n["conversations.list"] > 3 || n["users.info"]+n["conversations.info"]+n["conversations.members"] > 0 {
			t.Errorf("calls: %v", n)
		}
		w.changePeople()
		w.peopleAreSame()
		if n := w.calls.take(); n["users.list"] > 0 {
			t.Errorf("calls for three changes: %v", n)
		}
	})
}

func TestLostConnection(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.peopleAreSame()
		apps, err := w.box.Apps(ctx)
		must(t, err)
		must(t, w.box.Uninstall(ctx, apps[0].ID, w.workspace.ID))
		status := func() []desk.IntegrationStatus {
			l, err := w.Integrations(ctx, w.caller(), desk.Page{})
			must(t, err)
			return []desk.IntegrationStatus{l.Items[0].Status}
		}
		become(t, "the loss", status, func(got []desk.IntegrationStatus) bool { return got[0] == desk.StatusLost })
		if _, err := w.Users(ctx, w.caller(), desk.UserQuery{}); !errors.Is(err, desk.ErrNotConnected) {
			t.Errorf("users without a connection: %v", err)
		}
		if n := w.rows("credentials"); n != 0 {
			t.Errorf("%d credentials are left", n)
		}
		w.connect()
		w.peopleAreSame()
		if got := status(); got[0] != desk.StatusConnected {
			t.Errorf("after connecting again: %s", got[0])
		}
	})
}
