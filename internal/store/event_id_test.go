package store

import (
	"encoding/base64"
	"math"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
)

// An event's id names its place for its own account only.
func TestEventID(t *testing.T) {
	s, other := New(nil, seal.NewKey(), nil), New(nil, seal.NewKey(), nil)
	rapid.Check(t, func(t *rapid.T) {
		account := desk.AccountID(rapid.Int64Range(1, 1<<40).Draw(t, "account"))
		seq := rapid.Int64Range(0, math.MaxInt64).Draw(t, "seq")
		id := s.EventID(account, seq)
		if got, ok := s.EventSeq(account, id); !ok || got != seq {
			t.Fatalf("%d comes back as %d, %v", seq, got, ok)
		}
		if url.QueryEscape(id) != id {
			t.Fatalf("%s is not safe in a URL", id)
		}
		if _, ok := s.EventSeq(account+1, id); ok {
			t.Fatal("it is taken for another account's")
		}
		if _, ok := other.EventSeq(account, id); ok {
			t.Fatal("it is taken by another server")
		}
	})
}

// A changed id is detected, whether one character or one bit differs.
func TestEventIDChanged(t *testing.T) {
	s := New(nil, seal.NewKey(), nil)
	id := s.EventID(7, 42)
	refused := func(changed string) {
		t.Helper()
		if got, ok := s.EventSeq(7, changed); ok {
			t.Errorf("%q, made from %q, is taken for %d", changed, id, got)
		}
	}
	for i := range id {
		for b := range 256 {
			if byte(b) != id[i] {
				refused(id[:i] + string([]byte{byte(b)}) + id[i+1:])
			}
		}
		refused(id[:i])
		refused(id[i+1:])
	}
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		for bit := range 8 {
			raw[i] ^= 1 << bit
			refused(base64.RawURLEncoding.EncodeToString(raw))
			raw[i] ^= 1 << bit
		}
	}
	for _, other := range []string{"", "=", id + "=", id + id, " " + id, id + "\n", "null", "42", strings.Repeat("A", 22), strings.Repeat("A", 1<<20)} {
		refused(other)
	}
}
