package rest

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
)

var cursorListing = listing{account: 7, op: desk.ListMembers}

func newCursors() cursors { return cursors{seal.NewKey().Signer("cursor")} }

func TestCursorRoundTrip(t *testing.T) {
	cs := newCursors()
	rapid.Check(t, func(t *rapid.T) {
		l := listing{
			account:   desk.AccountID(rapid.Int64().Draw(t, "account")),
			op:        rapid.SampledFrom([]desk.Operation{desk.ListMembers, desk.ListTokens, desk.ListAuditLogs}).Draw(t, "op"),
			ascending: rapid.Bool().Draw(t, "ascending"),
		}
		want := desk.Position{At: time.UnixMilli(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "at")).UTC(), ID: rapid.Int64().Draw(t, "id")}
		text := cs.at(l, want)
		if got, ok := cs.position(l, text); !ok || got != want {
			t.Fatalf("%v comes back as %v, %v", want, got, ok)
		}
		if url.QueryEscape(text) != text {
			t.Fatalf("%s is not safe in a URL", text)
		}
	})
}

// A cursor that was changed in one character or one bit is refused.
func TestCursorChanged(t *testing.T) {
	cs := newCursors()
	text := cs.at(cursorListing, desk.Position{At: time.UnixMilli(1778663553123), ID: 42})
	refused := func(changed string) {
		t.Helper()
		if got, ok := cs.position(cursorListing, changed); ok {
			t.Errorf("%q, made from %q, is taken for %v", changed, text, got)
		}
	}
	for i := range text {
		for b := range 256 {
			if byte(b) != text[i] {
				refused(text[:i] + string([]byte{byte(b)}) + text[i+1:])
			}
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
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
	for i := range text {
		refused(text[:i])
		refused(text[i+1:])
		refused(text[:i] + text[i:i+1] + text[i:])
	}
	for _, other := range []string{
		"", "=", text + "=", text + "A", text + text, " " + text, text + "\n", strings.ToLower(text), "null", "42",
		base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\xff", 24))), strings.Repeat("A", 32), strings.Repeat("A", 1<<20),
	} {
		refused(other)
	}
}

func TestCursorBelongsToItsList(t *testing.T) {
	cs := newCursors()
	at := desk.Position{At: time.UnixMilli(1778663553123), ID: 42}
	text := cs.at(cursorListing, at)
	for _, other := range []listing{
		{account: 8, op: desk.ListMembers},
		{account: 77, op: desk.ListMembers},
		{account: 7, op: desk.ListTokens},
		{account: 7, op: desk.ListMembers, ascending: true},
		{account: 7},
		{},
	} {
		if _, ok := cs.position(other, text); ok {
			t.Errorf("a cursor of %+v is taken for %+v", cursorListing, other)
		}
	}
	if _, ok := newCursors().position(cursorListing, text); ok {
		t.Error("a cursor signed with another key is taken")
	}
}

// Through the API: a cursor of one account, list or order is 400 for another.
func TestCursorOfCalls(t *testing.T) {
	f := frameOnSQLite(t)
	for i := range 3 {
		wantStatus(t, f.send("POST", "/v1/rest/members", frameMember(fmt.Sprintf("m%d@acme.example", i))), 201)
	}
	cursor := func(path string) string {
		t.Helper()
		r := f.send("GET", path, "")
		_, rest, ok := strings.Cut(r.body, `"next_cursor":"`)
		text, _, _ := strings.Cut(rest, `"`)
		if !ok || text == "" {
			t.Fatalf("%s has no next page: %v", path, r)
		}
		return text
	}
	members := cursor("/v1/rest/members?limit=1")
	wantStatus(t, f.send("GET", "/v1/rest/members?limit=1&next_cursor="+members, ""), 200)
	wantStatus(t, f.send("GET", "/v1/rest/members?limit=2&sort_order=desc&next_cursor="+members, ""), 200)
	for _, wrong := range []string{
		"/v1/rest/members?sort_order=asc&next_cursor=" + members,
		"/v1/rest/tokens?next_cursor=" + members,
		"/v1/rest/audit-logs?next_cursor=" + members,
		"/v1/rest/events?after=" + members,
		"/v1/rest/members?next_cursor=" + cursor("/v1/rest/audit-logs?limit=1"),
		"/v1/rest/members?next_cursor=" + cursor("/v1/rest/members?limit=1&sort_order=asc"),
		"/v1/rest/members?next_cursor=",
		"/v1/rest/members?next_cursor=x",
		"/v1/rest/members?next_cursor=" + members + "%00",
	} {
		r := f.send("GET", wrong, "")
		wantProblem(t, r, 400, "BAD_REQUEST")
		if !strings.Contains(r.body, `"field":"next_cursor"`) && !strings.Contains(r.body, `"field":"after"`) {
			t.Errorf("%s: %v", wrong, r)
		}
	}
	// The same cursor, for another account of the same service.
	foreign := f.server.cursors.at(listing{account: f.account.ID + 1, op: desk.ListMembers}, desk.Position{At: time.Now(), ID: 1})
	wantProblem(t, f.send("GET", "/v1/rest/members?next_cursor="+foreign, ""), 400, "BAD_REQUEST")
}

func FuzzCursor(f *testing.F) {
	cs := newCursors()
	f.Add(cs.at(cursorListing, desk.Position{At: time.UnixMilli(1778663553123), ID: 42}))
	f.Add("")
	f.Add("!")
	f.Add(strings.Repeat("A", 32))
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := cs.position(cursorListing, text); ok && cs.at(cursorListing, at) != text {
			t.Errorf("%q is taken and is not one of ours", text)
		}
	})
}
