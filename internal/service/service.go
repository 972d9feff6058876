// Package service holds the operations. Each exported method is one thing that a
// caller can ask for, in one transaction: it checks whether they may, loads,
// applies the rule, saves and records. It knows no HTTP and no SQL.
package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/limit"
	"frontdesk/internal/outside"
	"frontdesk/internal/seal"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
	"frontdesk/internal/webhook"
)

// Config configures a Service. Store is required.
type Config struct {
	Store *store.Store
	// Outside are the systems that accounts can be connected to. Defaults to none.
	Outside *outside.Systems
	// Suggestions derives suggestions from a request's messages. Defaults to rules,
	// which need no network.
	Suggestions suggest.Provider
	// Model is asked by members who want help with a request. Defaults to none: then
	// there is no such help.
	Model *suggest.Model
	// Webhooks checks the addresses of webhooks. Defaults to one that accepts only
	// public addresses.
	Webhooks *webhook.Sender
	// PublicURL is the address under which people reach the server, for links.
	PublicURL string
	// Mail is how the server takes part in mail. Defaults to not at all.
	Mail change.Mail
	// MailTestTime is how long a test of mail waits for its mail. Defaults to 25
	// seconds.
	MailTestTime time.Duration
	// PasswordCost is what hashing a password costs. Defaults to 19 MiB and two
	// passes.
	PasswordCost PasswordCost
	// TokensKept is how long a token is trusted without looking it up again. If
	// another process revokes it, it is refused within this time. Defaults to half
	// a second.
	TokensKept time.Duration
	// RefusalLimit is how many calls an address may make without a valid token or
	// session, both per minute and at once. For IPv6, a /64 counts as one address.
	// 0 means no limit.
	RefusalLimit int
	// Log defaults to slog.Default().
	Log *slog.Logger
}

// Service performs the operations. It is safe for concurrent use.
type Service struct {
	store     *store.Store
	outside   *outside.Systems
	change    change.Setup
	webhooks  *webhook.Sender
	log       *slog.Logger
	process   string // names this process as the holder of leases
	bearers   bearers
	strangers *limit.Buckets[string]
	states    seal.Signer // for what a person carries to an authorization page
	tries     seal.Signer // for digests of what attempts to sign in are counted for
	devices   seal.Signer // for known browsers
	proofs    seal.Signer // for proofs, with which people choose an account
	firstRun  seal.Signer // for the code of the first run
	passwords *passwords
	following sharedFeed
	presences *presences
	notified  notified
	mailTest  time.Duration  // how long a test of mail waits
	model     *suggest.Model // nil: there is none
	asking    askers
	insights  insights.Engine
	leftKeys  leftKeys

	hasAccounts atomic.Bool // false: not known yet
}

// New returns a service. Operations work at once. Run does what must happen in the
// background.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Outside == nil {
		c.Outside = outside.New(outside.Config{Store: c.Store})
	}
	if c.Webhooks == nil {
		c.Webhooks = webhook.NewSender(nil)
	}
	s := &Service{
		store: c.Store, outside: c.Outside, change: change.NewSetup(c.Store, c.PublicURL, c.Suggestions, c.Mail),
		webhooks: c.Webhooks, log: c.Log, process: rand.Text(),
		strangers: limit.New[string](c.RefusalLimit, c.RefusalLimit),
		states:    c.Store.Signer("connect"), tries: c.Store.Signer("try"), devices: c.Store.Signer("device"),
		proofs: c.Store.Signer("proof"), firstRun: c.Store.Signer("first run"),
		passwords: newPasswords(c.PasswordCost),
		mailTest:  cmp.Or(c.MailTestTime, 25*time.Second),
		model:     c.Model,
		insights:  insights.NewColumns(insights.ColumnsConfig{Now: c.Store.Now}),
		leftKeys:  leftKeys{keys: map[desk.AccountID][]leftKey{}, bell: make(chan struct{}, 1)},
	}
	s.bearers.init(cmp.Or(c.TokensKept, bearerKept))
	s.following.rung, s.following.now = c.Store.DB().Rung(store.TopicFeed), c.Store.Now
	s.presences = newPresences(c.Store.Now)
	c.Store.DB().Hear(topicPresence, s.hearPresence) // as long as the database is open
	c.Store.DB().Hear(topicNotified, s.hearNotified)
	return s
}

// Run records the use of tokens, keeps the columns of insights up to date, and
// releases idempotency keys that the database was away for, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { s.noteUse(ctx) })
	running.Go(func() { s.insights.Run(store.PreferReplica(ctx), s.log) })
	running.Go(func() { s.releaseLeft(ctx) })
	running.Wait()
}

// Ready returns an error if operations cannot work because the database does not
// answer.
func (s *Service) Ready(ctx context.Context) error { return s.store.DB().Ping(ctx) }

