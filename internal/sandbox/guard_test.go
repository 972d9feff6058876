package sandbox

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServesOnlyThisMachine(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.URL = "http://chat.example.test:9000" })
	h := w.s.Handler()
	get := func(h http.Handler, remote, host string) (int, string) {
		r := httptest.NewRequest("GET", "/sandbox/api/api.test", nil)
		r.RemoteAddr, r.Host = remote, host
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec.Code, rec.Body.String()
	}
	for _, tt := range []struct {
		remote, host string
		want         int
	}{
		{"127.0.0.1:1", "localhost:8080", 200}, {"127.8.9.1:1", "127.0.0.1", 200}, {"[::1]:1", "[::1]:8080", 200},
		{"127.0.0.1:1", "chat.example.test:9000", 200},
		{"192.0.2.1:1", "localhost", 403}, {"[2001:db8::1]:1", "localhost", 403}, {"10.0.0.1:1", "127.0.0.1", 403}, {"", "localhost", 403},
		// A name on the net that points here.
		{"127.0.0.1:1", "evil.test", 403}, {"127.0.0.1:1", "evil.test:8080", 403},
	} {
		code, said := get(h, tt.remote, tt.host)
		want(t, tt.remote+" "+tt.host, code, tt.want)
		if tt.want == 403 && !strings.HasPrefix(said, "The sandbox serves only this machine") {
			t.Errorf("it says %q", said)
		}
	}
	// A proxy on this machine that gives our own name, and says for whom it asks.
	for header, status := range map[string]int{"127.0.0.1": 200, "127.0.0.1, ::1": 200, "192.0.2.7": 403, "127.0.0.1, 192.0.2.7": 403, "unknown": 403} {
		r := httptest.NewRequest("GET", "/sandbox/api/api.test", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1:8080"
		r.Header.Set("X-Forwarded-For", header)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		want(t, "passed on for "+header, rec.Code, status)
	}
	w.s.cfg.AllowRemote = true
	code, _ := get(w.s.Handler(), "192.0.2.1:1", "chat.test")
	want(t, "allowed", code, 200)
}
