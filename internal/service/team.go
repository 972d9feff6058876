package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Teams returns a page of the account's teams, with their members if wanted.
func (s *Service) Teams(ctx context.Context, c Caller, withMembers bool, p desk.Page) (desk.List[desk.Team], error) {
	return read(ctx, s, c, desk.ListTeams, func(tx *store.Tx) (desk.List[desk.Team], error) { return tx.Teams(withMembers, p) })
}

// Team returns one team, with its members if wanted.
func (s *Service) Team(ctx context.Context, c Caller, id desk.TeamID, withMembers bool) (desk.Team, error) {
	return read(ctx, s, c, desk.GetTeam, func(tx *store.Tx) (desk.Team, error) { return tx.Team(id, withMembers) })
}
