package service

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// recomputePiece is how many requests follow in one transaction: others wait for
// it.
const recomputePiece = 20

// SLARecomputation is how far requests have followed the last change of policies
// and schedules.
func (s *Service) SLARecomputation(ctx context.Context, c Caller) (desk.SLARecomputation, error) {
	if err := c.may(desk.GetSLARecomputation); err != nil {
		return desk.SLARecomputation{}, err
	}
	return look(ctx, s, c, func(tx *store.Tx) (desk.SLARecomputation, error) {
		r, _, err := tx.SLARecomputation()
		return r, err
	})
}

// recomputeSoon has requests follow a change: those that are open, unless
// somebody says otherwise.
func recomputeSoon(tx *store.Tx, scope *desk.Recompute) error {
	wanted := desk.RecomputeOpen
	if scope != nil {
		wanted = *scope
	}
	if err := tx.BeginSLARecomputation(wanted); err != nil {
		return err
	}
	return job.Add(tx.Tx, recomputeSLA{tx.Account}, tx.Now, job.Key(fmt.Sprint(tx.Account)))
}

// recomputeSLA has requests follow the policies and schedules of an account, in
// pieces. How far it has come is kept with each.
type recomputeSLA struct{ Account desk.AccountID }

func (recomputeSLA) Kind() string { return "sla.recompute" }

func (s *Service) recomputeSLA(ctx context.Context, _ *job.Job, a recomputeSLA) error {
	for done := false; !done; {
		err := s.store.Write(ctx, a.Account, func(tx *store.Tx) (err error) {
			done, err = recomputeSome(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recomputeSome has a piece of the requests follow; done where that was the last.
func recomputeSome(tx *store.Tx) (done bool, err error) {
	progress, last, err := tx.SLARecomputation()
	if err != nil || progress.Scope == "" || progress.FinishedAt != nil {
		return true, err
	}
	f, p := desk.RequestFilter{Reach: desk.Everything}, desk.Page{Limit: recomputePiece, Ascending: true}
	if progress.Scope == desk.RecomputeOpen {
		f.States = []desk.State{desk.Open, desk.InProgress, desk.Pending, desk.OnHold}
	}
	if last.ID != 0 {
		p.From = &last
	}
	l, err := tx.Requests(f, p)
	if err != nil {
		return false, err
	}
	t, err := slaTerms(tx)
	if err != nil {
		return false, err
	}
	for _, r := range l.Items {
		if err := recompute(tx, t, r); err != nil {
			return false, err
		}
		last = desk.Position{At: r.CreatedAt, ID: int64(r.ID)}
	}
	return l.Next == nil, tx.MoveSLARecomputation(len(l.Items), last, l.Next == nil)
}

// recompute makes the clocks of a request anew by the terms of now. Which policy
// applies is decided by what was true when they started. What is late by it and
// still open is told; what has ended is history, of which nobody is told.
func recompute(tx *store.Tx, t *terms, r desk.Request) error {
	if r.State == nil {
		return nil
	}
	start, err := startOf(tx, r)
	if err != nil {
		return err
	}
	if err := tx.AddSLAStart(r.ID, start); err != nil {
		return err
	}
	changes, err := tx.StateChanges(r.ID)
	if err != nil {
		return err
	}
	clocks, err := t.clocks(tx, r, start, changes, repliesOf(tx, r.ID))
	if err != nil {
		return err
	}
	for i, c := range clocks {
		before := slices.IndexFunc(r.SLAs, func(b desk.SLA) bool { return b.Kind == c.Kind })
		if c.Breached(tx.Now) && before >= 0 {
			clocks[i].ToldAt = r.SLAs[before].ToldAt
		}
		if c.End != nil {
			concede(clocks[i:i+1], tx.Now)
		}
	}
	if err := keepClocks(tx, &r, clocks); err != nil {
		return err
	}
	return tellLate(tx, &r)
}
