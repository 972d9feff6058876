package outbound

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckURL(t *testing.T) {
	long := func(n int) string { return "https://hooks.acme.example/" + strings.Repeat("ä", n-27) }
	tests := []struct {
		url         string
		strict      string // the result; empty if it is refused
		withPrivate string
	}{
		{"https://hooks.acme.example/a?b=c", "https://hooks.acme.example/a?b=c", "https://hooks.acme.example/a?b=c"},
		{"https://Hooks.ACME.example:8443", "https://hooks.acme.example:8443", "https://hooks.acme.example:8443"},
		{"HTTPS://hooks.acme.example./", "https://hooks.acme.example./", "https://hooks.acme.example./"},
		{"https://bücher.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
		{"https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
		{"https://my_hooks.acme.example/", "https://my_hooks.acme.example/", "https://my_hooks.acme.example/"},
		{"https://1e100.net/", "https://1e100.net/", "https://1e100.net/"},
		{"https://1.1.1.1:8443/", "https://1.1.1.1:8443/", "https://1.1.1.1:8443/"},
		{"https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"},
		{"https://[2606:4700:4700::1111]:8443/", "https://[2606:4700:4700::1111]:8443/", "https://[2606:4700:4700::1111]:8443/"},
		{"https://a.example:1/", "https://a.example:1/", "https://a.example:1/"},
		{"https://a.example:65535/", "https://a.example:65535/", "https://a.example:65535/"},
		{"http://hooks.acme.example/", "", "http://hooks.acme.example/"},

		// Not an HTTP address.
		{"", "", ""},
		{"hooks.acme.example/a", "", ""},
		{"//hooks.acme.example/a", "", ""},
		{"/a", "", ""},
		{"https:hooks.acme.example", "", ""},
		{"https:/hooks.acme.example", "", ""},
		{"https:///a", "", ""},
		{"https://", "", ""},
		{"https://:443/", "", ""},
		{"ftp://hooks.acme.example/", "", ""},
		{"file:///etc/passwd", "", ""},
		{"gopher://hooks.acme.example/", "", ""},
		{"unix:///var/run/docker.sock", "", ""},
		{"https://jo:secret@hooks.acme.example/", "", ""},
		{"https://@hooks.acme.example/", "", ""},
		{"https://1.1.1.1@127.0.0.1/", "", ""},
		{"https://hooks.acme.example/#a", "", ""},
		{"https://hooks.acme.example/#", "", ""},
		{"https://hooks.acme.example#@127.0.0.1/", "", ""},
		{"https://a.example:0/", "", ""},
		{"https://a.example:65536/", "", ""},
		{"https://a.example:99999999999999999999/", "", ""},
		{"https://a.example:/", "", ""},
		{"https://a.example:https/", "", ""},
		{"https://a.example:-1/", "", ""},
		{" https://hooks.acme.example/", "", ""},
		{"https://hooks.acme.example/a b", "", ""},
		{"https://hooks.acme.example/a\nb", "", ""},
		{"https://hooks.acme.example/a\x00b", "", ""},
		{"https://hooks.acme.example/\xff", "", ""},
		{"https://hooks.acme.example/a\u202eb", "", ""},
		{`https://hooks.acme.example\@127.0.0.1/`, "", ""},
		{"https://a..example/", "", ""},
		{"https://.example/", "", ""},
		{"https://a.example../", "", ""},
		{"https://./", "", ""},
		{"https://a,b.example/", "", ""},
		{"https://a.example%2f/", "", ""},
		{"https://" + strings.Repeat("a", 63) + ".example/", "https://" + strings.Repeat("a", 63) + ".example/", "https://" + strings.Repeat("a", 63) + ".example/"},
		{"https://" + strings.Repeat("a", 64) + ".example/", "", ""},
		{"https://" + strings.Repeat("a.", 127) + "a/", "", ""},
		{long(2048), "https://hooks.acme.example/" + strings.Repeat("%C3%A4", 2021), "https://hooks.acme.example/" + strings.Repeat("%C3%A4", 2021)},
		{long(2049), "", ""},

		// This machine and private networks.
		{"https://localhost/", "", "https://localhost/"},
		{"http://localhost:9090/", "", "http://localhost:9090/"},
		{"https://LocalHost./", "", "https://localhost./"},
		{"https://a.localhost/", "", "https://a.localhost/"},
		{"https://ⓛocalhost/", "", "https://localhost/"},
		{"https://notlocalhost/", "https://notlocalhost/", "https://notlocalhost/"},
		{"https://127.0.0.1/", "", "https://127.0.0.1/"},
		{"http://10.0.0.5:8080/", "", "http://10.0.0.5:8080/"},
		{"https://[::1]/", "", "https://[::1]/"},
		{"https://[::]/", "", "https://[::]/"},
		{"https://[0:0:0:0:0:0:0:1]/", "", "https://[0:0:0:0:0:0:0:1]/"},
		{"https://[::ffff:127.0.0.1]/", "", "https://[::ffff:127.0.0.1]/"},
		{"https://[64:ff9b::10.0.0.5]/", "", "https://[64:ff9b::10.0.0.5]/"},
		{"https://[fd12::1]:443/", "", "https://[fd12::1]:443/"},
		{"https://１２７.０.０.１/", "", "https://127.0.0.1/"},
		{"https://127。0。0。1/", "", "https://127.0.0.1/"},
		{"https://①②⑦.⓪.⓪.①/", "", "https://127.0.0.1/"},

		// Always refused.
		{"https://169.254.169.254/latest/meta-data/", "", ""},
		{"http://169.254.169.254/", "", ""},
		{"https://１６９.２５４.１６９.２５４/", "", ""},
		{"https://%EF%BC%91%EF%BC%96%EF%BC%99.254.169.254/", "", ""},
		{"https://[fe80::1]/", "", ""},
		{"https://[fe80::1%25eth0]/", "", ""},
		{"https://[2606:4700:4700::1111%25eth0]/", "", ""},
		{"https://[fd00:ec2::254]/", "", ""},
		{"https://[::ffff:a9fe:a9fe]/", "", ""},
		{"https://[::ffff:169.254.169.254]/", "", ""},
		{"https://[64:ff9b::a9fe:a9fe]/", "", ""},
		{"https://[2002:a9fe:a9fe::]/", "", ""},

		// Numbers that other programs read as addresses: decimal, octal,
		// hexadecimal, short.
		{"https://2130706433/", "", ""},
		{"https://017700000001/", "", ""},
		{"https://0x7f000001/", "", ""},
		{"https://0X7F000001/", "", ""},
		{"https://0x7f.1/", "", ""},
		{"https://0x7f.0x0.0x0.0x1/", "", ""},
		{"https://0177.0.0.1/", "", ""},
		{"https://127.1/", "", ""},
		{"https://127.0.1/", "", ""},
		{"https://127.0.0.1./", "", ""},
		{"https://1.1.1.1./", "", ""},
		{"https://127.0.0.01/", "", ""},
		{"https://127.0.0.0x1/", "", ""},
		{"https://127.0.0.1.1/", "", ""},
		{"https://256.256.256.256/", "", ""},
		{"https://0/", "", ""},
		{"https://0x/", "", ""},
		{"https://2852039166/", "", ""}, // 169.254.169.254
		{"https://0xa9fea9fe/", "", ""},
		{"https://0251.0376.0251.0376/", "", ""},
		{"https://2８52039166/", "", ""},
		{"https://a.example.1/", "", ""},
		{"https://[127.0.0.1]/", "", ""},
		{"https://[::1/", "", ""},
		{"https://[::1]a/", "", ""},
		{"https://::1/", "", ""},
		{"https://%31%32%37.0.0.1/", "", ""},
	}
	strict, open := New(Config{}), New(Config{AllowPrivate: true})
	for _, tt := range tests {
		check := func(c *Client, want string) {
			t.Helper()
			u, err := c.CheckURL(tt.url)
			if want == "" {
				var e *Error
				if !errors.As(err, &e) || !errors.Is(err, ErrRefused) || !strings.HasSuffix(e.Message, ".") {
					t.Errorf("%q: %v, %v", tt.url, u, err)
				}
				return
			}
			if err != nil || u.String() != want {
				t.Errorf("%q: %v, %v", tt.url, u, err)
			}
		}
		check(strict, tt.strict)
		check(open, tt.withPrivate)
	}
}

// The messages for common mistakes.
func TestCheckURLSaysWhy(t *testing.T) {
	for raw, want := range map[string]string{
		"http://hooks.acme.example/":      "The URL must begin with https://, as in https://example.com/path.",
		"hooks.acme.example/a":            "The URL must begin with https://, as in https://example.com/path.",
		"https://a.example:99999/":        "The URL's port must be a number from 1 to 65535.",
		"https://jo:x@hooks.acme.example": "The URL must have no name and no password in front of its host.",
		"https://127.1/":                  "The URL's host 127.1 is a number. An address must be written as in 192.0.2.1 or [2001:db8::1].",
		"https://10.0.0.5/":               "The address 10.0.0.5 is private. Only public addresses are called, unless the operator allows others.",
		"https://a.localhost/":            "The URL's host a.localhost is this machine. Only public addresses are called, unless the operator allows others.",
		"https://a,b/":                    "The URL's host a,b is no name of a host.",
	} {
		if _, err := New(Config{}).CheckURL(raw); err == nil || err.Error() != want {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, err := New(Config{AllowPrivate: true}).CheckURL("ftp://a.example"); err == nil || err.Error() != "The URL must begin with https:// or http://, as in https://example.com/path." {
		t.Error(err)
	}
}

// The normalized form of an accepted URL is accepted too, so the checked address is
// the dialled one.
func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{"https://a.example/", "https://[::ffff:1.1.1.1]:1/", "https://１２７.0.0.1", "https://0x7f.1", "http://a@b", "https://a.example:/%2f?#"} {
		f.Add(s)
	}
	c := New(Config{})
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := c.CheckURL(raw)
		if err != nil {
			return
		}
		for _, r := range u.Host {
			if r > 0x7e || r <= ' ' {
				t.Fatalf("%q has the host %q", raw, u.Host)
			}
		}
		again, err := c.CheckURL("https://" + u.Host + "/")
		if err != nil || again.Host != u.Host {
			t.Errorf("%q became %q, which became %v (%v)", raw, u.Host, again, err)
		}
	})
}
