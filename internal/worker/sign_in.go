package worker

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// recordSignInFailure records a failed sign-in in the audit log. If nobody has the
// email, there is no account to record it for. If the job runs twice, one attempt
// is recorded twice, which does no harm.
func (w *Worker) recordSignInFailure(ctx context.Context, _ *job.Job, f change.SignInFailed) error {
	found, err := w.store.MembersByEmail(ctx, f.Email)
	if err != nil {
		return err
	}
	for _, m := range found {
		err := w.store.Write(ctx, m.Account, func(tx *store.Tx) error {
			by := desk.Actor{Name: "somebody", Email: m.Member.Email, Source: desk.SourceWeb, IP: f.IP}
			return tx.Record(desk.Change{By: by, Action: desk.SignInFailed, Resource: "Member", ID: desk.FormatID(m.Member.ID)})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
