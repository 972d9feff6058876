package change

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// WakeRequest is a job that brings a snoozed request back when its time has come.
type WakeRequest struct {
	Account desk.AccountID
	Request desk.RequestID
}

func (WakeRequest) Kind() string { return "request.wake" }

// WakeAt queues the job that brings a request back at a time. A job that comes too
// early, because the time has been moved, queues another.
func WakeAt(tx *store.Tx, id desk.RequestID, at time.Time) error {
	w := WakeRequest{tx.Account, id}
	return job.Add(tx.Tx, w, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d/%d", w.Account, w.Request)))
}

// watchSnooze queues what brings a request back, if a change has snoozed it until
// another time than before, or has separated it from the one that it was merged into.
func watchSnooze(tx *store.Tx, before, after desk.Request) error {
	if !after.Asleep() || after.Snooze.Until == nil || after.MergedInto != nil {
		return nil
	}
	separated := before.MergedInto != nil
	if before.Asleep() && desk.SameTime(before.Snooze.Until, after.Snooze.Until) && !separated {
		return nil
	}
	return WakeAt(tx, after.ID, *after.Snooze.Until)
}

// WakeDue brings a request back if its time has come, and otherwise queues another
// look. It does nothing with a request that is not snoozed until a time, whatever has
// happened to it, so it can run any number of times.
func (s Setup) WakeDue(tx *store.Tx, id desk.RequestID) error {
	r, err := tx.Request(id, desk.Everything)
	switch {
	case desk.KindOf(err) == desk.NotFound:
		return nil
	case err != nil:
		return err
	case !r.Asleep() || r.Snooze.Until == nil || r.MergedInto != nil:
		return nil
	case r.Snooze.Until.After(tx.Now):
		return WakeAt(tx, id, *r.Snooze.Until)
	}
	before := r.Clone()
	r.Wake(desk.BackByTime, tx.Now)
	r.UpdatedAt = tx.Now
	return s.SaveRequest(tx, desk.Actor{Name: "Snooze", Source: desk.SourceSystem}, before, &r)
}
