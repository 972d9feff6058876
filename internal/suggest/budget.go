package suggest

import (
	"context"

	"frontdesk/internal/desk"
)

// Budget limits what an account's questions to a model may cost in a day. The
// caller keeps the count where it outlives the process; whether it counts
// tokens or calls, and when a day begins, is its business.
type Budget interface {
	// Reserve takes about so many tokens off today's budget before a call, and
	// reports false where that is more than is left: then nothing is taken.
	Reserve(ctx context.Context, account desk.AccountID, tokens int) (bool, error)
	// Settle follows a Reserve that was granted, and puts the tokens really used
	// in place of those reserved: zero where the call cost nothing.
	Settle(ctx context.Context, account desk.AccountID, reserved, used int) error
}
