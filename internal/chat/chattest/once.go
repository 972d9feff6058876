package chattest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// tries is how often a post is tried before the suite gives up.
const tries = 60

// attempt is a post as a job makes it. Each further try gets what Keep was given,
// the time of the first try, and a connector that remembers nothing.
type attempt struct {
	*room
	post chat.Post
	kept string
	// crash, if not nil, is asked after each Keep whether the process ends there.
	crash func(kept int) bool
	keeps int
}

// begin does what a job does before its first try.
func (a *attempt) begin() {
	if a.post.Tried.IsZero() {
		a.post.Tried = time.Now()
	}
}

// try makes one try with a time limit. After a failure it does not return before
// the deadline, because until then the try may still be on its way.
func (a *attempt) try(c chat.Connector, limit time.Duration) (chat.Ref, error) {
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	p := a.post
	p.Kept = a.kept
	p.Keep = func(kept string) error {
		if ctx.Err() != nil {
			return &desk.Error{Kind: desk.Unavailable, Message: "It took too long.", Err: ctx.Err()} // the error that a database returns
		}
		a.kept = kept
		if a.keeps++; a.crash != nil && a.crash(a.keeps) {
			cancel()
		}
		return nil
	}
	a.begin()
	at, err := c.Post(ctx, p)
	if err == nil {
		return at, nil
	}
	if ctx.Err() != nil {
		// A job pauses before it tries again, and the call may not have reached the
		// system yet.
		<-time.After(limit)
	} else {
		<-ctx.Done()
	}
	// The system may work longer than we have waited.
	return at, cmp.Or(a.Settle(), err)
}

// finish tries until the post is there.
func (a *attempt) finish() chat.Ref {
	a.t.Helper()
	at, err := a.insist(patience)
	a.must(err)
	return at
}

// limit returns how long a try may take: several times what a good one takes on
// this machine under its current load.
func (r *room) limit() time.Duration {
	r.t.Helper()
	p := r.draft("how long does it take?")
	p.Files = []chat.Upload{upload("clock.txt", []byte("tick"))}
	p.Keep = func(string) error { return nil }
	began := time.Now()
	_, err := r.Restart().Post(r.ctx, p)
	r.must(err)
	return min(max(200*time.Millisecond, 8*time.Since(began)), time.Second)
}

// insist tries as often as a job would, as long as the error says that trying again
// may help.
func (a *attempt) insist(limit time.Duration) (at chat.Ref, err error) {
	for range tries {
		if at, err = a.try(a.Restart(), limit); err == nil {
			return at, nil
		}
		switch e := (*desk.Error)(nil); {
		case !errors.As(err, &e) || e.Kind != desk.Busy && e.Kind != desk.Unavailable:
			return at, err
		case e.Kind == desk.Busy:
			select {
			case <-time.After(e.RetryAfter):
			case <-a.ctx.Done():
				return at, err
			}
		}
	}
	return at, err
}

// shape is a kind of post: how it differs from a draft.
type shape struct {
	name   string
	change func(r *room, p *chat.Post)
}

// post returns a post of this kind.
func (s shape) post(r *room, mark string) chat.Post {
	p := r.draft(mark)
	s.change(r, &p)
	return p
}

// shapes are the kinds of posts that must not be doubled.
var shapes = []shape{
	{"channel", func(*room, *chat.Post) {}},
	{"thread", inThread},
	{"direct", toPerson},
	{"persona", func(_ *room, p *chat.Post) { p.As = &chat.Persona{Name: "Maya"} }},
	{"files", func(_ *room, p *chat.Post) { withFiles(p, "one", "two") }},
	{"files in a thread", func(r *room, p *chat.Post) {
		inThread(r, p)
		withFiles(p, "three")
	}},
	{"files to one person", func(r *room, p *chat.Post) {
		toPerson(r, p)
		withFiles(p, "four")
	}},
	{"by a person", func(r *room, p *chat.Post) { p.By = r.By }},
	{"files by a person", func(r *room, p *chat.Post) {
		p.By = r.By
		withFiles(p, "five")
	}},
}

func inThread(r *room, p *chat.Post) { p.Thread = r.say(r.customer, "thread of "+p.Mark).ID }

func toPerson(r *room, p *chat.Post) { p.Channel, p.User = "", r.customer.ID }

func withFiles(p *chat.Post, names ...string) {
	for _, name := range names {
		p.Files = append(p.Files, upload(name+".txt", []byte(name+" of "+p.Mark)))
	}
}

