package service

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// NewDesk is what the first account is made from.
type NewDesk struct {
	desk.Body
	Code        string
	AccountName string
	Name        *string // of its owner
	Email       string
	Password    string
}

// errFirstRunCode does not say how the code goes on.
var errFirstRunCode = desk.Errorf(desk.Forbidden, "The code is not right. Open the address that the server has written into its log.")

// FirstRun reports whether there is no account yet, so that whoever has the code
// can make the first.
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

// FirstRunCode is what whoever makes the first account has to know: it is made
// from the server's key, so that it is the same on every node and at each start.
func (s *Service) FirstRunCode() string {
	sum := s.firstRun.Sign([]byte("code"))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// FirstRunURL is the page on which the first account is made, with the code.
func (s *Service) FirstRunURL() string { return s.change.PublicURL + "/first-run#" + s.FirstRunCode() }

// MakeFirst makes the first account with its owner, who has signed in then. It
// gives NotFound when there is an account, and Forbidden for another code.
func (s *Service) MakeFirst(ctx context.Context, v desk.Visitor, n NewDesk) (made desk.Entrance, err error) {
	// Before the code: who comes too late need not know it.
	if open, err := s.FirstRun(ctx); err != nil || !open {
		return made, orElse(err, desk.Errorf(desk.NotFound, "There is an account here already. Sign in, or ask an admin to invite you."))
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

// checkDesk looks at all of it at once, before the work of hashing.
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
