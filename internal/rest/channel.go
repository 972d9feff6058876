package rest

import (
	"math"

	"frontdesk/internal/desk"
)

// channelFilter reads the filter of the list of channels.
func channelFilter(c *call, p *desk.Problems) (desk.ChannelFilter, desk.Page) {
	page := c.page(p)
	return desk.ChannelFilter{Collection: desk.CollectionID(c.integer(p, "collection_id", 0, 1, math.MaxInt64))}, page
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
