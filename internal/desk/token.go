package desk

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"time"
)

// Scope limits what a token may do, whatever its member's role.
type Scope string

const (
	ReadOnly  Scope = "read_only"
	ReadWrite Scope = "read_write"
)

type TokenID int64

// Token lets a program act as a member. Only a digest of its secret is stored. The
// secret itself is shown once, when it is made.
type Token struct {
	ID         TokenID
	Member     MemberID
	Name       string
	Scope      Scope
	Prefix     string // the beginning of the secret, to recognise and find it
	Digest     [sha256.Size]byte
	CreatedAt  time.Time
	ExpiresAt  *time.Time // nil: never
	LastUsedAt *time.Time // nil: never used; accurate to a minute

	// Only for a session; see Session.
	Session bool
	Browser string
	IP      string
}

func (t Token) Named() (resource, id string) { return "Token", FormatID(t.ID) }

// MadeToken is a new token with its secret.
type MadeToken struct {
	Token
	Secret string
}

// NewToken is the input for a new token. Without ExpiresAt it is valid for
// TokenKept. Only null makes a token that never expires.
type NewToken struct {
	Body
	Name      string
	Scope     Scope
	ExpiresAt Nullable[time.Time]
}

const (
	// TokenKept is how long a token is valid by default.
	TokenKept = 365 * 24 * time.Hour
	// MostTokens bounds the valid tokens of a member.
	MostTokens = 100
)

// ErrTooManyTokens refuses a token beyond MostTokens.
var ErrTooManyTokens = Errorf(Invalid, "A member can have at most %d valid tokens. Revoke one that is no longer used.", MostTokens)

const (
	tokenMark     = "fd_"
	prefixLength  = len(tokenMark) + 8
	secretLength  = prefixLength + 26
	mostTokenName = 100
)

// Token checks the input and makes a token with a random secret.
func (n NewToken) Token(member Member, now time.Time) (MadeToken, error) {
	p := n.problems()
	p.Text("name", &n.Name, 1, mostTokenName)
	OneOf(&p, "scope", n.Scope, ReadOnly, ReadWrite)
	expires := n.ExpiresAt.Value
	if !n.ExpiresAt.Given {
		year := now.Add(TokenKept)
		expires = &year
	}
	if expires != nil && !expires.After(now) {
		p.Add("expires_at", "must be in the future")
	}
	if err := p.Err(); err != nil {
		return MadeToken{}, err
	}
	// rand.Text has 26 characters of five random bits.
	secret := tokenMark + strings.ToLower(rand.Text()[:8]+rand.Text())
	return MadeToken{Secret: secret, Token: Token{
		Member: member.ID, Name: n.Name, Scope: n.Scope,
		Prefix: secret[:prefixLength], Digest: sha256.Sum256([]byte(secret)),
		CreatedAt: now, ExpiresAt: expires,
	}}, nil
}

// TokenPrefix returns the part of a secret that a token is found by, empty for a
// text that cannot be our secret.
func TokenPrefix(secret string) string { return prefixOf(secret, tokenMark) }

func prefixOf(secret, mark string) string {
	random, ok := strings.CutPrefix(secret, mark)
	if !ok || len(secret) != secretLength || strings.ContainsFunc(random, notBase32) {
		return ""
	}
	return secret[:prefixLength]
}

// notBase32 matches characters that rand.Text in lower case never returns.
// PostgreSQL would not even accept some of them as text.
func notBase32(r rune) bool { return (r < 'a' || r > 'z') && (r < '2' || r > '7') }

// Opens reports whether secret is this token's and the token is still valid. It
// takes the same time for every secret.
func (t *Token) Opens(secret string, now time.Time) bool {
	digest := sha256.Sum256([]byte(secret))
	same := subtle.ConstantTimeCompare(digest[:], t.Digest[:]) == 1
	return same && (t.ExpiresAt == nil || now.Before(*t.ExpiresAt))
}
