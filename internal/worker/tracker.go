package worker

import (
	"context"
	"errors"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/outside"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// HookUser is the user under whom the signing secret of a ticket system is stored
// as a credential.
const HookUser = "webhook"

// trackerJob turns the result of a job that talks to a ticket system into one that
// the runner understands. A ticket that does not exist ends the job without an
// error; the next reading of links asks for it again.
func trackerJob(err error) error {
	var e *desk.Error
	switch {
	case errors.Is(err, outside.ErrNoTracker), errors.Is(err, tracker.ErrLost), desk.KindOf(err) == desk.NotFound:
		return nil // connecting again queues the work again
	case errors.As(err, &e) && e.Kind == desk.Busy:
		return job.Snooze(e.RetryAfter)
	}
	return err
}

func (w *Worker) watchTracker(ctx context.Context, _ *job.Job, a change.WatchTracker) error {
	i, err := w.outside.TrackerIntegration(ctx, a.Account, a.Integration)
	if err != nil {
		return trackerJob(err)
	}
	return trackerJob(w.outside.WithTracker(ctx, a.Account, desk.TicketType(i.Kind), func(i desk.Integration, t tracker.Tracker) error {
		call, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		secret, err := t.Watch(call, w.change.TrackerHookURL(i))
		switch kind := desk.KindOf(err); {
		case errors.Is(err, tracker.ErrLost):
			return err
		case kind == desk.Forbidden, kind == desk.Refused, kind == desk.Invalid:
			w.log.Warn("a ticket system refuses to report changes; linked tickets are read every ten minutes", "account", int64(a.Account), "system", string(i.Kind), "reason", err)
			return nil
		case err != nil:
			return err
		}
		return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.PutCredential(i.ID, HookUser, []byte(secret)) })
	}))
}

// ReceiveTracker handles a call that a ticket system makes to our address. When it
// returns nil, what follows from the call is on disk. It returns a NotFound error
// if no integration has the address, and a Forbidden error if the call is not
// signed correctly.
func (w *Worker) ReceiveTracker(ctx context.Context, kind desk.IntegrationKind, id desk.IntegrationID, h tracker.Header, body []byte) error {
	system, ok := w.outside.Trackers[kind]
	if !ok {
		return desk.Missing("Integration")
	}
	c, ok, err := w.store.TrackerAt(ctx, kind, id)
	if err != nil {
		return err
	}
	if !ok {
		return desk.Missing("Integration")
	}
	var secret []byte
	if err := w.store.Look(ctx, c.Account, func(tx *store.Tx) (err error) {
		secret, err = tx.Credential(id, HookUser)
		return err
	}); err != nil {
		return err
	}
	heard, err := system.Hear(string(secret), h, body, w.store.Now())
	if err != nil || len(heard.Tickets) == 0 {
		return err
	}
	return w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
		for _, ticket := range heard.Tickets {
			links, err := tx.LinksTo(desk.TicketType(kind), desk.CleanText(ticket))
			if err != nil {
				return err
			}
			for _, l := range links {
				if err := change.SyncLinkSoon(tx, l); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
