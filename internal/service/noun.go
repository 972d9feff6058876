package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// What operations on most nouns have in common, around the rules of each noun. An
// operation that does more is written out with write.

// added adds a new noun if there is room for it, and records it.
func added[N desk.Noun](tx *store.Tx, c Caller, action string, n N, add func(*N) error) (N, error) {
	if err := tx.CheckRoom(n); err != nil {
		return n, err
	}
	if err := add(&n); err != nil {
		return n, err
	}
	return n, change.Record(tx, c.Actor, action, nil, n)
}

// update finds a noun, has fn change and save it, and records the change. Like every
// Apply, fn replaces the maps and slices that it changes, so that before stays as it
// was.
func update[A ~string, ID any, N desk.Noun](ctx context.Context, s *Service, c Caller, op desk.Operation, action A, id ID,
	find func(*store.Tx, ID) (N, error), fn func(tx *store.Tx, before N, n *N) error) (N, error) {
	return write(ctx, s, c, op, func(tx *store.Tx) (N, error) {
		n, err := find(tx, id)
		if err != nil {
			return n, err
		}
		before := n
		if err := fn(tx, before, &n); err != nil {
			return n, err
		}
		return n, change.Record(tx, c.Actor, action, before, n)
	})
}

// remove finds a noun that may go, removes it and records that.
func remove[A ~string, ID any, N desk.Noun](ctx context.Context, s *Service, c Caller, op desk.Operation, action A, id ID,
	find func(*store.Tx, ID) (N, error), fn func(*store.Tx, ID) error) (None, error) {
	return write(ctx, s, c, op, func(tx *store.Tx) (None, error) {
		n, err := find(tx, id)
		if err != nil {
			return None{}, err
		}
		if err := fn(tx, id); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, action, n, nil)
	})
}

// restore takes back the removal of a noun that was removed a short while ago, if there
// is room for it again, and records that.
func restore[A ~string, ID any, N desk.Noun](ctx context.Context, s *Service, c Caller, op desk.Operation, action A, id ID,
	find func(*store.Tx, ID) (N, error), fn func(*store.Tx, ID) error) (N, error) {
	return write(ctx, s, c, op, func(tx *store.Tx) (N, error) {
		n, err := find(tx, id)
		if err != nil {
			return n, err
		}
		if err := tx.CheckRoom(n); err != nil {
			return n, err
		}
		if err := fn(tx, id); err != nil {
			return n, err
		}
		return n, change.Record(tx, c.Actor, action, nil, n)
	})
}
