package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// from makes a call from an address.
func (f *frame) from(ip, secret string, headers ...string) frameReply {
	f.t.Helper()
	r := f.request("GET", "/v1/rest/account", nil, append([]string{"Authorization: Bearer " + secret}, headers...)...)
	r.RemoteAddr = ip
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return frameReply{w.Code, w.Header(), w.Body.String()}
}

// unknownToken returns a token with a valid format.
func unknownToken(n int) string { return "fd_" + strings.Repeat(string(rune('a'+n%20)), 34) }

// Strangers are counted by their address, before anything is looked up for them. A
// known caller gets through, whoever else uses the same address.
func TestStrangersAreCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db)
		f.server.service = service.New(service.Config{Store: f.store, RefusalLimit: 3})
		fresh, session := f.newToken(desk.NewToken{Name: "fresh", Scope: desk.ReadOnly}), f.newSession()
		const office = "203.0.113.7:4711"
		wantStatus(t, f.from(office, f.secret), 200) // known from now on

		wantProblem(t, f.from(office, unknownToken(0)), 403, "FORBIDDEN")
		wantProblem(t, f.from(office, ""), 403, "FORBIDDEN")
		wantProblem(t, f.from(office, f.secret[:11]+strings.Repeat("a", 26)), 403, "FORBIDDEN") // its prefix is right
		for n, secret := range []string{unknownToken(1), "", "nonsense", f.secret[:11] + strings.Repeat("a", 26), fresh} {
			r := f.from(office, secret)
			wantProblem(t, r, 429, "RATE_LIMITED")
			if r.header.Get("Retry-After") == "" || r.header.Get("RateLimit-Limit") != "" || r.header.Get("WWW-Authenticate") != "" {
				t.Errorf("call %d: the headers say %v", n, r.header)
			}
		}
		wantProblem(t, f.from(office, "", "Authorization:", "Cookie: "+desk.SessionCookie(false)+"="+session), 429, "RATE_LIMITED")
		wantStatus(t, f.from(office, f.secret), 200)

		wantStatus(t, f.from("203.0.113.8:4711", fresh), 200) // another address
		wantStatus(t, f.from(office, fresh), 200)             // it is known now

		// Somebody with one IPv6 address has the whole /64.
		for n := range 3 {
			wantProblem(t, f.from(fmt.Sprintf("[2001:db8:0:1::%d]:1", n), unknownToken(n)), 403, "FORBIDDEN")
		}
		wantProblem(t, f.from("[2001:db8:0:1:ffff::9]:1", unknownToken(9)), 429, "RATE_LIMITED")
		wantProblem(t, f.from("[2001:db8:0:2::1]:1", unknownToken(9)), 403, "FORBIDDEN")

		// Nothing is looked up, so it does not matter that there is no database.
		f.must(db.Close())
		wantProblem(t, f.from(office, unknownToken(2)), 429, "RATE_LIMITED")
		wantProblem(t, f.from("203.0.113.9:4711", unknownToken(2)), 503, "UNAVAILABLE")
	})
}

// Valid calls are not counted, however many come from one address. Without a limit
// nobody is counted.
func TestCallersAreNoStrangers(t *testing.T) {
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	for range 10 {
		wantProblem(t, f.from("203.0.113.7:4711", unknownToken(0)), 403, "FORBIDDEN")
	}
	f.server.service = service.New(service.Config{Store: f.store, RefusalLimit: 2})
	for n := range 5 {
		wantStatus(t, f.from("203.0.113.7:4711", f.newToken(desk.NewToken{Name: fmt.Sprint(n), Scope: desk.ReadOnly})), 200)
	}
	wantProblem(t, f.from("203.0.113.7:4711", unknownToken(0)), 403, "FORBIDDEN")
}

// The log has who was refused, and what they called.
func TestRefusalsAreLogged(t *testing.T) {
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	lines := func() (all []map[string]any) {
		for line := range bytes.Lines([]byte(f.log.String())) {
			var l map[string]any
			f.must(json.Unmarshal(line, &l))
			if l["msg"] == "a call was refused" {
				all = append(all, l)
			}
		}
		return all
	}
	wantStatus(t, f.from("203.0.113.7:1", f.secret), 200)
	if got := lines(); len(got) > 0 {
		t.Errorf("a call that was answered left %v", got)
	}
	wantStatus(t, f.from("203.0.113.7:1", unknownToken(0)), 403)
	secret := f.secret
	f.secret = f.newToken(desk.NewToken{Name: "reads", Scope: desk.ReadOnly})
	wantStatus(t, f.send("POST", "/v1/rest/members", "{}"), 403)
	got := lines()
	if len(got) != 2 {
		t.Fatalf("the log has %v", got)
	}
	for name, want := range map[string]any{"level": "INFO", "status": 403., "method": "GET", "path": "/v1/rest/account", "ip": "203.0.113.7", "member": 0.} {
		if got[0][name] != want {
			t.Errorf("of a stranger: %s is %v, want %v", name, got[0][name], want)
		}
	}
	for name, want := range map[string]any{"method": "POST", "path": "/v1/rest/members", "account": float64(f.account.ID), "member": float64(f.admin.ID),
		"why": "This token has read-only access and cannot perform write operations."} {
		if got[1][name] != want {
			t.Errorf("of a member: %s is %v, want %v", name, got[1][name], want)
		}
	}
	for _, text := range []string{f.secret, secret, unknownToken(0)} {
		if strings.Contains(f.log.String(), text) {
			t.Errorf("the log has a token")
		}
	}
	for range 200 {
		f.from("203.0.113.7:1", unknownToken(0))
	}
	if n := len(lines()); n > 20 {
		t.Errorf("one stranger has left %d lines", n)
	}
}

// With https the session cookie has a name that no other host can set.
func TestSessionCookieByHTTPS(t *testing.T) {
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	secret := f.newSession()
	for public, want := range map[string][2]int{"http://desk.example": {200, 403}, "https://desk.example": {403, 200}} {
		server := newServer(Config{Service: f.service, Key: seal.NewKey(), PublicURL: public, Log: slog.New(slog.DiscardHandler)})
		f.handler = server.handler(server.routes())
		for i, name := range []string{"frontdesk_session", "__Host-frontdesk_session"} {
			wantStatus(t, f.from("203.0.113.7:1", "", "Authorization:", "Cookie: "+name+"="+secret), want[i])
		}
	}
}

// newSession signs the admin in with a browser.
func (f *frame) newSession() (secret string) {
	f.t.Helper()
	made := desk.NewSession(f.admin, desk.Visitor{}, f.clock.now())
	f.must(f.store.Write(context.Background(), f.account.ID, func(tx *store.Tx) error { return tx.AddToken(&made.Token) }))
	return made.Secret
}
