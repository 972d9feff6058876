package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Me returns the caller.
func (s *Service) Me(ctx context.Context, c Caller) (desk.Me, error) {
	return read(ctx, s, c, desk.GetMe, func(tx *store.Tx) (desk.Me, error) { return s.me(tx, c) })
}

func (s *Service) me(tx *store.Tx, c Caller) (me desk.Me, err error) {
	if me.Member, err = tx.Member(c.Actor.ID); err != nil {
		return me, gone(err)
	}
	if me.Account, err = tx.ThisAccount(); err != nil {
		return me, err
	}
	me.Account, me.SendsMail, me.HasModel = s.withURL(me.Account), s.change.Mail.Sends, s.model != nil
	user, err := tx.UserIDByEmail(me.Member.Email)
	if err != nil {
		return me, err
	}
	if user != nil {
		users, err := tx.Users(desk.UserQuery{IDs: []string{*user}})
		if err != nil {
			return me, err
		}
		for _, u := range users.Items {
			me.User = &u
		}
	}
	if !c.Session {
		return me, nil
	}
	session, err := tx.Session(c.Actor.ID, c.Token)
	session.Current = true
	me.Session = &session
	return me, gone(err)
}

// gone returns ErrNoToken for a caller who was removed or signed out elsewhere a
// moment ago.
func gone(err error) error {
	if desk.KindOf(err) == desk.NotFound {
		return ErrNoToken
	}
	return err
}

// errSessionOnly keeps a lost token from giving its finder the password too.
var errSessionOnly = desk.Errorf(desk.Forbidden, "A password can be changed only while signed in, not with a token.")

// UpdateMe changes the caller's name or password. A new password ends their other
// sessions and, if they ask for it, their tokens.
func (s *Service) UpdateMe(ctx context.Context, c Caller, ch desk.MeChange) (desk.Me, error) {
	if err := c.may(desk.UpdateMe); err != nil {
		return desk.Me{}, err
	}
	if ch.Password != nil && !c.Session {
		return desk.Me{}, errSessionOnly
	}
	if err := ch.Check(); err != nil {
		return desk.Me{}, err
	}
	was, hash, err := s.newPassword(ctx, c, ch.Password)
	if err != nil {
		return desk.Me{}, err
	}
	me, err := write(ctx, s, c, desk.UpdateMe, func(tx *store.Tx) (desk.Me, error) {
		if ch.Name != nil {
			if err := renameMember(tx, c.Actor, c.Actor.ID, *ch.Name); err != nil {
				return desk.Me{}, gone(err)
			}
		}
		if ch.Password != nil {
			if now, err := tx.Password(c.Actor.ID); err != nil || now != was {
				return desk.Me{}, orElse(err, desk.Errorf(desk.Conflict, "The password has just been changed elsewhere."))
			}
			if err := s.setPassword(tx, c.Actor, c.Actor.ID, hash, c.Token); err != nil {
				return desk.Me{}, gone(err)
			}
			if ch.Password.RevokeTokens {
				if err := revokeTokens(tx, c); err != nil {
					return desk.Me{}, err
				}
			}
		}
		return s.me(tx, c)
	})
	if err == nil {
		s.bearers.forgetMember(c.Actor.ID)
	}
	return me, err
}

// newPassword checks a change of the caller's password. It returns the stored hash
// and the new one.
func (s *Service) newPassword(ctx context.Context, c Caller, ch *desk.PasswordChange) (was, hash string, err error) {
	if ch == nil {
		return "", "", nil
	}
	if err := desk.CheckPassword("password.new", ch.New, c.Actor.Email); err != nil {
		return "", "", err
	}
	// Somebody who finds an open browser must not be able to guess either.
	tries := s.ownTries(c.Actor.ID)
	if err := s.countTries(ctx, tries); err != nil {
		return "", "", err
	}
	if was, err = look(ctx, s, c, desk.UpdateMe, func(tx *store.Tx) (string, error) { return tx.Password(c.Actor.ID) }); err != nil {
		return "", "", err
	}
	if was != "" {
		ok, err := s.passwords.opens(ctx, was, cut(ch.Current))
		if err != nil {
			return "", "", err
		}
		if !ok {
			return "", "", desk.Wrong("password.current", "is not your password")
		}
	}
	s.forgiveTries(ctx, tries)
	hash, err = s.passwords.hash(ctx, ch.New)
	return was, hash, err
}

// setPassword saves a password and ends all sessions of the member except one; 0
// ends all.
func (s *Service) setPassword(tx *store.Tx, by desk.Actor, m desk.MemberID, hash string, but desk.TokenID) error {
	if err := tx.SetPassword(m, hash); err != nil {
		return err
	}
	if err := tx.EndSessions(m, but); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Action: desk.PasswordSet, Resource: "Member", ID: desk.FormatID(m)})
}

// revokeTokens revokes the caller's tokens.
func revokeTokens(tx *store.Tx, c Caller) error {
	revoked, err := tx.RevokeTokens(c.Actor.ID)
	if err != nil {
		return err
	}
	for _, t := range revoked {
		if err := change.Record(tx, c.Actor, "token.deleted", t, nil); err != nil {
			return err
		}
	}
	return nil
}

// renameMember changes a member's name.
func renameMember(tx *store.Tx, by desk.Actor, id desk.MemberID, name string) error {
	m, err := tx.Member(id)
	if err != nil {
		return err
	}
	before := m
	if err := m.Apply(desk.MemberChange{Name: &name}, tx.Now); err != nil {
		return err
	}
	if err := tx.SaveMember(m); err != nil {
		return err
	}
	return change.Record(tx, by, desk.MemberUpdated, before, m)
}

// SetPassword sets a member's password, for the command line. It ends their
// sessions, unless they already have this password.
func (s *Service) SetPassword(ctx context.Context, account desk.AccountID, m desk.Member, password string) error {
	if err := desk.CheckPassword("password", password, m.Email); err != nil {
		return err
	}
	was, err := transact(ctx, account, s.store.Look, func(tx *store.Tx) (string, error) { return tx.Password(m.ID) })
	if err != nil {
		return err
	}
	same := false
	if was != "" {
		if same, err = s.passwords.opens(ctx, was, password); err != nil {
			return err
		}
	}
	if !same {
		hash, err := s.passwords.hash(ctx, password)
		if err != nil {
			return err
		}
		err = s.store.Write(ctx, account, func(tx *store.Tx) error { return s.setPassword(tx, byCommand, m.ID, hash, 0) })
		if err != nil {
			return err
		}
		s.bearers.forgetMember(m.ID)
	}
	return s.forgetStrangers(ctx, m.Email)
}

// byCommand is the actor for the server's command line.
var byCommand = desk.Actor{Name: "command line", Source: desk.SourceCommand}

// ByCommand returns the caller for a command that the operator runs on the server: it
// may do in an account whatever an admin may.
func ByCommand(account desk.AccountID) Caller {
	return Caller{Account: account, Actor: byCommand, Role: desk.Admin, Scope: desk.ReadWrite, Reach: desk.Everything}
}
