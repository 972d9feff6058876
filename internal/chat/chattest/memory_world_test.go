package chattest

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/chat"
)

// Memory returns a world of the system in memory.
func Memory(t *testing.T) *World {
	s := newSystem()
	inbox := &Inbox{}
	s.tidings.edge = edge{s.id, inbox.Deliver}
	w := &World{System: "memory", Workspace: s.id, Inbox: inbox, Can: Abilities{EmptyFiles: true, Presence: true, Finds: true}}
	for _, name := range []string{"Olivia Marsh", "Maya Lindqvist", "Ines Duarte", "Jonas Weber"} {
		a := s.invite(name, "someone@example.test", false)
		w.People = append(w.People, Person{a.id, name, user{s, a, t.Context()}})
	}
	bot := s.invite("desk", "", true)
	w.Bot, w.Office = bot.id, desktop{s, s.accounts[0], t.Context()}
	token, personal := rand.Text(), rand.Text()
	s.keys[token], s.keys[personal] = &key{account: bot}, &key{account: s.accounts[0]}
	w.By = &chat.Credential{User: s.accounts[0].id, Token: personal}
	w.Restart = func() chat.Connector { return memory{s, token} }
	w.Connector = w.Restart()
	w.Link = func(at chat.Ref, _ string) string { return addressOf(s.id, at) }
	w.Linked = func(link string) (chat.Ref, error) { return linked(s.id, link) }
	w.Calls = func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.trouble.calls
	}
	w.Struck = func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.trouble.struck
	}
	w.Misbehave = func(f Fault) error {
		s.misbehave(f)
		return nil
	}
	w.Settle = func() error { return nil } // a call does not outlast its caller
	w.Expire = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ahead += triggerLife + time.Second
	}
	w.Stranger = func(channel, text, mark string) (at chat.Ref, err error) {
		err = s.act(func() error {
			robot := s.invite("robot", "", true)
			robot.left = true // it receives nothing
			s.forum(channel).members[robot.id] = true
			e, err := s.write(robot, "robot", draft{forum: channel, body: body{text: text}, name: clientName(mark)})
			if err == nil {
				at = refOf(e)
			}
			return err
		})
		return at, err
	}
	w.Uninstall = func() error { return s.revoke(nil, token, personal) }
	w.Revoke = func() error { return s.revoke([]string{w.By.User}, personal) }

	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() { s.run(ctx) })
	t.Cleanup(func() {
		cancel()
		wait.Wait()
	})
	return w
}

// revoke ends tokens and reports whose; for the program itself it names nobody.
func (s *system) revoke(users []string, tokens ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range tokens {
		s.keys[token].revoked = true
	}
	s.tell(note{what: revoked, users: users})
	return nil
}

// act does what a person does in the system's own client.
func (s *system) act(do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return do()
}

// user is the system's client, used by one person.
type user struct {
	s   *system
	me  *account
	ctx context.Context
}

func (u user) Say(channel, thread, text string, files ...File) (at chat.Ref, err error) {
	err = u.s.act(func() error {
		e, err := u.s.write(u.me, "", draft{forum: channel, thread: thread, body: body{text: text}, files: files})
		if err == nil {
			at = refOf(e)
		}
		return err
	})
	return at, err
}

func (u user) Edit(at chat.Ref, text string) error {
	return u.s.act(func() error { return u.s.change(u.me, "", at.Channel, at.ID, body{text: text}) })
}

func (u user) Delete(at chat.Ref) error {
	return u.s.act(func() error { return u.s.remove(u.me, "", at.Channel, at.ID) })
}

func (u user) React(at chat.Ref, emoji string, on bool) error {
	return u.s.act(func() error { return u.s.react(u.me, at.Channel, at.ID, glyphOf(emoji), on) })
}

