package desk

import (
	"strings"
	"testing"
	"time"
)

func TestNewSession(t *testing.T) {
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	made := NewSession(Member{ID: 7}, Visitor{Browser: " Mozilla\x00\xff " + strings.Repeat("ä", 400), IP: "192.0.2.1"}, now)
	if made.Member != 7 || !made.Token.Session || made.Scope != ReadWrite || !made.ExpiresAt.Equal(now.Add(SessionKept)) || length(made.Browser) > mostBrowser || !strings.HasPrefix(made.Browser, "Mozilla ä") {
		t.Errorf("%+v", made)
	}
	if !made.Opens(made.Secret, now) || made.Opens(made.Secret+"x", now) || made.Opens(made.Secret, *made.ExpiresAt) {
		t.Error("it opens to another secret, at another time, or not at all")
	}
	// Neither is taken for the other.
	token, err := NewToken{Name: "x", Scope: ReadOnly}.Token(Member{ID: 7}, now)
	if err != nil || SessionPrefix(made.Secret) != made.Prefix || TokenPrefix(made.Secret) != "" || SessionPrefix(token.Secret) != "" || TokenPrefix(token.Secret) != token.Prefix {
		t.Errorf("%s, %s, %v", made.Secret, token.Secret, err)
	}
}

func TestCheckPassword(t *testing.T) {
	for password, ok := range map[string]bool{
		strings.Repeat("x", LeastPassword-1): false,
		strings.Repeat("x", LeastPassword):   true,
		strings.Repeat("界", LeastPassword):   true,
		strings.Repeat(" ", LeastPassword):   true, // whoever likes
		strings.Repeat("x", MostPassword):    true,
		strings.Repeat("x", MostPassword+1):  false,
		"ten chars\x00x":                     false,
		"ten chars\xff\xff":                  false,
		"":                                   false,
	} {
		if err := CheckPassword("password", password); (err == nil) != ok {
			t.Errorf("%q: %v", password, err)
		}
	}
}
