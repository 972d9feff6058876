package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listUsers(c *call) (any, error) {
	var p desk.Problems
	q := desk.UserQuery{
		IDs:            c.texts(&p, "ids"),
		Text:           c.text(&p, "query"),
		IncludeDeleted: c.flag(&p, "include_deleted"),
		Page:           desk.Page{Limit: c.limit(&p), From: c.from(&p, false)},
	}
	q.Problem = p.Err()
	l, err := s.service.Users(c.ctx, c.caller, q)
	return list(c, "users", wire.NewUser, l, err)
}
