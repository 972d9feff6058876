package wire

import "frontdesk/internal/desk"

// Token is a token on the wire, without its digest.
type Token struct {
	ID         desk.TokenID `json:"id"`
	Name       string       `json:"name"`
	Scope      desk.Scope   `json:"scope"`
	Prefix     string       `json:"prefix"`
	CreatedAt  Time         `json:"created_at"`
	ExpiresAt  *Time        `json:"expires_at"`
	LastUsedAt *Time        `json:"last_used_at"`
}

// MadeToken is a token in the answer that creates it. Only this answer has the
// secret.
type MadeToken struct {
	Token
	Secret string `json:"secret"`
}

// NewToken returns the wire form of a token.
func NewToken(t desk.Token) Token {
	return Token{
		ID: t.ID, Name: t.Name, Scope: t.Scope, Prefix: t.Prefix,
		CreatedAt: NewTime(t.CreatedAt), ExpiresAt: optional(t.ExpiresAt), LastUsedAt: optional(t.LastUsedAt),
	}
}

// NewMadeToken returns the wire form of a new token with its secret.
func NewMadeToken(t desk.MadeToken) MadeToken { return MadeToken{NewToken(t.Token), t.Secret} }
