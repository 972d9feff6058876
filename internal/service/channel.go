package service

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Channels is a page of the channels that the caller may see: those of their
// collections, and those of none with all collections.
func (s *Service) Channels(ctx context.Context, c Caller, f desk.ChannelFilter, p desk.Page) (desk.List[desk.Channel], error) {
	if err := c.may(desk.ListChannels); err != nil {
		return desk.List[desk.Channel]{}, err
	}
	f.Reach = c.reach(desk.ListChannels)
	return look(ctx, s, c, func(tx *store.Tx) (desk.List[desk.Channel], error) { return tx.Channels(f, p) })
}

// Channel is one channel by the chat system's id.
func (s *Service) Channel(ctx context.Context, c Caller, id string) (desk.Channel, error) {
	if err := c.may(desk.GetChannel); err != nil {
		return desk.Channel{}, err
	}
	return look(ctx, s, c, func(tx *store.Tx) (desk.Channel, error) {
		ch, err := tx.Channel(id)
		if err == nil && !c.reach(desk.GetChannel).HasChannel(ch) {
			return desk.Channel{}, desk.Missing("Channel")
		}
		return ch, err
	})
}

// AddChannels makes channels active in a chat collection, all of them or none,
// and returns them in the order given. One that is active elsewhere is moved by
// UpdateChannel instead. Customers that are named with channels get them, and
// customers go where their channels are; see followChannels.
func (s *Service) AddChannels(ctx context.Context, c Caller, id desk.CollectionID, n desk.NewChannels) ([]desk.Channel, error) {
	if err := c.may(desk.AddChannels); err != nil {
		return nil, err
	}
	return write(ctx, s, c, func(tx *store.Tx) ([]desk.Channel, error) {
		col, err := tx.Collection(id)
		if err != nil {
			return nil, err
		}
		if err := n.Check(); err != nil {
			return nil, err
		}
		if col.Kind != desk.ChatCollection {
			return nil, desk.Errorf(desk.Invalid, "Only a chat collection has channels; this one is of the kind %s.", col.Kind)
		}
		ids := make([]string, len(n.Channels))
		for i, added := range n.Channels {
			ids[i] = added.ID
		}
		known, err := tx.ChannelsNamed(ids)
		if err != nil {
			return nil, err
		}
		placings, channels := make([]placing, len(ids)), make([]desk.Channel, len(ids))
		for i, added := range n.Channels {
			ch := known[added.ID]
			placings[i] = placing{field: fmt.Sprintf("channels[%d].", i), before: ch}
			if err := ch.Apply(desk.ChannelChange{Collection: &id, Owner: added.Owner}); err != nil {
				return nil, err
			}
			ch.ID = added.ID // also of one that is not known
			placings[i].after, channels[i] = ch, ch
		}
		uses, err := tx.ChannelUses(ids)
		if err != nil {
			return nil, err
		}
		var p desk.Problems
		if err := checkPlaced(tx, &p, "channels", id, placings, uses); err != nil {
			return nil, err
		}
		customers, err := giveChannels(tx, &p, id, n, known)
		if err != nil {
			return nil, err
		}
		if err := p.Err(); err != nil {
			return nil, err
		}
		if customers, err = followChannels(tx, id, placings, customers); err != nil {
			return nil, err
		}
		if err := s.place(tx, c.Actor, placings); err != nil {
			return nil, err
		}
		return channels, keepCustomers(tx, c.Actor, customers)
	})
}

