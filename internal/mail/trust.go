package mail

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Verdict says whether the author of a mail is who the From claims.
type Verdict uint8

const (
	NoResult Verdict = iota // nothing speaks for or against it
	Pass                    // the domain of the From vouches for this mail
	Fail                    // the domain of the From disowns it, or it is spam
)

func (v Verdict) String() string { return [...]string{"no result", "pass", "fail"}[v] }

// Checks is what the checks of a mail found: our own, or those of a server that we
// believe. The zero value has no results.
type Checks struct {
	DMARC  string   // pass, fail, or anything else, which counts for nothing
	Policy string   // of the domain, for mail that fails: none, quarantine, reject; empty if not known
	Domain string   // of the From that DMARC was checked for
	DKIM   []string // the domains of valid signatures
	Spam   bool
}

// Judge decides by the checks who can be held to be the author.
//
//   - Spam and a DMARC failure are a Fail. A domain whose policy is none asks not to
//     count failures.
//   - DMARC's pass is a Pass, and so is a signature of the author's domain. The pass must
//     be about that domain: programs may read one From differently.
//   - SPF alone says nothing about the From.
//   - A mail with no author, or with several, has no result.
func Judge(author Address, c Checks) Verdict {
	domain := author.Domain()
	switch {
	case c.Spam:
		return Fail
	case c.DMARC == "fail" && c.Policy != "none":
		return Fail
	case domain == "":
		return NoResult
	case c.DMARC == "pass" && strings.EqualFold(c.Domain, domain):
		return Pass
	}
	for _, signed := range c.DKIM {
		if aligned(domain, signed) {
			return Pass
		}
	}
	return NoResult
}

// aligned reports whether two domains belong to the same organisation, as in
// mail.example.com and example.com.
func aligned(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b {
		return a != ""
	}
	orgA, errA := publicsuffix.EffectiveTLDPlusOne(a)
	orgB, errB := publicsuffix.EffectiveTLDPlusOne(b)
	return errA == nil && errB == nil && orgA == orgB
}

// ReadChecks returns what the server with this name wrote into the header of a mail
// (Authentication-Results, RFC 8601), and whether it calls the mail spam. Only call it
// for mail that came from that server, which must remove such fields that others wrote.
// Fields of all other servers are ignored, and so are all if the name is empty.
func ReadChecks(h Header, authserv string) (c Checks) {
	for _, value := range h.All("X-Spam-Flag") {
		c.Spam = c.Spam || firstWord(value) == "yes"
	}
	for _, f := range h {
		// Exactly this name: a server may overlook one with a space after it.
		if !strings.EqualFold(f.Name, "Authentication-Results") {
			continue
		}
		sections := splitResults(f.Value)
		server, _, _ := strings.Cut(strings.TrimSpace(sections[0].text), " ") // a version may follow
		if authserv == "" || !strings.EqualFold(server, authserv) {
			continue
		}
		for _, s := range sections[1:] {
			c.add(s)
		}
	}
	return c
}

// section is one result: dmarc=fail (p=reject) header.from=example.com
type section struct{ text, comment string }

// add takes one result. Of several results of DMARC a failure counts.
func (c *Checks) add(s section) {
	method, result, props := parseResult(s.text)
	switch method {
	case "dkim":
		domain := props["header.d"]
		if domain == "" {
			_, domain, _ = strings.Cut(props["header.i"], "@")
		}
		if result == "pass" && domain != "" {
			c.DKIM = append(c.DKIM, domain)
		}
	case "dmarc":
		if c.DMARC == "fail" || result != "pass" && result != "fail" {
			return
		}
		c.DMARC, c.Domain, c.Policy = result, props["header.from"], policyOf(s.comment, props)
	}
}

// policyOf returns the policy of the domain. Each server writes it where it likes.
func policyOf(comment string, props map[string]string) string {
	for _, key := range []string{"policy.published-domain-policy", "policy.dmarc", "policy.p", "action"} {
		if v := props[key]; v != "" {
			return v
		}
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(comment), func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '\t' }) {
		for _, key := range []string{"p=", "policy="} {
			if v, ok := strings.CutPrefix(word, key); ok {
				return v
			}
		}
	}
	return ""
}

// parseResult reads dmarc=fail header.from=example.com. All of it becomes lower case.
func parseResult(text string) (method, result string, props map[string]string) {
	props = map[string]string{}
	for i, word := range strings.Fields(strings.ToLower(text)) {
		key, value, _ := strings.Cut(word, "=")
		if i == 0 {
			method, _, _ = strings.Cut(key, "/") // a version may follow
			result = value
			continue
		}
		if _, twice := props[key]; !twice {
			props[key] = value
		}
	}
	return method, result, props
}

// splitResults splits a field at semicolons outside of quotes and comments. It always
// returns at least one section. Spaces in quotes become underscores, and spaces around
// an equals sign vanish, so that fields of the text are one result or property each.
func splitResults(value string) []section {
	sections := []section{{}}
	depth, quoted := 0, false
	var text, comment strings.Builder
	end := func() {
		last := &sections[len(sections)-1]
		last.text, last.comment = tightEquals(text.String()), comment.String()
		text.Reset()
		comment.Reset()
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && i+1 < len(value) && (quoted || depth > 0):
			i++
			if quoted {
				text.WriteByte('_')
			}
		case quoted && c == '"':
			quoted = false
		case quoted:
			if c == ' ' || c == '=' || c == '\t' {
				c = '_'
			}
			text.WriteByte(c)
		case c == '(':
			depth++
			comment.WriteByte(' ')
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
			comment.WriteByte(c)
		case c == '"':
			quoted = true
		case c == ';':
			end()
			sections = append(sections, section{})
		default:
			text.WriteByte(c)
		}
	}
	end()
	return sections
}

func tightEquals(s string) string {
	parts := strings.Split(s, "=")
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeft(parts[i], " \t")
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRight(parts[i], " \t")
		}
	}
	return strings.Join(parts, "=")
}
