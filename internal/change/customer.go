package change

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

func CustomerInReach(tx *store.Tx, r desk.Reach, id desk.CustomerID) (desk.Customer, error) {
	cust, err := tx.Customer(id)
	if err == nil && !r.HasCustomer(cust) {
		return desk.Customer{}, desk.Missing("Customer")
	}
	return cust, err
}

// MayPut refuses to put a customer where the caller would not see it.
func MayPut(r desk.Reach, collection *desk.CollectionID) error {
	if r.All || collection != nil && r.Has(*collection) {
		return nil
	}
	return errNotYours
}

var errNotYours = desk.Errorf(desk.Forbidden, "You do not have all collections. Give a customer the collection_id of one that you have.")

// FieldNames are the custom fields that values are given for. Of more than
// there can be, none: that is told later.
func FieldNames(tx *store.Tx, in desk.FieldInput) (map[desk.CustomFieldID]desk.CustomField, error) {
	if len(in) > desk.MostCustomFields {
		return nil, nil
	}
	return tx.CustomFieldsNamed(in.IDs())
}

// CheckCustomer says what is wrong with what a customer names and did not name
// before, and which channels go with it to its collection; given says whether
// the caller named that. A customer without one takes that of the channels which
// it gets.
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
		after.Collection = collectionOfGained(before, *after, channels)
	}
	if after.Collection != nil && (given || takes) {
		if moved, err = takeAlong(tx, &p, r, channels, before, *after, given && !takes); err != nil {
			return nil, err
		}
	}
	return moved, p.Err()
}

// collectionOfGained is the collection that a customer takes from channels that
// it gets: the one in which they are active. Where its channels are active in
// several, they do not say which, and it is nil.
func collectionOfGained(before, after desk.Customer, channels map[string]desk.Channel) (theirs *desk.CollectionID) {
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

// checkGivenChannels looks at the channels that a customer is to have: ones that
// the caller can see, and nobody else's.
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
			p.Add(field, NotSeen)
		case of[id] != 0:
			p.Add(field, anothers, id)
		}
	}
	return nil
}

const (
	NotSeen  = "is no channel that we can see in the chat system"
	anothers = "%s belongs to another customer"
)

// takeAlong says which of a customer's channels are moved to its collection, and
// what stands in the way. The rules are those of moving a channel by itself;
// what the customer had and the chat system has ended stays where it is.
//
// Whoever names another collection than the customer had, or a channel together
// with the collection, hears of every obstacle. Else what cannot go stays where
// it is: the customer as it was read can always be sent back.
func takeAlong(tx *store.Tx, p *desk.Problems, r desk.Reach, channels map[string]desk.Channel, before, after desk.Customer, given bool) (moved []Placing, err error) {
	to := *after.Collection
	another := given && !desk.Same(before.Collection, after.Collection)
	var going []int // of its channels
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

// CustomerChanges is a customer that gets channels, or goes with them. One without an id
// is new.
type CustomerChanges struct{ before, after desk.Customer }

// GiveChannels gives channels that are added to a collection to the customers
// that are named with them.
func GiveChannels(tx *store.Tx, p *desk.Problems, to desk.CollectionID, n desk.NewChannels, channels map[string]desk.Channel) ([]CustomerChanges, error) {
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
	var all []CustomerChanges
	given := map[desk.CustomerID][]string{}
	for i, added := range n.Channels {
		if added.Customer == nil {
			continue
		}
		field, id := fmt.Sprintf("channels[%d].", i), added.Customer.ID
		_, exists := known[id]
		switch holder := of[added.ID]; {
		case added.Customer.New == nil && !exists:
			p.Add(field+"customer.id", "is no customer")
		case added.Customer.New == nil && holder == id: // it has it
		case holder != 0:
			p.Add(field+"id", anothers, added.ID)
		case added.Customer.New == nil:
			given[id] = append(given[id], added.ID)
		default:
			made, err := newWithChannel(*added.Customer.New, channels[added.ID], added.ID, to).Customer(tx.Now)
			if err := p.Under(field+"customer.", err); err != nil {
				return nil, err
			}
			all = append(all, CustomerChanges{after: made})
		}
	}
	for i, added := range n.Channels { // in their order
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
		all = append(all, CustomerChanges{before, after})
	}
	return all, checkNewOwners(tx, p, n)
}

// newWithChannel is what a customer is made from whose channel is being added to
// a collection. Without a name the channel's serves.
func newWithChannel(n desk.NewCustomer, ch desk.Channel, id string, to desk.CollectionID) desk.NewCustomer {
	if n.Name == nil {
		name := ch.Name
		if ch.ID == "" {
			name = id // it is not known; that is told already
		}
		n.Name = &name
	}
	n.Channels, n.Collection = &[]string{id}, desk.Just(to)
	return n
}

// checkNewOwners looks at the owners of customers that are made with channels.
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
			p.Add(fmt.Sprintf("channels[%d].customer.owner", i), NotOwner)
		}
	}
	return nil
}

