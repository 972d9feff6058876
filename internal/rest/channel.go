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
	var n desk.NewChannels
	if _, ok := b.members["channels"]; !ok {
		b.problems.Add("channels", "is required")
	}
	if given := b.objects("channels", desk.MostAddedChannels); given != nil {
		for _, ch := range *given {
			if ch.members == nil {
				continue // not an object, which is already reported
			}
			n.Channels = append(n.Channels, desk.NewChannel{ID: ch.required("id"), Owner: ch.nullableText("owner"), Customer: channelCustomer(ch)})
		}
	}
	n.Problem = b.problem()
	return n
}

func (s *Server) updateChannel(c *call) (any, error) {
	b := c.object()
	ch := desk.ChannelChange{
		Collection: member[desk.CollectionID](b, "collection_id", "a number; to take a channel out of its collection, delete it"),
		Owner:      b.nullableText("owner"),
	}
	ch.Problem = b.problem()
	return s.service.UpdateChannel(c.ctx, c.caller, c.req.PathValue("id"), ch)
}

func (s *Server) deleteChannel(c *call) (any, error) {
	return s.service.DeleteChannel(c.ctx, c.caller, c.req.PathValue("id"))
}
