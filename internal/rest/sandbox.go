package rest

import "frontdesk/internal/desk"

// newSandboxToken reads which user of the sandbox to act as.
func newSandboxToken(b object) desk.NewSandboxToken {
	return desk.NewSandboxToken{User: b.required("user_id")}
}
