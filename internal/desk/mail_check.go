package desk

import (
	"fmt"
	"strings"
)

// NewEmailTest is the input for a test of a collection's mail.
type NewEmailTest struct {
	Body
	To *string // somebody who gets a copy
}

// Check checks the input.
func (n *NewEmailTest) Check() error {
	p := n.problems()
	if n.To != nil {
		to := *n.To
		p.Email("to", &to)
		n.To = &to
	}
	return p.Err()
}

// EmailTest is what a test of a collection's mail has shown.
type EmailTest struct {
	Steps    []EmailTestStep
	Verified bool // whether mail is sent as the collection's address, after the test
}

// EmailTestStep is one step of a test. The steps after one that failed are left out.
type EmailTestStep struct {
	Step   EmailStep
	OK     bool
	Detail string // what happened, and if it failed what to do; for people
}

// EmailStep names a step.
type EmailStep string

const (
	StepSent     EmailStep = "sent"
	StepCameBack EmailStep = "came_back"
)

// DNSType is the type of a DNS record.
type DNSType string

const (
	MX  DNSType = "MX"
	TXT DNSType = "TXT"
)

// DNSRecord is a record that a domain has to have for its mail.
type DNSRecord struct {
	Type    DNSType
	Name    string
	Value   string // what to set
	Purpose string // for people
	Found   *bool  // nil if the name servers could not be asked
	Detail  string // what is there instead; for people
}

// Judge decides from the records of this type and name whether the record is there. It
// need not be ours to the letter: the owner of a domain may have good reasons for
// another SPF or DMARC record.
func (r *DNSRecord) Judge(values []string) {
	version, _, _ := strings.Cut(r.Value, ";")
	version, _, _ = strings.Cut(version, " ")
	var there []string
	for _, v := range values {
		if r.Type == MX || strings.EqualFold(v, version) || hasWordPrefix(v, version) {
			there = append(there, v)
		}
	}
	found := false
	switch {
	case len(there) == 0:
		r.Detail = "There is no such record."
	case r.Type == MX:
		for _, v := range there {
			found = found || host(v) == host(r.Value)
		}
		if !found {
			r.Detail = "Mail goes elsewhere: " + strings.Join(there, ", ")
		}
	case len(there) > 1:
		r.Detail = fmt.Sprintf("There are %d of them, so that none counts. Keep one.", len(there))
	case version == "v=DKIM1":
		if found = publicKey(there[0]) == publicKey(r.Value); !found {
			r.Detail = "There is another key."
		}
	default:
		if found = true; there[0] != r.Value {
			r.Detail = "There is: " + there[0]
		}
	}
	r.Found = &found
}

// hasWordPrefix reports whether a text begins with a word, in any case.
func hasWordPrefix(text, word string) bool {
	return len(text) > len(word) && strings.EqualFold(text[:len(word)], word) && strings.ContainsRune("; \t", rune(text[len(word)]))
}

// host returns the host of an MX record, "10 mx.example.com".
func host(mx string) string {
	_, name, _ := strings.Cut(mx, " ")
	return strings.TrimSuffix(lowerASCII(name), ".")
}

// publicKey returns the p= of a DKIM record.
func publicKey(record string) string {
	for tag := range strings.SplitSeq(record, ";") {
		if name, value, _ := strings.Cut(tag, "="); strings.TrimSpace(name) == "p" {
			return strings.Join(strings.Fields(value), "")
		}
	}
	return ""
}
