package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Placing is a channel that moves into a collection, or gets another owner in the
// collection it is in.
type Placing struct {
	Field         string // its place in the input, such as "channels[0]."
	Before, After desk.Channel
}

// CheckChannelMove adds to p what prevents a channel from moving to a collection.
// moved holds that one channel. The collection that the channel is in now does not
// count, because the channel leaves it.
func CheckChannelMove(tx *store.Tx, p *desk.Problems, to desk.CollectionID, moved []Placing) error {
	col, err := tx.Collection(to)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return err
	}
	if err != nil || col.Kind != desk.ChatCollection {
		p.Add("collection_id", "must be the id of a chat collection")
		return CheckChannelOwners(tx, p, moved)
	}
	uses, err := tx.ChannelUses([]string{moved[0].After.ID})
	if err != nil {
		return err
	}
	uses = slices.DeleteFunc(uses, func(u desk.ChannelUse) bool { return u.Purpose == desk.ForMessages })
	return CheckPlacings(tx, p, "collection_id", to, moved, uses)
}

// CheckPlacings adds to p what prevents channels from being active in a chat
// collection. uses is what the channels are used for now. If the collection would
// be too full, the problem is added for field.
func CheckPlacings(tx *store.Tx, p *desk.Problems, field string, id desk.CollectionID, placings []Placing, uses []desk.ChannelUse) error {
	entering := 0
	for _, pl := range placings {
		checkUse(p, pl.Field+"id", desk.ChannelUse{Channel: pl.After.ID, Purpose: desk.ForMessages, Collection: id}, pl.Before, uses)
		if pl.Before.Collection == nil || *pl.Before.Collection != id {
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
	return CheckChannelOwners(tx, p, placings)
}

// CheckChannelOwners adds to p which of the new owners of channels are not active
// users of the chat system. Owners that a channel already had are not checked.
func CheckChannelOwners(tx *store.Tx, p *desk.Problems, placings []Placing) error {
	var ids []string
	for _, pl := range placings {
		if pl.After.Owner != nil && !desk.Same(pl.Before.Owner, pl.After.Owner) {
			ids = append(ids, *pl.After.Owner)
		}
	}
	users, err := tx.KnownUsers(ids)
	for _, pl := range placings {
		if owner := pl.After.Owner; owner != nil && !desk.Same(pl.Before.Owner, owner) && !users[*owner] {
			p.Add(pl.Field+"owner", MustBeActiveUser)
		}
	}
	return err
}

// PlaceChannels saves and records the channels that changed, and lets the bot join those
// that became active or moved. It skips channels that did not change.
func PlaceChannels(tx *store.Tx, by desk.Actor, placings []Placing) error {
	for _, pl := range placings {
		stays := pl.Before.Active == pl.After.Active && desk.Same(pl.Before.Collection, pl.After.Collection)
		if stays && desk.Same(pl.Before.Owner, pl.After.Owner) {
			continue
		}
		if err := tx.SaveChannel(pl.After); err != nil {
			return err
		}
		if pl.After.Active && !stays {
			if err := JoinChannelSoon(tx, pl.After.ID); err != nil {
				return err
			}
		}
		if err := Record(tx, by, "channel.updated", pl.Before, pl.After); err != nil {
			return err
		}
	}
	return nil
}

// ReadChannels is a job that reads the channels of every connected account.
type ReadChannels struct{}

func (ReadChannels) Kind() string { return "channel.read-all" }
