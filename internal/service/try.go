package service

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/netip"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Attempts to sign in are counted in the database, for all processes together. Each
// limit is how many may come at once, and then as many again in each window.
//
// A browser in which somebody has signed in before is known, and has attempts of
// its own. So strangers who try an email cannot keep its owner out. Strangers share
// one limit for an email, and one network of them can use only half of it, so that
// something is left for an owner with a new browser elsewhere.
const (
	tryWindow = 15 * time.Minute
	// mostOwnTries is for a known browser, and for a signed-in member who changes
	// their password.
	mostOwnTries = 10
	// mostEmailTries is for one email by all strangers, and mostNetworkTries by
	// those of one network. mostAddressTries is for everything from one network,
	// which may be a whole company.
	mostEmailTries   = 10
	mostNetworkTries = 5
	mostAddressTries = 100
)

// tries are the things that one attempt is counted for, narrowest first. If it
// succeeds, the first own of them are forgotten entirely. For the others, only this
// attempt is taken back.
type tries struct {
	all []store.Try
	own int
}

// triesOf returns what an attempt to sign in with an email is counted for. Without
// an email, that is only the address.
func (s *Service) triesOf(v desk.Visitor, email string) tries {
	address := s.tryFor(mostAddressTries, "address", Network(v.IP))
	if email == "" {
		return tries{all: []store.Try{address}}
	}
	email = desk.FoldEmail(email)
	if name, known := s.knows(v.Device, email); known {
		return tries{own: 1, all: []store.Try{s.tryFor(mostOwnTries, "device", name, email)}}
	}
	return tries{own: 1, all: []store.Try{s.tryFor(mostNetworkTries, "email and address", email, Network(v.IP)), s.tryFor(mostEmailTries, "email", email), address}}
}

// ownTries returns what a password given by a signed-in member is counted for.
func (s *Service) ownTries(m desk.MemberID) tries {
	return tries{own: 1, all: []store.Try{s.tryFor(mostOwnTries, "member", desk.FormatID(m))}}
}

// tryFor returns a counter for something. It stores only a digest, because most
// emails tried on the open internet belong to strangers.
func (s *Service) tryFor(most int64, kind string, of ...string) store.Try {
	parts := [][]byte{[]byte(kind)}
	for _, text := range of {
		parts = append(parts, []byte(text))
	}
	return store.Try{Digest: base64.RawURLEncoding.EncodeToString(s.tries.Sign(parts...)), Most: most, Pace: tryWindow / time.Duration(most)}
}

// countTries counts an attempt. It returns Busy after too many.
func (s *Service) countTries(ctx context.Context, t tries) error {
	wait, err := s.store.CountTries(ctx, t.all...)
	if err == nil && wait > 0 {
		err = &desk.Error{Kind: desk.Busy, RetryAfter: wait,
			Message: fmt.Sprintf("There were too many attempts to sign in. Try again in %s, sign in with a browser that you have used before, or ask an admin for a link to choose a new password.", inWords(wait))}
	}
	return err
}

// inWords returns a short time in words, for somebody who waits.
func inWords(d time.Duration) string {
	if d > time.Minute {
		return fmt.Sprintf("%d minutes", (d+time.Minute-1)/time.Minute)
	}
	return fmt.Sprintf("%d seconds", (d+time.Second-1)/time.Second)
}

// forgiveTries takes back the count of an attempt that succeeded.
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
		s.log.Warn("forget tries to sign in", "error", err) // they run out anyway
	}
}

// forgetStrangers forgets the attempts of strangers with an email, because its
// owner has got in another way.
func (s *Service) forgetStrangers(ctx context.Context, email string) error {
	return s.store.ForgetTries(ctx, s.tryFor(mostEmailTries, "email", desk.FoldEmail(email)).Digest)
}

// Network returns what calls and attempts from an address are counted for. For IPv6
// that is the /64, because whoever has one address there has 2^64.
func Network(ip string) string {
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
