package rest

import (
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listHistory(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	var p desk.Problems
	c.order = strconv.FormatInt(int64(id), 10) // a cursor belongs to one request
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.History(c.ctx, c.caller, id, page)
	return list(c, "history", wire.NewHistoryEntry, l, err)
}
