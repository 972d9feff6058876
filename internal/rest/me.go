package rest

import "frontdesk/internal/desk"

func (s *Server) getMe(c *call) (any, error) { return s.service.Me(c.ctx, c.caller) }

func (s *Server) updateMe(c *call) (any, error) {
	b := c.object()
	ch := desk.MeChange{Name: b.text("name")}
	if _, given := b.members["password"]; given {
		in := b.inside("password")
		ch.Password = &desk.PasswordChange{}
		in.read("current", "a string", &ch.Password.Current) // optional, because a member may have no password yet
		if in.members != nil {
			ch.Password.New = in.required("new")
			if revoke := in.flag("revoke_tokens"); revoke != nil {
				ch.Password.RevokeTokens = *revoke
			}
		}
	}
	ch.Problem = b.problem()
	return s.service.UpdateMe(c.ctx, c.caller, ch)
}

func (s *Server) inviteMember(c *call) (any, error) {
	id, err := id[desk.MemberID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.InviteMember(c.ctx, c.caller, id)
}
