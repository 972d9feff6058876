package wire

import "frontdesk/internal/desk"

// Token is a token on the wire. Its digest is not a part of it.
type Token struct {
	ID         desk.TokenID `json:"id"`
	Name       string       `json:"name"`
	Scope      desk.Scope   `json:"scope"`
	Prefix     string       `json:"prefix"`
	CreatedAt  Time         `json:"created_at"`
	ExpiresAt  *Time        `json:"expires_at"`
	LastUsedAt *Time        `json:"last_used_at"`
}

// MadeToken is a token in the answer that makes it, the only one with the secret.
type MadeToken struct {
	Token
	Secret string `json:"secret"`
}

// NewToken is how a token looks.
func NewToken(t desk.Token) Token {
	return Token{
		ID: t.ID, Name: t.Name, Scope: t.Scope, Prefix: t.Prefix,
		CreatedAt: NewTime(t.CreatedAt), ExpiresAt: optional(t.ExpiresAt), LastUsedAt: optional(t.LastUsedAt),
	}
}

// NewMadeToken is how a new token looks, once.
func NewMadeToken(t desk.MadeToken) MadeToken { return MadeToken{NewToken(t.Token), t.Secret} }
