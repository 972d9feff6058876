package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// proof is what somebody has shown about who they are: an identity of an OpenID
// provider, or a password that opens some members. Their browser keeps it, signed,
// to choose an account with it and later to switch to another.
//
// Until an account is chosen, the proof is valid by itself, for as long as choosing
// may take. After that it is valid only with the session that it came with, so it
// ends with that session. What it opens must be unchanged too: a new password or
// the removal of the member makes it invalid.
type proof struct {
	Expires   int64          `json:",omitempty"` // in milliseconds; 0 if it belongs to a session
	Session   desk.TokenID   `json:",omitempty"` // 0 until an account is chosen
	Email     string         // the browser becomes known for it
	Identity  *desk.Identity `json:",omitempty"`
	Passwords []openedBy     `json:",omitempty"`
}

// openedBy is a member whose password was given. Mark stands for its hash; see
// markOf.
type openedBy struct {
	Account desk.AccountID
	Member  desk.MemberID
	Mark    string
}

// errNoChoice is for people without a valid proof to choose with.
var errNoChoice = desk.Errorf(desk.Forbidden, "The time to choose an account is over. Sign in again.")

// errNoAccount is for an account that a proof does not open.
var errNoAccount = desk.Errorf(desk.NotFound, "This account is not one of yours, or no longer is. Sign in again to see yours.")

// door is a member whom a proof opens. check runs in the transaction in which they
// enter.
type door struct {
	store.AccountMember
	check func(*store.Tx, desk.Member) error
}

// enter lets somebody into the account that their proof opens. If it opens several,
// they enter the one they want, or are asked to choose if they have not said which.
func (s *Service) enter(ctx context.Context, v desk.Visitor, p proof) (in desk.Entrance, err error) {
	doors, err := s.doors(ctx, v, p)
	if err != nil {
		return in, err
	}
	wanted := 0
	if len(doors) > 1 {
		wanted = slices.IndexFunc(doors, func(d door) bool { return d.Account == v.Account })
	}
	if wanted < 0 {
		p.Session, p.Expires = 0, s.store.Now().Add(desk.ChoiceKept).UnixMilli()
		in.Proof, err = s.signProof(p)
		in.Choice = choiceOf(doors, 0)
		return in, err
	}
	d := doors[wanted]
	in.MadeSession, err = s.beginSession(ctx, v, d.AccountMember, d.check)
	if err != nil {
		return in, err
	}
	in.Device = s.know(v.Device, d.Member.Email)
	if len(doors) > 1 {
		p.Session, p.Expires = in.ID, 0
		in.Proof, err = s.signProof(p)
	}
	return in, err
}

func choiceOf(doors []door, current desk.AccountID) []desk.Choice {
	return desk.Each(doors, func(d door) desk.Choice {
		return desk.Choice{Account: d.Account, Name: d.AccountName, Current: d.Account == current}
	})
}

// doors returns the members whom a proof opens now, oldest account first.
func (s *Service) doors(ctx context.Context, v desk.Visitor, p proof) ([]door, error) {
	if p.Identity != nil {
		return s.identityDoors(ctx, v, *p.Identity)
	}
	found, err := s.store.PasswordMembers(ctx, p.Email)
	if err != nil {
		return nil, err
	}
	var doors []door
	for _, m := range found {
		if !slices.Contains(p.Passwords, openedBy{m.Account, m.Member.ID, s.markOf(m.Hash)}) {
			continue
		}
		doors = append(doors, door{m.AccountMember, func(tx *store.Tx, _ desk.Member) error {
			// It may have been changed or removed since it was read.
			if hash, err := tx.Password(m.Member.ID); err != nil || hash != m.Hash {
				return orElse(err, ErrSignIn)
			}
			return nil
		}})
	}
	if len(doors) == 0 {
		return nil, ErrSignIn
	}
	return doors, nil
}

