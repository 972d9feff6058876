package rest

import "frontdesk/internal/desk"

// newSandboxToken reads which user of the sandbox to act as.
func newSandboxToken(b object) desk.NewSandboxToken {
	n := desk.NewSandboxToken{User: b.required("user_id")}
	n.Problem = b.problem()
	return n
}
