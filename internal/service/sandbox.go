package service

import (
	"context"
	"errors"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Sandbox returns the account's sandbox, or whether it could have one.
func (s *Service) Sandbox(ctx context.Context, c Caller) (desk.Sandbox, error) {
	i, err := look(ctx, s, c, desk.GetSandbox, func(tx *store.Tx) (desk.Integration, error) { return tx.Chat() })
	switch {
	case errors.Is(err, desk.ErrNotConnected):
		return desk.Sandbox{Offered: s.outside.Sandbox != nil}, nil
	case err != nil || s.outside.Sandbox == nil:
		return desk.Sandbox{}, err
	case i.Status != desk.StatusConnected:
		return desk.Sandbox{Offered: i.Connectable(desk.Slack) == nil}, nil
	}
	return s.sandboxAt(ctx, i)
}

// sandboxAt returns the sandbox of an account that is connected to a workspace. The
// workspace may be in another system, and then there is none.
func (s *Service) sandboxAt(ctx context.Context, i desk.Integration) (b desk.Sandbox, err error) {
	if _, b.Connected, err = s.outside.Sandbox.Address(ctx, i.ExternalID); err != nil || !b.Connected {
		return b, err
	}
	b.Integration, b.Team, b.Name, b.URL = i.ID, i.ExternalID, i.Name, i.URL
	b.Users, err = s.outside.Sandbox.Users(ctx, i.ExternalID)
	return b, err
}

// SandboxWorkspaces returns the sandbox workspaces that the account may administer:
// the one that it is connected to, and earlier ones unless another account has them
// now.
func (s *Service) SandboxWorkspaces(ctx context.Context, c Caller) ([]string, error) {
	all, err := look(ctx, s, c, desk.CreateSandbox, func(tx *store.Tx) ([]string, error) { return tx.Workspaces(desk.Slack) })
	if err != nil {
		return nil, err
	}
	var own []string
	for _, workspace := range all {
		now, connected, err := s.store.ChatOf(ctx, desk.Slack, workspace)
		if err != nil {
			return nil, err
		}
		if !connected || now.Account == c.Account {
			own = append(own, workspace)
		}
	}
	return own, nil
}

// CreateSandbox makes a workspace in the sandbox, owned by the caller, and connects
// the account to it. It returns Conflict if the account is connected to a chat
// system, and Refused if this server has no sandbox.
func (s *Service) CreateSandbox(ctx context.Context, c Caller) (desk.Sandbox, error) {
	var account desk.Account
	owner, err := read(ctx, s, c, desk.CreateSandbox, func(tx *store.Tx) (m desk.Member, err error) {
		if s.outside.Sandbox == nil {
			return m, desk.ErrNoSandbox
		}
		// Check this before making a workspace that nobody would use. letIn checks
		// it again.
		i, err := tx.Chat()
		if err == nil {
			err = i.Connectable(desk.Slack)
		}
		if err != nil && !errors.Is(err, desk.ErrNotConnected) {
			return m, err
		}
		if account, err = tx.ThisAccount(); err != nil {
			return m, err
		}
		return tx.Member(c.Actor.ID)
	})
	if err != nil {
		return desk.Sandbox{}, err
	}
	in, err := s.outside.Sandbox.Make(ctx, account.Name, owner.Name, owner.Email)
	if err != nil {
		return desk.Sandbox{}, err
	}
	users, err := s.outside.Sandbox.Users(ctx, in.Workspace)
	if err != nil {
		return desk.Sandbox{}, err
	}
	return write(ctx, s, c, desk.CreateSandbox, func(tx *store.Tx) (desk.Sandbox, error) {
		i, err := s.letIn(tx, c.Actor, desk.Slack, in)
		return desk.Sandbox{Connected: true, Integration: i.ID, Team: i.ExternalID, Name: i.Name, URL: i.URL, Users: users}, err
	})
}

// CreateSandboxToken lets the caller act as a user of the account's sandbox
// workspace. It returns Refused if the account is not in the sandbox or the user
// cannot be acted as, and NotFound if the user is not in the workspace.
func (s *Service) CreateSandboxToken(ctx context.Context, c Caller, n desk.NewSandboxToken) (desk.SandboxToken, error) {
	i, err := look(ctx, s, c, desk.CreateSandboxToken, func(tx *store.Tx) (i desk.Integration, err error) {
		if err := n.Check(); err != nil {
			return i, err
		}
		if s.outside.Sandbox == nil {
			return i, desk.ErrNoSandbox
		}
		return tx.Chat()
	})
	if err != nil && !errors.Is(err, desk.ErrNotConnected) {
		return desk.SandboxToken{}, err
	}
	has := false
	if i.Status == desk.StatusConnected {
		if _, has, err = s.outside.Sandbox.Address(ctx, i.ExternalID); err != nil {
			return desk.SandboxToken{}, err
		}
	}
	if !has {
		return desk.SandboxToken{}, desk.ErrNotInSandbox
	}
	secret, err := s.outside.Sandbox.Token(ctx, i.ExternalID, n.User)
	if err != nil {
		return desk.SandboxToken{}, err
	}
	return write(ctx, s, c, desk.CreateSandboxToken, func(tx *store.Tx) (desk.SandboxToken, error) {
		return desk.SandboxToken{User: n.User, Secret: secret},
			tx.Record(desk.Change{By: c.Actor, Action: "sandbox_token.created", Resource: "SandboxToken", ID: n.User})
	})
}
