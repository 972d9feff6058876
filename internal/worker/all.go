package worker

import (
	"context"
	"iter"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// eachAccount calls fn for every account.
func (w *Worker) eachAccount(ctx context.Context, fn func(desk.AccountID) error) error {
	accounts, err := w.store.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := fn(a); err != nil {
			return err
		}
	}
	return nil
}

// eachConnected calls fn for every account that is connected to one of the systems.
func (w *Worker) eachConnected(ctx context.Context, systems iter.Seq[desk.IntegrationKind], fn func(desk.AccountID, desk.IntegrationKind) error) error {
	for kind := range systems {
		connected, err := w.store.Connected(ctx, kind)
		if err != nil {
			return err
		}
		for _, c := range connected {
			if err := fn(c.Account, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// queueAll queues jobs for everything that list finds. One transaction handles some
// of it, because there may be a lot. list returns what comes after an id, in order.
func queueAll[ID any](ctx context.Context, w *Worker, account desk.AccountID, list func(tx *store.Tx, after ID, limit int) ([]ID, error), queue func(*store.Tx, ID) error) error {
	const atOnce = 200
	for after := *new(ID); ; {
		var found []ID
		err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			if found, err = list(tx, after, atOnce); err != nil {
				return err
			}
			for _, id := range found {
				if err := queue(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(found) < atOnce {
			return err
		}
		after = found[len(found)-1]
	}
}
