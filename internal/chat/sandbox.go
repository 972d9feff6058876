package chat

import (
	"context"

	"frontdesk/internal/desk"
)

// Sandbox is the chat system in the box, where this server is the one that runs
// it. Accounts reach it through a System like any other; this is what nobody can
// do with somebody else's.
type Sandbox interface {
	// Make makes a workspace and lets us in. Its owner is named as given.
	Make(ctx context.Context, name, ownerName, ownerEmail string) (Installation, error)
	// Has reports whether a workspace is one of it. Those of another system, or of
	// a sandbox that is gone, are not.
	Has(ctx context.Context, workspace string) (bool, error)
	// Users are those of a workspace as whom one may act.
	Users(ctx context.Context, workspace string) ([]desk.SandboxUser, error)
	// Token lets its holder act as somebody of a workspace. It gives NotFound for
	// who is not in it, and Refused for a bot and for who has left.
	Token(ctx context.Context, workspace, user string) (string, error)
}
