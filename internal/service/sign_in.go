package service

import (
	"context"
	"strings"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

const mostEmail = 1000 // longer than any email

// ErrSignIn is the only answer to a wrong email or password. It does not say which
// of them was wrong.
var ErrSignIn = desk.Errorf(desk.Forbidden, "The email or the password is wrong.")

// ErrNotMember is for somebody whom the OpenID provider knows but who is not a
// member here.
var ErrNotMember = desk.Errorf(desk.Forbidden, "You are not a member here yet. Ask an admin to add you.")

// ErrUnverified is for an email that the OpenID provider has not verified.
var ErrUnverified = desk.Errorf(desk.Forbidden, "The sign-in provider has not verified your email.")

// ErrForeignEmail is for an email that others may read as somebody else's. A
// provider that treats ı as i vouches for whoever registers first.
var ErrForeignEmail = desk.Errorf(desk.Forbidden, "Your email has characters that are not ASCII. Ask an admin for a link, and sign in with a password.")

// SignIn lets in somebody with an email and its password. If these open several
// accounts, they choose one. It returns ErrSignIn if email or password is wrong,
// and Busy after too many attempts. Both take the same time whether or not there is
// such a member.
func (s *Service) SignIn(ctx context.Context, v desk.Visitor, email, password string) (desk.Entrance, error) {
	if len(email) > mostEmail || !desk.Storable(email) || !desk.Storable(password) {
		return desk.Entrance{}, ErrSignIn // nobody has these
	}
	email = strings.TrimSpace(email)
	tries := s.triesOf(v, email)
	if err := s.countTries(ctx, tries); err != nil {
		return desk.Entrance{}, err
	}
	found, err := s.store.PasswordMembers(ctx, email)
	if err != nil {
		return desk.Entrance{}, err
	}
	opened, err := s.opened(ctx, found, password)
	if err != nil {
		return desk.Entrance{}, err
	}
	if len(opened) == 0 {
		s.log.Info("a sign-in failed", "ip", v.IP)
		return desk.Entrance{}, s.addFailure(ctx, v, email)
	}
	p := proof{Email: email}
	for _, m := range opened {
		p.Passwords = append(p.Passwords, openedBy{m.Account, m.Member.ID, s.markOf(m.Hash)})
	}
	in, err := s.enter(ctx, v, p)
	if err == nil {
		s.forgiveTries(ctx, tries)
	}
	return in, err
}

// opened returns the members whose password it is. It hashes even if there are no
// members, so that the time does not tell. It replaces hashes of another cost.
func (s *Service) opened(ctx context.Context, found []store.PasswordMember, password string) (opened []store.PasswordMember, err error) {
	if password = cut(password); len(found) == 0 {
		_, err := s.passwords.opens(ctx, "", password)
		return nil, err
	}
	for _, m := range found {
		ok, err := s.passwords.opens(ctx, m.Hash, password)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if s.passwords.dated(m.Hash) {
			m.Hash, err = s.hashAnew(ctx, m, password)
		}
		switch {
		case err == nil:
			opened = append(opened, m)
		case err != ErrSignIn: // which says that it no longer opens this account, but perhaps another
			return nil, err
		}
	}
	return opened, nil
}

// hashAnew replaces the hash of a password with one of today's cost, and returns
// it. It returns ErrSignIn if the password was changed in the meantime.
func (s *Service) hashAnew(ctx context.Context, m store.PasswordMember, password string) (string, error) {
	hash, err := s.passwords.hash(ctx, password) // outside the transaction, because it takes long
	if err != nil {
		return "", err
	}
	return hash, s.store.Write(ctx, m.Account, func(tx *store.Tx) error {
		// It may have been changed or removed since it was read.
		if kept, err := tx.Password(m.Member.ID); err != nil || kept != m.Hash {
			return orElse(err, ErrSignIn)
		}
		return tx.SetPassword(m.Member.ID, hash)
	})
}

// cut shortens a text that is too long to be a password, so that hashing it costs
// nothing extra.
func cut(password string) string {
	if letters := []rune(password); len(letters) > desk.MostPassword {
		return string(letters[:desk.MostPassword+1]) // still too long
	}
	return password
}

// addFailure has a failed attempt recorded, and returns ErrSignIn.
func (s *Service) addFailure(ctx context.Context, v desk.Visitor, email string) error {
	// It belongs to no account yet.
	err := s.store.Write(ctx, 0, func(tx *store.Tx) error { return job.Add(tx.Tx, change.SignInFailed{Email: email, IP: v.IP}, tx.Now) })
	return orElse(err, ErrSignIn)
}

// beginSession starts a session for a member, after check has passed in the same
// transaction.
func (s *Service) beginSession(ctx context.Context, v desk.Visitor, am store.AccountMember, check func(*store.Tx, desk.Member) error) (desk.MadeSession, error) {
	return transact(ctx, am.Account, s.store.Write, func(tx *store.Tx) (made desk.MadeSession, err error) {
		m, err := tx.Member(am.Member.ID)
		if desk.KindOf(err) == desk.NotFound {
			err = ErrSignIn // removed a moment ago
		}
		if err != nil {
			return made, err
		}
		if err := check(tx, m); err != nil {
			return made, err
		}
		return addSession(tx, v, m)
	})
}

func addSession(tx *store.Tx, v desk.Visitor, m desk.Member) (desk.MadeSession, error) {
	made := desk.NewSession(m, v, tx.Now)
	if err := tx.AddToken(&made.Token); err != nil {
		return made, err
	}
	return made, change.Record(tx, signedIn(v, m), desk.SessionCreated, nil, made.Session)
}

// signedIn returns the actor for a member who has just shown who they are.
func signedIn(v desk.Visitor, m desk.Member) desk.Actor {
	return desk.Actor{ID: m.ID, Name: m.Name, Email: m.Email, Source: desk.SourceWeb, IP: v.IP}
}

// SignInWith lets in somebody whom an OpenID provider has sent. They must already
// be a member: either linked to this identity, or with its email, and then they
// become linked. If there are several, they choose one. It returns ErrNotMember for
// anybody else. It returns ErrUnverified or ErrForeignEmail if it would have to
// trust the email and cannot.
func (s *Service) SignInWith(ctx context.Context, v desk.Visitor, who desk.Identity) (desk.Entrance, error) {
	if !desk.Storable(who.Subject) || !desk.Storable(who.Email) || who.Subject == "" {
		return desk.Entrance{}, ErrNotMember
	}
	return s.enter(ctx, v, proof{Email: who.Email, Identity: &who})
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
