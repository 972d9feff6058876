package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listTokens(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Tokens(c.ctx, c.caller, page)
	return list(c, "tokens", wire.NewToken, l, err)
}

func (s *Server) getToken(c *call) (any, error) {
	id, err := id[desk.TokenID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Token(c.ctx, c.caller, id)
}

func (s *Server) createToken(c *call) (any, error) {
	b := c.object()
	n := desk.NewToken{Name: b.required("name"), Scope: desk.Scope(b.required("scope")), ExpiresAt: b.nullableMoment("expires_at")}
	n.Problem = b.problem()
	return s.service.CreateToken(c.ctx, c.caller, n)
}

func (s *Server) deleteToken(c *call) (any, error) {
	id, err := id[desk.TokenID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.DeleteToken(c.ctx, c.caller, id)
}
