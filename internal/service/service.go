// Package service holds the operations: one exported method is one thing a
// caller can ask for and one transaction. It asks whether they may, loads,
// applies the rule, saves and records. It knows no HTTP and no SQL.
package service

import (
	"cmp"
	"context"
	"crypto/rand"
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

// Config is what a Service is made of. Store is required.
type Config struct {
	Store *store.Store
	// Outside are the systems that accounts can be connected to. Defaults to none.
	Outside *outside.Systems
	// Suggestions says what a request's messages suggest. Defaults to rules, which
	// need no network.
	Suggestions suggest.Provider
	// Webhooks checks the addresses of webhooks. Defaults to one that accepts only
	// public addresses.
	Webhooks *webhook.Sender
	// PublicURL is where people reach the server, for links.
	PublicURL string
	// PasswordCost is what it costs to hash a password. Defaults to 19 MiB and two
	// passes.
	PasswordCost PasswordCost
	// TokensKept is how long a token that was found is believed without looking
	// again: one that another process revokes is refused within this time. Defaults to
	// half a second.
	TokensKept time.Duration
	// RefusalLimit is how many calls a minute, and at once, an address may make
	// without a valid token or session; of IPv6 a /64. 0 is no limit.
	RefusalLimit int
	// Log defaults to slog.Default().
	Log *slog.Logger
}

// Service does the operations. It is safe for concurrent use.
type Service struct {
	store     *store.Store
	outside   *outside.Systems
	change    change.Setup
	webhooks  *webhook.Sender
	log       *slog.Logger
	process   string // names this process as the holder of leases
	bearers   bearers
	strangers *limit.Buckets[string]
	states    seal.Signer // what a person carries to an authorization page
	tries     seal.Signer // digests of what tries to sign in are counted for
	devices   seal.Signer // browsers that are known
	proofs    seal.Signer // of who somebody is, to choose an account by
	firstRun  seal.Signer // the code of the first run
	passwords *passwords
	following sharedFeed
	insights  insights.Engine
	columns   *insights.Columns // that insights answers from

	hasAccounts atomic.Bool // there is one; unset is not known
}

// New returns a service. Operations work at once. Run does what must happen beside
// them.
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
		store: c.Store, outside: c.Outside, change: change.NewSetup(c.Store, c.PublicURL, c.Suggestions),
		webhooks: c.Webhooks, log: c.Log, process: rand.Text(),
		strangers: limit.New[string](c.RefusalLimit, c.RefusalLimit),
		states:    c.Store.Signer("connect"), tries: c.Store.Signer("try"), devices: c.Store.Signer("device"),
		proofs: c.Store.Signer("proof"), firstRun: c.Store.Signer("first run"),
		passwords: newPasswords(c.PasswordCost),
		columns:   insights.NewColumns(insights.ColumnsConfig{Now: c.Store.Now}),
	}
	s.insights = s.columns
	s.bearers.init(cmp.Or(c.TokensKept, bearerKept))
	s.following.rung, s.following.now = c.Store.DB().Rung(store.TopicFeed), c.Store.Now
	return s
}

// Run notes the use of tokens and keeps the columns of insights up to date until ctx
// ends.
func (s *Service) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { s.noteUse(ctx) })
	running.Go(func() { s.columns.Run(ctx, s.log) })
	running.Wait()
}

// Ready reports whether operations can be done: the database answers.
func (s *Service) Ready(ctx context.Context) error { return s.store.DB().Ping(ctx) }

// Caller is who asks for an operation and how.
type Caller struct {
	Account desk.AccountID
	Actor   desk.Actor
	Role    desk.Role
	Reach   desk.Reach // which collections the member has
	Token   desk.TokenID
	Scope   desk.Scope
	Session bool // the token is a session

	// Key is the caller's idempotency key, if there is one, and Answer makes
	// the answer from the operation's result. The answer is kept in the
	// operation's transaction.
	Key    *desk.IdempotencyKey
	Answer func(result any) (desk.Answer, error)
}

// may refuses what the caller's role or token does not allow.
func (c Caller) may(op desk.Operation) error { return desk.May(op, c.Role, c.Scope) }

// reach is which collections the caller has for an operation.
func (c Caller) reach(op desk.Operation) desk.Reach { return desk.ReachFor(op, c.Role, c.Reach) }

// write runs an operation that changes something. Its result becomes the
// answer of the caller's idempotency key in the same transaction.
func write[R any](ctx context.Context, s *Service, c Caller, fn func(*store.Tx) (R, error)) (r R, err error) {
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
		return none, err
	}
	return r, nil
}

// look runs an operation that is a single reading statement.
func look[R any](ctx context.Context, s *Service, c Caller, fn func(*store.Tx) (R, error)) (r R, err error) {
	err = s.store.Look(ctx, c.Account, func(tx *store.Tx) (err error) {
		r, err = fn(tx)
		return err
	})
	return r, err
}

// read runs an operation that reads with several statements, which see the same
// moment.
func read[R any](ctx context.Context, s *Service, c Caller, fn func(*store.Tx) (R, error)) (r R, err error) {
	err = s.store.Read(ctx, c.Account, func(tx *store.Tx) (err error) {
		r, err = fn(tx)
		return err
	})
	return r, err
}

// None is the result of an operation that has nothing to show.
type None struct{}

// noteEvery is how often the use of tokens is written down.
const noteEvery = 20 * time.Second
