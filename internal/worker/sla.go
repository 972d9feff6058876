package worker

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

func (s *Worker) watchSLA(ctx context.Context, _ *job.Job, w change.WatchSLA) error {
	return s.store.Write(ctx, w.Account, func(tx *store.Tx) error {
		r, err := tx.Request(w.Request, desk.Everything)
		if err != nil {
			return err
		}
		for _, c := range r.SLAs {
			if c.Kind == w.SLA && c.Since != nil && c.Due != nil && !c.Breached(tx.Now) && r.MergedInto == nil {
				if err := change.TellIfDueSoon(tx, r, c); err != nil {
					return err
				}
				return change.WatchClock(tx, r.ID, c)
			}
		}
		return change.AlertBreaches(tx, &r)
	})
}
