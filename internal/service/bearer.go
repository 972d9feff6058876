package service

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// bearerKept is the default of Config.TokensKept.
const bearerKept = 500 * time.Millisecond

// mostBearers is how many tokens are remembered at most.
const mostBearers = 10_000

// ErrNoToken is the only answer to a missing, unknown, expired or revoked token. It
// does not say which of them it was.
var ErrNoToken = desk.Errorf(desk.Forbidden, "The access token is missing or not valid. Send it as: Authorization: Bearer <token>.")

// Authenticate returns the member who holds a token's secret. It returns ErrNoToken
// unless the token is valid.
func (s *Service) Authenticate(ctx context.Context, secret string) (Caller, error) {
	return s.authenticate(ctx, "", secret, desk.TokenPrefix(secret), ErrNoToken)
}

// authenticate counts refusals for the address that the call comes from. With an
// empty address it counts nothing.
func (s *Service) authenticate(ctx context.Context, from, secret, prefix string, refusal error) (Caller, error) {
	if prefix == "" {
		return Caller{}, s.refuse(from, refusal)
	}
	b, ok, err := s.bearer(ctx, from, secret, prefix)
	if err != nil {
		return Caller{}, err
	}
	// Check the secret even if the token was not found, so that both cases take the
	// same time.
	if now := s.store.Now(); !b.Token.Opens(secret, now) || !ok {
		return Caller{}, s.refuse(from, refusal)
	}
	s.bearers.use(b.Account, b.Token.ID, s.store.Now())
	return Caller{
		Account: b.Account,
		Actor:   desk.Actor{ID: b.Member.ID, Name: b.Member.Name, Email: b.Member.Email, Source: desk.SourceAPI},
		Role:    b.Member.Role,
		Reach:   b.Member.Collections,
		Token:   b.Token.ID,
		Scope:   b.Token.Scope,
		Session: b.Token.Session,
	}, nil
}

func (s *Service) bearer(ctx context.Context, from, secret, prefix string) (store.Bearer, bool, error) {
	kept, fresh := s.bearers.get(prefix)
	if fresh {
		return kept, true, nil
	}
	// A token that was valid a moment ago may always be looked up, whoever else is
	// refused at its address.
	if !kept.Token.Opens(secret, s.store.Now()) {
		if err := s.admitStranger(from); err != nil {
			return store.Bearer{}, false, err
		}
	}
	looked := time.Now()
	b, ok, err := s.store.Bearer(ctx, prefix)
	switch {
	case ok:
		// Use the time before the look-up. Otherwise a token that was revoked
		// during it would count as fresh.
		s.bearers.put(prefix, b, looked)
	case err == nil:
		s.bearers.drop(prefix) // it was revoked elsewhere, so from now on it is a stranger's
	}
	return b, ok, err
}

// RefreshTokens looks up many tokens at once, so that Authenticate need not look up each
// of them for a moment. Those that are no longer valid are forgotten.
func (s *Service) RefreshTokens(ctx context.Context, ids []desk.TokenID) error {
	looked := time.Now()
	found, err := s.store.Bearers(ctx, ids)
	if err != nil {
		return err
	}
	gone := make(map[desk.TokenID]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	for _, b := range found {
		s.bearers.put(b.Token.Prefix, b, looked)
		delete(gone, b.Token.ID)
	}
	if len(gone) > 0 {
		s.bearers.forget(func(k keptBearer) bool { return gone[k.Token.ID] })
	}
	return nil
}

// bearers remembers tokens for a moment, and which of them were used. Its times are
// monotonic, so setting the clock back does not revive a revoked token.
type bearers struct {
	mu      sync.RWMutex
	kept    map[string]keptBearer
	keptFor time.Duration

	usedMu sync.Mutex
	used   map[desk.AccountID]map[desk.TokenID]time.Time
}

type keptBearer struct {
	store.Bearer
	since time.Time
}

func (b *bearers) init(keptFor time.Duration) {
	b.keptFor, b.kept = keptFor, map[string]keptBearer{}
	b.used = map[desk.AccountID]map[desk.TokenID]time.Time{}
}

// get returns a token as it was last found, or the zero value if it was not. fresh
// is false if it must be looked up again.
func (b *bearers) get(prefix string) (found store.Bearer, fresh bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	k, ok := b.kept[prefix]
	return k.Bearer, ok && time.Since(k.since) < b.keptFor
}

func (b *bearers) put(prefix string, found store.Bearer, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.kept) >= mostBearers {
		clear(b.kept) // none of them is older than a moment
	}
	b.kept[prefix] = keptBearer{found, since}
}

func (b *bearers) drop(prefix string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.kept, prefix)
}

// forgetToken, forgetMember and forgetCollection make a change by this process take
// effect at once.
func (b *bearers) forgetToken(id desk.TokenID) {
	b.forget(func(k keptBearer) bool { return k.Token.ID == id })
}

func (b *bearers) forgetMember(id desk.MemberID) {
	b.forget(func(k keptBearer) bool { return k.Member.ID == id })
}

// forgetCollection forgets the members who have a collection on their list.
func (b *bearers) forgetCollection(id desk.CollectionID) {
	b.forget(func(k keptBearer) bool { return !k.Member.Collections.All && k.Member.Collections.Has(id) })
}

func (b *bearers) forget(which func(keptBearer) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for prefix, k := range b.kept {
		if which(k) {
			delete(b.kept, prefix)
		}
	}
}

// use records that a token was used.
func (b *bearers) use(account desk.AccountID, token desk.TokenID, at time.Time) {
	b.usedMu.Lock()
	defer b.usedMu.Unlock()
	tokens := b.used[account]
	if tokens == nil {
		tokens = map[desk.TokenID]time.Time{}
		b.used[account] = tokens
	}
	if at.After(tokens[token]) {
		tokens[token] = at
	}
}

func (b *bearers) takeUsed() map[desk.AccountID]map[desk.TokenID]time.Time {
	b.usedMu.Lock()
	defer b.usedMu.Unlock()
	used := b.used
	b.used = map[desk.AccountID]map[desk.TokenID]time.Time{}
	return used
}
