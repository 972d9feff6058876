package rest

import "frontdesk/internal/desk"

func (s *Server) getSandbox(c *call) (any, error) { return s.service.Sandbox(c.ctx, c.caller) }

func (s *Server) createSandbox(c *call) (any, error) {
	return s.service.CreateSandbox(c.ctx, c.caller)
}

func (s *Server) createSandboxToken(c *call) (any, error) {
	b := c.object()
	n := desk.NewSandboxToken{User: b.required("user_id")}
	n.Problem = b.problem()
	return s.service.CreateSandboxToken(c.ctx, c.caller, n)
}