// FollowChannels are the customers to be changed when channels are placed in a
// collection, beside what is changed of them already: a customer goes there that
// is in none, while its channels are active in no other; and one goes that has no
// active channel left in the collection which a channel has left.
func FollowChannels(tx *store.Tx, to desk.CollectionID, placings []Placing, all []CustomerChanges) ([]CustomerChanges, error) {
	from := map[string]*desk.CollectionID{} // where the channels were
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
		if !slices.ContainsFunc(all, func(one CustomerChanges) bool { return one.before.ID == id }) && !slices.Contains(held, id) {
			held = append(held, id)
		}
	}
	slices.Sort(held)
	known, err := tx.CustomersNamed(held)
	if err != nil {
		return nil, err
	}
	for _, id := range held {
		all = append(all, CustomerChanges{known[id], known[id]})
	}
	// Those who may go, and the channels that have a say.
	mayGo := func(one CustomerChanges) bool {
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
	var changes []CustomerChanges
	for _, one := range all {
		if mayGo(one) && !isHeld(one.after, to, channels) {
			if err := one.take(to, tx.Now); err != nil {
				return nil, err
			}
		}
		if one.before.Version != one.after.Version {
			changes = append(changes, one)
		}
	}
	return changes, nil
}

// isHeld reports whether a customer is kept where it is by an active channel: in
// its collection, or, of one in none, in another than it would go to.
func isHeld(c desk.Customer, to desk.CollectionID, channels map[string]desk.Channel) bool {
	return slices.ContainsFunc(c.Channels, func(id string) bool {
		ch := channels[id]
		if !ch.Active || ch.Collection == nil {
			return false
		}
		return desk.Same(ch.Collection, c.Collection) || c.Collection == nil && *ch.Collection != to
	})
}

// take gives a customer that may have changed already another collection, as one
// change with the rest.
func (c *CustomerChanges) take(to desk.CollectionID, now time.Time) error {
	if c.before.Version != c.after.Version {
		c.after.Collection = &to
		return nil
	}
	return c.after.Apply(desk.CustomerChange{Version: c.before.Version, CustomerParts: desk.CustomerParts{Collection: desk.Just(to)}}, now)
}

// KeepCustomers keeps and records customers that have got channels, or have gone
// where theirs are.
func KeepCustomers(tx *store.Tx, by desk.Actor, all []CustomerChanges) error {
	for _, one := range all {
		var before *desk.Customer
		if one.before.ID == 0 {
			if err := tx.AddCustomer(&one.after); err != nil {
				return err
			}
		} else {
			before = &one.before
			if err := tx.SaveCustomer(one.before, one.after); err != nil {
				return err
			}
		}
		if err := tx.Record(CustomerChange(by, before, one.after)); err != nil {
			return err
		}
	}
	return nil
}

func CustomerChange(by desk.Actor, before *desk.Customer, after desk.Customer) desk.Change {
	ch := desk.Change{By: by, Action: "customer.created", Event: desk.CustomerCreated, Resource: "Customer",
		ID: strconv.FormatInt(int64(after.ID), 10), After: after}
	if before != nil {
		ch.Action, ch.Event, ch.Before = "customer.updated", desk.CustomerUpdated, *before
	}
	return ch
}
