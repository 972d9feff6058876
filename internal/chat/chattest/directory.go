package chattest

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// many is more than a page of the directory holds.
const many = 20

func directoryPages(r *room) {
	people, channels, teams := map[string]string{}, map[string]string{}, map[string]string{}
	for _, p := range r.People {
		people[p.ID] = p.Name
	}
	channels[r.channel] = "lobby"
	for i := range many {
		name := fmt.Sprintf("Guest%d", i)
		p, err := r.Office.Invite(name, fmt.Sprintf("guest%d@example.test", i), false)
		r.must(err)
		people[p.ID] = name
		name = fmt.Sprintf("room-%d", i)
		id, err := r.Office.Open(name, false)
		r.must(err)
		channels[id] = name
		name = fmt.Sprintf("Team %d", i)
		id, err = r.Office.Team("", name, r.agent.ID)
		r.must(err)
		teams[id] = name
	}
	seen := map[chat.Part]map[string]string{}
	for _, part := range chat.Parts {
		before := r.Calls()
		all, pages := r.directory(part)
		calls := r.Calls() - before
		shown := namesOf(r, part, all)
		if len(shown) <= 2*pages || calls > 2*pages {
			r.t.Errorf("%d of the %s came in %d pages with %d calls: that is a call for each", len(shown), part, pages, calls)
		}
		if part != chat.Teams && pages < 2 {
			r.t.Errorf("%d of the %s came in one page: the world must have smaller ones, or nothing is proved", len(shown), part)
		}
		seen[part] = shown
	}
	for part, want := range map[chat.Part]map[string]string{chat.People: people, chat.Channels: channels, chat.Teams: teams} {
		for id, name := range want {
			if seen[part][id] != name {
				r.t.Errorf("in the directory %s of the %s is called %q, want %q", id, part, seen[part][id], name)
			}
		}
	}
	if bot := r.user(r.Bot); !bot.IsBot || bot.Deleted {
		r.t.Errorf("the bot is %+v", bot)
	}
	if u := r.user(r.customer.ID); u.IsBot || u.Deleted || u.Email == "" {
		r.t.Errorf("a person is %+v", u)
	}
}

// namesOf returns the names in a part of the directory. It fails the test if
// something appears twice or belongs to another part.
func namesOf(r *room, part chat.Part, all chat.Directory) map[string]string {
	r.t.Helper()
	names := map[string]string{}
	note := func(of chat.Part, id, name string) {
		if _, twice := names[id]; twice || of != part || id == "" {
			r.t.Errorf("the %s have %q of the %s, twice: %v", part, id, of, twice)
		}
		names[id] = name
	}
	for _, u := range all.Users {
		note(chat.People, u.ID, u.Name)
	}
	for _, team := range all.Teams {
		note(chat.Teams, team.ID, team.Name)
	}
	for _, c := range all.Channels {
		note(chat.Channels, c.ID, c.Name)
	}
	return names
}

// named returns the one with an id, or a zero one.
func named[T any](all []T, id string, idOf func(T) string) (none T) {
	for _, one := range all {
		if idOf(one) == id {
			return one
		}
	}
	return none
}

// user returns a person as the directory has them, without an id if it does not.
func (r *room) user(id string) chat.User {
	r.t.Helper()
	all, _ := r.directory(chat.People)
	return named(all.Users, id, func(u chat.User) string { return u.ID })
}

func (r *room) team(id string) chat.Team {
	r.t.Helper()
	all, _ := r.directory(chat.Teams)
	return named(all.Teams, id, func(team chat.Team) string { return team.ID })
}

// place returns a channel as the directory has it, without an id if it does not.
func (r *room) place(id string) chat.Channel {
	r.t.Helper()
	all, _ := r.directory(chat.Channels)
	c := named(all.Channels, id, func(c chat.Channel) string { return c.ID })
	r.finds(id, c)
	return c
}

