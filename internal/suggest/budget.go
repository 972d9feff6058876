package suggest

import (
	"context"

	"frontdesk/internal/desk"
)

// Budget limits what an account's questions to a model may cost in a day. The
// caller stores the count where it survives the process. It also decides whether to
// count tokens or calls, and when a day begins.
type Budget interface {
	// Reserve takes roughly this many tokens off today's budget before a call. It
	// returns false and takes nothing if that is more than is left.
	Reserve(ctx context.Context, account desk.AccountID, tokens int) (bool, error)
	// Settle follows a successful Reserve, and replaces the reserved tokens by
	// those really used: zero if the call cost nothing.
	Settle(ctx context.Context, account desk.AccountID, reserved, used int) error
}
