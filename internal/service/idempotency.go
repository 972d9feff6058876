package service

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

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
		for _, left := range s.leftKeys.named(c.Account, name) {
			if err := tx.ReleaseKey(left); err != nil {
				return err
			}
		}
		k, err = tx.BeginKey(token, name, owner)
		return err
	})
	s.leaveKey(c, k, err) // its commit may have happened, although nobody knows
	return k, err
}

// FinishKey saves an answer that no operation has saved in its transaction: that of
// a refusal, or of a call that changes nothing.
func (s *Service) FinishKey(ctx context.Context, c Caller, k desk.IdempotencyKey, a desk.Answer) error {
	err := s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return tx.FinishKey(k, a) })
	s.leaveKey(c, k, err)
	return err
}

// ReleaseKey gives up a key, so that the call can be tried again. If the database is
// away, Run releases it as soon as it is back.
func (s *Service) ReleaseKey(ctx context.Context, c Caller, k desk.IdempotencyKey) error {
	err := s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return tx.ReleaseKey(k) })
	s.leaveKey(c, k, err)
	return err
}

// RenewKey keeps a key held while a call takes long.
func (s *Service) RenewKey(ctx context.Context, c Caller, k desk.IdempotencyKey) error {
	return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return tx.RenewKey(k) })
}

// leaveKey notes a key that its call could not end, because the database is away.
func (s *Service) leaveKey(c Caller, k desk.IdempotencyKey, err error) {
	if k.ID != 0 && desk.KindOf(err) == desk.Unavailable {
		s.leftKeys.add(c.Account, leftKey{k, time.Now().Add(desk.KeyLease)})
	}
}

// leftKeys are keys that this process holds although their calls have ended. Without
// them, whoever repeats such a call would have to wait until the lease has run out.
// Releasing one is always safe: it does nothing to a key that has its answer or
// another owner.
type leftKeys struct {
	mu   sync.Mutex
	keys map[desk.AccountID][]leftKey
	bell chan struct{} // there are some
}

type leftKey struct {
	desk.IdempotencyKey
	until time.Time // when its lease has run out
}

const (
	// mostLeftKeys limits the keys of an account. The leases of more run out.
	mostLeftKeys = 1000
	// releasePause is how often to try whether the database is back.
	releasePause = 100 * time.Millisecond
)

func (l *leftKeys) add(account desk.AccountID, keys ...leftKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := append(l.keys[account], keys...)
	l.keys[account] = all[:min(len(all), mostLeftKeys)]
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// named returns the keys of a name.
func (l *leftKeys) named(account desk.AccountID, name string) (found []desk.IdempotencyKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.keys[account] {
		if k.Name == name {
			found = append(found, k.IdempotencyKey)
		}
	}
	return found
}

// all returns the keys whose leases have not run out, and forgets the others.
func (l *leftKeys) all(now time.Time) map[desk.AccountID][]leftKey {
	l.mu.Lock()
	defer l.mu.Unlock()
	for account, keys := range l.keys {
		l.keys[account] = slices.DeleteFunc(slices.Clone(keys), func(k leftKey) bool { return now.After(k.until) })
		if len(l.keys[account]) == 0 {
			delete(l.keys, account)
		}
	}
	return maps.Clone(l.keys)
}

// remove forgets the first keys of an account.
func (l *leftKeys) remove(account desk.AccountID, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys[account] = slices.Clone(l.keys[account][n:])
}

// releaseLeft releases left keys until ctx ends.
func (s *Service) releaseLeft(ctx context.Context) {
	for {
		select {
		case <-s.leftKeys.bell:
		case <-ctx.Done():
			return
		}
		for left := s.leftKeys.all(time.Now()); len(left) > 0 && ctx.Err() == nil; left = s.leftKeys.all(time.Now()) {
			if s.releaseAll(ctx, left) {
				continue
			}
			select {
			case <-time.After(releasePause):
			case <-ctx.Done():
			}
		}
	}
}

// releaseAll releases keys, and reports whether the database could be used.
func (s *Service) releaseAll(ctx context.Context, left map[desk.AccountID][]leftKey) bool {
	for account, keys := range left {
		err := s.store.Write(ctx, account, func(tx *store.Tx) error {
			for _, k := range keys {
				if err := tx.ReleaseKey(k.IdempotencyKey); err != nil {
					return err
				}
			}
			return nil
		})
		if desk.KindOf(err) == desk.Unavailable {
			return false
		}
		if err != nil {
			s.log.Warn("release idempotency keys", "error", err) // their leases run out
		}
		s.leftKeys.remove(account, len(keys))
	}
	return true
}
