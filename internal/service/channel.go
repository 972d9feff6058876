package service

import (
	"context"
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Channels returns a page of the channels that the caller may see: those of their
// collections. Callers with all collections also see channels that are in none.
func (s *Service) Channels(ctx context.Context, c Caller, f desk.ChannelFilter, p desk.Page) (desk.List[desk.Channel], error) {
	f.Reach = c.reach(desk.ListChannels)
	return look(ctx, s, c, desk.ListChannels, func(tx *store.Tx) (desk.List[desk.Channel], error) { return tx.Channels(f, p) })
}

// Channel returns one channel by the chat system's id.
func (s *Service) Channel(ctx context.Context, c Caller, id string) (desk.Channel, error) {
	return look(ctx, s, c, desk.GetChannel, func(tx *store.Tx) (desk.Channel, error) {
		ch, err := tx.Channel(id)
		if err == nil && !c.reach(desk.GetChannel).HasChannel(ch) {
			return desk.Channel{}, desk.Missing("Channel")
		}
		return ch, err
	})
}

// AddChannels makes channels active in a chat collection, all of them or none, and
// returns them in the given order. It refuses a channel that is active elsewhere:
// UpdateChannel moves those. Customers named with channels get them, and customers
// move to where their channels are; see change.FollowChannels.
func (s *Service) AddChannels(ctx context.Context, c Caller, id desk.CollectionID, n desk.NewChannels) ([]desk.Channel, error) {
	return write(ctx, s, c, desk.AddChannels, func(tx *store.Tx) ([]desk.Channel, error) {
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
		ids := desk.Each(n.Channels, func(added desk.NewChannel) string { return added.ID })
		known, err := tx.ChannelsNamed(ids)
		if err != nil {
			return nil, err
		}
		placings, channels := make([]change.Placing, len(ids)), make([]desk.Channel, len(ids))
		for i, added := range n.Channels {
			ch := known[added.ID]
			placings[i] = change.Placing{Field: fmt.Sprintf("channels[%d].", i), Before: ch}
			if err := ch.Apply(desk.ChannelChange{Collection: &id, Owner: added.Owner}); err != nil {
				return nil, err
			}
			ch.ID = added.ID // the channel may be unknown
			placings[i].After, channels[i] = ch, ch
		}
		uses, err := tx.ChannelUses(ids)
		if err != nil {
			return nil, err
		}
		var p desk.Problems
		if err := change.CheckPlacings(tx, &p, "channels", id, placings, uses); err != nil {
			return nil, err
		}
		customers, err := change.GiveChannels(tx, &p, id, n, known)
		if err != nil {
			return nil, err
		}
		if err := p.Err(); err != nil {
			return nil, err
		}
		if customers, err = change.FollowChannels(tx, id, placings, customers); err != nil {
			return nil, err
		}
		if err := change.PlaceChannels(tx, c.Actor, placings); err != nil {
			return nil, err
		}
		return channels, change.SaveCustomers(tx, c.Actor, customers)
	})
}

// UpdateChannel moves a channel to another chat collection, where it is active, or
// changes its owner. When a customer's last channel moves, the customer moves
// along; see change.FollowChannels.
func (s *Service) UpdateChannel(ctx context.Context, c Caller, id string, to desk.ChannelChange) (desk.Channel, error) {
	return write(ctx, s, c, desk.UpdateChannel, func(tx *store.Tx) (ch desk.Channel, err error) {
		if ch, err = tx.Channel(id); err != nil {
			return ch, err
		}
		before := ch
		if err := ch.Apply(to); err != nil {
			return ch, err
		}
		placings := []change.Placing{{Before: before, After: ch}}
		var p desk.Problems
		if to.Collection != nil {
			err = change.CheckChannelMove(tx, &p, *to.Collection, placings)
		} else {
			err = change.CheckChannelOwners(tx, &p, placings)
		}
		if err != nil {
			return ch, err
		}
		if err := p.Err(); err != nil {
			return ch, err
		}
		var customers []change.ChangedCustomer
		if to.Collection != nil {
			if customers, err = change.FollowChannels(tx, *to.Collection, placings, nil); err != nil {
				return ch, err
			}
		}
		if err := change.PlaceChannels(tx, c.Actor, placings); err != nil {
			return ch, err
		}
		return ch, change.SaveCustomers(tx, c.Actor, customers)
	})
}

// DeleteChannel makes a channel inactive: messages in it no longer become requests.
// It keeps its collection. If it is inactive already, nothing changes.
func (s *Service) DeleteChannel(ctx context.Context, c Caller, id string) (None, error) {
	return write(ctx, s, c, desk.DeleteChannel, func(tx *store.Tx) (None, error) {
		before, err := tx.Channel(id)
		if err != nil {
			return None{}, err
		}
		after := before
		after.Active = false
		return None{}, change.PlaceChannels(tx, c.Actor, []change.Placing{{Before: before, After: after}})
	})
}
