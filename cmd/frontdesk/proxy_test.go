package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trusted, from string
		header        []string
		want          string
	}{
		"nobody is trusted":            {"", "127.0.0.1:4", []string{"203.0.113.7"}, "127.0.0.1:4"},
		"a proxy":                      {"127.0.0.1", "127.0.0.1:4", []string{"203.0.113.7"}, "203.0.113.7:4"},
		"a proxy by IPv6":              {"::1", "[::1]:4", []string{"2001:db8::7"}, "[2001:db8::7]:4"},
		"a mapped address":             {"127.0.0.0/8", "[::ffff:127.0.0.1]:4", []string{"::ffff:203.0.113.7"}, "203.0.113.7:4"},
		"who is none":                  {"10.0.0.0/8", "203.0.113.9:4", []string{"198.51.100.1"}, "203.0.113.9:4"},
		"what the client wrote itself": {"127.0.0.1", "127.0.0.1:4", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7:4"},
		"two proxies":                  {"127.0.0.1,10.0.0.0/8", "127.0.0.1:4", []string{"198.51.100.1, 203.0.113.7, 10.1.2.3"}, "203.0.113.7:4"},
		"two headers":                  {"127.0.0.1,10.0.0.0/8", "127.0.0.1:4", []string{"203.0.113.7", "10.1.2.3"}, "203.0.113.7:4"},
		"only proxies":                 {"127.0.0.1,10.0.0.0/8", "127.0.0.1:4", []string{"10.1.2.3"}, "10.1.2.3:4"},
		"with a port":                  {"127.0.0.1", "127.0.0.1:4", []string{"203.0.113.7:5123"}, "203.0.113.7:4"},
		"with a port by IPv6":          {"::1", "[::1]:4", []string{"[2001:db8::7]:443"}, "[2001:db8::7]:4"},
		"in brackets":                  {"::1", "[::1]:4", []string{"[2001:db8::7]"}, "[2001:db8::7]:4"},
		"two proxies, with ports":      {"127.0.0.1,10.0.0.0/8", "127.0.0.1:4", []string{"198.51.100.1, 203.0.113.7:1, 10.1.2.3:2"}, "203.0.113.7:4"},
		"a port that is none":          {"127.0.0.1,10.0.0.0/8", "127.0.0.1:4", []string{"203.0.113.7:x, 10.1.2.3"}, "10.1.2.3:4"},
		"nonsense":                     {"127.0.0.1,10.0.0.0/8", "127.0.0.1:4", []string{"203.0.113.7, x, 10.1.2.3"}, "10.1.2.3:4"},
		"no header":                    {"127.0.0.1", "127.0.0.1:4", nil, "127.0.0.1:4"},
	} {
		t.Run(name, func(t *testing.T) {
			var list []string
			if c.trusted != "" {
				list = strings.Split(c.trusted, ",")
			}
			p, err := parseProxies(list)
			must(t, err)
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr, r.Header = c.from, http.Header{"X-Forwarded-For": c.header}
			got := ""
			p.setClientAddress(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr })).ServeHTTP(httptest.NewRecorder(), r)
			if got != c.want {
				t.Errorf("the call came from %s, want %s", got, c.want)
			}
		})
	}
	for _, wrong := range []string{"", "proxy", "10.0.0.0/33", "10.0.0"} {
		if _, err := parseProxies([]string{wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
