// Package verify checks who sent a mail that came from anybody: SPF (RFC 7208), DKIM
// (RFC 6376) and DMARC (RFC 7489). It asks DNS and reports what it found. What follows
// from that, package mail decides (Judge). It must not know how mail travels.
//
// Only what the domain of the author publishes can count, so nothing else is asked for.
// DNS that fails or is silent says nothing about a mail. It never makes a check fail.
package verify

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"frontdesk/internal/mail"
)

// patience is how long all questions to DNS about one mail may take together.
const patience = 5 * time.Second

// Verifier checks mails.
type Verifier struct {
	resolver Resolver
	patience time.Duration // patience, or less in a test
}

// New returns a Verifier that asks a resolver, usually net.DefaultResolver.
func New(r Resolver) *Verifier { return &Verifier{r, patience} }

// Envelope is what SMTP says about a mail.
type Envelope struct {
	Client netip.Addr // who sent it
	Hello  string     // how the client introduced itself
	From   string     // the sender, empty for a report about another mail
}

// Check returns what the domain of the author says about a mail. raw is the mail with
// CRLF at the end of each line, and m is what mail.Parse read from it.
//
// A mail without an author has no results. Results that are neither pass nor fail are
// those of RFC 8601: none, temperror, permerror.
func (v *Verifier) Check(ctx context.Context, e Envelope, raw []byte, m mail.Mail) mail.Checks {
	author := m.Author().Domain()
	if author == "" {
		return mail.Checks{}
	}
	ctx, cancel := context.WithTimeout(ctx, v.patience)
	defer cancel()
	domain := ascii(author)
	var (
		policy  policy
		signed  []string // domains of valid signatures
		sent    string   // the domain that allows this client to send
		unsure  [2]bool  // DNS did not tell whether there are more of them
		waiting sync.WaitGroup
	)
	waiting.Go(func() { policy = findPolicy(v.ask(ctx), domain) })
	waiting.Go(func() { signed, unsure[0] = checkDKIM(v.ask(ctx), domain, raw, m.Header) })
	waiting.Go(func() { sent, unsure[1] = checkSPF(v.ask(ctx), domain, e) })
	waiting.Wait()

	c := mail.Checks{DMARC: policy.missing, Policy: policy.action, Domain: author, DKIM: signed}
	switch {
	case policy.missing != "":
	case policy.passes(domain, signed, sent):
		c.DMARC = "pass"
	case unsure[0] || unsure[1]:
		c.DMARC = "temperror"
	default:
		c.DMARC = "fail"
	}
	return c
}

// ascii returns a domain as DNS knows it: in lower case, and without other letters.
func ascii(domain string) string {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	if a, err := idna.Lookup.ToASCII(domain); err == nil {
		return a
	}
	return domain
}

// organisation returns the domain that somebody registered: example.co.uk for
// mail.example.co.uk. A domain under which anybody can register one is its own.
func organisation(domain string) string {
	if org, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return org
	}
	return domain
}

// related reports whether two domains belong to the same organisation.
func related(a, b string) bool { return organisation(a) == organisation(b) }
