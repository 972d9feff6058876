package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"frontdesk/internal/sandbox"
)

// workspaceAge is how long ago the workspace was made.
const workspaceAge = 6 * day

// MakeWorkspace makes the chat workspace of the sample account, with the team's own
// conversations of the previous days, unless there is a file at its path. The file
// is complete before it gets its name. No app is installed yet. Desk.Fill adds what
// customers say, when there is a desk that hears it.
func MakeWorkspace(ctx context.Context, cfg sandbox.Config) error {
	path := cfg.Path
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	making := path + ".making"
	for _, leftover := range []string{making, making + "-wal", making + "-shm"} {
		if err := os.Remove(leftover); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	past := &pastClock{now: time.Now().Add(-workspaceAge)}
	cfg.Path, cfg.Clock, cfg.Workspace, cfg.App = making, past, nil, nil
	box, err := sandbox.New(ctx, cfg)
	if err != nil {
		return err
	}
	if err := errors.Join(furnish(ctx, box, past), box.Close()); err != nil {
		return err
	}
	return os.Rename(making, path)
}

// furnish fills an empty sandbox.
func furnish(ctx context.Context, box *sandbox.Sandbox, past *pastClock) error {
	w, err := box.AddWorkspace(ctx, sandbox.WorkspaceConfig{Name: "Acme", OwnerName: Owner.Name, OwnerEmail: Owner.Email})
	if err != nil {
		return err
	}
	f, err := newFurnisher(ctx, box, past, w.ID)
	if err != nil {
		return err
	}
	if _, err := box.CreateUsergroup(ctx, w.Owner, "Support", "support", f.people(support)); err != nil {
		return err
	}
	for _, r := range rooms {
		if err := f.furnish(w.Owner, r); err != nil {
			return fmt.Errorf("furnish #%s: %w", r.name, err)
		}
	}
	return nil
}

// furnisher fills channels with conversations.
type furnisher struct {
	ctx   context.Context
	box   *sandbox.Sandbox
	clock *pastClock
	ids   map[string]string // of users, by email
	bots  []string          // of apps
}

func newFurnisher(ctx context.Context, box *sandbox.Sandbox, past *pastClock, workspace string) (furnisher, error) {
	f := furnisher{ctx: ctx, box: box, clock: past, ids: map[string]string{}}
	users, err := box.Users(ctx, workspace)
	for _, u := range users {
		if u.IsBot {
			f.bots = append(f.bots, u.ID)
			continue
		}
		f.ids[u.Profile.Email] = u.ID
	}
	return f, err
}

func (f furnisher) people(emails []string) (ids []string) {
	for _, e := range emails {
		ids = append(ids, f.ids[e])
	}
	return ids
}

func (f furnisher) furnish(owner string, r room) error {
	made, err := f.box.As(owner).CreateChannel(f.ctx, r.name, r.private)
	if err != nil {
		return err
	}
	var others []string
	for _, id := range f.people(r.people) {
		if id != owner {
			others = append(others, id)
		}
	}
	if err := f.box.As(owner).Invite(f.ctx, made.ID, others...); err != nil {
		return err
	}
	if r.begins > 0 {
		return nil // left for later, when the desk hears it
	}
	for _, l := range r.talk {
		if err := f.say(made.ID, "", l, nil); err != nil {
			return err
		}
	}
	return nil
}

// say posts a line with its reactions and replies, unless its text was posted
// before.
func (f furnisher) say(channel, thread string, l line, before map[string]string) error {
	f.clock.advance(l.after)
	ts := before[l.says]
	if ts == "" {
		said, err := f.box.As(f.ids[l.who]).Send(f.ctx, channel, sandbox.Draft{Text: l.says, ThreadTS: thread})
		if err != nil {
			return err
		}
		ts = said.TS
	}
	for _, r := range l.reactions {
		if err := f.box.As(f.ids[r.who]).React(f.ctx, channel, ts, r.emoji); err != nil && sandbox.Code(err) != "already_reacted" {
			return err
		}
	}
	for _, answer := range l.answers {
		if err := f.say(channel, ts, answer, before); err != nil {
			return err
		}
	}
	return nil
}

// pastClock is the clock for the conversations of the previous days.
type pastClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *pastClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *pastClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// At never fires, because nothing is delivered in the past.
func (c *pastClock) At(time.Time) (<-chan time.Time, func()) { return nil, func() {} }

func (c *pastClock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
