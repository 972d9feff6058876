package chattest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// method is a call of a connector, with arguments from the world.
type method struct {
	name string
	call func(context.Context, chat.Connector) error
}

// methods returns calls of all methods that would succeed.
func (r *room) methods() []method {
	r.t.Helper()
	said := r.reply(r.customer, "", "with a file", File{Name: "a.txt", Content: []byte("a")})
	file := r.heard(said).Files[0].ID
	own := r.post(r.draft("ours"))
	trigger := r.button(r.customer, "", "trigger").Trigger
	n := 0
	var mu sync.Mutex
	post := func(ctx context.Context, c chat.Connector, change func(*chat.Post)) error {
		mu.Lock()
		n++
		p := r.draft(fmt.Sprintf("call %d", n))
		mu.Unlock()
		p.Keep = func(string) error { return nil }
		change(&p)
		_, err := c.Post(ctx, p)
		return err
	}
	all := []method{
		{"Join", func(ctx context.Context, c chat.Connector) error { return c.Join(ctx, r.channel) }},
		{"History", func(ctx context.Context, c chat.Connector) error {
			_, err := c.History(ctx, chat.Span{Channel: r.channel})
			return err
		}},
		{"History of a thread", func(ctx context.Context, c chat.Connector) error {
			_, err := c.History(ctx, chat.Span{Channel: r.channel, Thread: said.ID})
			return err
		}},
		{"Post", func(ctx context.Context, c chat.Connector) error { return post(ctx, c, func(*chat.Post) {}) }},
		{"Post again", func(ctx context.Context, c chat.Connector) error {
			return post(ctx, c, func(p *chat.Post) { p.Tried = time.Now() })
		}},
		{"Post to one", func(ctx context.Context, c chat.Connector) error {
			return post(ctx, c, func(p *chat.Post) { p.Channel, p.User = "", r.customer.ID })
		}},
		{"Post for one", func(ctx context.Context, c chat.Connector) error {
			return post(ctx, c, func(p *chat.Post) { p.Only = r.customer.ID })
		}},
		{"Post a file", func(ctx context.Context, c chat.Connector) error {
			return post(ctx, c, func(p *chat.Post) { p.Files = []chat.Upload{upload("b.txt", []byte("b"))} })
		}},
		{"Edit", func(ctx context.Context, c chat.Connector) error {
			return c.Edit(ctx, own, &chat.Content{HTML: "<p>changed</p>"})
		}},
		{"React", func(ctx context.Context, c chat.Connector) error { return c.React(ctx, said, "eyes", true) }},
		{"File", func(ctx context.Context, c chat.Connector) error {
			f, err := c.File(ctx, file)
			if err == nil {
				_, err = io.Copy(io.Discard, f)
				f.Close()
			}
			return err
		}},
		{"Show", func(ctx context.Context, c chat.Connector) error { return c.Show(ctx, trigger, r.form()) }},
		{"Edit to nothing", func(ctx context.Context, c chat.Connector) error { return c.Edit(ctx, own, nil) }},
	}
	if r.Can.Presence {
		all = append(all, method{"Absent", func(ctx context.Context, c chat.Connector) error {
			_, err := c.(chat.Presence).Absent(ctx, []string{r.agent.ID, r.customer.ID})
			return err
		}})
	}
	if r.Can.Finds {
		all = append(all, method{"Channel", func(ctx context.Context, c chat.Connector) error {
			_, err := c.(chat.Finder).Channel(ctx, r.channel)
			return err
		}})
	}
	for _, part := range chat.Parts {
		all = append(all, method{"Directory of " + string(part), func(ctx context.Context, c chat.Connector) error {
			_, err := c.Directory(ctx, part, "")
			return err
		}})
	}
	return all
}

func errorNotFound(r *room) {
	own := r.post(r.draft("ours"))
	other := r.open("elsewhere")
	gone := r.post(r.draft("gone"))
	r.must(r.Connector.Edit(r.ctx, gone, nil))
	content := &chat.Content{HTML: "<p>x</p>"}
	for _, channel := range []string{"C0NOSUCH", "no such channel", "'; --"} {
		r.wants(desk.NotFound, "join an unknown channel", r.Connector.Join(r.ctx, channel))
		_, err := r.Connector.History(r.ctx, chat.Span{Channel: channel})
		r.wants(desk.NotFound, "read an unknown channel", err)
		p := r.draft("nowhere")
		p.Channel = channel
		_, err = r.Connector.Post(r.ctx, p)
		r.wants(desk.NotFound, "post to an unknown channel", err)
		r.wants(desk.NotFound, "edit in an unknown channel", r.Connector.Edit(r.ctx, chat.Ref{Channel: channel, ID: own.ID}, content))
		r.wants(desk.NotFound, "react in an unknown channel", r.Connector.React(r.ctx, chat.Ref{Channel: channel, ID: own.ID}, "eyes", true))
	}
	for _, at := range []chat.Ref{gone, {Channel: r.channel, ID: "no such message"}, {Channel: other, ID: own.ID}} {
		r.wants(desk.NotFound, "edit an unknown message", r.Connector.Edit(r.ctx, at, content))
		r.wants(desk.NotFound, "react to an unknown message", r.Connector.React(r.ctx, at, "eyes", true))
		_, err := r.Connector.History(r.ctx, chat.Span{Channel: at.Channel, Thread: at.ID})
		r.wants(desk.NotFound, "read an unknown thread", err)
		r.must(r.Connector.Edit(r.ctx, at, nil)) // removing a missing message is not an error
	}
	p := r.draft("nobody")
	p.Channel, p.User = "", "U0NOSUCH"
	_, err := r.Connector.Post(r.ctx, p)
	r.wants(desk.NotFound, "post to an unknown person", err)
	_, err = r.Connector.File(r.ctx, "F0NOSUCH")
	r.wants(desk.NotFound, "open an unknown file", err)
}

