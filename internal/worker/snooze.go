package worker

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

func (w *Worker) wakeRequest(ctx context.Context, _ *job.Job, a change.WakeRequest) error {
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return w.change.WakeDue(tx, a.Request) })
}
