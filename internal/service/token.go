package service

import (
	"context"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Tokens returns a page of the caller's own tokens.
func (s *Service) Tokens(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.Token], error) {
	return look(ctx, s, c, desk.ListTokens, func(tx *store.Tx) (desk.List[desk.Token], error) { return tx.Tokens(c.Actor.ID, p) })
}

// Token returns one of the caller's own tokens.
func (s *Service) Token(ctx context.Context, c Caller, id desk.TokenID) (desk.Token, error) {
	return look(ctx, s, c, desk.GetToken, func(tx *store.Tx) (desk.Token, error) { return tx.Token(c.Actor.ID, id) })
}

// CreateToken creates a token for the caller and returns its secret, which is shown
// only once. Viewers can create only read-only tokens.
func (s *Service) CreateToken(ctx context.Context, c Caller, n desk.NewToken) (desk.MadeToken, error) {
	return write(ctx, s, c, desk.CreateToken, func(tx *store.Tx) (desk.MadeToken, error) {
		if c.Role == desk.Viewer && n.Scope == desk.ReadWrite {
			return desk.MadeToken{}, desk.Errorf(desk.Forbidden, "A viewer's tokens are read-only.")
		}
		m, err := tx.Member(c.Actor.ID)
		if desk.KindOf(err) == desk.NotFound {
			err = ErrNoToken // removed elsewhere a moment ago
		}
		if err != nil {
			return desk.MadeToken{}, err
		}
		made, err := addToken(tx, c.Actor, m, n)
		if err != nil {
			return desk.MadeToken{}, err
		}
		// Check this last: problems of the token itself are reported first.
		have, err := tx.ValidTokens(m.ID)
		if err == nil && have > desk.MostTokens {
			err = desk.ErrTooManyTokens
		}
		return made, err
	})
}

// NewToken creates a token for a member, for the command line. There is no limit to
// how many.
func (s *Service) NewToken(ctx context.Context, account desk.AccountID, m desk.Member, n desk.NewToken) (desk.MadeToken, error) {
	return transact(ctx, account, s.store.Write, func(tx *store.Tx) (desk.MadeToken, error) { return addToken(tx, byCommand, m, n) })
}

func addToken(tx *store.Tx, by desk.Actor, m desk.Member, n desk.NewToken) (desk.MadeToken, error) {
	t, err := n.Token(m, tx.Now)
	if err != nil {
		return t, err
	}
	if err := tx.AddToken(&t.Token); err != nil {
		return t, err
	}
	return t, change.Record(tx, by, "token.created", nil, t.Token)
}

// DeleteToken revokes one of the caller's own tokens.
func (s *Service) DeleteToken(ctx context.Context, c Caller, id desk.TokenID) (None, error) {
	own := func(tx *store.Tx, id desk.TokenID) (desk.Token, error) { return tx.Token(c.Actor.ID, id) }
	none, err := remove(ctx, s, c, desk.DeleteToken, "token.deleted", id, own, (*store.Tx).RevokeToken)
	if err == nil {
		s.bearers.forgetToken(id)
	}
	return none, err
}

// MembersByEmail finds a person in every account, for the command line.
func (s *Service) MembersByEmail(ctx context.Context, email string) ([]store.AccountMember, error) {
	return s.store.MembersByEmail(ctx, email)
}

// noteUse saves when tokens were used, every noteEvery and once at the end.
func (s *Service) noteUse(ctx context.Context) {
	tick := time.NewTicker(noteEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.writeUse(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			s.writeUse(last)
			return
		}
	}
}

func (s *Service) writeUse(ctx context.Context) {
	for account, tokens := range s.bearers.takeUsed() {
		err := s.store.Write(ctx, account, func(tx *store.Tx) error {
			for id, at := range tokens {
				if err := tx.TouchToken(id, at); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.log.Warn("save the use of tokens", "error", err)
			for id, at := range tokens {
				s.bearers.use(account, id, at) // try again next time
			}
		}
	}
}
