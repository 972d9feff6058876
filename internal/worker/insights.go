package worker

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// RebuildPiece is how many requests are looked at in one transaction: others wait
// for it.
const RebuildPiece = 100

// RebuildInsights makes the facts that insights are answered from anew for an
// account, beside whatever else happens, and tells after each piece how many
// requests it has looked at and of how many something was wrong.
func (w *Worker) RebuildInsights(ctx context.Context, account desk.AccountID, told func(looked, wrong int)) error {
	looked, wrong := 0, 0
	for last := desk.RequestID(0); ; {
		var n, mended int
		err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			last, n, mended, err = tx.RebuildFacts(last, RebuildPiece)
			return err
		})
		if err != nil {
			return fmt.Errorf("rebuild insights: %w", err)
		}
		if n == 0 {
			return nil
		}
		looked, wrong = looked+n, wrong+mended
		told(looked, wrong)
	}
}

// RebuildInsights does so after an upgrade.
type RebuildInsights struct{ Account desk.AccountID }

func (RebuildInsights) Kind() string { return "insights.rebuild" }

func (w *Worker) rebuildInsights(ctx context.Context, _ *job.Job, r RebuildInsights) error {
	return w.RebuildInsights(ctx, r.Account, func(int, int) {})
}
