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
	// Neither accepts the other's secrets.
	token, err := NewToken{Name: "x", Scope: ReadOnly}.Token(Member{ID: 7}, now)
	if err != nil || SessionPrefix(made.Secret) != made.Prefix || TokenPrefix(made.Secret) != "" || SessionPrefix(token.Secret) != "" || TokenPrefix(token.Secret) != token.Prefix {
		t.Errorf("%s, %s, %v", made.Secret, token.Secret, err)
	}
}

func TestCheckPassword(t *testing.T) {
	for password, ok := range map[string]bool{
		strings.Repeat("x", LeastPassword-1): false,
		strings.Repeat("ö", LeastPassword):   true,
		strings.Repeat("界", LeastPassword):   true,
		strings.Repeat(" ", LeastPassword):   true, // if somebody wants it
		strings.Repeat("x", MostPassword):    true,
		strings.Repeat("x", MostPassword+1):  false,
		"ten chars\x00x":                     false,
		"ten chars\xff\xff":                  false,
		"":                                   false,
	} {
		if err := CheckPassword("password", password, "jo@acme.example"); (err == nil) != ok {
			t.Errorf("%q: %v", password, err)
		}
	}
}

func TestGuessablePasswords(t *testing.T) {
	const email = "Jo.Svensson@harbor-pine.example"
	for password, want := range map[string]string{
		"qwertyuiop":                      "many people use it",
		"QWERTYuiop":                      "many people use it",
		"1234567890":                      "many people use it",
		"password123":                     "many people use it",
		"Password!2026":                   "many people use it",
		"***sunshine***":                  "many people use it",
		"basketball":                      "many people use it",
		"frontdesk1":                      "the name of this product",
		"Front-Desk 2026!":                "the name of this product",
		"jo.svensson@harbor-pine.example": "your email",
		"JoSvensson1":                     "your email",
		"2026 jo svensson":                "your email",
		"Harborpine1":                     "your email",
		"harbor-pine.example":             "your email",
		"correct horse":                   "",
		"correct horse battery staple":    "",
		"frontdesk-demo":                  "",
		"jo svensson likes tea":           "",
		"4815 1623 4299 0172":             "",
	} {
		err := CheckPassword("password", password, email)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", password, err, want)
		}
	}
	// The list has at least 10,000 entries, unique and sorted; otherwise the lookup
	// would miss some.
	n := len(commonPasswords) / digestSize
	if n < 10_000 || n*digestSize != len(commonPasswords) {
		t.Errorf("the list has %d bytes", len(commonPasswords))
	}
	for i := 1; i < n; i++ {
		if commonPasswords[(i-1)*digestSize:i*digestSize] >= commonPasswords[i*digestSize:(i+1)*digestSize] {
			t.Fatalf("entry %d is not behind the one before", i)
		}
	}
}
