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

// sendWaiting says it in one transaction with the mark that it was said, so that
// it is said once; who takes it back meanwhile comes before or after that. What
// has become impossible is kept, with the reason, for its author to see.
func (s *Worker) sendWaiting(ctx context.Context, _ *job.Job, a change.SendWaiting) error {
	err := s.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		w, err := tx.WaitingMessage(a.Message)
		switch {
		case desk.KindOf(err) == desk.NotFound:
			return nil // it was taken back, long ago
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
		m, err := s.change.AddMessage(tx, by, reach, w.Request, w.New())
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

// authorOf returns the author of a waiting message and what they reach now. It gives
// Refused or Forbidden if they may no longer send it.
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

// SweepWaiting forgets messages that were said or taken back, and files that
// nobody has sent after all.
type SweepWaiting struct{}

func (SweepWaiting) Kind() string { return "message.sweep" }

func (w *Worker) sweepWaiting(ctx context.Context, _ *job.Job, _ SweepWaiting) error {
	accounts, err := w.store.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := w.store.Write(ctx, a, func(tx *store.Tx) error { return tx.SweepWaiting(tx.Now.Add(-desk.KeptTaken)) }); err != nil {
			return err
		}
	}
	return nil
}
