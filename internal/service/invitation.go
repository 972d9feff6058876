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

// welcomePath is the page that accepts an invitation. Browsers send nobody what
// follows the #, so the code ends up in no log.
const welcomePath = "/welcome#"

// ErrNoInvitation is the answer for every invitation that cannot be accepted. It
// does not say why.
var ErrNoInvitation = desk.Errorf(desk.NotFound, "This invitation is no longer valid. It may have been used or replaced, or it may have expired. Ask an admin for a new one.")

// InviteMember makes a link with which a member chooses a password. Their earlier
// link stops working. Their sessions end when they choose a password.
func (s *Service) InviteMember(ctx context.Context, c Caller, id desk.MemberID) (desk.Invitation, error) {
	return write(ctx, s, c, desk.InviteMember, func(tx *store.Tx) (desk.Invitation, error) { return s.invite(tx, c.Actor, id) })
}

// NewInvitation is InviteMember for the command line.
func (s *Service) NewInvitation(ctx context.Context, account desk.AccountID, id desk.MemberID) (desk.Invitation, error) {
	return transact(ctx, account, s.store.Write, func(tx *store.Tx) (desk.Invitation, error) { return s.invite(tx, byCommand, id) })
}

func (s *Service) invite(tx *store.Tx, by desk.Actor, id desk.MemberID) (desk.Invitation, error) {
	if _, err := tx.Member(id); err != nil {
		return desk.Invitation{}, err
	}
	// The account and the member find the invitation; the random part makes it
	// secret.
	b := binary.AppendUvarint(nil, uint64(tx.Account))
	b = binary.AppendUvarint(b, uint64(id))
	code := change.LinkEncoding.EncodeToString(append(b, rand.Text()...))
	i := desk.Invitation{URL: s.change.PublicURL + welcomePath + code, ExpiresAt: tx.Now.Add(desk.InvitationKept)}
	digest := sha256.Sum256([]byte(code))
	if err := tx.SetInvitation(id, digest[:], i.ExpiresAt); err != nil {
		return i, err
	}
	return i, tx.Record(desk.Change{By: by, Action: desk.MemberInvited, Resource: "Member", ID: desk.FormatID(id)})
}

// Invitation returns whom an invitation is for. It returns ErrNoInvitation if the
// invitation is not valid.
func (s *Service) Invitation(ctx context.Context, v desk.Visitor, code string) (who desk.Invited, err error) {
	tries, account, id, err := s.tryInvitation(ctx, v, code)
	if err != nil {
		return who, err
	}
	who, err = transact(ctx, account, s.store.Read, func(tx *store.Tx) (who desk.Invited, err error) {
		m, err := invited(tx, id, code)
		if err != nil {
			return who, err
		}
		a, err := tx.ThisAccount()
		return desk.Invited{AccountName: a.Name, Email: m.Email, Name: m.Name}, err
	})
	if err == nil {
		s.forgiveTries(ctx, tries)
	}
	return who, err
}

// Welcome accepts an invitation: it sets the member's password and starts a
// session. It may also set their name. It returns ErrNoInvitation if the invitation
// is not valid.
func (s *Service) Welcome(ctx context.Context, v desk.Visitor, code, password string, name *string) (made desk.Entrance, err error) {
	tries, account, id, err := s.tryInvitation(ctx, v, code)
	if err != nil {
		return made, err
	}
	// Check before the hash, which is expensive. Nobody without an invitation may
	// cause that work.
	who, err := transact(ctx, account, s.store.Read, func(tx *store.Tx) (desk.Member, error) { return invited(tx, id, code) })
	if err != nil {
		return made, err
	}
	if err := desk.CheckPassword("password", password, who.Email); err != nil {
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
	made.Device = s.know(v.Device, who.Email)
	s.bearers.forgetMember(id)
	s.forgiveTries(ctx, tries)
	if err := s.forgetStrangers(ctx, who.Email); err != nil {
		s.log.Warn("forget tries to sign in", "error", err) // they run out anyway
	}
	return made, nil
}

// tryInvitation counts an attempt to use a code, and returns the account and the
// member that the code claims to be for.
func (s *Service) tryInvitation(ctx context.Context, v desk.Visitor, code string) (t tries, account desk.AccountID, id desk.MemberID, err error) {
	t = s.triesOf(v, "")
	if err := s.countTries(ctx, t); err != nil {
		return t, 0, 0, err
	}
	account, id, ok := readInvitation(code)
	if !ok {
		err = ErrNoInvitation
	}
	return t, account, id, err
}

// invited returns the member whose invitation a code is.
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

// readInvitation reads the account and the member that a code claims to be for.
func readInvitation(code string) (desk.AccountID, desk.MemberID, bool) {
	b, err := change.LinkEncoding.DecodeString(code)
	if err != nil || len(code) > 100 {
		return 0, 0, false
	}
	account, n := binary.Uvarint(b)
	id, m := binary.Uvarint(b[max(n, 0):])
	return desk.AccountID(account), desk.MemberID(id), n > 0 && m > 0 && int64(account) > 0 && int64(id) > 0
}
