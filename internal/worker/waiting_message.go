package worker

import (
	"context"
	"errors"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// sendWaitingMessage adds the message and marks it as sent in one transaction, so
// that it is sent once. Taking it back happens either before or after that. If the
// message can no longer be sent, the reason is stored for its author to see.
func (s *Worker) sendWaitingMessage(ctx context.Context, _ *job.Job, a change.SendWaitingMessage) error {
	err := s.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		w, err := tx.WaitingMessage(a.Message)
		switch {
		case desk.KindOf(err) == desk.NotFound:
			return nil // it was taken back long ago
		case err != nil:
			return err
		case w.SentAs != nil || w.TakenAt != nil || w.Failure != "":
			return nil
		case w.SendAt.After(tx.Now):
			return job.Snooze(w.SendAt.Sub(tx.Now))
		}
		by, reach, err := authorOf(tx, w)
		if err != nil {
			return err
		}
		m, err := s.change.CreateMessage(tx, by, reach, w.Request, w.New())
		if err != nil {
			return err
		}
		return tx.SetSent(w.ID, m.ID)
	})
	var why *desk.Error
	if errors.As(err, &why) && slices.Contains([]desk.Kind{desk.Refused, desk.NotFound, desk.Forbidden, desk.Invalid}, why.Kind) {
		return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.SetFailed(a.Message, why.Message) })
	}
	return err
}

// authorOf returns the author of a waiting message and which requests they can see
// now. It returns a Refused or Forbidden error if they may no longer send it.
func authorOf(tx *store.Tx, w desk.WaitingMessage) (by desk.Actor, reach desk.Reach, err error) {
	m, err := tx.Member(w.By.ID)
	if desk.KindOf(err) == desk.NotFound {
		return by, reach, desk.Errorf(desk.Refused, "Its author is no longer a member.")
	}
	if err != nil {
		return by, reach, err
	}
	by = w.By
	by.Name, by.Email = m.Name, m.Email
	return by, desk.ReachFor(desk.AddMessage, m.Role, m.Collections), desk.May(desk.AddMessage, m.Role, desk.ReadWrite)
}

// SweepWaiting is a job that removes messages that were sent or taken back, and
// files that nobody sent in the end.
type SweepWaiting struct{}

func (SweepWaiting) Kind() string { return "message.sweep" }

func (w *Worker) sweepWaiting(ctx context.Context, _ *job.Job, _ SweepWaiting) error {
	return w.eachAccount(ctx, func(a desk.AccountID) error {
		return w.store.Write(ctx, a, func(tx *store.Tx) error { return tx.SweepWaiting(tx.Now.Add(-desk.KeptTaken)) })
	})
}