// UpdateChannel moves a channel to another chat collection, where it is active,
// or gives it another owner. Its customer goes with its last one; see
// followChannels.
func (s *Service) UpdateChannel(ctx context.Context, c Caller, id string, change desk.ChannelChange) (desk.Channel, error) {
	if err := c.may(desk.UpdateChannel); err != nil {
		return desk.Channel{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (ch desk.Channel, err error) {
		if ch, err = tx.Channel(id); err != nil {
			return ch, err
		}
		before := ch
		if err := ch.Apply(change); err != nil {
			return ch, err
		}
		placings := []placing{{before: before, after: ch}}
		var p desk.Problems
		if change.Collection != nil {
			err = checkMoved(tx, &p, *change.Collection, placings)
		} else {
			err = checkOwners(tx, &p, placings)
		}
		if err != nil {
			return ch, err
		}
		if err := p.Err(); err != nil {
			return ch, err
		}
		var customers []changed
		if change.Collection != nil {
			if customers, err = followChannels(tx, *change.Collection, placings, nil); err != nil {
				return ch, err
			}
		}
		if err := s.place(tx, c.Actor, placings); err != nil {
			return ch, err
		}
		return ch, keepCustomers(tx, c.Actor, customers)
	})
}

// DeleteChannel makes a channel inactive: what is written in it is no request
// any more. It keeps its collection. One that is inactive stays as it is.
func (s *Service) DeleteChannel(ctx context.Context, c Caller, id string) (None, error) {
	if err := c.may(desk.DeleteChannel); err != nil {
		return None{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (None, error) {
		before, err := tx.Channel(id)
		if err != nil {
			return None{}, err
		}
		after := before
		after.Active = false
		return None{}, s.place(tx, c.Actor, []placing{{before: before, after: after}})
	})
}

// placing is a channel that gets a place, or another owner in the one it has.
type placing struct {
	field         string // where it is in the input: "channels[0]."
	before, after desk.Channel
}

// checkMoved says what is wrong with a channel that was moved. Where it was is
// no obstacle: it is not there any more.
func checkMoved(tx *store.Tx, p *desk.Problems, to desk.CollectionID, moved []placing) error {
	col, err := tx.Collection(to)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return err
	}
	if err != nil || col.Kind != desk.ChatCollection {
		p.Add("collection_id", "must be the id of a chat collection")
		return checkOwners(tx, p, moved)
	}
	uses, err := tx.ChannelUses([]string{moved[0].after.ID})
	if err != nil {
		return err
	}
	uses = slices.DeleteFunc(uses, func(u desk.ChannelUse) bool { return u.Purpose == desk.ForMessages })
	return checkPlaced(tx, p, "collection_id", to, moved, uses)
}

// checkPlaced says what is wrong with channels that are to be active in a chat
// collection; field is what to blame when it is full.
func checkPlaced(tx *store.Tx, p *desk.Problems, field string, id desk.CollectionID, placings []placing, uses []desk.ChannelUse) error {
	entering := 0
	for _, pl := range placings {
		checkUse(p, pl.field+"id", desk.ChannelUse{Channel: pl.after.ID, Purpose: desk.ForMessages, Collection: id}, pl.before, uses)
		if pl.before.Collection == nil || *pl.before.Collection != id {
			entering++
		}
	}
	if entering > 0 {
		room, err := tx.HasRoom(id, entering)
		if err != nil {
			return err
		}
		if !room {
			p.Add(field, "would be more than the %d channels that a collection can have", desk.MostChannels)
		}
	}
	return checkOwners(tx, p, placings)
}

// checkOwners looks at the owners that are new.
func checkOwners(tx *store.Tx, p *desk.Problems, placings []placing) error {
	var ids []string
	for _, pl := range placings {
		if pl.after.Owner != nil && !desk.Same(pl.before.Owner, pl.after.Owner) {
			ids = append(ids, *pl.after.Owner)
		}
	}
	users, err := tx.KnownUsers(ids)
	for _, pl := range placings {
		if owner := pl.after.Owner; owner != nil && !desk.Same(pl.before.Owner, owner) && !users[*owner] {
			p.Add(pl.field+"owner", notOwner)
		}
	}
	return err
}

// place keeps and records what changed of channels, and has the bot join those
// that are active where they were not. One that is as it was is left alone.
func (s *Service) place(tx *store.Tx, by desk.Actor, placings []placing) error {
	for _, pl := range placings {
		stays := pl.before.Active == pl.after.Active && desk.Same(pl.before.Collection, pl.after.Collection)
		if stays && desk.Same(pl.before.Owner, pl.after.Owner) {
			continue
		}
		if err := tx.SaveChannel(pl.after); err != nil {
			return err
		}
		if pl.after.Active && !stays {
			if err := s.joinChannel(tx, pl.after.ID); err != nil {
				return err
			}
		}
		if err := tx.Record(channelChange(by, pl.before, pl.after)); err != nil {
			return err
		}
	}
	return nil
}

func channelChange(by desk.Actor, before, after desk.Channel) desk.Change {
	return desk.Change{By: by, Action: "channel.updated", Resource: "Channel", ID: after.ID, Before: before, After: after}
}
