package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// membersOfTeams is the part that lists of teams may include.
const membersOfTeams = "team_members"

func (s *Server) listTeams(c *call) (any, error) {
	var p desk.Problems
	page, withMembers := c.page(&p), c.includes(&p, membersOfTeams)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Teams(c.ctx, c.caller, withMembers, page)
	return list(c, "teams", wire.NewTeam, l, err)
}

func (s *Server) getTeam(c *call) (any, error) {
	id, err := id[desk.TeamID](c, "id")
	if err != nil {
		return nil, err
	}
	var p desk.Problems
	withMembers := c.includes(&p, membersOfTeams)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s.service.Team(c.ctx, c.caller, id, withMembers)
}