// identityDoors returns the members linked to an identity, and those with its
// email, who become linked when they enter.
func (s *Service) identityDoors(ctx context.Context, v desk.Visitor, who desk.Identity) ([]door, error) {
	linked, err := s.store.Identified(ctx, who.Issuer, who.Subject)
	if err != nil {
		return nil, err
	}
	var doors []door
	for _, am := range linked {
		doors = append(doors, door{am, func(*store.Tx, desk.Member) error { return nil }})
	}
	var refusal error
	switch {
	case !who.Verified || who.Email == "":
		refusal = ErrUnverified
	case !desk.PlainEmail(who.Email):
		refusal = ErrForeignEmail
	default:
		refusal = ErrNotMember
		found, err := s.store.Identifiable(ctx, who.Email, who.Issuer, who.Subject)
		if err != nil {
			return nil, err
		}
		for _, am := range found {
			doors = append(doors, door{am, func(tx *store.Tx, m desk.Member) error { return link(tx, v, m, who) }})
		}
	}
	if len(doors) == 0 {
		return nil, refusal
	}
	slices.SortStableFunc(doors, func(a, b door) int { return int(a.Account - b.Account) })
	return doors, nil
}

// link saves a member's identity at an OpenID provider.
func link(tx *store.Tx, v desk.Visitor, m desk.Member, who desk.Identity) error {
	linked, err := tx.LinkIdentity(m.ID, who.Issuer, who.Subject)
	if err != nil || !linked {
		// The member is linked to somebody else: this email had another owner there
		// before.
		return orElse(err, ErrNotMember)
	}
	return tx.Record(desk.Change{By: signedIn(v, m), Action: desk.IdentityLinked, Resource: "Member", ID: desk.FormatID(m.ID)})
}

// Choices returns the accounts that a proof opens, to choose from or to switch to.
// c is the caller who is signed in, if anybody is. A proof that came with a session
// is valid only with it. It returns Forbidden if the proof is not valid.
func (s *Service) Choices(ctx context.Context, c Caller, signed string) ([]desk.Choice, error) {
	p, err := s.readProof(c, signed)
	if err != nil {
		return nil, err
	}
	doors, err := s.doors(ctx, desk.Visitor{}, p)
	if err != nil {
		return nil, lapsed(err)
	}
	return choiceOf(doors, c.Account), nil
}

// Choose lets somebody into one of the accounts that their proof opens. It returns
// Forbidden as Choices does, and NotFound for any other account.
func (s *Service) Choose(ctx context.Context, c Caller, v desk.Visitor, signed string) (desk.Entrance, error) {
	p, err := s.readProof(c, signed)
	if err != nil {
		return desk.Entrance{}, err
	}
	doors, err := s.doors(ctx, v, p)
	if err != nil {
		return desk.Entrance{}, lapsed(err)
	}
	if !slices.ContainsFunc(doors, func(d door) bool { return d.Account == v.Account }) {
		return desk.Entrance{}, errNoAccount
	}
	in, err := s.enter(ctx, v, p)
	return in, lapsed(err)
}

// lapsed returns errNoChoice if err says that a proof no longer opens anything.
func lapsed(err error) error {
	switch err {
	case ErrSignIn, ErrNotMember, ErrUnverified, ErrForeignEmail:
		return errNoChoice
	}
	return err
}

// markOf returns a mark that stands for the hash of a password, for places where
// the hash itself must not be.
func (s *Service) markOf(hash string) string {
	return base64.RawURLEncoding.EncodeToString(s.proofs.Sign([]byte("hash"), []byte(hash))[:change.MarkSize])
}

func (s *Service) signProof(p proof) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("sign a proof: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(s.proofs.Sign([]byte("proof"), text), text...)), nil
}

func (s *Service) readProof(c Caller, signed string) (p proof, err error) {
	const signLength = 32
	b, err := base64.RawURLEncoding.DecodeString(signed)
	if err != nil || len(b) < signLength || !s.proofs.Check(b[:signLength], []byte("proof"), b[signLength:]) || json.Unmarshal(b[signLength:], &p) != nil {
		return p, errNoChoice
	}
	late := p.Expires != 0 && !s.store.Now().Before(time.UnixMilli(p.Expires))
	if late || p.Session != 0 && (!c.Session || c.Token != p.Session) {
		return p, errNoChoice
	}
	return p, nil
}
