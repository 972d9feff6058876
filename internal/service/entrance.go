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

// proof is what somebody has shown of who they are: an identity of an OpenID
// provider, or a password that opens some members. Their browser keeps it, signed, to
// choose an account by it and later to switch to another.
//
// While nothing is chosen it is good by itself, for as long as that may take. From
// then on it is good with the session that it came with, and so ends with it; and what
// it opens must be as it was: another password, or a member who was removed, takes it
// away.
type proof struct {
	Expires   int64          `json:",omitempty"` // in milliseconds; 0 for who has a session
	Session   desk.TokenID   `json:",omitempty"` // 0 while nothing is chosen
	Email     string         // by which the browser is known
	Identity  *desk.Identity `json:",omitempty"`
	Passwords []openedBy     `json:",omitempty"`
}

// openedBy is a member whose password was given. The mark is that of its hash.
type openedBy struct {
	Account desk.AccountID
	Member  desk.MemberID
	Mark    string
}

// errNoChoice is for who has nothing to choose by, any more.
var errNoChoice = desk.Errorf(desk.Forbidden, "The time to choose an account is over. Sign in again.")

// errNoAccount is for an account that is not among those to choose from.
var errNoAccount = desk.Errorf(desk.NotFound, "This account is not one of yours, or is not any more. Sign in again to see which are.")

// door is a member whom a proof opens. check is done in the transaction in which they
// enter.
type door struct {
	store.AccountMember
	check func(*store.Tx, desk.Member) error
}

// enter lets somebody into the account that their proof opens or, of several, into the
// one they want; where they have not said which, it has them choose.
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
	all := make([]desk.Choice, len(doors))
	for i, d := range doors {
		all[i] = desk.Choice{Account: d.Account, Name: d.AccountName, Current: d.Account == current}
	}
	return all
}

// doors are the members whom a proof opens now, those of older accounts first.
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
			// It may have been changed, or taken away, while it was looked at.
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

// identityDoors are the members who are linked to an identity, and those who have its
// email and are linked by entering.
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

// link keeps who a member is to an OpenID provider.
func link(tx *store.Tx, v desk.Visitor, m desk.Member, who desk.Identity) error {
	linked, err := tx.LinkIdentity(m.ID, who.Issuer, who.Subject)
	if err != nil || !linked {
		// Who has this email there today is another than the one who had it.
		return orElse(err, ErrNotMember)
	}
	return tx.Record(desk.Change{By: signedIn(v, m), Action: desk.IdentityLinked, Resource: "Member", ID: change.MemberID(m.ID)})
}

// Choices are the accounts that a proof opens, to choose from or to switch to. c is who
// is signed in, if anybody is: a proof that came with a session is good for that one
// alone. It gives Forbidden for any other.
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

// Choose lets somebody into one of the accounts that their proof opens. It gives
// Forbidden as Choices does, and NotFound for an account that is none of them.
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

// lapsed is for a proof that opens nothing any more.
func lapsed(err error) error {
	switch err {
	case ErrSignIn, ErrNotMember, ErrUnverified, ErrForeignEmail:
		return errNoChoice
	}
	return err
}

// markOf stands for the hash of a password where the hash itself must not be.
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
