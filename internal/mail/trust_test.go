package mail

import "testing"

// The table of email.md: a DMARC failure counts unless the domain's policy is none; a
// pass is DMARC's or that of an aligned signature; all else is no result.
func TestJudge(t *testing.T) {
	jo := Address{Email: "jo@mail.customer.co.uk"}
	for _, c := range []struct {
		name   string
		author Address
		checks Checks
		want   Verdict
	}{
		{"nothing", jo, Checks{}, NoResult},
		{"DMARC passed for we do not know which domain", jo, Checks{DMARC: "pass"}, NoResult},
		{"DMARC passed", jo, Checks{DMARC: "pass", Domain: "MAIL.customer.co.uk"}, Pass},
		{"DMARC passed for another domain", jo, Checks{DMARC: "pass", Domain: "evil.example"}, NoResult},
		{"DMARC failed", jo, Checks{DMARC: "fail"}, Fail},
		{"DMARC failed, reject", jo, Checks{DMARC: "fail", Policy: "reject"}, Fail},
		{"DMARC failed, quarantine", jo, Checks{DMARC: "fail", Policy: "quarantine"}, Fail},
		{"DMARC failed, none", jo, Checks{DMARC: "fail", Policy: "none"}, NoResult},
		{"DMARC failed although signed", jo, Checks{DMARC: "fail", Policy: "reject", DKIM: []string{"mail.customer.co.uk"}}, Fail},
		{"DMARC could not be checked", jo, Checks{DMARC: "temperror"}, NoResult},
		{"signed by the domain", jo, Checks{DKIM: []string{"mail.customer.co.uk"}}, Pass},
		{"signed by its organisation", jo, Checks{DKIM: []string{"evil.example", "Customer.co.uk"}}, Pass},
		{"signed by a neighbour", jo, Checks{DKIM: []string{"other.co.uk"}}, NoResult},
		{"signed by a public suffix", jo, Checks{DKIM: []string{"co.uk", "uk", ""}}, NoResult},
		{"signed by a look-alike", jo, Checks{DKIM: []string{"evilcustomer.co.uk"}}, NoResult},
		{"spam", jo, Checks{DMARC: "pass", Spam: true}, Fail},
		{"no author", Address{}, Checks{DMARC: "pass", DKIM: []string{""}}, NoResult},
		{"no author, failed", Address{}, Checks{DMARC: "fail"}, Fail},
	} {
		if got := Judge(c.author, c.checks); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReadChecks(t *testing.T) {
	for _, c := range []struct{ name, value, dmarc, policy, dkim string }{
		{"several servers write so", "mx.desk.example; dmarc=fail (p=reject sp=none dis=reject) header.from=a.example", "fail", "reject", ""},
		{"Exchange", "mx.desk.example; spf=fail (sender IP is 192.0.2.1) smtp.mailfrom=a.example; dkim=none (message not signed) header.d=none;dmarc=fail action=none header.from=a.example;compauth=fail reason=001", "fail", "none", ""},
		{"Rspamd", `mx.desk.example; dkim=pass header.d=a.example header.s=s header.b=abc; dmarc=fail reason="SPF not aligned (relaxed)" header.from=a.example (policy=none)`, "fail", "none", "a.example"},
		{"published policy", "mx.desk.example; dmarc=fail policy.published-domain-policy=quarantine header.from=a.example", "fail", "quarantine", ""},
		{"spaces around signs", "mx.desk.example ; dkim = pass header.d = a.example ; dmarc = pass", "pass", "", "a.example"},
		{"upper case", "MX.desk.example; DMARC=Pass header.from=A.example; DKIM=Pass header.i=@A.example", "pass", "", "a.example"},
		{"a failure hides behind no pass", "mx.desk.example; dmarc=fail; dmarc=pass", "fail", "", ""},
		{"failed signatures do not count", "mx.desk.example; dkim=fail header.d=a.example; dkim=neutral header.d=b.example", "", "", ""},
		{"a result in quotes is none", `mx.desk.example; spf=none reason="x; dmarc=pass"`, "", "", ""},
		{"a result in a comment is none", "mx.desk.example; spf=none (; dmarc=pass) smtp.mailfrom=x", "", "", ""},
		{"no results", "mx.desk.example; none", "", "", ""},
		{"another server", "other.example; dmarc=pass", "", "", ""},
		{"a longer name", "mx.desk.example.evil.example; dmarc=pass", "", "", ""},
		{"our name as a comment", "(mx.desk.example) evil.example; dmarc=pass", "", "", ""},
		{"empty", "", "", "", ""},
	} {
		got := ReadChecks(Header{{"Authentication-Results", c.value}}, "mx.desk.example")
		dkim := ""
		if len(got.DKIM) > 0 {
			dkim = got.DKIM[0]
		}
		if got.DMARC != c.dmarc || got.Policy != c.policy || dkim != c.dkim {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	// Forged fields that a server in front of us need not have seen as such.
	for _, forged := range []string{
		"Authentication-Results : mx.desk.example; dkim=pass header.d=customer.example\r\n",
		"no field\r\nAuthentication-Results: mx.desk.example; dkim=pass header.d=customer.example\r\n",
		"X-A: b\rAuthentication-Results: mx.desk.example; dkim=pass header.d=customer.example\r\n",
		"\x0bAuthentication-Results: mx.desk.example; dkim=pass header.d=customer.example\r\n",
	} {
		m, err := Parse([]byte("From: jo@customer.example\r\n" + forged + "Subject: x\r\n\r\nHi\r\n"))
		if err != nil || Judge(m.Author(), ReadChecks(m.Header, "mx.desk.example")) != NoResult {
			t.Errorf("%q is believed, %v", forged, err)
		}
	}
	h := Header{{"Authentication-Results", "; dmarc=pass"}, {"X-Spam-Flag", "No"}, {"X-Spam-Flag", "Yes"}}
	if got := ReadChecks(h, ""); got.DMARC != "" || !got.Spam {
		t.Errorf("no server is believed: %+v", got)
	}
}
