package demo

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/sandbox"
)

// talk is what customers say in the workspace, in the days before, while the
// desk listens.
type talk struct {
	furnisher
	owner string
	now   time.Time
}

func newTalk(ctx context.Context, box *sandbox.Sandbox, w sandbox.Workspace, now time.Time) (talk, error) {
	past := &pastClock{now: now}
	f, err := newFurnisher(ctx, box.At(past), past, w.ID)
	return talk{furnisher: f, owner: w.Owner, now: now}, err
}

// inviteBot brings the bots to where customers talk, before they do.
func (t talk) inviteBot(channels map[string]string) error {
	for _, r := range rooms {
		if r.begins == 0 {
			continue
		}
		t.clock.set(t.now.Add(-r.begins))
		for _, bot := range t.bots {
			err := t.box.As(t.owner).Invite(t.ctx, channels[r.name], bot)
			if e := (*sandbox.Error)(nil); err != nil && !(errors.As(err, &e) && e.Code == "already_in_channel") {
				return err
			}
		}
	}
	return nil
}

// sayAll has said what is not said yet. Where the last of a room's talk stands,
// all of it was said, whatever became of the rest since.
func (t talk) sayAll(channels map[string]string) error {
	for _, r := range rooms {
		if r.begins == 0 {
			continue
		}
		said, err := t.said(channels[r.name])
		if err != nil {
			return err
		}
		if _, all := said[r.talk[len(r.talk)-1].says]; all {
			continue
		}
		t.clock.set(t.now.Add(-r.begins))
		for _, l := range r.talk {
			if _, is := said[l.says]; is {
				continue
			}
			if err := t.say(channels[r.name], "", l); err != nil {
				return err
			}
		}
	}
	return nil
}

// said are the texts that begin conversations in a channel.
func (t talk) said(channel string) (map[string]bool, error) {
	const most = 1000
	there, err := t.box.As(t.owner).History(t.ctx, channel, most)
	said := map[string]bool{}
	for _, m := range there {
		said[m.Text] = true
	}
	return said, err
}
