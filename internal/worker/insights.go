package worker

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// RebuildPiece is how many requests one transaction checks. It is small because
// others wait for the transaction.
const RebuildPiece = 100

// RebuildInsights rebuilds the facts of an account that insights are answered from,
// while other work goes on. After each piece it calls report with how many requests
// it has checked and how many of them were wrong.
func (w *Worker) RebuildInsights(ctx context.Context, account desk.AccountID, report func(looked, wrong int)) error {
	return w.recount(ctx, account, nil, report)
}

// errOnlyChecked undoes a rebuild that was only a check.
var errOnlyChecked = errors.New("the facts were only checked")

// CheckInsights is RebuildInsights, but changes nothing.
func (w *Worker) CheckInsights(ctx context.Context, account desk.AccountID, report func(looked, wrong int)) error {
	return w.recount(ctx, account, errOnlyChecked, report)
}

// recount rebuilds the facts in pieces. Each transaction ends with an error:
// nil keeps its changes, and errOnlyChecked undoes them.
func (w *Worker) recount(ctx context.Context, account desk.AccountID, end error, report func(looked, wrong int)) error {
	looked, wrong := 0, 0
	for last := desk.RequestID(0); ; {
		var n, mended int
		var next desk.RequestID // fn may run more than once
		err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			if next, n, mended, err = tx.RebuildFacts(last, RebuildPiece); err != nil {
				return err
			}
			return end
		})
		if err != nil && !errors.Is(err, errOnlyChecked) {
			return fmt.Errorf("rebuild insights: %w", err)
		}
		if n == 0 {
			return nil
		}
		last, looked, wrong = next, looked+n, wrong+mended
		report(looked, wrong)
	}
}

// RebuildInsights is a job that rebuilds the facts of an account after an upgrade.
type RebuildInsights struct{ Account desk.AccountID }

func (RebuildInsights) Kind() string { return "insights.rebuild" }

func (w *Worker) rebuildInsights(ctx context.Context, _ *job.Job, r RebuildInsights) error {
	return w.RebuildInsights(ctx, r.Account, func(int, int) {})
}
