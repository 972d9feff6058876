package rest

import "frontdesk/internal/desk"

func (s *Server) getMute(c *call) (any, error) {
	id, err := id[desk.CollectionID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Mute(c.ctx, c.caller, id)
}

func (s *Server) muteCollection(c *call) (any, error) {
	id, err := id[desk.CollectionID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.MuteCollection(c.ctx, c.caller, id)
}

func (s *Server) unmuteCollection(c *call) (any, error) {
	id, err := id[desk.CollectionID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.UnmuteCollection(c.ctx, c.caller, id)
}
