package mail

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
)

var (
	tokenShape = regexp.MustCompile(`^[a-z0-9]+$`)
	anyID      = rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, 1<<62))
)

// A token leads back to its conversation, in any case, and fits into an address.
func TestTokens(t *testing.T) {
	tokens := NewTokens(seal.NewKey())
	rapid.Check(t, func(t *rapid.T) {
		account, request := desk.AccountID(anyID.Draw(t, "account")), desk.RequestID(anyID.Draw(t, "request"))
		purpose := rapid.SampledFrom([]Purpose{Reply, Bounce, Root, Inbox}).Draw(t, "purpose")
		token := tokens.Make(purpose, account, request, "Jo@customer.example")
		local, _, _ := strings.Cut(purpose.Address(token, "reply.desk.example"), "@")
		if !tokenShape.MatchString(token) || len(local) > 64 {
			t.Fatalf("%s", local)
		}
		if base, tag := CutPlus(purpose.Address(token, "reply.desk.example")); base != string(purpose) || tag != token {
			t.Fatalf("%s is cut into %s and %s", local, base, tag)
		}
		opened, ok := tokens.Open(purpose, strings.ToUpper(token))
		if !ok || opened.Account != account || opened.Request != request {
			t.Fatalf("%+v, %v", opened, ok)
		}
		if !tokens.IsFor(opened, "jo@CUSTOMER.example") || tokens.IsFor(opened, "kim@customer.example") || tokens.IsFor(opened, "") {
			t.Fatal("the recipient is another one")
		}
	})
}

// No token opens that was altered, or made for another purpose or with another key.
func TestForgedTokensDoNotOpen(t *testing.T) {
	tokens, others := NewTokens(seal.NewKey()), NewTokens(seal.NewKey())
	purposes := []Purpose{Reply, Bounce, Root, Inbox}
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789+-._="
	rapid.Check(t, func(t *rapid.T) {
		account, request := desk.AccountID(anyID.Draw(t, "account")), desk.RequestID(anyID.Draw(t, "request"))
		purpose := rapid.SampledFrom(purposes).Draw(t, "purpose")
		token := tokens.Make(purpose, account, request, "jo@customer.example")
		for _, p := range purposes {
			if _, ok := tokens.Open(p, token); ok != (p == purpose) {
				t.Fatalf("a token for %s opens for %s: %v", purpose, p, ok)
			}
		}
		if _, ok := others.Open(purpose, token); ok {
			t.Fatal("a token of another key opens")
		}
		at := rapid.IntRange(0, len(token)-1).Draw(t, "at")
		letter := alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(t, "letter")]
		for _, forged := range []string{
			token[:at] + string(letter) + token[at+1:],
			token[:at] + string(letter) + token[at:],
			token[:at] + token[at+1:],
			token[:at],
			token + string(letter),
			rapid.String().Draw(t, "anything"),
		} {
			if strings.ToLower(forged) == token {
				continue
			}
			if _, ok := tokens.Open(purpose, forged); ok {
				t.Fatalf("%s opens, altered from %s", forged, token)
			}
		}
		// What one recipient can see of their own token helps with no other.
		kim := tokens.Make(purpose, account, request, "kim@customer.example")
		if kim == token {
			t.Fatal("two recipients have one token")
		}
	})
}

// Tokens are blanked however a mail encodes them, and nothing else changes.
func TestBlankTokens(t *testing.T) {
	token := NewTokens(seal.NewKey()).Make(Reply, 1<<40, 1<<40, "jo@customer.example")
	const domain = "@reply.desk.example"
	lines := func(s string) (out string) {
		for len(s) > 76 {
			out, s = out+s[:76]+"\r\n", s[76:]
		}
		return out + s + "\r\n"
	}
	inBase64 := func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte(s))) }
	long := strings.Repeat("Grüße from far away. ", 20)
	for name, c := range map[string][2]string{
		"an address":           {"Write to reply+" + token + domain + ".", "Write to reply+…" + domain + "."},
		"in capitals":          {"REPLY+" + strings.ToUpper(token) + domain, "REPLY+…" + domain},
		"a link":               {"mailto:reply%2B" + token + "%40reply.desk.example", "mailto:reply%2B…%40reply.desk.example"},
		"quoted-printable":     {"reply=2B" + token[:9] + "=\r\n" + token[9:] + "=40reply.desk.example", "reply=2B…=40reply.desk.example"},
		"another tag":          {"support+orders@acme.example", "support+orders@acme.example"},
		"a sum":                {"a+b = c", "a+b = c"},
		"base64":               {inBase64(long + "reply+" + token + domain + long), inBase64(long + "reply+…" + domain + long)},
		"base64 without token": {"Y2F0\nY2F0\n", "Y2F0\nY2F0\n"},
		"two parts": {"--b\r\n\r\n" + inBase64("reply+"+token+domain) + "--b\r\n\r\n" + inBase64(long) + "--b--\r\n",
			"--b\r\n\r\n" + inBase64("reply+…"+domain) + "--b\r\n\r\n" + inBase64(long) + "--b--\r\n"},
	} {
		got := string(BlankSource([]byte(c[0])))
		if got != c[1] {
			t.Errorf("%s: %q, want %q", name, got, c[1])
		}
		if strings.Contains(got, token[9:]) {
			t.Errorf("%s: the token is there", name)
		}
	}
}
