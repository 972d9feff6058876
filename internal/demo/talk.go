package demo

import (
	"context"

	"frontdesk/internal/sandbox"
)

// Customers say in the workspace what they said in the previous days, while the
// desk listens. The workspace's clock is set back for this, but the desk's is not.

// inviteBots adds the bots to the channels where customers will talk, before they
// do.
func (d Desk) inviteBots(ctx context.Context, channels map[string]string) error {
	f, err := d.inThePast(ctx)
	if err != nil {
		return err
	}
	for _, r := range rooms {
		if r.begins == 0 {
			continue
		}
		f.clock.set(d.Now.Add(-r.begins))
		if err := f.inviteBots(f.box.As(d.Workspace.Owner), channels[r.name]); err != nil {
			return err
		}
	}
	return nil
}

func (f furnisher) inviteBots(owner sandbox.Person, channel string) error {
	for _, bot := range f.bots {
		if err := owner.Invite(f.ctx, channel, bot); err != nil && sandbox.Code(err) != "already_in_channel" {
			return err
		}
	}
	return nil
}

// talk says what has not been said yet. If the last message of a room's
// conversation is there, all of it was said, whatever happened to the rest since.
func (d Desk) talk(ctx context.Context, channels map[string]string) error {
	f, err := d.inThePast(ctx)
	if err != nil {
		return err
	}
	for _, r := range rooms {
		if r.begins == 0 {
			continue
		}
		said, err := d.said(ctx, channels[r.name])
		if err != nil {
			return err
		}
		if said[r.talk[len(r.talk)-1].says] != "" {
			continue
		}
		f.clock.set(d.Now.Add(-r.begins))
		for _, l := range r.talk {
			if err := f.say(channels[r.name], "", l, said); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d Desk) inThePast(ctx context.Context) (furnisher, error) {
	past := &pastClock{now: d.Now}
	return newFurnisher(ctx, d.Box.At(past), past, d.Workspace.ID)
}

// said returns the messages in a channel and its threads, by their texts.
func (d Desk) said(ctx context.Context, channel string) (map[string]string, error) {
	const most = 1000
	owner := d.Box.As(d.Workspace.Owner)
	said := map[string]string{}
	roots, err := owner.History(ctx, channel, most)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		thread, err := owner.Thread(ctx, channel, root.TS)
		if err != nil {
			return nil, err
		}
		for _, m := range thread {
			said[m.Text] = m.TS
		}
	}
	return said, nil
}
