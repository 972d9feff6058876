package rest

import "frontdesk/internal/desk"

func (s *Server) readRequest(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.ReadRequest(c.ctx, c.caller, id)
}

func (s *Server) unreadRequest(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.UnreadRequest(c.ctx, c.caller, id)
}
