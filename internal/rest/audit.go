package rest

import (
	"math"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listAuditLogs(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	f := desk.AuditLogFilter{
		ResourceType: c.text(&p, "resource_type"),
		ResourceID:   c.text(&p, "resource_id"),
		Actor:        desk.MemberID(c.integer(&p, "actor", 0, 1, math.MaxInt64)),
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.AuditLogs(c.ctx, c.caller, f, page)
	return list(c, "audit_logs", wire.NewAuditLog, l, err)
}
