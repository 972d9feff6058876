package service

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// NewDesk is what the first account is created from.
type NewDesk struct {
	desk.Body
	Code        string
	AccountName string
	Name        *string // the owner's
	Email       string
	Password    string
}

// errFirstRunCode does not tell how much of the code was right.
var errFirstRunCode = desk.Errorf(desk.Forbidden, "The code is wrong. Open the address that the server wrote to its log.")

// FirstRun reports whether there is no account yet, so that anyone with the code
// can create the first one.
func (s *Service) FirstRun(ctx context.Context) (bool, error) {
	if s.hasAccounts.Load() {
		return false, nil // that never changes
	}
	has, err := s.store.HasAccounts(ctx)
	if has {
		s.hasAccounts.Store(true)
	}
	return !has && err == nil, err
}

// FirstRunCode returns the code needed to create the first account. It is derived
// from the server's key, so it is the same on every node and after a restart.
func (s *Service) FirstRunCode() string {
	sum := s.firstRun.Sign([]byte("code"))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// FirstRunURL returns the address of the page that creates the first account, with
// the code.
func (s *Service) FirstRunURL() string { return s.change.PublicURL + "/first-run#" + s.FirstRunCode() }

// MakeFirst creates the first account with its owner and signs them in. It returns
// NotFound if there already is an account, and Forbidden if the code is wrong.
func (s *Service) MakeFirst(ctx context.Context, v desk.Visitor, n NewDesk) (made desk.Entrance, err error) {
	// Check this before the code, so that people who come too late learn why.
	if open, err := s.FirstRun(ctx); err != nil || !open {
		return made, orElse(err, desk.Errorf(desk.NotFound, "This server already has an account. Sign in, or ask an admin to invite you."))
	}
	tries := s.triesOf(v, "")
	if err := s.countTries(ctx, tries); err != nil {
		return made, err
	}
	if subtle.ConstantTimeCompare([]byte(strings.TrimSpace(n.Code)), []byte(s.FirstRunCode())) != 1 {
		return made, errFirstRunCode
	}
	if err := checkDesk(n, s); err != nil {
		return made, err
	}
	hash, err := s.passwords.hash(ctx, n.Password)
	if err != nil {
		return made, err
	}
	by := desk.Actor{Name: "first run", Source: desk.SourceWeb, IP: v.IP}
	err = s.store.AddFirstAccount(ctx, n.AccountName, func(tx *store.Tx, a desk.Account) error {
		m, err := addOwner(tx, by, s.withURL(a), desk.NewMember{Email: n.Email, Name: n.Name})
		if err != nil {
			return err
		}
		if err := s.setPassword(tx, by, m.ID, hash, 0); err != nil {
			return err
		}
		made.MadeSession, err = addSession(tx, v, m)
		return err
	})
	if err != nil {
		return desk.Entrance{}, err
	}
	made.Device = s.know(v.Device, n.Email)
	s.forgiveTries(ctx, tries)
	return made, nil
}

// checkDesk checks everything at once, before the expensive hashing.
func checkDesk(n NewDesk, s *Service) error {
	if n.Problem != nil {
		return n.Problem
	}
	var p desk.Problems
	name := n.AccountName
	p.Text("account_name", &name, 1, 200)
	if _, err := (desk.NewMember{Email: n.Email, Name: n.Name}).Member(s.store.Now()); err != nil {
		if err := p.Under("", err); err != nil {
			return err
		}
	}
	p.Password("password", n.Password, n.Email)
	return p.Err()
}