// finds fails the test if a looked-up channel differs from the directory.
func (r *room) finds(id string, want chat.Channel) {
	r.t.Helper()
	if !r.Can.Finds {
		return
	}
	got, err := r.Connector.(chat.Finder).Channel(r.ctx, id)
	switch {
	case want.ID == "":
		r.wants(desk.NotFound, "look up a channel that the directory does not have", err)
	case err != nil || got != want:
		r.t.Errorf("looked up, the channel is %+v %v, and the directory has %+v", got, err, want)
	}
}

// told does something and waits for its event, which either has the new state or
// only says that the part of the directory has changed.
func (r *room) told(part chat.Part, what string, now func(chat.Event) bool, do func() error) {
	r.t.Helper()
	before, _ := r.Inbox.now()
	r.must(do())
	r.Inbox.await(r.t, what, func(events []chat.Event) bool {
		return slices.ContainsFunc(events[len(before):], func(e chat.Event) bool {
			return e.Changed != nil && e.Changed.Part == part || now(e)
		})
	})
}

// settle waits until everything that happened in a channel has been reported.
func (r *room) settle(channel string) {
	r.t.Helper()
	at, err := r.owner.Say(channel, "", "is everything told?")
	r.must(err)
	r.heard(at)
}

func personChanges(r *room) {
	r.settle(r.channel)
	is := func(id string, ok func(chat.User) bool) func(chat.Event) bool {
		return func(e chat.Event) bool { return e.User != nil && e.User.ID == id && ok(*e.User) }
	}
	before := r.user(r.agent.ID)
	name := `Zoë "Zed" <b>O'Neil</b> 王`
	r.told(chat.People, "a new name", is(r.agent.ID, func(u chat.User) bool { return u.Name == name }), func() error {
		return r.Office.Rename(r.agent.ID, name)
	})
	after := r.user(r.agent.ID)
	if after.Name != name {
		r.t.Errorf("somebody with a new name is still %q, want %q", after.Name, name)
	}
	if before.Revision > after.Revision {
		r.t.Errorf("the revision went from %d back to %d", before.Revision, after.Revision)
	}

	r.told(chat.People, "somebody who left", is(r.agent.ID, func(u chat.User) bool { return u.Deleted }), func() error {
		return r.Office.Deactivate(r.agent.ID)
	})
	if u := r.user(r.agent.ID); !u.Deleted {
		r.t.Errorf("somebody who left is %+v", u)
	}

	for name, guest := range map[string]bool{"Ada": false, "Gus": true} {
		email := strings.ToLower(name) + "@example.test"
		var who Person
		r.told(chat.People, "somebody new", func(e chat.Event) bool {
			return e.User != nil && e.User.Name == name && e.User.External == guest
		}, func() (err error) {
			who, err = r.Office.Invite(name, email, guest)
			return err
		})
		if u := r.user(who.ID); u.Name != name || u.Deleted || u.IsBot || u.External != guest || u.Email != "" && u.Email != email {
			r.t.Errorf("somebody new is %+v", u)
		}
	}
}

func teamChanges(r *room) {
	r.settle(r.channel)
	var id string
	r.told(chat.Teams, "a new team", func(e chat.Event) bool {
		return e.Team != nil && e.Team.Name == "Responders" && e.Team.Active && same(e.Team.Members, r.agent.ID)
	}, func() (err error) {
		id, err = r.Office.Team("", "Responders", r.agent.ID)
		return err
	})
	if team := r.team(id); team.Name != "Responders" || !team.Active || !same(team.Members, r.agent.ID) {
		r.t.Errorf("a new team is %+v", team)
	}
	r.told(chat.Teams, "a team's new members", func(e chat.Event) bool {
		return e.Team != nil && e.Team.ID == id && same(e.Team.Members, r.owner.ID, r.customer.ID)
	}, func() error {
		_, err := r.Office.Team(id, "", r.owner.ID, r.customer.ID)
		return err
	})
	if team := r.team(id); !same(team.Members, r.owner.ID, r.customer.ID) {
		r.t.Errorf("a team with new members is %+v", team)
	}
}

