package change

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// CustomerInReach returns a customer. It returns a NotFound error if there is none
// or the caller may not see it.
func CustomerInReach(tx *store.Tx, r desk.Reach, id desk.CustomerID) (desk.Customer, error) {
	cust, err := tx.Customer(id)
	if err == nil && !r.HasCustomer(cust) {
		return desk.Customer{}, desk.Missing("Customer")
	}
	return cust, err
}

// CheckCustomerCollection returns a Forbidden error if the caller would not see a
// customer in a collection; nil stands for no collection.
func CheckCustomerCollection(r desk.Reach, collection *desk.CollectionID) error {
	if r.All || collection != nil && r.Has(*collection) {
		return nil
	}
	return errNotYours
}

var errNotYours = desk.Errorf(desk.Forbidden, "You do not have access to all collections. Set collection_id to a collection that you have access to.")

// CustomFieldsIn returns the custom fields that values are given for. If the input
// has more values than there can be fields, it reads none: a later check reports
// that.
func CustomFieldsIn(tx *store.Tx, in desk.FieldInput) (map[desk.CustomFieldID]desk.CustomField, error) {
	if len(in) > desk.MostCustomFields {
		return nil, nil
	}
	return tx.CustomFieldsNamed(in.IDs())
}

// CheckCustomer returns an Invalid error if a customer names something that it must
// not name. It checks only what the customer did not name before. moved are the
// channels that go with the customer to its collection. given says whether the
// caller named that collection. If the customer has none, CheckCustomer sets it to
// the collection of the channels that the customer gets.
func CheckCustomer(tx *store.Tx, r desk.Reach, before desk.Customer, after *desk.Customer, given bool) (moved []Placing, err error) {
	var p desk.Problems
	if err := checkOwner(tx, &p, "owner", before.Owner, after.Owner); err != nil {
		return nil, err
	}
	others := !slices.Equal(before.Channels, after.Channels)
	var channels map[string]desk.Channel
	if others || given && after.Collection != nil {
		if channels, err = tx.ChannelsNamed(after.Channels); err != nil {
			return nil, err
		}
	}
	if others {
		if err := checkGivenChannels(tx, &p, r, channels, before, *after); err != nil {
			return nil, err
		}
	}
	if err := CheckFieldUsers(tx, &p, "custom_field_values", before.Values, after.Values); err != nil {
		return nil, err
	}
	takes := after.Collection == nil && others
	if takes {
		after.Collection = collectionOfNewChannels(before, *after, channels)
	}
	if after.Collection != nil && (given || takes) {
		if moved, err = channelsToMove(tx, &p, r, channels, before, *after, given && !takes); err != nil {
			return nil, err
		}
	}
	return moved, p.Err()
}

// collectionOfNewChannels returns the collection that a customer takes over from
// channels that it gets: the one in which they are active. It returns nil if the
// customer's channels are active in several collections, because then none is the
// obvious one.
func collectionOfNewChannels(before, after desk.Customer, channels map[string]desk.Channel) (theirs *desk.CollectionID) {
	gained := false
	for _, id := range after.Channels {
		ch := channels[id]
		if !ch.Active || ch.Collection == nil {
			continue
		}
		if theirs != nil && *theirs != *ch.Collection {
			return nil
		}
		theirs = ch.Collection
		gained = gained || !slices.Contains(before.Channels, id)
	}
	if !gained {
		return nil
	}
	return theirs
}

// checkGivenChannels adds to p which new channels of a customer the caller cannot
// see, and which belong to another customer.
func checkGivenChannels(tx *store.Tx, p *desk.Problems, r desk.Reach, channels map[string]desk.Channel, before, after desk.Customer) error {
	of, err := tx.CustomersOf(after.Channels)
	if err != nil {
		return err
	}
	for i, id := range after.Channels {
		ch := channels[id]
		switch field := fmt.Sprintf("channel_ids[%d]", i); {
		case slices.Contains(before.Channels, id):
		case ch.ID == "" || ch.Gone || !r.HasChannel(ch):
			p.Add(field, UnknownChannel)
		case of[id] != 0:
			p.Add(field, ofAnotherCustomer, id)
		}
	}
	return nil
}

const (
	// UnknownChannel is the problem with a channel that the chat system does not show
	// us.
	UnknownChannel    = "is not a channel that we can see in the chat system"
	ofAnotherCustomer = "%s belongs to another customer"
)

