package service

import (
	"context"
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SLARecomputation returns how far requests have followed the last change of
// policies and schedules.
func (s *Service) SLARecomputation(ctx context.Context, c Caller) (desk.SLARecomputation, error) {
	return look(ctx, s, c, desk.GetSLARecomputation, func(tx *store.Tx) (desk.SLARecomputation, error) {
		r, _, err := tx.SLARecomputation()
		return r, err
	})
}

// recomputeSoon has the clocks of requests recomputed: by default those of open
// requests.
func recomputeSoon(tx *store.Tx, scope *desk.Recompute) error {
	wanted := desk.RecomputeOpen
	if scope != nil {
		wanted = *scope
	}
	if err := tx.BeginSLARecomputation(wanted); err != nil {
		return err
	}
	return job.Add(tx.Tx, change.RecomputeSLA{Account: tx.Account}, tx.Now, job.Key(fmt.Sprint(tx.Account)))
}
