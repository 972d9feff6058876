package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listWaitingMessages(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	waiting, err := s.service.WaitingMessages(c.ctx, c.caller, id)
	return list(c, "waiting_messages", wire.NewWaitingMessage, desk.List[desk.WaitingMessage]{Items: waiting}, err)
}