// channelsToMove returns which channels of a customer move to its collection, and
// adds to p what prevents that. The rules are those for moving a channel by itself.
// A channel that the customer already had stays where it is if it is archived or
// gone in the chat system.
//
// If the caller names a new collection for the customer, or a new channel together
// with the collection, every obstacle is a problem. Otherwise a channel that cannot
// move stays where it is, so that a customer can always be sent back as it was
// read.
func channelsToMove(tx *store.Tx, p *desk.Problems, r desk.Reach, channels map[string]desk.Channel, before, after desk.Customer, given bool) (moved []Placing, err error) {
	to := *after.Collection
	another := given && !desk.Same(before.Collection, after.Collection)
	var going []int // indexes of after.Channels
	for i, id := range after.Channels {
		ch, had := channels[id], slices.Contains(before.Channels, id)
		switch {
		case ch.ID == "" || ch.Gone, had && ch.Archived, desk.Same(ch.Collection, &to):
		case r.HasChannel(ch):
			going = append(going, i)
		case had && another:
			p.Add(fmt.Sprintf("channel_ids[%d]", i), "%s is not in a collection that you have", id)
		}
	}
	if !another && len(going) == 0 {
		return nil, nil
	}
	col, err := tx.Collection(to)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return nil, err
	}
	switch {
	case err != nil:
		p.Add("collection_id", "must be the id of a collection")
		return nil, nil
	case len(after.Channels) == 0:
		return nil, nil
	case col.Kind != desk.ChatCollection && another:
		p.Add("collection_id", "must be the id of a chat collection: the customer has channels")
		return nil, nil
	case col.Kind != desk.ChatCollection:
		return nil, nil
	}
	uses, err := tx.ChannelUses(after.Channels)
	if err != nil {
		return nil, err
	}
	uses = slices.DeleteFunc(uses, func(u desk.ChannelUse) bool { return u.Purpose == desk.ForMessages })
	for _, i := range going {
		id := after.Channels[i]
		ch, use := channels[id], desk.ChannelUse{Channel: id, Purpose: desk.ForMessages, Collection: to}
		if told := another || given && !slices.Contains(before.Channels, id); told {
			checkUse(p, fmt.Sprintf("channel_ids[%d]", i), use, ch, uses)
		} else if obstacle(use, ch, uses) != "" {
			continue
		}
		next := ch
		if err := next.Apply(desk.ChannelChange{Collection: &to}); err != nil {
			return nil, err
		}
		moved = append(moved, Placing{Before: ch, After: next})
	}
	if len(moved) == 0 {
		return nil, nil
	}
	room, err := tx.HasRoom(to, len(moved))
	switch {
	case err != nil || room:
	case given:
		p.Add("collection_id", "would be more than the %d channels that a collection can have", desk.MostChannels)
	default:
		moved = nil
	}
	return moved, err
}

// ChangedCustomer is a customer that gets channels or moves with them. A customer
// without an id in before is new.
type ChangedCustomer struct{ before, after desk.Customer }

// GiveChannels returns how customers change when channels are added to a collection
// and the input names a customer for a channel. It adds to p what prevents that. It
// saves nothing: see SaveCustomers.
func GiveChannels(tx *store.Tx, p *desk.Problems, to desk.CollectionID, n desk.NewChannels, channels map[string]desk.Channel) ([]ChangedCustomer, error) {
	var ids []string
	var named []desk.CustomerID
	for _, added := range n.Channels {
		if added.Customer != nil {
			ids, named = append(ids, added.ID), append(named, added.Customer.ID)
		}
	}
	of, err := tx.CustomersOf(ids)
	if err != nil {
		return nil, err
	}
	known, err := tx.CustomersNamed(named)
	if err != nil {
		return nil, err
	}
	var all []ChangedCustomer
	given := map[desk.CustomerID][]string{}
	for i, added := range n.Channels {
		if added.Customer == nil {
			continue
		}
		field, id := fmt.Sprintf("channels[%d].", i), added.Customer.ID
		_, exists := known[id]
		switch holder := of[added.ID]; {
		case added.Customer.New == nil && !exists:
			p.Add(field+"customer.id", "is not a customer")
		case added.Customer.New == nil && holder == id: // the customer has the channel already
		case holder != 0:
			p.Add(field+"id", ofAnotherCustomer, added.ID)
		case added.Customer.New == nil:
			given[id] = append(given[id], added.ID)
		default:
			made, err := newWithChannel(*added.Customer.New, channels[added.ID], added.ID, to).Customer(tx.Now)
			if err := p.Under(field+"customer.", err); err != nil {
				return nil, err
			}
			all = append(all, ChangedCustomer{after: made})
		}
	}
	for i, added := range n.Channels { // in input order, which a map would lose
		if added.Customer == nil || given[added.Customer.ID] == nil {
			continue
		}
		before := known[added.Customer.ID]
		after := before
		list := append(slices.Clone(before.Channels), given[before.ID]...)
		err := after.Apply(desk.CustomerChange{Version: before.Version, CustomerParts: desk.CustomerParts{Channels: &list}}, tx.Now)
		if err := p.Under(fmt.Sprintf("channels[%d].customer.", i), err); err != nil {
			return nil, err
		}
		delete(given, before.ID)
		all = append(all, ChangedCustomer{before, after})
	}
	return all, checkNewOwners(tx, p, n)
}

