package verify

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/mail"
)

// zone is DNS in memory: what names have, as in "TXT a.example", a record a line. The
// record "broken" is an error that may pass, and "silent" no answer at all.
type zone map[string]string

func (z zone) look(ctx context.Context, kind, name string) ([]string, error) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	switch records, ok := z[kind+" "+name]; {
	case !ok:
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	case records == "broken":
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	case records == "silent":
		<-ctx.Done()
		return nil, ctx.Err()
	default:
		return strings.Split(records, "\n"), nil
	}
}

func (z zone) LookupTXT(ctx context.Context, name string) ([]string, error) {
	if !strings.HasSuffix(name, ".") {
		return nil, errors.New(name + " could be a name in our own domain")
	}
	return z.look(ctx, "TXT", name)
}

func (z zone) LookupMX(ctx context.Context, name string) (list []*net.MX, err error) {
	hosts, err := z.look(ctx, "MX", name)
	for _, h := range hosts {
		list = append(list, &net.MX{Host: h})
	}
	return list, err
}

func (z zone) LookupIPAddr(ctx context.Context, host string) (list []net.IPAddr, err error) {
	addrs, err := z.look(ctx, "A", host)
	for _, a := range addrs {
		list = append(list, net.IPAddr{IP: net.ParseIP(a)})
	}
	return list, err
}

func (z zone) LookupAddr(ctx context.Context, addr string) ([]string, error) {
	return z.look(ctx, "PTR", addr)
}

