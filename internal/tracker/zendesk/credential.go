package zendesk

import (
	"regexp"
	"strings"
	"unicode"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// domains matches the valid subdomains of Zendesk. The subdomain is part of the
// address that a token is sent to, so nothing else is allowed.
var domains = regexp.MustCompile(`^(?i)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

// longest bounds the length of an email address and of a token.
const longest = 320

// Check returns an error that says what is wrong with a credential.
func (a *App) Check(c tracker.Credential) error {
	var p desk.Problems
	switch {
	case c.Domain == "":
		p.Add("domain", "is required: acme of acme.zendesk.com")
	case !domains.MatchString(c.Domain):
		p.Add("domain", "must be the subdomain alone, of letters, digits and hyphens: acme of acme.zendesk.com")
	}
	switch {
	case c.Email == "":
		p.Add("email", "is required: the address of the agent whose token it is")
	case !strings.Contains(c.Email, "@") || strings.Contains(c.Email, ":") || !isHeaderText(c.Email):
		p.Add("email", "must be an email address")
	}
	switch {
	case c.Token == "":
		p.Add("token", "is required: an API token of Zendesk")
	case !isHeaderText(c.Token):
		p.Add("token", "must be an API token of Zendesk")
	}
	return p.Err()
}

// isHeaderText reports whether a text may be part of a header. It refuses spaces, because
// they are always a mistake.
func isHeaderText(s string) bool {
	return len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}