// newWithChannel fills in a new customer that is created for a channel while the
// channel is added to a collection. Without a name the customer is named after the
// channel.
func newWithChannel(n desk.NewCustomer, ch desk.Channel, id string, to desk.CollectionID) desk.NewCustomer {
	if n.Name == nil {
		name := ch.Name
		if ch.ID == "" {
			name = id // the unknown channel is reported already
		}
		n.Name = &name
	}
	n.Channels, n.Collection = &[]string{id}, desk.Just(to)
	return n
}

// checkNewOwners adds to p which owners of customers that are created with channels
// do not exist.
func checkNewOwners(tx *store.Tx, p *desk.Problems, n desk.NewChannels) error {
	owner := func(added desk.NewChannel) *string {
		if added.Customer == nil || added.Customer.New == nil {
			return nil
		}
		return added.Customer.New.Owner.Value
	}
	var ids []string
	for _, added := range n.Channels {
		if id := owner(added); id != nil {
			ids = append(ids, *id)
		}
	}
	users, err := tx.KnownUsers(ids)
	if err != nil {
		return err
	}
	for i, added := range n.Channels {
		if id := owner(added); id != nil && !users[*id] {
			p.Add(fmt.Sprintf("channels[%d].customer.owner", i), MustBeActiveUser)
		}
	}
	return nil
}

// FollowChannels returns which customers change when channels are placed in a
// collection. all are those that change already. A customer moves to the collection
// in two cases: it is in none and its channels are active in no other, or it has no
// active channel left in the collection that one of its channels leaves.
func FollowChannels(tx *store.Tx, to desk.CollectionID, placings []Placing, all []ChangedCustomer) ([]ChangedCustomer, error) {
	from := map[string]*desk.CollectionID{} // the collections that the channels leave
	var ids []string
	for _, pl := range placings {
		if !pl.Before.Active || !desk.Same(pl.Before.Collection, &to) {
			from[pl.After.ID], ids = pl.Before.Collection, append(ids, pl.After.ID)
		}
	}
	of, err := tx.CustomersOf(ids)
	if err != nil {
		return nil, err
	}
	var held []desk.CustomerID
	for _, id := range of {
		if !slices.ContainsFunc(all, func(one ChangedCustomer) bool { return one.before.ID == id }) && !slices.Contains(held, id) {
			held = append(held, id)
		}
	}
	slices.Sort(held)
	known, err := tx.CustomersNamed(held)
	if err != nil {
		return nil, err
	}
	for _, id := range held {
		all = append(all, ChangedCustomer{known[id], known[id]})
	}
	// Only customers that may move matter, and the channels that can keep them.
	mayGo := func(one ChangedCustomer) bool {
		at := one.after.Collection
		return at == nil || *at != to && slices.ContainsFunc(one.before.Channels, func(id string) bool { return desk.Same(from[id], at) })
	}
	var others []string
	for _, one := range all {
		if mayGo(one) {
			others = append(others, one.after.Channels...)
		}
	}
	channels, err := tx.ChannelsNamed(others)
	if err != nil {
		return nil, err
	}
	for _, pl := range placings {
		channels[pl.After.ID] = pl.After
	}
	var changes []ChangedCustomer
	for _, one := range all {
		if mayGo(one) && !mustStay(one.after, to, channels) {
			if err := one.moveTo(to, tx.Now); err != nil {
				return nil, err
			}
		}
		if one.before.Version != one.after.Version {
			changes = append(changes, one)
		}
	}
	return changes, nil
}

// mustStay reports whether an active channel keeps a customer where it is. A
// channel in the customer's own collection does. If the customer is in none, so
// does a channel in a collection other than to.
func mustStay(c desk.Customer, to desk.CollectionID, channels map[string]desk.Channel) bool {
	return slices.ContainsFunc(c.Channels, func(id string) bool {
		ch := channels[id]
		if !ch.Active || ch.Collection == nil {
			return false
		}
		return desk.Same(ch.Collection, c.Collection) || c.Collection == nil && *ch.Collection != to
	})
}

// moveTo moves a customer to a collection. If the customer has changed already,
// both count as one change.
func (c *ChangedCustomer) moveTo(to desk.CollectionID, now time.Time) error {
	if c.before.Version != c.after.Version {
		c.after.Collection = &to
		return nil
	}
	return c.after.Apply(desk.CustomerChange{Version: c.before.Version, CustomerParts: desk.CustomerParts{Collection: desk.Just(to)}}, now)
}

// SaveCustomers saves customers that got channels or moved with them, and records
// each change.
func SaveCustomers(tx *store.Tx, by desk.Actor, all []ChangedCustomer) error {
	for _, one := range all {
		if err := one.save(tx, by); err != nil {
			return err
		}
	}
	return nil
}

func (c ChangedCustomer) save(tx *store.Tx, by desk.Actor) error {
	if c.before.ID == 0 {
		if err := tx.AddCustomer(&c.after); err != nil {
			return err
		}
		return Record(tx, by, desk.CustomerCreated, nil, c.after)
	}
	if err := tx.SaveCustomer(c.before, c.after); err != nil {
		return err
	}
	return Record(tx, by, desk.CustomerUpdated, c.before, c.after)
}
