package slack

import (
	"fmt"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

func TestPeople(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	w.check(w.s.DeactivateUser(w.ctx, w.person("Oskar")))
	for i := range usersAtOnce {
		must(w.s.InviteUser(w.ctx, w.in.Workspace, sandbox.NewUser{RealName: fmt.Sprint("Person ", i), Email: fmt.Sprintf("p%d@x.test", i)}))
	}
	all := map[string]chat.User{}
	pages := 0
	for cursor := ""; ; pages++ {
		page := must(w.c.Directory(w.ctx, chat.People, cursor))
		for _, u := range page.Users {
			all[u.ID] = u
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	want(t, "people", []int{len(all), pages}, []int{usersAtOnce + 10, 1})
	told := must(w.s.User(w.ctx, maya))
	want(t, "Maya", all[maya], chat.User{ID: maya, Name: "Maya", Email: "maya@desk.test", Avatar: told.Profile.Image192, Revision: told.Updated})
	want(t, "who left", all[w.person("Oskar")].Deleted, true)
	want(t, "the bot", []any{all[w.in.Bot.User].IsBot, all[w.in.Bot.User].Name}, []any{true, "Frontdesk"})
	_, err := w.c.Directory(w.ctx, chat.People, "no cursor")
	wantKind(t, "a cursor that is none", err, desk.Invalid)

	// The event has the same revision as the list.
	w.check(w.s.RenameUser(w.ctx, maya, "Maya L"))
	ev := w.next(func(ev chat.Event) bool { return ev.User != nil && ev.User.ID == maya })
	for _, u := range must(w.c.Directory(w.ctx, chat.People, "")).Users {
		if u.ID == maya {
			want(t, "Maya", *ev.User, u)
		}
	}
}

func TestTeams(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	g := must(w.s.CreateUsergroup(w.ctx, w.owner, "Support", "support", []string{maya}))
	old := must(w.s.CreateUsergroup(w.ctx, w.owner, "Old", "old", []string{maya, w.owner}))
	must(w.s.ChangeUsergroup(w.ctx, w.owner, old.ID, "", true))
	page := must(w.c.Directory(w.ctx, chat.Teams, ""))
	want(t, "next", page.Next, "")
	if len(page.Teams) != 2 {
		t.Fatalf("teams: %+v", page.Teams)
	}
	want(t, "team", page.Teams[0], chat.Team{ID: g.ID, Name: "Support", Active: true, Members: []string{maya}, Revision: g.DateUpdate})
	want(t, "out of use", []any{page.Teams[1].ID, page.Teams[1].Active, page.Teams[1].Members}, []any{old.ID, false, []string{maya, w.owner}})

	ev := w.next(func(ev chat.Event) bool { return ev.Team != nil })
	want(t, "event", *ev.Team, page.Teams[0])
	must(w.s.SetUsergroupMembers(w.ctx, w.owner, g.ID, nil))
	ev = w.next(func(ev chat.Event) bool { return ev.Changed != nil && ev.Changed.Part == chat.Teams })
	want(t, "workspace", ev.Workspace, w.in.Workspace)
}

func TestChannelsAndJoin(t *testing.T) {
	w := newWorld(t)
	owner := w.s.As(w.owner)
	open := must(owner.CreateChannel(w.ctx, "open", false)).ID
	closed := must(owner.CreateChannel(w.ctx, "closed", true)).ID
	secret := must(owner.CreateChannel(w.ctx, "secret", true)).ID
	old := must(owner.CreateChannel(w.ctx, "old", false)).ID
	w.check(owner.Archive(w.ctx, old))
	w.check(owner.Invite(w.ctx, closed, w.in.Bot.User))
	w.next(func(ev chat.Event) bool { return ev.Changed != nil && ev.Changed.Part == chat.Channels })

	list := func() map[string]chat.Channel {
		all := map[string]chat.Channel{}
		for _, c := range must(w.c.Directory(w.ctx, chat.Channels, "")).Channels {
			all[c.ID] = c
		}
		return all
	}
	want(t, "channels", list(), map[string]chat.Channel{
		w.general: {ID: w.general, Name: "general"}, open: {ID: open, Name: "open"},
		closed: {ID: closed, Name: "closed", Private: true, Member: true}, old: {ID: old, Name: "old", Archived: true}})

	for range 2 {
		w.check(w.c.Join(w.ctx, open))
	}
	want(t, "joined", list()[open].Member, true)
	w.check(w.c.Join(w.ctx, closed))
	wantKind(t, "a private one that we cannot see", w.c.Join(w.ctx, secret), desk.NotFound)
	wantKind(t, "an archived one", w.c.Join(w.ctx, old), desk.Refused)
	wantKind(t, "none", w.c.Join(w.ctx, "C0"), desk.NotFound)
	_, err := w.c.Directory(w.ctx, "pets", "")
	wantKind(t, "no part", err, desk.Invalid)
}

// If Slack shows us a private channel that we cannot join, somebody has to invite
// us.
func TestJoinNeedsAnInvitation(t *testing.T) {
	for member, kind := range map[string]desk.Kind{"false": desk.Forbidden, "true": -1} {
		c := faked(t, map[string]string{
			"conversations.join": `{"ok":false,"error":"method_not_supported_for_channel_type"}`,
			"conversations.info": `{"ok":true,"channel":{"id":"C1","is_private":true,"is_member":` + member + `}}`,
		})
		if err := c.Join(t.Context(), "C1"); kind >= 0 {
			wantKind(t, "join", err, kind)
		} else if err != nil {
			t.Error(err)
		}
	}
}

// A plan without teams has none, which is not an error.
func TestNoTeams(t *testing.T) {
	c := faked(t, map[string]string{"usergroups.list": `{"ok":false,"error":"paid_teams_only"}`})
	page, err := c.Directory(t.Context(), chat.Teams, "")
	want(t, "teams", []any{len(page.Teams), err}, []any{0, nil})
}
