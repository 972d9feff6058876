package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Teams returns a page of the account's teams, with their members if wanted.
func (s *Service) Teams(ctx context.Context, c Caller, withMembers bool, p desk.Page) (l desk.List[desk.Team], err error) {
	if err := c.may(desk.ListTeams); err != nil {
		return l, err
	}
	err = s.store.Read(ctx, c.Account, func(tx *store.Tx) (err error) {
		l, err = tx.Teams(withMembers, p)
		return err
	})
	return l, err
}

// Team returns one team, with its members if wanted.
func (s *Service) Team(ctx context.Context, c Caller, id desk.TeamID, withMembers bool) (t desk.Team, err error) {
	if err := c.may(desk.GetTeam); err != nil {
		return t, err
	}
	err = s.store.Read(ctx, c.Account, func(tx *store.Tx) (err error) {
		t, err = tx.Team(id, withMembers)
		return err
	})
	return t, err
}