func (u user) Read(channel string) (all []Shown, err error) {
	err = u.s.act(func() error {
		f, err := u.s.found(u.me, channel)
		if err != nil {
			return err
		}
		for _, e := range f.entries {
			if !e.gone && (e.only == "" || e.only == u.me.id) {
				all = append(all, u.shown(e))
			}
		}
		return nil
	})
	return all, err
}

func (u user) shown(e *entry) Shown {
	author, _ := u.s.account(e.author)
	m := Shown{Ref: refOf(e), Thread: e.thread, Author: author.name, Text: e.text, Only: e.only != ""}
	for _, k := range e.knobs {
		m.Buttons = append(m.Buttons, ShownButton{k.label, chat.ButtonStyle(k.style)})
	}
	for _, f := range e.files {
		m.Files = append(m.Files, File{f.name, []byte(f.content)})
	}
	for _, g := range e.glyphs {
		m.Emoji = append(m.Emoji, nameOf(g.glyph))
	}
	return m
}

func (u user) Press(at chat.Ref, label string) error {
	return u.s.press(u.ctx, u.me, at.Channel, at.ID, label)
}

func (u user) Forms() (all []ShownForm, err error) {
	err = u.s.act(func() error {
		for _, f := range u.s.sheets {
			if f.user != u.me.id {
				continue
			}
			shown := ShownForm{ID: f.id, Title: f.title, Submit: f.send}
			for _, one := range f.slots {
				in := ShownInput{Label: one.label, Value: one.value}
				for _, c := range one.choices {
					in.Options = append(in.Options, c.Label)
					if c.Value == one.value {
						in.Value = c.Label
					}
				}
				shown.Inputs = append(shown.Inputs, in)
			}
			all = append(all, shown)
		}
		return nil
	})
	return all, err
}

func (u user) Submit(form string, filled map[string]string) (map[string]string, error) {
	return u.s.submit(u.ctx, u.me, form, filled)
}

func (u user) Leave(away bool) error {
	return u.s.act(func() error {
		u.me.away = away
		return nil
	})
}

func (u user) Rest(from, until time.Time) error {
	return u.s.act(func() error {
		u.me.rest, u.me.rested = from, until
		return nil
	})
}

// desktop is what a person who runs the workspace can use.
type desktop struct {
	s   *system
	me  *account
	ctx context.Context
}

func (d desktop) Invite(name, email string, guest bool) (p Person, err error) {
	err = d.s.act(func() error {
		a := d.s.invite(name, email, false)
		a.guest = guest
		p = Person{a.id, name, user{d.s, a, d.ctx}}
		return nil
	})
	return p, err
}

func (d desktop) Rename(id, name string) error {
	return d.s.act(func() error { return d.s.changeAccount(id, func(a *account) { a.name = name }) })
}

func (d desktop) Deactivate(id string) error {
	return d.s.act(func() error { return d.s.changeAccount(id, func(a *account) { a.left = true }) })
}

func (d desktop) Team(id, name string, members ...string) (team string, err error) {
	err = d.s.act(func() (err error) {
		team, err = d.s.team(id, name, members)
		return err
	})
	return team, err
}

func (d desktop) Open(name string, private bool, members ...string) (id string, err error) {
	err = d.s.act(func() error {
		id = d.s.openForum(name, private, append(slices.Clone(members), d.me.id)...).id
		return nil
	})
	return id, err
}

// in changes a channel and reports it.
func (d desktop) in(channel string, change func(*forum) error) error {
	return d.s.act(func() error {
		f, err := d.s.found(d.me, channel)
		if err == nil {
			err = change(f)
		}
		return err
	})
}

func (d desktop) RenameChannel(channel, name string) error {
	return d.in(channel, func(f *forum) error {
		f.name = name
		d.s.tellForum(f)
		return nil
	})
}

func (d desktop) Archive(channel string) error {
	return d.in(channel, func(f *forum) error {
		f.closed = true
		d.s.tellForum(f)
		return nil
	})
}

func (d desktop) Admit(channel string, users ...string) error {
	return d.in(channel, func(f *forum) error { return d.s.admit(f, users...) })
}
