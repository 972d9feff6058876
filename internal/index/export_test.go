package index

import (
	"context"
	"log/slog"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// RequestsAtOnce is how many requests are indexed together.
const RequestsAtOnce = requestsAtOnce

// UpdatePiece advances the search index of an account by as little as one
// transaction does.
func UpdatePiece(ctx context.Context, s *store.Store, account desk.AccountID) (more bool, err error) {
	more, _, err = updatePiece(ctx, s, account, 0)
	return more, err
}

// FindBehind looks for indexes that are behind, as the indexer does from time to
// time.
func FindBehind(ctx context.Context, x *Indexer) { x.findBehind(ctx, slog.Default()) }
