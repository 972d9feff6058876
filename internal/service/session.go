package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// ErrNoSession is the only answer to a missing, unknown, expired or ended session.
var ErrNoSession = desk.Errorf(desk.Forbidden, "You are not signed in, or your session has ended. Sign in again.")

// AuthenticateSession returns the member who holds a session's secret. It returns
// ErrNoSession unless the session is valid.
func (s *Service) AuthenticateSession(ctx context.Context, secret string) (Caller, error) {
	return s.authenticate(ctx, "", secret, desk.SessionPrefix(secret), ErrNoSession)
}

// Sessions returns a page of the caller's own sessions.
func (s *Service) Sessions(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.Session], error) {
	l, err := look(ctx, s, c, desk.ListSessions, func(tx *store.Tx) (desk.List[desk.Session], error) { return tx.Sessions(c.Actor.ID, p) })
	for i := range l.Items {
		l.Items[i].Current = l.Items[i].ID == c.Token
	}
	return l, err
}

// DeleteSession ends one of the caller's own sessions, which may be the current
// one.
func (s *Service) DeleteSession(ctx context.Context, c Caller, id desk.TokenID) (None, error) {
	own := func(tx *store.Tx, id desk.TokenID) (desk.Session, error) {
		session, err := tx.Session(c.Actor.ID, id)
		session.Current = id == c.Token
		return session, err
	}
	none, err := remove(ctx, s, c, desk.DeleteSession, desk.SessionDeleted, id, own, (*store.Tx).RevokeToken)
	if err == nil {
		s.bearers.forgetToken(id)
	}
	return none, err
}

// SignOut ends the caller's current session.
func (s *Service) SignOut(ctx context.Context, c Caller) error {
	c.Actor.Source = desk.SourceWeb
	_, err := s.DeleteSession(ctx, c, c.Token)
	return err
}