// with returns a zone that has more.
func (z zone) with(more zone) zone {
	all := zone{}
	for _, m := range []zone{z, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

var (
	public, private, _ = ed25519.GenerateKey(rand.Reader)
	keyRecord          = "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
)

// world is a company that publishes all, a person who attacks it, and a company without
// a policy.
var world = zone{
	"TXT acme.example":                  "v=spf1 ip4:192.0.2.0/24 -all",
	"TXT mail.acme.example":             "v=spf1 ip4:192.0.2.0/24 -all",
	"TXT _dmarc.acme.example":           "unrelated\nv=DMARC1; p=reject; sp=quarantine; pct=1; rf=odd",
	"TXT s._domainkey.acme.example":     keyRecord,
	"TXT s._domainkey.www.acme.example": keyRecord,
	"TXT evil.example":                  "v=spf1 +all",
	"TXT s._domainkey.evil.example":     keyRecord,
	"TXT s._domainkey.plain.example":    keyRecord,
}

const (
	letter = "From: Jo <jo@acme.example>\r\nTo: help@desk.example\r\nSubject: Hello\r\n\r\nHi\r\n"
	all    = "from:to:subject"
)

var (
	atAcme = Envelope{Client: netip.MustParseAddr("192.0.2.7"), Hello: "mx.acme.example", From: "jo@acme.example"}
	atEvil = Envelope{Client: netip.MustParseAddr("203.0.113.9"), Hello: "evil.example", From: "jo@evil.example"}
)

// sign signs a mail with nothing canonicalised.
func sign(raw, domain, fields string, tags ...string) string {
	return signBy(private, raw, domain, fields, tags...)
}

func signBy(key crypto.Signer, raw, domain, fields string, tags ...string) string {
	header, body, _ := strings.Cut(raw, "\r\n\r\n")
	length := len(body)
	for _, t := range tags {
		fmt.Sscanf(t, "l=%d", &length)
	}
	lines := strings.Split(header, "\r\n")
	signed, used := "", map[int]bool{}
	for name := range strings.SplitSeq(fields, ":") {
		for i := len(lines) - 1; i >= 0; i-- {
			if !used[i] && strings.HasPrefix(strings.ToLower(lines[i]), name+":") {
				signed += lines[i] + "\r\n"
				used[i] = true
				break
			}
		}
	}
	algorithm, options := "ed25519", crypto.SignerOpts(crypto.Hash(0))
	if _, ok := key.(*rsa.PrivateKey); ok {
		algorithm, options = "rsa", crypto.SHA256
	}
	sum := sha256.Sum256([]byte(body[:length]))
	field := fmt.Sprintf("DKIM-Signature: v=1; a=%s-sha256; d=%s; s=s; h=%s; %s bh=%s; b=", algorithm, domain, fields,
		strings.Join(append(tags, ""), "; "), base64.StdEncoding.EncodeToString(sum[:]))
	hashed := sha256.Sum256([]byte(signed + field))
	mark, err := key.Sign(rand.Reader, hashed[:], options)
	if err != nil {
		panic(err)
	}
	return field + base64.StdEncoding.EncodeToString(mark) + "\r\n" + raw
}

func check(t *testing.T, z Resolver, e Envelope, raw string) (mail.Checks, mail.Verdict) {
	t.Helper()
	m, err := mail.Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := New(z).Check(t.Context(), e, []byte(raw), m)
	return c, mail.Judge(m.Author(), c)
}

func from(domain string) string { return strings.Replace(letter, "acme.example", domain, 1) }

func TestCheck(t *testing.T) {
	bounce := Envelope{Client: atAcme.Client, Hello: "mail.acme.example"}
	added := func(field string) string { return field + "\r\n" + sign(letter, "acme.example", all) }
	hidden := "From: Boss <boss@acme.example>\r\nSubject: Pay\r\nno field\r\n"
	for _, c := range []struct {
		name     string
		zone     zone
		envelope Envelope
		raw      string
		want     string // DMARC, policy, domains of signatures, verdict
	}{
		{"signed and sent by the author's", nil, atAcme, sign(letter, "acme.example", all), "pass reject acme.example pass"},
		{"signed by the author's", nil, atEvil, sign(letter, "acme.example", all), "pass reject acme.example pass"},
		{"sent by the author's", nil, atAcme, letter, "pass reject  pass"},
		{"sent with the domain of the greeting", nil, bounce, letter, "pass reject  pass"},
		{"forged", nil, atEvil, letter, "fail reject  fail"},
		{"forged and signed by another", nil, atEvil, sign(letter, "evil.example", all), "fail reject  fail"},
		{"forged with our envelope", nil, Envelope{atEvil.Client, "mx.acme.example", "jo@acme.example"}, letter, "fail reject  fail"},
		{"forged with two senders in one", nil, Envelope{atEvil.Client, "evil.example", "x@evil.example@acme.example"}, letter, "fail reject  fail"},
		{"without an address of the client", nil, Envelope{From: "jo@acme.example"}, letter, "fail reject  fail"},
		{"its own domain without a policy", nil, atEvil, from("evil.example"), "none   no result"},
		{"without a policy, signed", nil, atEvil, sign(from("plain.example"), "plain.example", all), "none  plain.example pass"},
		{"without a policy, forged", nil, atEvil, from("plain.example"), "none   no result"},

		{"relaxed: signed by a neighbour", nil, atEvil, sign(letter, "www.acme.example", all), "pass reject www.acme.example pass"},
		{"relaxed: sent by a neighbour", nil, Envelope{atAcme.Client, "x", "jo@mail.acme.example"}, letter, "pass reject  pass"},
		{"strict: signed by a neighbour", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=reject; adkim=s"}, atEvil, sign(letter, "www.acme.example", all), "fail reject www.acme.example fail"},
		{"strict: signed by itself", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=reject; adkim=s"}, atEvil, sign(letter, "ACME.example", all), "pass reject acme.example pass"},
		{"strict: sent by a neighbour", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=reject; aspf=s"}, Envelope{atAcme.Client, "x", "jo@mail.acme.example"}, letter, "fail reject  fail"},
		{"strict: sent by itself", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=reject; aspf=s"}, atAcme, letter, "pass reject  pass"},

		{"subdomain with its own rule", nil, atEvil, from("hr.acme.example"), "fail quarantine  fail"},
		{"subdomain without its own rule", zone{"TXT _dmarc.acme.example": "v=DMARC1;p=reject"}, atEvil, from("hr.acme.example"), "fail reject  fail"},
		{"subdomain with none", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=reject; sp=none"}, atEvil, from("hr.acme.example"), "fail none  no result"},
		{"subdomain with its own policy", zone{"TXT _dmarc.hr.acme.example": "v=DMARC1; p=none; sp=reject"}, atEvil, from("hr.acme.example"), "fail none  no result"},
		{"subdomain, signed by the organisation", nil, atEvil, sign(from("hr.acme.example"), "acme.example", all), "pass quarantine acme.example pass"},
		{"not a subdomain", nil, atEvil, sign(from("notacme.example"), "acme.example", all), "none   no result"},
		{"other letters", zone{"TXT _dmarc.xn--bcher-kva.example": "v=DMARC1; p=reject"}, atEvil, from("Bücher.example"), "fail reject  fail"},

		{"policy none, forged", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=none"}, atEvil, letter, "fail none  no result"},
		{"policy none, signed", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=none"}, atEvil, sign(letter, "acme.example", all), "pass none acme.example pass"},
		{"policy none and strict, signed by a neighbour", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=none; adkim=s"}, atEvil, sign(letter, "www.acme.example", all), "fail none www.acme.example pass"},
		{"odd writing", zone{"TXT _dmarc.acme.example": "v = DMARC1 ;; P=Reject ; p=none; fo"}, atEvil, letter, "fail reject  fail"},
		{"unknown policy", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=maybe"}, atEvil, letter, "permerror   no result"},
		{"two policies", zone{"TXT _dmarc.acme.example": "v=DMARC1; p=none\nv=DMARC1; p=reject"}, atEvil, letter, "permerror   no result"},
		{"another version", zone{"TXT _dmarc.acme.example": "v=DMARC2; p=reject"}, atEvil, letter, "none   no result"},

		{"another From added", nil, atEvil, added("From: Boss <boss@acme.example>"), "   no result"},
		{"the same From added", nil, atEvil, added("From: Boss <jo@acme.example>"), "fail reject  fail"},
		{"the same From twice, both signed", nil, atEvil, sign("From: jo@acme.example\r\n"+letter, "acme.example", "from:from:"+all), "pass reject acme.example pass"},
		{"two authors", nil, atAcme, sign(strings.Replace(letter, ">\r\n", ">, bo@acme.example\r\n", 1), "acme.example", all), "   no result"},
		{"no author", nil, atAcme, sign(strings.Replace(letter, "jo@acme.example", "", 1), "acme.example", all), "   no result"},
		{"a subject added", nil, atEvil, added("Subject: Pay"), "fail reject  fail"},
		{"a type added", nil, atEvil, added("Content-Type: text/html"), "pass reject acme.example pass"},
		{"two types, none signed", nil, atEvil, sign("Content-Type: text/html\r\nContent-Type: text/plain\r\n"+letter, "acme.example", all), "fail reject  fail"},
		{"a Cc added", nil, atEvil, "Cc: x@evil.example\r\n" + sign(letter, "acme.example", all+":cc"), "fail reject  fail"},
		{"a header put before", nil, atEvil, hidden + sign(letter, "acme.example", all), "fail reject  fail"},
		{"an empty line put before", nil, atEvil, "\r\n" + sign(letter, "acme.example", all), "fail reject  fail"},
		{"no body", nil, atEvil, "From: jo@acme.example\r\n", "fail reject  fail"},
		{"the From is not signed", nil, atEvil, sign(letter, "acme.example", "to:subject"), "fail reject  fail"},
		{"the body changed", nil, atEvil, sign(letter, "acme.example", all) + "And more\r\n", "fail reject  fail"},
		{"the subject changed", nil, atEvil, strings.Replace(sign(letter, "acme.example", all), "Hello", "Pay", 1), "fail reject  fail"},
		{"a part of the body", nil, atEvil, sign(letter, "acme.example", all, "l=2"), "fail reject  fail"},
		{"the length of the body", nil, atEvil, sign(letter, "acme.example", all, "l=4"), "fail reject  fail"},
		{"expired", nil, atEvil, sign(letter, "acme.example", all, "t=1000", "x=2000"), "fail reject  fail"},
		{"no key", zone{"TXT s._domainkey.acme.example": ""}, atEvil, sign(letter, "acme.example", all), "fail reject  fail"},
		{"two keys", zone{"TXT s._domainkey.acme.example": keyRecord + "\n" + keyRecord}, atEvil, sign(letter, "acme.example", all), "fail reject  fail"},
		{"a key that was withdrawn", zone{"TXT s._domainkey.acme.example": "v=DKIM1; p="}, atEvil, sign(letter, "acme.example", all), "fail reject  fail"},
		{"a huge record", zone{"TXT s._domainkey.acme.example": keyRecord + "; n=" + strings.Repeat("x", mostKey)}, atEvil, sign(letter, "acme.example", all), "fail reject  fail"},
		{"a huge signature", nil, atEvil, sign(letter, "acme.example", all+strings.Repeat(":x", mostSignature/2)), "fail reject  fail"},
		{"many signatures, ours on top", nil, atEvil, sign(strings.Repeat("DKIM-Signature: v=1\r\n", 20)+letter, "acme.example", all), "pass reject acme.example pass"},
		{"many signatures before ours", nil, atEvil, strings.Repeat("DKIM-Signature: v=1\r\n", 8) + sign(letter, "acme.example", all), "fail reject  fail"},
	} {
		got, verdict := check(t, world.with(c.zone), c.envelope, c.raw)
		if text := fmt.Sprint(got.DMARC, " ", got.Policy, " ", strings.Join(got.DKIM, ","), " ", verdict); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0") // or no short key could be made
	for bits, want := range map[int]mail.Verdict{512: mail.Fail, 1024: mail.Pass} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		record := "v=DKIM1; p=" + base64.StdEncoding.EncodeToString(x509.MarshalPKCS1PublicKey(&key.PublicKey))
		z := world.with(zone{"TXT s._domainkey.acme.example": record})
		if got, verdict := check(t, z, atEvil, signBy(key, letter, "acme.example", all)); verdict != want {
			t.Errorf("%d bits: %v, %+v", bits, verdict, got)
		}
	}
}

// What a record says is for package spf to know. This is about its results.
func TestSPF(t *testing.T) {
	chain := zone{}
	for i := range 12 {
		chain[fmt.Sprintf("TXT spf%d.example", i)] = fmt.Sprintf("v=spf1 include:spf%d.example", i+1)
	}
	chain["TXT spf12.example"] = "v=spf1 +all"
	hosts := zone{"MX acme.example": "mx.example" + strings.Repeat("\nmx.example", 9), "A mx.example": "198.51.100.1"}
	for record, c := range map[string]struct {
		more zone
		want string
	}{
		"v=spf1 mx -all":                                  {zone{"MX acme.example": "a.example\nmx.acme.example", "A mx.acme.example": "192.0.2.7"}, "pass"},
		"v=spf1 a:%{l}.%{d2} -all":                        {zone{"A jo.acme.example": "192.0.2.7"}, "pass"},
		"v=spf1 redirect=evil.example":                    {nil, "pass"},
		"v=spf1 ~all":                                     {nil, "fail"},
		"v=spf1 ?all":                                     {nil, "fail"},
		"v=spf1 nonsense +all":                            {nil, "fail"},
		"v=spf1 +all\nv=spf1 +all":                        {nil, "fail"},
		"v=spf1 include:spf3.example -all":                {chain, "pass"},
		"v=spf1 include:spf2.example -all":                {chain, "fail"}, // an eleventh lookup
		"v=spf1 include:spf0.example +all":                {chain, "fail"},
		"v=spf1 a:a.example a:b.example a:c.example +all": {nil, "fail"}, // three that do not exist
		"v=spf1 ptr -all":                                 {zone{"PTR 192.0.2.7": "broken"}, "temperror"},
		"v=spf1 a -all":                                   {zone{"A acme.example": "broken"}, "temperror"},
		"v=spf1 mx mx mx mx -all":                         {hosts, "temperror"}, // more than we ask for
		"broken":                                          {nil, "temperror"},
	} {
		got, _ := check(t, world.with(c.more).with(zone{"TXT acme.example": record}), atAcme, letter)
		if got.DMARC != c.want {
			t.Errorf("%s: %s, want %s", record, got.DMARC, c.want)
		}
	}
}

// DNS that fails, or does not answer in time, makes nobody a forger; what is known
// counts all the same.
func TestNoAnswer(t *testing.T) {
	signed := sign(letter, "acme.example", all)
	for _, how := range []string{"broken", "silent"} {
		for _, c := range []struct {
			name, kind string
			envelope   Envelope
			raw, want  string
		}{
			{"the key", "TXT s._domainkey.acme.example", atEvil, signed, "temperror no result"},
			{"the key, but SPF passes", "TXT s._domainkey.acme.example", atAcme, signed, "pass pass"},
			{"SPF", "TXT acme.example", atAcme, letter, "temperror no result"},
			{"SPF, but the signature is valid", "TXT acme.example", atAcme, signed, "pass pass"},
			{"the policy", "TXT _dmarc.acme.example", atEvil, letter, "temperror no result"},
			{"the policy, but the signature is valid", "TXT _dmarc.acme.example", atEvil, signed, "temperror pass"},
			{"the policy of the organisation", "TXT _dmarc.acme.example", atEvil, from("hr.acme.example"), "temperror no result"},
			{"a key that nobody needs", "TXT s._domainkey.evil.example", atEvil, sign(letter, "evil.example", all), "fail fail"},
			{"SPF that nobody needs", "TXT evil.example", atEvil, letter, "fail fail"},
		} {
			m, err := mail.Parse([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			v := New(world.with(zone{c.kind: how}))
			if how == "silent" {
				v.patience = 20 * time.Millisecond
			}
			got := v.Check(t.Context(), c.envelope, []byte(c.raw), m)
			if text := fmt.Sprint(got.DMARC, " ", mail.Judge(m.Author(), got)); text != c.want {
				t.Errorf("%s is %s: %s, want %s", c.name, how, text, c.want)
			}
		}
	}
}
