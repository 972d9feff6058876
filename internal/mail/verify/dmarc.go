package verify

import (
	"slices"
	"strings"
)

// policy is what a domain publishes about mail in its name.
type policy struct {
	// missing says why there is no policy: none, temperror, permerror. It is empty if
	// there is one.
	missing string
	// action is what the domain asks to do with mail that fails: none, quarantine,
	// reject.
	action                string
	strictDKIM, strictSPF bool
}

// passes reports whether one of the domains that signed a mail, or the one that sent it,
// speaks for the author.
func (p policy) passes(author string, signed []string, sent string) bool {
	return sent != "" && aligned(author, sent, p.strictSPF) ||
		slices.ContainsFunc(signed, func(by string) bool { return aligned(author, by, p.strictDKIM) })
}

func aligned(author, domain string, strict bool) bool {
	return author == domain || !strict && related(author, domain)
}

// findPolicy returns the policy of a domain, or else that of its organisation.
//
// The share of mails that a domain wants it applied to (pct) is ignored: a mail is
// believed or not.
func findPolicy(a *asker, domain string) policy {
	for _, at := range []string{domain, organisation(domain)} {
		records, err := a.txt("_dmarc." + at)
		if err != nil {
			return policy{missing: "temperror"}
		}
		var found []map[string]string
		for _, r := range records {
			if tags := parseTags(r); tags != nil {
				found = append(found, tags)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return newPolicy(found[0], at != domain)
		}
		return policy{missing: "permerror"} // nobody knows which one counts
	}
	return policy{missing: "none"}
}

// newPolicy reads a record. Tags with values that do not exist are as if they were not
// there.
func newPolicy(tags map[string]string, sub bool) policy {
	p := policy{strictDKIM: tags["adkim"] == "s", strictSPF: tags["aspf"] == "s"}
	names := []string{"p"}
	if sub {
		names = []string{"sp", "p"}
	}
	for _, name := range names {
		switch action := tags[name]; action {
		case "none", "quarantine", "reject":
			p.action = action
			return p
		}
	}
	return policy{missing: "permerror"}
}

// parseTags reads v=DMARC1; p=reject; … in lower case. It returns nil for a record that
// is about something else.
func parseTags(record string) map[string]string {
	tags := map[string]string{}
	for i, part := range strings.Split(record, ";") {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if i == 0 && (name != "v" || value != "DMARC1") {
			return nil
		}
		if _, twice := tags[name]; !twice {
			tags[name] = strings.ToLower(value)
		}
	}
	return tags
}