// same reports whether a list has exactly these elements, in any order.
func same(list []string, want ...string) bool {
	a, b := slices.Clone(list), slices.Clone(want)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func channelChanges(r *room) {
	r.settle(r.channel)
	changed := func(chat.Event) bool { return false } // no event has the new state of a channel
	var id string
	r.told(chat.Channels, "a new channel", changed, func() (err error) {
		id, err = r.Office.Open("harbour", false)
		return err
	})
	if c := r.place(id); c.Name != "harbour" || c.Private || c.Archived || c.Member {
		r.t.Errorf("a new channel is %+v", c)
	}
	r.told(chat.Channels, "that we are in a channel", changed, func() error { return r.Office.Admit(id, r.Bot) })
	if c := r.place(id); !c.Member {
		r.t.Errorf("a channel that we were put into is %+v", c)
	}
	r.settle(id)
	r.told(chat.Channels, "a channel's new name", changed, func() error { return r.Office.RenameChannel(id, "marina") })
	if c := r.place(id); c.Name != "marina" {
		r.t.Errorf("a channel with a new name is %+v", c)
	}
	r.settle(id)
	r.told(chat.Channels, "an archived channel", changed, func() error { return r.Office.Archive(id) })
	if c := r.place(id); !c.Archived {
		r.t.Errorf("an archived channel is %+v", c)
	}

	secret, err := r.Office.Open("vault", true)
	r.must(err)
	if c := r.place(secret); c.ID != "" {
		r.t.Errorf("the directory has a private channel that we are not in: %+v", c)
	}
	r.told(chat.Channels, "a private channel", changed, func() error { return r.Office.Admit(secret, r.Bot) })
	if c := r.place(secret); c.Name != "vault" || !c.Private || !c.Member {
		r.t.Errorf("a private channel is %+v", c)
	}
}

func joinPublic(r *room) {
	id, err := r.Office.Open("harbour", false, r.customer.ID)
	r.must(err)
	early, err := r.customer.Say(id, "", "before you came")
	r.must(err)
	for range 2 { // it may already be a member
		r.must(r.Connector.Join(r.ctx, id))
	}
	if c := r.place(id); !c.Member {
		r.t.Errorf("a joined channel is %+v", c)
	}
	at, err := r.customer.Say(id, "", "after you came")
	r.must(err)
	r.heard(at)
	if all := r.history(chat.Span{Channel: id}); len(all) != 2 || all[0].Ref != early || all[1].Ref != at {
		r.t.Errorf("the history of a joined channel is %+v", all)
	}
}

func joinPrivate(r *room) {
	id, err := r.Office.Open("vault", true, r.customer.ID)
	r.must(err)
	want := desk.Forbidden
	if r.Can.Hides {
		want = desk.NotFound
	}
	r.wants(want, "join a private channel", r.Connector.Join(r.ctx, id))
	_, err = r.Connector.History(r.ctx, chat.Span{Channel: id})
	r.wants(want, "read a private channel", err)
	_, err = r.Connector.Post(r.ctx, chat.Post{Channel: id, Content: chat.Content{HTML: "<p>hello</p>"}, Mark: "stranger"})
	r.wants(want, "post in a private channel", err)
	r.must(r.Office.Admit(id, r.Bot))
	r.must(r.Connector.Join(r.ctx, id))
	at, err := r.customer.Say(id, "", "welcome")
	r.must(err)
	if got := r.heard(at); read(got.HTML) != "welcome" {
		r.t.Errorf("heard %+v", got)
	}
}

// wants fails the test if an error is not of a kind.
func (r *room) wants(kind desk.Kind, what string, err error) {
	r.t.Helper()
	if err == nil || desk.KindOf(err) != kind {
		r.t.Errorf("%s: got the error %v of kind %d, want one of kind %d", what, err, desk.KindOf(err), kind)
	}
}
