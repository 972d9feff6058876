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
		Assignable:     c.flag(&p, "assignable"),
		Page:           desk.Page{Limit: c.limit(&p), From: c.from(&p, false)},
	}
	if id := desk.CollectionID(c.integer(&p, "collection_id", 0, 1, 1<<53)); id != 0 {
		q.AtDesk = &id
	}
	q.Problem = p.Err()
	l, err := s.service.Users(c.ctx, c.caller, q)
	return list(c, "users", wire.NewUser, l, err)
}
