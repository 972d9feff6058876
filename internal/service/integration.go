package service

import (
	"context"
	"crypto/rand"
	"errors"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Integrations returns a page of the account's integrations.
func (s *Service) Integrations(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.Integration], error) {
	return look(ctx, s, c, desk.ListIntegrations, func(tx *store.Tx) (desk.List[desk.Integration], error) { return tx.Integrations(p) })
}

// Integration returns one integration.
func (s *Service) Integration(ctx context.Context, c Caller, id desk.IntegrationID) (desk.Integration, error) {
	return look(ctx, s, c, desk.GetIntegration, func(tx *store.Tx) (desk.Integration, error) { return tx.Integration(id) })
}

// CreateIntegration begins a connection, or begins again if it was lost or never
// finished. A connection to a ticket system is complete at once. One to a chat
// system is finished by a person at the returned address, from where they come back
// to Connect. It returns Conflict if the account is already connected, and Refused
// if this server has no app for the system.
func (s *Service) CreateIntegration(ctx context.Context, c Caller, n desk.NewIntegration) (desk.StartedIntegration, error) {
	if err := c.may(desk.CreateIntegration); err != nil {
		return desk.StartedIntegration{}, err
	}
	if err := n.Check(); err != nil {
		return desk.StartedIntegration{}, err
	}
	if n.Kind.IsTracker() {
		return s.connectTracker(ctx, c, n)
	}
	return write(ctx, s, c, desk.CreateIntegration, func(tx *store.Tx) (started desk.StartedIntegration, err error) {
		system, ok := s.outside.Chats[n.Kind]
		if !ok {
			return started, desk.Errorf(desk.Refused, "This server has no app for %s. Its operator must set one up; see docs/operating.md.", n.Kind)
		}
		if s.outside.Sandbox != nil && system.AuthorizeURL("") == "" {
			return started, desk.Errorf(desk.Refused, "This server has no app for %s, but it has a sandbox: POST /v1/rest/sandbox. Its operator can set up an app; see docs/operating.md.", n.Kind)
		}
		i, begun, err := s.pending(tx, c.Actor, n.Kind)
		if err == nil && begun {
			err = change.Record(tx, c.Actor, "integration.restarted", i, i)
		}
		if err != nil {
			return started, err
		}
		nonce := rand.Text()
		if err := tx.SetNonce(i.ID, nonce); err != nil {
			return started, err
		}
		state := connectState{account: c.Account, integration: i.ID, expires: tx.Now.Add(desk.StateKept), nonce: nonce, member: c.Actor.ID}
		if c.Session {
			state.session = c.Token
		}
		return desk.StartedIntegration{Integration: i, AuthorizeURL: system.AuthorizeURL(s.signState(state))}, nil
	})
}

// pending returns the account's integration of a kind that is to be connected.
// begun reports whether it already existed.
func (s *Service) pending(tx *store.Tx, by desk.Actor, kind desk.IntegrationKind) (i desk.Integration, begun bool, err error) {
	i, err = tx.Chat()
	switch {
	case errors.Is(err, desk.ErrNotConnected):
		i = desk.Integration{Kind: kind, Status: desk.StatusPending, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := tx.AddIntegration(&i); err != nil {
			return i, false, err
		}
		return i, false, change.Record(tx, by, "integration.created", nil, i)
	case err != nil:
		return i, false, err
	}
	return i, true, i.Connectable(kind)
}

// DeleteIntegration ends a connection and deletes its credentials. What was learnt
// through it stays.
func (s *Service) DeleteIntegration(ctx context.Context, c Caller, id desk.IntegrationID) (None, error) {
	if err := c.may(desk.DeleteIntegration); err != nil {
		return None{}, err
	}
	// While our credential still works. It may fail, because notifications without an
	// integration are ignored.
	if err := s.outside.UnwatchTracker(ctx, c.Account, id, s.change.TrackerHookURL); err != nil {
		s.log.Warn("a ticket system still sends notifications", "account", int64(c.Account), "reason", err)
	}
	return remove(ctx, s, c, desk.DeleteIntegration, "integration.deleted", id, (*store.Tx).Integration, (*store.Tx).RemoveIntegration)
}
