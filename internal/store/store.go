// Package store keeps desk's nouns in the tables of schema, one file a noun.
// Every transaction belongs to one account and one moment: no method takes an
// account id, the Tx has it. It knows rows, not who may see them.
package store

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// Store keeps the nouns of all accounts.
type Store struct {
	db     *sqldb.DB
	key    *seal.Key
	clock  func() time.Time
	audit  seal.Signer
	events seal.Signer

	follow func(*Tx, News) error // what is to be done when events have got their numbers; nil for nothing

	behind *behind // search indexes that are to follow
	kept   *memory // requests that were read

	settings  settings
	calendars calendars

	factless bool // facts are left as they are; only where it is measured what keeping them costs
}

// New returns the store on a migrated database. clock defaults to time.Now.
func New(db *sqldb.DB, key *seal.Key, clock func() time.Time) *Store {
	if clock == nil {
		clock = time.Now
	}
	return &Store{db: db, key: key, clock: clock, audit: key.Signer("audit"), events: key.Signer("event"), behind: newBehind(), kept: newMemory(mostKept)}
}

// DB is the database beneath, for what is not a noun: jobs, health, backup.
func (s *Store) DB() *sqldb.DB { return s.db }

// Signer marks what leaves the server and comes back, for a purpose of its own.
func (s *Store) Signer(purpose string) seal.Signer { return s.key.Signer(purpose) }

// Now is the moment, as it is kept: UTC, to the millisecond.
func (s *Store) Now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// Tx is a transaction of one account at one moment.
type Tx struct {
	*sqldb.Tx
	Account desk.AccountID
	Now     time.Time
	store   *Store
	touched map[desk.RequestID]touched // requests whose facts may have changed; see fact.go
	counts  map[desk.RequestID]bool    // requests of which insights count something else than before; see fact.go
	rows    map[desk.RequestID][]any   // what the rows of requests have that were read in a turn; see request.go
	account *desk.Account              // once it was read
	names   *int64                     // the epoch of names, once it was read; see setting.go
	settled map[any]setting            // what is kept of settings when this is committed
	inTurn  bool                       // nobody else writes the account before this ends
	reads   bool                       // and writes nothing: what it sees is committed
	single  bool                       // is one statement
	noted   noted                      // what was recorded, and is numbered at the end; see number.go
	news    News                       // of what has got its numbers
	changed map[desk.RequestID]bool    // requests that get another version, and whether they have it; see kept.go
	made    map[desk.RequestID]bool    // requests that were made in this transaction
	spoken  map[desk.MessageID]bool    // messages that were added in it

	// Unseen are the ids of channels that somebody named and the directory does not
	// have, or has no longer. It may be behind the chat system.
	Unseen []string
}

// Write runs fn in a transaction of an account, of which there is one at a time.
// The rules of sqldb.DB.Write hold: fn may run more than once and does nothing
// outside the database.
func (s *Store) Write(ctx context.Context, account desk.AccountID, fn func(*Tx) error) error {
	var tx *Tx
	err := s.db.WriteInTurn(ctx, int64(account), func(sqlTx *sqldb.Tx) error {
		tx = s.tx(sqlTx, account)
		tx.inTurn = true
		if err := fn(tx); err != nil {
			return err
		}
		return tx.finish()
	})
	if tx != nil && indexesFollow(tx.news) { // also after a failure: it may have been committed
		s.behind.add(account)
	}
	if err == nil {
		for what, is := range tx.settled {
			s.settings.put(account, what, is)
		}
	}
	return fit(err)
}

// finish does what is due at the end of a turn, once for all that was done in it.
func (tx *Tx) finish() error {
	if !tx.store.factless {
		if err := tx.keepFacts(); err != nil {
			return err
		}
	}
	if err := tx.setVersions(); err != nil {
		return err
	}
	return tx.number()
}

// Read runs fn against one snapshot of an account.
func (s *Store) Read(ctx context.Context, account desk.AccountID, fn func(*Tx) error) error {
	return fit(s.db.Read(ctx, func(sqlTx *sqldb.Tx) error {
		tx := s.tx(sqlTx, account)
		tx.reads = true
		return fn(tx)
	}))
}

// Look is Read for a method that is a single statement.
func (s *Store) Look(ctx context.Context, account desk.AccountID, fn func(*Tx) error) error {
	return fit(s.db.Look(ctx, func(sqlTx *sqldb.Tx) error {
		tx := s.tx(sqlTx, account)
		tx.reads, tx.single = true, true
		return fn(tx)
	}))
}

func (s *Store) tx(tx *sqldb.Tx, account desk.AccountID) *Tx {
	return &Tx{Tx: tx, Account: account, Now: s.Now(), store: s}
}

// fit gives the database's refusals words for the caller.
func fit(err error) error {
	var known *desk.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, sqldb.ErrUnavailable):
		return &desk.Error{Kind: desk.Unavailable, Err: err, RetryAfter: time.Second,
			Message: "The database cannot be used right now. Nothing is known to have been changed; try again shortly."}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &desk.Error{Kind: desk.Unavailable, Err: err, RetryAfter: time.Second,
			Message: "The call took too long and was given up. Try again shortly."}
	}
	return err
}

// missing turns "no row" into "not found" with the noun's name.
func missing(err error, noun string) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return desk.Missing(noun)
	}
	return err
}

func ms(t time.Time) int64 { return t.UnixMilli() }

func fromMS(n int64) time.Time { return time.UnixMilli(n).UTC() }

// optionalMS is a time that may be missing, as NULL.
func optionalMS(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := ms(*t)
	return &n
}

func fromOptionalMS(n *int64) *time.Time {
	if n == nil {
		return nil
	}
	t := fromMS(*n)
	return &t
}