// Caller is who asks for an operation, and how.
type Caller struct {
	Account desk.AccountID
	Actor   desk.Actor
	Role    desk.Role
	Reach   desk.Reach // which collections the member has
	Token   desk.TokenID
	Scope   desk.Scope
	Session bool // the token is a session

	// Key is the caller's idempotency key, or nil. Answer turns the operation's
	// result into the answer, which is saved in the operation's transaction.
	Key    *desk.IdempotencyKey
	Answer func(result any) (desk.Answer, error)
}

// may returns Forbidden if the caller's role or token does not allow an operation.
func (c Caller) may(op desk.Operation) error { return desk.May(op, c.Role, c.Scope) }

// reach returns the collections that the caller has for an operation.
func (c Caller) reach(op desk.Operation) desk.Reach { return desk.ReachFor(op, c.Role, c.Reach) }

// findChannels looks up channels that the directory does not have, and reports
// whether it has any of them now. If it cannot ask the chat system, the operation is
// refused as it would have been.
func (s *Service) findChannels(ctx context.Context, account desk.AccountID, ids []string) bool {
	found, err := s.outside.FindChannels(ctx, account, ids)
	if err != nil {
		s.log.WarnContext(ctx, "look up channels", "account", int64(account), "error", err)
	}
	return found
}

// write runs an operation that changes something, if the caller may. Its result is
// saved as the answer to the caller's idempotency key in the same transaction. If
// the operation fails because it names channels that the directory does not have,
// write looks them up in the chat system and tries once more.
func write[R any](ctx context.Context, s *Service, c Caller, op desk.Operation, fn func(*store.Tx) (R, error)) (r R, err error) {
	if err := c.may(op); err != nil {
		return r, err
	}
	var unseen []string
	attempt := func() error {
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			r, err = fn(tx)
			if unseen = tx.Unseen; err != nil || c.Key == nil {
				return err
			}
			a, err := c.Answer(r)
			if err != nil {
				return err
			}
			return tx.FinishKey(*c.Key, a)
		})
	}
	err = attempt()
	if kind := desk.KindOf(err); len(unseen) > 0 && (kind == desk.Invalid || kind == desk.NotFound) && s.findChannels(ctx, c.Account, unseen) {
		err = attempt()
	}
	if err != nil {
		var none R
		return none, during(op, err)
	}
	return r, nil
}

// during says in which operation something failed, for the log. What callers are
// told stays as it is.
func during(op desk.Operation, err error) error {
	if err == nil || desk.KindOf(err) != desk.Internal {
		return err
	}
	return fmt.Errorf("%s: %w", op, err)
}

// look runs an operation that reads with a single statement, if the caller may.
func look[R any](ctx context.Context, s *Service, c Caller, op desk.Operation, fn func(*store.Tx) (R, error)) (r R, err error) {
	if err := c.may(op); err != nil {
		return r, err
	}
	r, err = transact(reading(ctx, op), c.Account, s.store.Look, fn)
	return r, during(op, err)
}

// read runs an operation that reads with several statements, if the caller may. All
// of them see the same moment.
func read[R any](ctx context.Context, s *Service, c Caller, op desk.Operation, fn func(*store.Tx) (R, error)) (r R, err error) {
	if err := c.may(op); err != nil {
		return r, err
	}
	r, err = transact(reading(ctx, op), c.Account, s.store.Read, fn)
	return r, during(op, err)
}

// far are the operations that read much, so that a replica of the database may
// answer them, if there is one. For the others, asking it would cost more than it
// saves.
var far = map[desk.Operation]bool{
	desk.ListRequests: true, desk.SearchRequests: true, desk.QueryInsights: true,
	desk.ListCustomers: true, desk.SearchCustomers: true, desk.ListUsers: true,
	desk.ListAnnouncements: true, desk.ListAnnouncementMessages: true,
	desk.ListHistory: true, desk.ListAuditLogs: true, desk.ListDeliveries: true, desk.ListAgentSessions: true,
}

// reading returns the context for what an operation reads.
func reading(ctx context.Context, op desk.Operation) context.Context {
	if far[op] {
		return store.PreferReplica(ctx)
	}
	return ctx
}

// transact returns what fn returns inside a transaction that open opens. Operations
// do not call it, because it does not check whether anybody may.
func transact[R any](ctx context.Context, account desk.AccountID, open func(context.Context, desk.AccountID, func(*store.Tx) error) error, fn func(*store.Tx) (R, error)) (r R, err error) {
	err = open(ctx, account, func(tx *store.Tx) (err error) {
		r, err = fn(tx)
		return err
	})
	return r, err
}

// None is the result of an operation that returns nothing.
type None struct{}

// noteEvery is how often the use of tokens is saved.
const noteEvery = 20 * time.Second
