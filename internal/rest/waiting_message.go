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

func (s *Server) takeBackMessage(c *call) (any, error) {
	request, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	message, err := id[desk.WaitingMessageID](c, "message")
	if err != nil {
		return nil, err
	}
	return s.service.TakeBackMessage(c.ctx, c.caller, request, message)
}