// upload returns a file to post.
func upload(name string, content []byte) chat.Upload {
	return chat.Upload{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// once fails the test if a post is not there exactly once and complete.
func (r *room) once(at chat.Ref, p chat.Post) {
	r.t.Helper()
	found := 0
	for _, m := range r.reads(r.customer, at.Channel) {
		if m.Text != p.Mark {
			continue
		}
		if found++; m.Ref != at || m.Thread != p.Thread || len(m.Files) != len(p.Files) {
			r.t.Errorf("%s: people see %+v, want it at %v in the thread %q with %d files", p.Mark, m, at, p.Thread, len(p.Files))
		}
	}
	if found != 1 {
		r.t.Errorf("%s is there %d times", p.Mark, found)
	}
}

func onceAfterSuccess(r *room) {
	for _, s := range shapes {
		a := &attempt{room: r, post: s.post(r, s.name)}
		first := a.finish()
		for range 2 {
			if at := a.finish(); at != first {
				r.t.Errorf("%s: posted at %v, and again at %v", s.name, first, at)
			}
		}
		r.once(first, a.post)
	}
}

// The first try may have done nothing, and our clock may be ahead of theirs.
func onceNeverArrived(r *room) {
	for _, s := range shapes {
		a := &attempt{room: r, post: s.post(r, s.name)}
		a.post.Tried = time.Now().Add(-10 * time.Minute)
		at := a.finish()
		a.post.Tried = time.Now().Add(2 * time.Second)
		if again := a.finish(); again != at {
			r.t.Errorf("%s: posted at %v, and again at %v", s.name, at, again)
		}
		r.once(at, a.post)
	}
}

// For every call that a post makes, its answer may be lost, or the process may die
// there.
func onceAtEachStep(r *room, kind FaultKind) {
	limit := r.limit()
	for _, s := range shapes {
		for call := 1; ; call++ {
			a := &attempt{room: r, post: s.post(r, fmt.Sprintf("%s, call %d", s.name, call))}
			before := r.Calls()
			r.misbehave(Fault{Kind: kind, Call: call, Delay: time.Minute})
			at, err := a.try(r.Restart(), limit)
			made := r.Calls() - before
			r.misbehave(Fault{})
			if err != nil {
				r.wants(desk.Unavailable, a.post.Mark, err)
				at = a.finish()
			}
			r.once(at, a.post)
			if made < call {
				break
			}
		}
	}
}

// Only what Keep was given survives a process.
func onceAtEachKeep(r *room) {
	limit := r.limit()
	for _, s := range shapes {
		for stop := 1; ; stop++ {
			a := &attempt{room: r, post: s.post(r, fmt.Sprintf("%s, keep %d", s.name, stop))}
			a.crash = func(kept int) bool { return kept == stop }
			at, err := a.try(r.Restart(), limit)
			reached := a.keeps >= stop
			if err != nil {
				at = a.finish()
			}
			r.once(at, a.post)
			if !reached {
				break
			}
		}
		// If Keep fails, the step must not be done.
		p := s.post(r, s.name+", keep failed")
		failed := false
		p.Keep = func(string) error {
			failed = true
			return errors.New("the disk is full")
		}
		if at, err := r.Restart().Post(r.ctx, p); failed && err == nil {
			r.t.Errorf("%s: posted at %v though what a later try needs could not be put down", s.name, at)
		}
		a := &attempt{room: r, post: p}
		a.begin()
		r.once(a.finish(), p)
	}
}

// Others may have written a lot before the first try and between tries.
func onceFarBehind(r *room) {
	limit := r.limit()
	r.talk(20)
	var all []*attempt
	for _, s := range shapes {
		all = append(all, &attempt{room: r, post: s.post(r, s.name)})
	}
	r.misbehave(Fault{Kind: DropAnswer})
	for _, a := range all {
		if _, err := a.try(r.Restart(), limit); err == nil {
			r.t.Errorf("%s: posted, and no answer ever came", a.post.Mark)
		}
	}
	r.misbehave(Fault{})
	r.talk(40)
	for _, a := range all {
		for range 20 {
			if a.post.Thread != "" {
				r.reply(r.agent, a.post.Thread, "meanwhile")
			}
		}
		r.once(a.finish(), a.post)
	}
}

func onceEditedSince(r *room) {
	for _, s := range shapes {
		a := &attempt{room: r, post: s.post(r, s.name)}
		at := a.finish()
		if a.post.By == nil {
			r.must(r.Connector.Edit(r.ctx, at, &chat.Content{HTML: written(s.name + ", edited")}))
		}
		if again := a.finish(); again != at {
			r.t.Errorf("%s: posted at %v, and after an edit at %v", s.name, at, again)
		}
	}
}

func onceManyAtATime(r *room) {
	limit := r.limit()
	var wait sync.WaitGroup
	var posts []chat.Post
	for _, s := range shapes {
		for i := range 3 {
			posts = append(posts, s.post(r, fmt.Sprintf("%s, number %d", s.name, i)))
		}
	}
	r.misbehave(Fault{Kind: DropAnswer, Chance: 0.3})
	found := make([]chat.Ref, len(posts))
	errs := make([]error, len(posts))
	for i, p := range posts {
		wait.Go(func() {
			a := &attempt{room: r, post: p}
			found[i], errs[i] = a.insist(limit)
		})
	}
	wait.Wait()
	r.misbehave(Fault{})
	for i, p := range posts {
		r.must(errs[i])
		r.once(found[i], p)
	}
}

// The mark names a post, not its text.
func onceSameWords(r *room) {
	refs := map[chat.Ref]bool{}
	for _, mark := range []string{"first", "second", "third"} {
		p := r.draft(mark)
		p.HTML = written("Thank you!")
		p.Tried = time.Now().Add(-time.Minute)
		at := r.post(p)
		refs[at] = true
	}
	if n := r.count(r.customer, r.channel, "Thank you!"); n != 3 || len(refs) != 3 {
		r.t.Errorf("the same words were posted 3 times, and are there %d times", n)
	}
}

// A message that another program marked as ours must not be adopted.
func onceForged(r *room) {
	a := &attempt{room: r, post: r.draft("ours")}
	a.begin()
	forged, err := r.Stranger(r.channel, "not ours", a.post.Mark)
	r.must(err)
	if at := a.finish(); at == forged {
		r.t.Errorf("the post was adopted as another program's message %v", at)
	} else {
		r.once(at, a.post)
	}
}
