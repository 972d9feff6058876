package rest

import "frontdesk/internal/desk"

// newToken reads a new token.
func newToken(b object) desk.NewToken {
	return desk.NewToken{Name: b.required("name"), Scope: desk.Scope(b.required("scope")), ExpiresAt: b.nullableMoment("expires_at")}
}
