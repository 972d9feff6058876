package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listIntegrations(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Integrations(c.ctx, c.caller, page)
	return list(c, "integrations", wire.NewIntegration, l, err)
}

func (s *Server) getIntegration(c *call) (any, error) {
	id, err := id[desk.IntegrationID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Integration(c.ctx, c.caller, id)
}

func (s *Server) createIntegration(c *call) (any, error) {
	b := c.object()
	n := desk.NewIntegration{Kind: desk.IntegrationKind(b.required("kind"))}
	n.Problem = b.problem()
	return s.service.CreateIntegration(c.ctx, c.caller, n)
}

func (s *Server) deleteIntegration(c *call) (any, error) {
	id, err := id[desk.IntegrationID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.DeleteIntegration(c.ctx, c.caller, id)
}
