package rest

import (
	"math"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listChannels(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	f := desk.ChannelFilter{Collection: desk.CollectionID(c.integer(&p, "collection_id", 0, 1, math.MaxInt64))}
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Channels(c.ctx, c.caller, f, page)
	return list(c, "channels", wire.NewChannel, l, err)
}

// A channel's id is a string of the chat system, so no id is malformed.
func (s *Server) getChannel(c *call) (any, error) {
	return s.service.Channel(c.ctx, c.caller, c.req.PathValue("id"))
}

// newChannels reads channels for a collection.
func newChannels(b object) desk.NewChannels {
	b.demand("channels")
	return desk.NewChannels{Channels: orZero(listOf(b, "channels", desk.MostAddedChannels, func(ch object) desk.NewChannel {
		return desk.NewChannel{ID: ch.required("id"), Owner: ch.nullableText("owner"), Customer: channelCustomer(ch)}
	}))}
}

func (s *Server) updateChannel(c *call) (any, error) {
	return s.service.UpdateChannel(c.ctx, c.caller, c.req.PathValue("id"), input(c, channelChange))
}

// channelChange reads a change to a channel.
func channelChange(b object) desk.ChannelChange {
	return desk.ChannelChange{
		Collection: member[desk.CollectionID](b, "collection_id", "a number; to take a channel out of its collection, delete it"),
		Owner:      b.nullableText("owner"),
	}
}

func (s *Server) deleteChannel(c *call) (any, error) {
	return s.service.DeleteChannel(c.ctx, c.caller, c.req.PathValue("id"))
}
