package rest

import "frontdesk/internal/desk"

func (s *Server) sendSurvey(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.SendSurvey(c.ctx, c.caller, id)
}
