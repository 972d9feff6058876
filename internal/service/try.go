package service

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/netip"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Tries to sign in are counted in the database, for all processes together. There
// may be so many at once, and over time as many in each window.
//
// A browser in which somebody has signed in before is known, and has tries of its
// own: strangers who try an email cannot keep its owner out. Strangers share what
// there is, and one network of them has half, so that there is something left for
// an owner with a new browser elsewhere.
const (
	tryWindow = 15 * time.Minute
	// mostOwnTries is for a known browser, and for a password that somebody changes
	// who is signed in.
	mostOwnTries = 10
	// mostEmailTries is for one email by all strangers, mostNetworkTries by those of
	// one network, and mostAddressTries for one network, whatever is tried from
	// there: behind one may be a whole company.
	mostEmailTries   = 10
	mostNetworkTries = 5
	mostAddressTries = 100
)

// tries are what one try is counted for, the narrowest first. own says how many of
// them are forgotten when it goes well: for the others it is taken back alone.
type tries struct {
	all []store.Try
	own int
}

// triesOf is what a try to sign in with an email is counted for; without an email
// it is the address alone.
func (s *Service) triesOf(v desk.Visitor, email string) tries {
	address := s.tryFor(mostAddressTries, "address", network(v.IP))
	if email == "" {
		return tries{all: []store.Try{address}}
	}
	email = desk.FoldEmail(email)
	if name, known := s.knows(v.Device, email); known {
		return tries{own: 1, all: []store.Try{s.tryFor(mostOwnTries, "device", name, email)}}
	}
	return tries{own: 1, all: []store.Try{s.tryFor(mostNetworkTries, "email and address", email, network(v.IP)), s.tryFor(mostEmailTries, "email", email), address}}
}

// ownTries is for a password that a member gives who is signed in.
func (s *Service) ownTries(m desk.MemberID) tries {
	return tries{own: 1, all: []store.Try{s.tryFor(mostOwnTries, "member", change.MemberID(m))}}
}

// tryFor is what is counted for something. It is a digest: most emails that are tried on
// the open internet are of strangers.
func (s *Service) tryFor(most int64, kind string, of ...string) store.Try {
	parts := [][]byte{[]byte(kind)}
	for _, text := range of {
		parts = append(parts, []byte(text))
	}
	return store.Try{Digest: base64.RawURLEncoding.EncodeToString(s.tries.Sign(parts...)), Most: most, Pace: tryWindow / time.Duration(most)}
}

// countTries counts a try; after too many it gives Busy.
func (s *Service) countTries(ctx context.Context, t tries) error {
	wait, err := s.store.CountTries(ctx, t.all...)
	if err == nil && wait > 0 {
		err = &desk.Error{Kind: desk.Busy, RetryAfter: wait,
			Message: fmt.Sprintf("There were too many tries to sign in. Try again in %s, sign in with a browser that you have used before, or ask an admin for a link to choose a new password.", inWords(wait))}
	}
	return err
}

// inWords is a short time as somebody says it who waits.
func inWords(d time.Duration) string {
	if d > time.Minute {
		return fmt.Sprintf("%d minutes", (d+time.Minute-1)/time.Minute)
	}
	return fmt.Sprintf("%d seconds", (d+time.Second-1)/time.Second)
}

// forgiveTries is for a try that went well.
func (s *Service) forgiveTries(ctx context.Context, t tries) {
	var digests []string
	for _, own := range t.all[:t.own] {
		digests = append(digests, own.Digest)
	}
	err := s.store.ForgetTries(ctx, digests...)
	if e := s.store.TakeBackTries(ctx, t.all[t.own:]...); err == nil {
		err = e
	}
	if err != nil {
		s.log.Warn("forget tries to sign in", "error", err) // they will be over
	}
}

// forgetStrangers forgets what strangers have tried with an email, for its owner who
// has come another way.
func (s *Service) forgetStrangers(ctx context.Context, email string) error {
	return s.store.ForgetTries(ctx, s.tryFor(mostEmailTries, "email", desk.FoldEmail(email)).Digest)
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
