package mail

import (
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
		purpose := rapid.SampledFrom([]Purpose{Reply, Bounce, Root}).Draw(t, "purpose")
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
	purposes := []Purpose{Reply, Bounce, Root}
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
