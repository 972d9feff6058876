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

// HookUser is whose credential a ticket system's signing secret is kept as.
const HookUser = "webhook"

// trackerJob turns the outcome of a job that talks to a ticket system into what
// the runner understands. A ticket that is not there is asked for again when the
// links are read the next time.
func trackerJob(err error) error {
	var e *desk.Error
	switch {
	case errors.Is(err, outside.ErrNoTracker), errors.Is(err, tracker.ErrLost), desk.KindOf(err) == desk.NotFound:
		return nil // connecting it again begins the work anew
	case errors.As(err, &e) && e.Kind == desk.Busy:
		return job.Snooze(e.RetryAfter)
	}
	return err
}

func (w *Worker) watch(ctx context.Context, _ *job.Job, a change.WatchTracker) error {
	i, err := w.outside.TrackerIntegration(ctx, a.Account, a.Integration)
	if err != nil {
		return trackerJob(err)
	}
	return trackerJob(w.outside.WithTracker(ctx, a.Account, desk.TicketType(i.Kind), func(i desk.Integration, t tracker.Tracker) error {
		secret, err := call(ctx, func(ctx context.Context) (string, error) { return t.Watch(ctx, w.change.TrackerHookURL(i)) })
		switch kind := desk.KindOf(err); {
		case errors.Is(err, tracker.ErrLost):
			return err
		case kind == desk.Forbidden, kind == desk.Refused, kind == desk.Invalid:
			w.log.Warn("a ticket system will not tell of changes; linked tickets are read every ten minutes", "account", int64(a.Account), "system", string(i.Kind), "reason", err)
			return nil
		case err != nil:
			return err
		}
		return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.PutCredential(i.ID, HookUser, []byte(secret)) })
	}))
}

// ReceiveTracker takes what a ticket system tells us at our address. When it
// returns nil, what follows from it is on disk. It gives NotFound for an address
// of nobody, and Forbidden for what was not signed as it should be.
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
