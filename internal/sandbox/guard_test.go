package sandbox

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServesOnlyThisMachine(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.URL = "http://chat.example.test:9000" })
	h := w.s.Handler(nil)
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
		// A name on the internet that points here.
		{"127.0.0.1:1", "evil.test", 403}, {"127.0.0.1:1", "evil.test:8080", 403},
	} {
		code, said := get(h, tt.remote, tt.host)
		want(t, tt.remote+" "+tt.host, code, tt.want)
		if tt.want == 403 && !strings.HasPrefix(said, "The sandbox serves only this machine") {
			t.Errorf("it says %q", said)
		}
	}
	// A proxy on this machine that uses our own name and identifies itself. Its
	// client does not matter.
	for header, value := range map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost", "X-Forwarded-Proto": "https", "X-Forwarded-Port": "443", "X-Forwarded": "by=x",
		"Forwarded": "for=127.0.0.1", "X-Real-IP": "127.0.0.1", "Via": "1.1 proxy", "x-forwarded-server": "a", "CF-Connecting-IP": "::1", "True-Client-IP": "::1",
	} {
		r := httptest.NewRequest("GET", "/sandbox/api/api.test", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1:8080"
		r.Header.Set(header, value)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		want(t, header, rec.Code, 403)
	}
	w.s.cfg.AllowRemote = true
	code, _ := get(w.s.Handler(nil), "192.0.2.1:1", "chat.test")
	want(t, "allowed", code, 200)
}