func errorLost(r *room) {
	all := r.methods()
	r.must(r.Uninstall())
	for _, m := range all {
		if err := m.call(r.ctx, r.Connector); !errors.Is(err, chat.ErrLost) {
			r.t.Errorf("%s gives %v after the app was removed, want ErrLost", m.name, err)
		}
	}
	if lost := r.Inbox.event(r.t, "the loss", func(e chat.Event) bool {
		return e.Lost != nil && len(e.Lost.Users) == 0
	}).Lost; lost == nil {
		r.t.Error("the loss names nothing")
	}
}

// A person who revokes our permission to act as them changes nothing else.
func errorPersonLost(r *room) {
	p := r.draft("as myself")
	p.By = r.By
	r.post(p)
	r.must(r.Revoke())
	lost := r.Inbox.event(r.t, "the loss", func(e chat.Event) bool { return e.Lost != nil }).Lost
	if !same(lost.Users, r.By.User) {
		r.t.Errorf("the loss names %v, want %s", lost.Users, r.By.User)
	}
	p.Mark = "as nobody"
	if _, err := r.Connector.Post(r.ctx, p); err == nil || errors.Is(err, chat.ErrLost) {
		r.t.Errorf("a post as who took that back gives %v, want an error that is not of the whole workspace", err)
	}
	r.post(r.draft("still here"))
}

// within calls a method with a time limit, and fails the test if it takes much
// longer.
func (r *room) within(limit time.Duration, m method) error {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	began := time.Now()
	err := m.call(ctx, r.Restart())
	if took := time.Since(began); took > limit+patience {
		r.t.Errorf("%s took %v, and had %v", m.name, took, limit)
	}
	if err == nil {
		r.t.Errorf("%s went well", m.name)
	}
	return err
}

func errorBusy(r *room) {
	all := r.methods()
	r.misbehave(Fault{Kind: RateLimit, Delay: 2 * patience})
	for _, m := range all {
		err := r.within(patience, m)
		e := (*desk.Error)(nil)
		if !errors.As(err, &e) || e.Kind != desk.Busy || e.RetryAfter <= 0 {
			r.t.Errorf("%s gives %v when it should wait, want Busy and for how long", m.name, err)
		}
	}
}

// A pause that fits into the time is waited for. Not all methods are tried, because
// the shortest pause that a system can ask for may be a second.
func errorPause(r *room) {
	all := r.methods()
	for _, m := range all {
		if !slices.Contains([]string{"History", "Post", "Post a file", "React", "File", "Absent", "Directory of people"}, m.name) {
			continue
		}
		r.misbehave(Fault{Kind: RateLimit, Call: 1, Delay: 10 * time.Millisecond})
		if err := m.call(r.ctx, r.Connector); err != nil {
			r.t.Errorf("%s gives %v after a short pause", m.name, err)
		}
	}
}

func errorUnknown(r *room) {
	all := r.methods()
	for _, f := range []Fault{{Kind: DropAnswer}, {Kind: ErrorAnswer}, {Kind: Down, Delay: 2 * patience}, {Kind: LateAnswer, Delay: 2 * patience}} {
		r.misbehave(f)
		for _, m := range all {
			r.wants(desk.Unavailable, fmt.Sprintf("%s under %s", m.name, f.Kind), r.within(200*time.Millisecond, m))
		}
		r.misbehave(Fault{})
	}
}

func errorCancelled(r *room) {
	all := r.methods()
	r.misbehave(Fault{Kind: LateAnswer, Delay: 2 * patience})
	for _, m := range all {
		ctx, cancel := context.WithCancel(r.ctx)
		time.AfterFunc(50*time.Millisecond, cancel)
		began := time.Now()
		err := m.call(ctx, r.Restart())
		if took := time.Since(began); err == nil || took > patience {
			r.t.Errorf("%s gives %v %v after nobody waited any more", m.name, err, took)
		}
		began = time.Now()
		err = m.call(ctx, r.Restart()) // cancelled from the start
		if took := time.Since(began); err == nil || took > patience {
			r.t.Errorf("%s gives %v %v after nobody waited at all", m.name, err, took)
		}
	}
}

// concurrent is for the race detector, and for the connector's own state.
func concurrent(r *room) {
	all := r.methods()
	var wait sync.WaitGroup
	for _, m := range all {
		if m.name == "Show" {
			continue // a trigger works once
		}
		for range 2 {
			wait.Go(func() {
				if err := m.call(r.ctx, r.Connector); err != nil && !(m.name == "Edit" && desk.KindOf(err) == desk.NotFound) {
					r.t.Errorf("%s gives %v among others", m.name, err)
				}
			})
		}
	}
	said := make([]chat.Ref, 8)
	for i := range said {
		wait.Go(func() {
			var err error
			if said[i], err = r.customer.Say(r.channel, "", fmt.Sprintf("meanwhile %d", i)); err != nil {
				r.t.Error(err)
			}
		})
	}
	wait.Wait()
	for i, at := range said {
		if m := r.heard(at); read(m.HTML) != fmt.Sprintf("meanwhile %d", i) {
			r.t.Errorf("told among others: %+v", m)
		}
	}
}
