package desk

import "testing"

// An SPF or DMARC record with other contents counts, because its owner knows why. Two
// of them do not, and a DKIM record needs our key.
func TestDNSRecords(t *testing.T) {
	const spf, dmarc, dkim = "v=spf1 a:relay.example ~all", "v=DMARC1; p=none", "v=DKIM1; k=rsa; p=MIIB"
	for _, c := range []struct {
		name   string
		kind   DNSType
		value  string
		there  []string
		found  bool
		detail string
	}{
		{"nothing", TXT, spf, nil, false, "There is no such record."},
		{"something else", TXT, spf, []string{"google-site-verification=x", "v=spf10 -all", "v=spf"}, false, "There is no such record."},
		{"the same SPF", TXT, spf, []string{"x", spf}, true, ""},
		{"another SPF", TXT, spf, []string{"V=SPF1 include:x.example -all"}, true, "There is: V=SPF1 include:x.example -all"},
		{"an SPF that says nothing", TXT, spf, []string{"v=spf1"}, true, "There is: v=spf1"},
		{"two of them", TXT, spf, []string{spf, "v=spf1 -all"}, false, "There are 2 of them, so that none counts. Keep one."},
		{"the same DMARC", TXT, dmarc, []string{dmarc}, true, ""},
		{"a stricter one", TXT, dmarc, []string{"v=DMARC1;p=reject"}, true, "There is: v=DMARC1;p=reject"},
		{"our key", TXT, dkim, []string{dkim}, true, ""},
		{"our key, written otherwise", TXT, dkim, []string{"v=DKIM1;p=MI IB; t=s"}, true, ""},
		{"another key", TXT, dkim, []string{"v=DKIM1; k=rsa; p=MIIC"}, false, "There is another key."},
		{"a key that was withdrawn", TXT, dkim, []string{"v=DKIM1; p="}, false, "There is another key."},
		{"mail comes to us", MX, "10 desk.example", []string{"5 other.example.", "20 Desk.example."}, true, ""},
		{"mail goes elsewhere", MX, "10 desk.example", []string{"5 other.example.", "6 third.example."}, false, "Mail goes elsewhere: 5 other.example., 6 third.example."},
		{"mail goes nowhere", MX, "10 desk.example", nil, false, "There is no such record."},
	} {
		r := DNSRecord{Type: c.kind, Value: c.value}
		if r.Judge(c.there); r.Found == nil || *r.Found != c.found || r.Detail != c.detail {
			t.Errorf("%s: %v, %q", c.name, *r.Found, r.Detail)
		}
	}
}
