package desk

import (
	"crypto/sha256"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestNewToken(t *testing.T) {
	shape := regexp.MustCompile(`^fd_[a-z2-7]{34}$`)
	seen := map[string]bool{}
	for range 200 {
		made, err := NewToken{Name: " CI ", Scope: ReadOnly, ExpiresAt: Just(later)}.Token(Member{ID: 5}, early)
		if err != nil {
			t.Fatal(err)
		}
		if !shape.MatchString(made.Secret) {
			t.Fatalf("the secret %q has another shape than %s", made.Secret, shape)
		}
		if made.Prefix != made.Secret[:11] || TokenPrefix(made.Secret) != made.Prefix {
			t.Fatalf("prefix %q of the secret %q", made.Prefix, made.Secret)
		}
		want := Token{Member: 5, Name: "CI", Scope: ReadOnly, Prefix: made.Prefix, Digest: sha256.Sum256([]byte(made.Secret)), CreatedAt: early, ExpiresAt: &later}
		if !reflect.DeepEqual(made.Token, want) {
			t.Fatalf("got %+v, want %+v", made.Token, want)
		}
		if seen[made.Prefix] {
			t.Fatalf("the prefix %q came twice", made.Prefix)
		}
		seen[made.Prefix] = true
	}
}

func TestNewTokenProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		new    NewToken
		fields []string
	}{
		{"fine", NewToken{Name: "CI", Scope: ReadWrite}, nil},
		{"the longest name", NewToken{Name: strings.Repeat("😀", 100), Scope: ReadWrite}, nil},
		{"a long name", NewToken{Name: strings.Repeat("😀", 101), Scope: ReadWrite}, []string{"name"}},
		{"no name", NewToken{Scope: ReadWrite}, []string{"name"}},
		{"no scope", NewToken{Name: "CI"}, []string{"scope"}},
		{"an unknown scope", NewToken{Name: "CI", Scope: "admin"}, []string{"scope"}},
		{"expired before", NewToken{Name: "CI", Scope: ReadOnly, ExpiresAt: Just(early.Add(-time.Millisecond))}, []string{"expires_at"}},
		{"expires at this moment", NewToken{Name: "CI", Scope: ReadOnly, ExpiresAt: Just(early)}, []string{"expires_at"}},
		{"expires a millisecond later", NewToken{Name: "CI", Scope: ReadOnly, ExpiresAt: Just(early.Add(time.Millisecond))}, nil},
		{"everything wrong", NewToken{ExpiresAt: Just(time.Time{})}, []string{"name", "scope", "expires_at"}},
	} {
		made, err := c.new.Token(Member{ID: 5}, early)
		if !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
		if err != nil && made.Secret != "" {
			t.Errorf("%s: a secret in spite of the problem", c.name)
		}
	}
	problem := Errorf(Invalid, "The body is empty.")
	if _, err := (NewToken{Body: Body{problem}, Name: "CI", Scope: ReadOnly}).Token(Member{}, early); err != problem {
		t.Errorf("got %v, want the body's own problem", err)
	}
}

func TestTokenPrefix(t *testing.T) {
	good := "fd_" + strings.Repeat("a2", 17)
	for secret, want := range map[string]string{
		good:                              "fd_a2a2a2a2",
		"":                                "",
		"fd_":                             "",
		good[:len(good)-1]:                "",
		good + "a":                        "",
		"xx_" + good[3:]:                  "",
		"FD_" + good[3:]:                  "",
		strings.Repeat("f", len(good)):    "",
		"fd_A" + good[4:]:                 "",
		"fd_1" + good[4:]:                 "", // neither 0 nor 1 is in the alphabet
		"fd_'" + good[4:]:                 "",
		"fd_\xff" + good[4:]:              "", // PostgreSQL would not even look for it
		"fd_\x00" + good[4:]:              "",
		good[:len(good)-2] + "é":          "",
		good[:len(good)-1] + "\n":         "",
		good[:len(good)-1] + "\xff":       "",
		strings.ToUpper(good):             "",
		"fd_é" + strings.Repeat("a2", 16): "",
	} {
		if got := TokenPrefix(secret); got != want {
			t.Errorf("%q: %q, want %q", secret, got, want)
		}
	}
}

func TestOpens(t *testing.T) {
	made, err := NewToken{Name: "CI", Scope: ReadOnly, ExpiresAt: Just(later)}.Token(Member{}, early)
	if err != nil {
		t.Fatal(err)
	}
	forever := made.Token
	forever.ExpiresAt = nil
	other, err := NewToken{Name: "CI", Scope: ReadOnly}.Token(Member{}, early)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		token  Token
		secret string
		at     time.Time
		want   bool
	}{
		{"its own", made.Token, made.Secret, early, true},
		{"just before the end", made.Token, made.Secret, later.Add(-time.Millisecond), true},
		{"at the end", made.Token, made.Secret, later, false},
		{"behind the end", made.Token, made.Secret, later.Add(time.Hour), false},
		{"without an end", forever, made.Secret, later.AddDate(100, 0, 0), true},
		{"another's", made.Token, other.Secret, early, false},
		{"none", made.Token, "", early, false},
		{"the prefix alone", made.Token, made.Prefix, early, false},
		{"another case", made.Token, strings.ToUpper(made.Secret), early, false},
		{"a token that was not found", Token{}, made.Secret, early, false},
		{"a token that was not found, no secret", Token{}, "", early, false},
	} {
		if got := c.token.Opens(c.secret, c.at); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
