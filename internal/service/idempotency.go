package service

import (
	"context"
	"crypto/rand"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// BeginKey takes an idempotency key for a call of the caller, or finds its answer.
// It returns Conflict while another call holds the key. A caller who gets the key
// without an answer must end it with FinishKey or ReleaseKey, unless an operation
// has finished it in its own transaction.
func (s *Service) BeginKey(ctx context.Context, c Caller, name string) (k desk.IdempotencyKey, err error) {
	owner := s.process + " " + rand.Text()[:10] // two calls of one process are two owners
	err = s.store.Write(ctx, c.Account, func(tx *store.Tx) (err error) {
		token := c.Token
		if c.Session {
			if token, err = tx.KeySession(c.Token, name); err != nil {
				return err
			}
		}
		k, err = tx.BeginKey(token, name, owner)
		return err
	})
	return k, err
}

// FinishKey saves an answer that no operation has saved in its transaction: that of
// a refusal, or of a call that changes nothing.
func (s *Service) FinishKey(ctx context.Context, c Caller, k desk.IdempotencyKey, a desk.Answer) error {
	return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return tx.FinishKey(k, a) })
}

// ReleaseKey gives up a key, so that the call can be tried again.
func (s *Service) ReleaseKey(ctx context.Context, c Caller, k desk.IdempotencyKey) error {
	return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return tx.ReleaseKey(k) })
}

// RenewKey keeps a key held while a call takes long.
func (s *Service) RenewKey(ctx context.Context, c Caller, k desk.IdempotencyKey) error {
	return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return tx.RenewKey(k) })
}
