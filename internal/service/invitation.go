package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// welcomePath is the page on which an invitation is taken. What is behind the #
// no browser sends to anybody, so that it is in no log.
const welcomePath = "/welcome#"

// ErrNoInvitation is for everything that is no invitation that can be taken, and
// does not say why.
var ErrNoInvitation = desk.Errorf(desk.NotFound, "This invitation is not good any more. It may have been used, replaced by another, or be too old. Ask an admin for a new one.")

// InviteMember makes a link with which a member chooses a password. The one
// before is not good any more; sessions end when a password is chosen.
func (s *Service) InviteMember(ctx context.Context, c Caller, id desk.MemberID) (desk.Invitation, error) {
	if err := c.may(desk.InviteMember); err != nil {
		return desk.Invitation{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (desk.Invitation, error) { return s.invite(tx, c.Actor, id) })
}

// NewInvitation is InviteMember for the command line.
func (s *Service) NewInvitation(ctx context.Context, account desk.AccountID, id desk.MemberID) (i desk.Invitation, err error) {
	err = s.store.Write(ctx, account, func(tx *store.Tx) (err error) {
		i, err = s.invite(tx, byCommand, id)
		return err
	})
	return i, err
}

func (s *Service) invite(tx *store.Tx, by desk.Actor, id desk.MemberID) (desk.Invitation, error) {
	if _, err := tx.Member(id); err != nil {
		return desk.Invitation{}, err
	}
	// The account and the member to find it by, and a random part that makes it.
	b := binary.AppendUvarint(nil, uint64(tx.Account))
	b = binary.AppendUvarint(b, uint64(id))
	code := change.LinkEncoding.EncodeToString(append(b, rand.Text()...))
	i := desk.Invitation{URL: s.change.PublicURL + welcomePath + code, ExpiresAt: tx.Now.Add(desk.InvitationKept)}
	digest := sha256.Sum256([]byte(code))
	if err := tx.SetInvitation(id, digest[:], i.ExpiresAt); err != nil {
		return i, err
	}
	return i, tx.Record(desk.Change{By: by, Action: desk.MemberInvited, Resource: "Member", ID: change.MemberID(id)})
}

// Invitation is whom an invitation is for. It gives ErrNoInvitation for one that
// is not good.
func (s *Service) Invitation(ctx context.Context, v desk.Visitor, code string) (who desk.Invited, err error) {
	tries := s.triesOf(v, "")
	if err := s.countTries(ctx, tries); err != nil {
		return who, err
	}
	account, id, ok := readInvitation(code)
	if !ok {
		return who, ErrNoInvitation
	}
	err = s.store.Read(ctx, account, func(tx *store.Tx) error {
		m, err := invited(tx, id, code)
		if err != nil {
			return err
		}
		a, err := tx.ThisAccount()
		who = desk.Invited{AccountName: a.Name, Email: m.Email, Name: m.Name}
		return err
	})
	if err == nil {
		s.forgiveTries(ctx, tries)
	}
	return who, err
}

// Welcome takes an invitation: the member has the password from then on, and a
// session. A name may be given along.
func (s *Service) Welcome(ctx context.Context, v desk.Visitor, code, password string, name *string) (made desk.Entrance, err error) {
	tries := s.triesOf(v, "")
	if err := s.countTries(ctx, tries); err != nil {
		return made, err
	}
	account, id, ok := readInvitation(code)
	if !ok {
		return made, ErrNoInvitation
	}
	// Before the hash, which is work: whoever has no invitation causes none.
	var email string
	err = s.store.Read(ctx, account, func(tx *store.Tx) error {
		m, err := invited(tx, id, code)
		email = m.Email
		return err
	})
	if err != nil {
		return made, err
	}
	if err := desk.CheckPassword("password", password, email); err != nil {
		return made, err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return made, err
	}
	err = s.store.Write(ctx, account, func(tx *store.Tx) error {
		m, err := invited(tx, id, code)
		if err != nil {
			return err
		}
		by := signedIn(v, m)
		if name != nil && strings.TrimSpace(*name) != m.Name {
			if err := renameMember(tx, by, id, *name); err != nil {
				return err
			}
			if m, err = tx.Member(id); err != nil {
				return err
			}
			by.Name = m.Name
		}
		if err := s.setPassword(tx, by, id, hash, 0); err != nil {
			return err
		}
		made.MadeSession, err = addSession(tx, v, m)
		return err
	})
	if err != nil {
		return desk.Entrance{}, err
	}
	made.Device = s.know(v.Device, email)
	s.bearers.forgetMember(id)
	s.forgiveTries(ctx, tries)
	if err := s.forgetStrangers(ctx, email); err != nil {
		s.log.Warn("forget tries to sign in", "error", err) // they will be over
	}
	return made, nil
}

// invited is the member whose invitation a code is.
func invited(tx *store.Tx, id desk.MemberID, code string) (desk.Member, error) {
	digest := sha256.Sum256([]byte(code))
	if good, err := tx.HasInvitation(id, digest[:]); err != nil || !good {
		return desk.Member{}, orElse(err, ErrNoInvitation)
	}
	m, err := tx.Member(id)
	if desk.KindOf(err) == desk.NotFound {
		err = ErrNoInvitation
	}
	return m, err
}

// readInvitation reads whose an invitation is said to be.
func readInvitation(code string) (desk.AccountID, desk.MemberID, bool) {
	b, err := change.LinkEncoding.DecodeString(code)
	if err != nil || len(code) > 100 {
		return 0, 0, false
	}
	account, n := binary.Uvarint(b)
	id, m := binary.Uvarint(b[max(n, 0):])
	return desk.AccountID(account), desk.MemberID(id), n > 0 && m > 0 && int64(account) > 0 && int64(id) > 0
}
