package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listSessions(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Sessions(c.ctx, c.caller, page)
	return list(c, "sessions", wire.NewSession, l, err)
}

func (s *Server) deleteSession(c *call) (any, error) {
	id, err := id[desk.TokenID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.DeleteSession(c.ctx, c.caller, id)
}
