package desk

import (
	"fmt"
	"time"
)

// Channel is a chat channel that we can see. The chat system decides its name and
// whether it exists; we decide its collection.
type Channel struct {
	ID        string // the chat system's id
	Name      string
	Private   bool
	Archived  bool
	BotMember bool // whether our bot is in it
	Gone      bool // whether the chat system no longer shows it to us

	// Collection is the chat collection that the channel is in, or was last in. An
	// inactive channel keeps it, so that history can say where it was.
	Collection *CollectionID
	Owner      *string // a user
	Active     bool    // whether messages in it become requests

	CreatedAt time.Time // when we learned of it
	UpdatedAt time.Time // when the chat system last reported a change
}

func (c Channel) Named() (resource, id string) { return "Channel", c.ID }

// ChannelFilter narrows a list of channels.
type ChannelFilter struct {
	Collection CollectionID // 0: any collection
	Reach      Reach
}

// ChannelChange is a change to a channel.
type ChannelChange struct {
	Body
	Collection *CollectionID // moves it there; nil leaves it in place
	Owner      Nullable[string]
}

// Apply makes the whole change, or returns Invalid and changes nothing. A moved
// channel is active in its new place. Apply does not check whether the channel may
// be there.
func (c *Channel) Apply(ch ChannelChange) error {
	return amend(c, ch.Body, func(next *Channel, p *patch) {
		if p.offer("collection_id", ch.Collection != nil) {
			next.Collection, next.Active = ch.Collection, true
		}
		takeNullable(p, "owner", &next.Owner, ch.Owner)
	})
}

// MostAddedChannels bounds the channels added to a collection at once.
const MostAddedChannels = 100

// NewChannels are channels to be added to a collection.
type NewChannels struct {
	Body
	Channels []NewChannel
}

// NewChannel is one of them. A missing owner leaves the owner as it is.
type NewChannel struct {
	ID       string
	Owner    Nullable[string]
	Customer *ChannelCustomer // nil leaves its customer as it is
}

// ChannelCustomer is the customer that a channel is assigned to: an existing one or
// a new one.
type ChannelCustomer struct {
	ID  CustomerID
	New *NewCustomer // belongs to the collection; without a name it gets the channel's name
}

// Check returns what is wrong with the input. It does not check whether the
// channels exist.
func (n NewChannels) Check() error {
	p := n.problems()
	if !p.oneTo(MostAddedChannels, "channels", len(n.Channels)) {
		return p.Err()
	}
	seen := map[string]bool{}
	for i, c := range n.Channels {
		p.once(fmt.Sprintf("channels[%d].id", i), seen, c.ID)
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

// Clash finds an existing use that conflicts with the new one. A channel has one
// purpose, because otherwise a post for triage would become a request. Only a
// triage channel may serve several collections.
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

// String says what a channel with this use is.
func (u ChannelUse) String() string {
	if u.Purpose == ForMessages {
		return fmt.Sprintf("in the collection %q", u.Name)
	}
	return fmt.Sprintf("the %s of the collection %q", u.Purpose, u.Name)
}
