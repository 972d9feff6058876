package worker

import (
	"context"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// RecomputePiece is how many requests one transaction recomputes. It is small
// because others wait for the transaction.
const RecomputePiece = 20

func (w *Worker) recomputeSLA(ctx context.Context, _ *job.Job, a change.RecomputeSLA) error {
	for done := false; !done; {
		err := w.store.Write(ctx, a.Account, func(tx *store.Tx) (err error) {
			done, err = recomputeSome(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recomputeSome recomputes one piece of the requests. It returns true after the
// last piece.
func recomputeSome(tx *store.Tx) (done bool, err error) {
	progress, last, err := tx.SLARecomputation()
	if err != nil || progress.Scope == "" || progress.FinishedAt != nil {
		return true, err
	}
	f, p := desk.RequestFilter{Reach: desk.Everything}, desk.Page{Limit: RecomputePiece, Ascending: true}
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
	t, err := change.SLATerms(tx)
	if err != nil {
		return false, err
	}
	for _, r := range l.Items {
		if err := recomputeRequest(tx, t, r); err != nil {
			return false, err
		}
		last = desk.Position{At: r.CreatedAt, ID: int64(r.ID)}
	}
	return l.Next == nil, tx.MoveSLARecomputation(len(l.Items), last, l.Next == nil)
}

// recomputeRequest computes the clocks of a request under the current terms. What
// was true when the clocks started decides which policy applies. A clock that is
// breached now and still runs raises an alert. One that has ended is history and
// raises none.
func recomputeRequest(tx *store.Tx, t *change.Terms, r desk.Request) error {
	if r.State == nil {
		return nil
	}
	start, err := change.SLAStartOf(tx, r)
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
	clocks, err := t.Clocks(tx, r, start, changes, change.RepliesOf(tx, r.ID))
	if err != nil {
		return err
	}
	for i, c := range clocks {
		before := slices.IndexFunc(r.SLAs, func(b desk.SLA) bool { return b.Kind == c.Kind })
		if c.Breached(tx.Now) && before >= 0 {
			clocks[i].ToldAt = r.SLAs[before].ToldAt
		}
		if c.End != nil {
			change.MarkBreachesAlerted(clocks[i:i+1], tx.Now)
		}
	}
	if err := change.SaveClocks(tx, &r, clocks); err != nil {
		return err
	}
	return change.AlertBreaches(tx, &r)
}
