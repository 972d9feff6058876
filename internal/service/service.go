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

	"frontdesk/internal/blob"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/job"
	"frontdesk/internal/limit"
	"frontdesk/internal/seal"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
	"frontdesk/internal/tracker"
	"frontdesk/internal/webhook"
)

// Config is what a Service is made of. Store is required.
type Config struct {
	Store *store.Store
	// Chats are the chat systems that accounts can be connected to.
	Chats []chat.System
	// Sandbox is the chat system in the box, where that is the one in Chats. nil is none.
	Sandbox chat.Sandbox
	// Trackers are the ticket systems that accounts can be connected to.
	Trackers []tracker.System
	// Blobs keeps the bytes of attachments. Without it none are taken.
	Blobs blob.Store
	// Suggestions says what a request's messages suggest. Defaults to rules, which
	// need no network.
	Suggestions suggest.Provider
	// Webhooks tells webhooks of events. Defaults to one that calls public addresses
	// alone.
	Webhooks *webhook.Sender
	// PublicURL is where people reach the service, for links.
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
	store      *store.Store
	publicURL  string
	log        *slog.Logger
	process    string // names this process as the holder of leases
	bearers    bearers
	strangers  *limit.Buckets[string]
	jobs       *job.Runner
	asking     *job.Runner // questions to a provider alone
	telling    *job.Runner // webhooks alone
	chats      map[desk.IntegrationKind]chat.System
	sandbox    chat.Sandbox // nil: none
	trackers   map[desk.IntegrationKind]tracker.System
	states     seal.Signer
	links      seal.Signer // to the pages of surveys
	tries      seal.Signer // digests of what tries to sign in are counted for
	devices    seal.Signer // browsers that are known
	proofs     seal.Signer // of who somebody is, to choose an account by
	firstRun   seal.Signer // the code of the first run
	passwords  *passwords
	blobs      blob.Store
	webhooks   *webhook.Sender
	delivering atWork[deliver]
	following  sharedFeed

	suggestions suggest.Provider
	insights    insights.Engine
	columns     *insights.Columns // that insights answers from

	hasAccounts atomic.Bool // there is one; unset is not known
}

// New returns a service. Operations work at once; Run does what must happen
// beside them.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Suggestions == nil {
		c.Suggestions = suggest.Rules{}
	}
	if c.Webhooks == nil {
		c.Webhooks = webhook.NewSender(nil)
	}
	s := &Service{store: c.Store, publicURL: c.PublicURL, log: c.Log, process: rand.Text(),
		chats: map[desk.IntegrationKind]chat.System{}, trackers: map[desk.IntegrationKind]tracker.System{}, states: c.Store.Signer("connect"), links: c.Store.Signer("survey"), tries: c.Store.Signer("try"), devices: c.Store.Signer("device"), proofs: c.Store.Signer("proof"), firstRun: c.Store.Signer("first run"), passwords: newPasswords(c.PasswordCost), sandbox: c.Sandbox, blobs: c.Blobs, suggestions: c.Suggestions, webhooks: c.Webhooks, columns: insights.NewColumns(insights.ColumnsConfig{Now: c.Store.Now})}
	s.insights = s.columns
	for _, system := range c.Chats {
		s.chats[desk.IntegrationKind(system.Name())] = system
	}
	for _, system := range c.Trackers {
		s.trackers[desk.IntegrationKind(system.Name())] = system
	}
	s.strangers = limit.New[string](c.RefusalLimit, c.RefusalLimit)
	s.bearers.init(cmp.Or(c.TokensKept, bearerKept))
	s.following.rung, s.following.now = c.Store.DB().Rung(store.TopicFeed), c.Store.Now
	s.jobs, s.asking, s.telling = s.newRunner(), s.newAsker(), s.newTeller()
	c.Store.Follow(addDelivering)
	return s
}

// Run reads the directories anew, completes the search indexes, numbers events, works jobs, notes the use
// of tokens and keeps the columns of insights until ctx ends, and returns when all of it has come to rest.
func (s *Service) Run(ctx context.Context) {
	if err := s.syncDirectories(ctx); err != nil {
		s.log.Warn("read the directories", "error", err) // the next tick will
	}
	var running sync.WaitGroup
	running.Go(func() { s.store.RunSequencer(ctx, s.log) })
	running.Go(func() { s.store.RunIndexer(ctx, s.log) })
	running.Go(func() { s.noteUse(ctx) })
	running.Go(func() { s.columns.Run(ctx, s.log) })
	running.Go(func() { suggest.Judge("") }) // its words are read at the first use, and nobody should wait for that
	for _, r := range s.runners() {
		running.Go(func() {
			if err := r.Run(ctx); err != nil {
				s.log.Warn("stop jobs", "error", err)
			}
		})
	}
	running.Wait()
}

// Settle does what follows from all that has happened, one thing after the other,
// until nothing is due within a time, and returns how many jobs that took. It is
// for who must know when that is; a server Runs.
func (s *Service) Settle(ctx context.Context, within time.Duration) (jobs int, err error) {
	for {
		for more := true; more; {
			if more, err = s.store.Sequence(ctx); err != nil {
				return jobs, err
			}
		}
		worked := 0
		for _, r := range s.runners() {
			n, err := r.Work(ctx, within)
			worked += n
			if err != nil {
				return jobs + worked, err
			}
		}
		for some := true; some; {
			if some, err = s.store.Index(ctx, time.Hour); err != nil {
				return jobs, err
			}
		}
		if jobs += worked; worked == 0 {
			return jobs, nil
		}
	}
}

func (s *Service) runners() []*job.Runner { return []*job.Runner{s.jobs, s.asking, s.telling} }

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
