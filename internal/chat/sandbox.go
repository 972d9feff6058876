package chat

import (
	"context"

	"frontdesk/internal/desk"
)

// Sandbox is the built-in chat system, on the server that runs it. Accounts reach
// it through a System like any other. This interface has what is only possible with
// a system of our own.
type Sandbox interface {
	// Make makes a workspace and lets us in. The owner gets the given name and
	// email.
	Make(ctx context.Context, name, ownerName, ownerEmail string) (Installation, error)
	// Address returns where people open a workspace now. ok is false if the workspace
	// does not belong to this sandbox: it is in another system, or its sandbox is gone.
	Address(ctx context.Context, workspace string) (url string, ok bool, err error)
	// Users returns the people of a workspace one may act as.
	Users(ctx context.Context, workspace string) ([]desk.SandboxUser, error)
	// Token returns a token for acting as a person in a workspace. It returns
	// NotFound if they are not in it, and Refused for a bot or a person who has
	// left.
	Token(ctx context.Context, workspace, user string) (string, error)
}
