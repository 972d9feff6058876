package desk

import (
	"fmt"
	"time"
)

// Channel is a channel of the chat system that we can see. What it is called
// and whether it is there, the chat system says; its place is ours.
type Channel struct {
	ID        string // the chat system's
	Name      string
	Private   bool
	Archived  bool
	BotMember bool // our bot is in it
	Gone      bool // the chat system no longer shows it to us

	// Collection is the chat collection that the channel is in, or was in last:
	// an inactive one keeps it, so that history can say where it was.
	Collection *CollectionID
	Owner      *string // a user
	Active     bool    // what is written in it are requests

	CreatedAt time.Time // when we learnt of it
	UpdatedAt time.Time // when the chat system last told something new
}

// ChannelFilter narrows a list of channels.
type ChannelFilter struct {
	Collection CollectionID // 0: whatever it is in
	Reach      Reach
}

// ChannelChange is what may be changed of a channel.
type ChannelChange struct {
	Body
	Collection *CollectionID // moves it there; nil leaves it where it is
	Owner      Nullable[string]
}

// Apply changes the channel as a whole, or gives Invalid and changes nothing.
// A channel that is moved is active in its new place. Whether it may be there,
// the channel does not know.
func (c *Channel) Apply(ch ChannelChange) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.Collection == nil && !ch.Owner.Given {
		return Errorf(Invalid, "Nothing to change: give at least one of collection_id, owner.")
	}
	if ch.Collection != nil {
		c.Collection, c.Active = ch.Collection, true
	}
	setNullable(&c.Owner, ch.Owner)
	return nil
}

// MostAddedChannels bounds the channels that are added to a collection at once.
const MostAddedChannels = 100

// NewChannels are channels to be added to a collection.
type NewChannels struct {
	Body
	Channels []NewChannel
}

// NewChannel is one of them. An owner that is not given stays.
type NewChannel struct {
	ID       string
	Owner    Nullable[string]
	Customer *ChannelCustomer // nil leaves it whose it is
}

// ChannelCustomer is the customer that a channel is given to: one that exists,
// or a new one.
type ChannelCustomer struct {
	ID  CustomerID
	New *NewCustomer // of the collection; without a name, the channel's serves
}

// Check says what is wrong with the input. Whether the channels exist, it does
// not know.
func (n NewChannels) Check() error {
	if n.Problem != nil {
		return n.Problem
	}
	var p Problems
	if len(n.Channels) == 0 || len(n.Channels) > MostAddedChannels {
		p.Add("channels", "must be 1 to %d; there are %d", MostAddedChannels, len(n.Channels))
		return p.Err()
	}
	seen := map[string]bool{}
	for i, c := range n.Channels {
		if seen[c.ID] {
			p.Add(fmt.Sprintf("channels[%d].id", i), "is there twice")
		}
		seen[c.ID] = true
	}
	return p.Err()
}

// Purpose is what a channel is for in a collection.
type Purpose string

const (
	ForRequests Purpose = "request channel" // requests are posted there
	ForTriage   Purpose = "triage channel"
	ForMessages Purpose = "channel" // active in a chat collection: its messages are requests
)

// ChannelUse is a channel with its purpose in a collection.
type ChannelUse struct {
	Channel    string
	Purpose    Purpose
	Collection CollectionID
	Name       string // of the collection
}

// Clash finds among the uses there are one that a new use cannot be beside. A
// channel has one purpose, or what is posted for triage would become a request;
// only a triage channel may serve several collections.
func (u ChannelUse) Clash(uses []ChannelUse) (with ChannelUse, found bool) {
	for _, have := range uses {
		switch {
		case have.Channel != u.Channel:
		case have.Purpose == u.Purpose && have.Collection == u.Collection:
		case have.Purpose == ForTriage && u.Purpose == ForTriage:
		default:
			return have, true
		}
	}
	return ChannelUse{}, false
}

// String is what a channel with this use is.
func (u ChannelUse) String() string {
	if u.Purpose == ForMessages {
		return fmt.Sprintf("in the collection %q", u.Name)
	}
	return fmt.Sprintf("the %s of the collection %q", u.Purpose, u.Name)
}
