package service

import (
	"context"
	"encoding/base64"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// Tries to sign in are counted in the database, for all processes together.
const (
	tryWindow = 15 * time.Minute
	// mostEmailTries is for one email, whoever tries, and mostAddressTries for one
	// address, whatever is tried from there: behind one may be a whole company.
	mostEmailTries   = 10
	mostAddressTries = 100

	mostEmail = 1000 // longer than any
)

// ErrSignIn is the one answer to an email and a password that are not somebody's:
// which of them it was is nobody's business.
var ErrSignIn = desk.Errorf(desk.Forbidden, "The email or the password is not right.")

// ErrNotMember is for who is known to the OpenID provider and not here.
var ErrNotMember = desk.Errorf(desk.Forbidden, "You are not a member here yet. Ask an admin to add you.")

// ErrUnverified is for an email that the OpenID provider does not vouch for.
var ErrUnverified = desk.Errorf(desk.Forbidden, "The provider does not say that your email is verified.")

// ErrForeignEmail is for an email that others may read as another's: a provider
// that takes ı for i vouches for whoever comes first.
var ErrForeignEmail = desk.Errorf(desk.Forbidden, "Your email has letters other than those of ASCII. Ask an admin for a link, and sign in with a password.")

// SignIn begins a session for whoever has an email and its password. It gives
// ErrSignIn when they are not somebody's, and Busy after too many tries; both
// take the same time whether or not there is such a member.
func (s *Service) SignIn(ctx context.Context, v desk.Visitor, email, password string) (desk.MadeSession, error) {
	if len(email) > mostEmail || !desk.Storable(email) || !desk.Storable(password) {
		return desk.MadeSession{}, ErrSignIn // that is nobody's
	}
	email = strings.TrimSpace(email)
	if err := s.countTry(ctx, v, email); err != nil {
		return desk.MadeSession{}, err
	}
	found, err := s.store.PasswordMembers(ctx, email)
	if err != nil {
		return desk.MadeSession{}, err
	}
	m, ok, err := s.whoOpens(ctx, found, password)
	if err != nil {
		return desk.MadeSession{}, err
	}
	if !ok {
		s.log.Info("a sign-in failed", "ip", v.IP)
		return desk.MadeSession{}, s.addFailure(ctx, v, email)
	}
	// Outside the transaction: it takes long.
	var renewed string
	if s.passwords.dated(m.Hash) {
		if renewed, err = s.passwords.hash(ctx, password); err != nil {
			return desk.MadeSession{}, err
		}
	}
	made, err := s.beginSession(ctx, v, m.AccountMember, func(tx *store.Tx, _ desk.Member) error {
		// It may have been changed, or taken away, while it was looked at.
		if hash, err := tx.Password(m.Member.ID); err != nil || hash != m.Hash {
			return orElse(err, ErrSignIn)
		}
		if renewed != "" {
			return tx.SetPassword(m.Member.ID, renewed)
		}
		return nil
	})
	if err == nil {
		s.forgiveTries(ctx, v, email)
	}
	return made, err
}

// whoOpens is the first of some members whose password it is. It hashes also
// where there is nobody.
func (s *Service) whoOpens(ctx context.Context, found []store.PasswordMember, password string) (m store.PasswordMember, ok bool, err error) {
	if password = cut(password); len(found) == 0 {
		_, err := s.passwords.opens(ctx, "", password)
		return m, false, err
	}
	for _, m := range found {
		if ok, err := s.passwords.opens(ctx, m.Hash, password); ok || err != nil {
			return m, ok, err
		}
	}
	return m, false, nil
}

// cut cuts off what no password has, so that nobody pays for it.
func cut(password string) string {
	if letters := []rune(password); len(letters) > desk.MostPassword {
		return string(letters[:desk.MostPassword+1]) // still none
	}
	return password
}

// signInFailed is told to the audit log of everyone who was meant. It is a job
// of whatever email it was: to tell at once would take longer where it is
// somebody's.
type signInFailed struct {
	Email string
	IP    string
}

func (signInFailed) Kind() string { return "sign_in.failed" }

// addFailure has a try be told of that went wrong, and gives ErrSignIn.
func (s *Service) addFailure(ctx context.Context, v desk.Visitor, email string) error {
	// It belongs to no account yet.
	err := s.store.Write(ctx, 0, func(tx *store.Tx) error { return job.Add(tx.Tx, signInFailed{email, v.IP}, tx.Now) })
	return orElse(err, ErrSignIn)
}

// tellFailure records a failure. Of an email that is nobody's there is no account
// to tell. Done twice, it tells of one try twice, which harms nobody.
func (s *Service) tellFailure(ctx context.Context, _ *job.Job, f signInFailed) error {
	found, err := s.store.MembersByEmail(ctx, f.Email)
	if err != nil {
		return err
	}
	for _, m := range found {
		err := s.store.Write(ctx, m.Account, func(tx *store.Tx) error {
			by := desk.Actor{Name: "somebody", Email: m.Member.Email, Source: desk.SourceWeb, IP: f.IP}
			return tx.Record(desk.Change{By: by, Action: desk.SignInFailed, Resource: "Member", ID: memberID(m.Member.ID)})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// beginSession makes a session for a member, after what check does in the same
// transaction.
func (s *Service) beginSession(ctx context.Context, v desk.Visitor, am store.AccountMember, check func(*store.Tx, desk.Member) error) (made desk.MadeSession, err error) {
	err = s.store.Write(ctx, am.Account, func(tx *store.Tx) error {
		m, err := tx.Member(am.Member.ID)
		if desk.KindOf(err) == desk.NotFound {
			err = ErrSignIn // removed a moment ago
		}
		if err != nil {
			return err
		}
		if err := check(tx, m); err != nil {
			return err
		}
		made, err = addSession(tx, v, m)
		return err
	})
	return made, err
}

func addSession(tx *store.Tx, v desk.Visitor, m desk.Member) (desk.MadeSession, error) {
	made := desk.NewSession(m, v, tx.Now)
	if err := tx.AddToken(&made.Token); err != nil {
		return made, err
	}
	return made, tx.Record(desk.Change{By: signedIn(v, m), Action: desk.SessionCreated, Resource: "Session", ID: tokenID(made.ID), After: made.Session})
}

// signedIn is who has just shown who they are.
func signedIn(v desk.Visitor, m desk.Member) desk.Actor {
	return desk.Actor{ID: m.ID, Name: m.Name, Email: m.Email, Source: desk.SourceWeb, IP: v.IP}
}

func memberID(id desk.MemberID) string { return strconv.FormatInt(int64(id), 10) }

// SignInWith begins a session for whom an OpenID provider has sent. They must be
// a member already: the one who is linked to them, or the one with their email,
// who is linked from then on. It gives ErrNotMember for anybody else, and
// ErrUnverified or ErrForeignEmail where the email would have to be believed and
// cannot be.
func (s *Service) SignInWith(ctx context.Context, v desk.Visitor, who desk.Identity) (desk.MadeSession, error) {
	if !desk.Storable(who.Subject) || !desk.Storable(who.Email) || who.Subject == "" {
		return desk.MadeSession{}, ErrNotMember
	}
	am, ok, err := s.store.Identified(ctx, who.Issuer, who.Subject)
	if err != nil {
		return desk.MadeSession{}, err
	}
	if ok {
		return s.beginSession(ctx, v, am, func(*store.Tx, desk.Member) error { return nil })
	}
	if !who.Verified || who.Email == "" {
		return desk.MadeSession{}, ErrUnverified
	}
	if !desk.PlainEmail(who.Email) {
		return desk.MadeSession{}, ErrForeignEmail
	}
	found, err := s.store.MembersByEmail(ctx, who.Email)
	if err != nil {
		return desk.MadeSession{}, err
	}
	for _, am := range found {
		made, err := s.beginSession(ctx, v, am, func(tx *store.Tx, m desk.Member) error {
			linked, err := tx.LinkIdentity(m.ID, who.Issuer, who.Subject)
			if err != nil || !linked {
				// Who has this email there today is another than the one who had it.
				return orElse(err, ErrNotMember)
			}
			return tx.Record(desk.Change{By: signedIn(v, m), Action: desk.IdentityLinked, Resource: "Member", ID: memberID(m.ID)})
		})
		if err != ErrNotMember {
			return made, err
		}
	}
	return desk.MadeSession{}, ErrNotMember
}

// countTry counts a try to sign in; after too many it gives Busy. Without an
// email it counts for the address alone.
func (s *Service) countTry(ctx context.Context, v desk.Visitor, email string) error {
	var tries []store.Try
	if email != "" {
		tries = append(tries, store.Try{Digest: s.tryDigest("email", desk.FoldEmail(email)), Most: mostEmailTries})
	}
	tries = append(tries, store.Try{Digest: s.tryDigest("address", network(v.IP)), Most: mostAddressTries})
	wait, err := s.store.CountTries(ctx, tryWindow, tries...)
	if err == nil && wait > 0 {
		err = &desk.Error{Kind: desk.Busy, RetryAfter: wait, Message: "There were too many tries to sign in. Wait as long as Retry-After says, or ask an admin for a link to choose a new password."}
	}
	return err
}

// forgiveTries forgets the tries for an email whose owner has signed in, and the
// one from their address.
func (s *Service) forgiveTries(ctx context.Context, v desk.Visitor, email string) {
	err := s.store.ForgetTries(ctx, s.tryDigest("email", desk.FoldEmail(email)))
	if e := s.store.TakeBackTry(ctx, s.tryDigest("address", network(v.IP))); err == nil {
		err = e
	}
	if err != nil {
		s.log.Warn("forget tries to sign in", "error", err) // they will be over
	}
}

func (s *Service) tryDigest(kind, of string) string {
	return base64.RawURLEncoding.EncodeToString(s.tries.Sign([]byte(kind), []byte(of)))
}

// network is what tries from an address are counted for: of IPv6, whoever has one
// address has 2^64.
func network(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a.String()
	}
	p, _ := a.Prefix(64) // 64 is always fine
	return p.String()
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
