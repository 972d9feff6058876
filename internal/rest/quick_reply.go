package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

func (s *Server) listQuickReplies(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.QuickReplies(c.ctx, c.caller, page)
	return list(c, "quick_replies", wire.NewShownQuickReply, l, err)
}

func (s *Server) createQuickReply(c *call) (any, error) {
	return s.service.CreateQuickReply(c.ctx, c.caller, givenQuickReply(c.object()))
}

func (s *Server) updateQuickReply(c *call) (any, error) {
	id, err := id[desk.QuickReplyID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.UpdateQuickReply(c.ctx, c.caller, id, givenQuickReply(c.object()))
}

func (s *Server) deleteQuickReply(c *call) (any, error) {
	id, err := id[desk.QuickReplyID](c, "id")
	if err != nil {
		return nil, err
	}
	return service.None{}, s.service.DeleteQuickReply(c.ctx, c.caller, id)
}

func givenQuickReply(b object) desk.GivenQuickReply {
	g := desk.GivenQuickReply{Name: b.text("name"), HTML: b.text("html"), Shared: member[bool](b, "shared", "a boolean")}
	g.Problem = b.problem()
	return g
}
