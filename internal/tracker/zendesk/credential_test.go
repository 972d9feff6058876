package zendesk

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func TestCheck(t *testing.T) {
	a := New(Config{})
	for _, tt := range []struct {
		name  string
		c     tracker.Credential
		wrong string // the wrong fields
	}{
		{"good", tracker.Credential{Domain: "acme", Email: "ada@acme.test", Token: "t"}, ""},
		{"a longer name", tracker.Credential{Domain: "Acme-2-help", Email: "ada@acme.test", Token: "t"}, ""},
		{"nothing", tracker.Credential{}, "domain email token"},
		{"a host", tracker.Credential{Domain: "acme.zendesk.com", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"an address", tracker.Credential{Domain: "https://acme", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"another host", tracker.Credential{Domain: "evil.test/", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"a user of a host", tracker.Credential{Domain: "acme@evil", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"a line more", tracker.Credential{Domain: "acme\n", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"hyphens outside", tracker.Credential{Domain: "-acme-", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"beyond ASCII", tracker.Credential{Domain: "ácme", Email: "ada@acme.test", Token: "t"}, "domain"},
		{"too long", tracker.Credential{Domain: strings.Repeat("a", 64), Email: "ada@acme.test", Token: "t"}, "domain"},
		{"no email", tracker.Credential{Domain: "acme", Email: "ada", Token: "t"}, "email"},
		{"an email that ends the name", tracker.Credential{Domain: "acme", Email: "ada:x@acme.test", Token: "t"}, "email"},
		{"a token of two words", tracker.Credential{Domain: "acme", Email: "ada@acme.test", Token: "t t"}, "token"},
	} {
		err := a.Check(tt.c)
		var fields []string
		if e := (*desk.Error)(nil); errors.As(err, &e) {
			for _, f := range e.Fields {
				fields = append(fields, f.Field)
			}
		} else if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := strings.Join(fields, " "); got != tt.wrong {
			t.Errorf("%s: wrong are %q, want %q", tt.name, got, tt.wrong)
		}
	}
}

// TestUnchecked shows that no call is made to a domain that Check would refuse.
func TestUnchecked(t *testing.T) {
	s := expect(t)
	_, err := s.app.Tracker(tracker.Credential{Domain: "evil.test/", Email: "ada@acme.test", Token: "t"}).Place(t.Context())
	fails(t, "a domain that is none", err, desk.Refused, "no such Zendesk")
}
