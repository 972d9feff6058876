// Package store stores desk's nouns in the tables of schema, one file per noun.
// Every transaction belongs to one account and has one time. No method takes an
// account id, because the Tx has it. The package knows rows, not who may see them.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/journal"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// Store stores the nouns of all accounts.
type Store struct {
	db      *sqldb.DB
	key     *seal.Key
	clock   func() time.Time
	chain   chain.Chain // of the audit logs
	journal *journal.Journal

	onNews func(*Tx, News) error // called when events have received their numbers: (*Tx).deliverNews, except in tests

	kept      *memory // cached requests
	followers followers

	settings  settings
	calendars calendars

	factless bool // facts are not updated; only for measuring what updating them costs
}

// New returns the store on a migrated database. clock defaults to db.Now.
func New(db *sqldb.DB, key *seal.Key, clock func() time.Time) *Store {
	if clock == nil {
		clock = db.Now
	}
	s := &Store{db: db, key: key, clock: clock, chain: chain.New(key), kept: newMemory(mostKept), onNews: (*Tx).deliverNews}
	s.journal = journal.New(journal.Config{DB: db, Key: key, Chain: s.chain, Now: s.Now, Numbered: s.followers.tell,
		Deliver: func(tx *sqldb.Tx, account desk.AccountID, news News) error { return s.onNews(s.tx(tx, account), news) }})
	return s
}

// DB returns the underlying database, for what is not a noun: jobs, health, backup.
func (s *Store) DB() *sqldb.DB { return s.db }

// Signer returns a signer for what leaves the server and comes back. Each purpose
// has its own.
func (s *Store) Signer(purpose string) seal.Signer { return s.key.Signer(purpose) }

// Now returns the current time as it is stored: in UTC, to the millisecond.
func (s *Store) Now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// Tx is a transaction of one account at one time.
type Tx struct {
	*sqldb.Tx
	Account desk.AccountID
	Now     time.Time
	store   *Store
	touched map[desk.RequestID]touched // requests whose facts may have changed; see fact.go
	counts  map[desk.RequestID]bool    // requests that insights count differently than before; see fact.go
	rows    map[desk.RequestID][]any   // column values of the requests read in a turn; see request.go
	account *desk.Account              // set when first read
	found   map[string]foundUser       // the chat users that were looked up by their ids
	names   *int64                     // the epoch of names, set when first read; see setting.go
	settled map[any]setting            // settings to cache after the commit
	inTurn  bool                       // nobody else writes to the account before this ends
	reads   bool                       // writes nothing, so everything it sees is committed
	single  bool                       // runs a single statement
	notes   journal.Notes              // what was recorded and gets its numbers at the end
	news    News                       // of events that have received their numbers
	changed map[desk.RequestID]bool    // requests that get a new version, and whether they have it; see kept.go
	made    map[desk.RequestID]bool    // requests created in this transaction
	spoken  map[desk.MessageID]bool    // messages added in this transaction

	// Unseen are the ids of channels that somebody named and the directory does not
	// have, or no longer has. The directory may lag behind the chat system.
	Unseen []string
}

// Write runs fn in a transaction of an account. An account has one at a time. The
// rules of sqldb.DB.Write apply: fn may run more than once and does nothing outside
// the database.
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
	if tx != nil {
		s.followers.tell(account, tx.news) // even after an error, because it may have been committed
	}
	if err == nil {
		for what, is := range tx.settled {
			s.settings.put(account, what, is)
		}
	}
	return fit(err)
}

// finish does what is due at the end of a turn, once for everything that was done
// in it.
func (tx *Tx) finish() error {
	if !tx.store.factless {
		if err := tx.keepFacts(); err != nil {
			return err
		}
	}
	if err := tx.setVersions(); err != nil {
		return err
	}
	var err error
	tx.news, err = tx.store.journal.Number(tx.Tx, tx.Account, tx.Now, &tx.notes, tx.Wrote(named...))
	return err
}

// Read runs fn against one snapshot of an account.
func (s *Store) Read(ctx context.Context, account desk.AccountID, fn func(*Tx) error) error {
	return fit(s.db.Read(ctx, func(sqlTx *sqldb.Tx) error {
		tx := s.tx(sqlTx, account)
		tx.reads = true
		return fn(tx)
	}))
}

// Look is Read for a method that runs a single statement.
func (s *Store) Look(ctx context.Context, account desk.AccountID, fn func(*Tx) error) error {
	return fit(s.db.Look(ctx, func(sqlTx *sqldb.Tx) error {
		tx := s.tx(sqlTx, account)
		tx.reads, tx.single = true, true
		return fn(tx)
	}))
}

// Derive runs fn in a transaction that writes what is computed from an account's rows
// and can be computed again, such as a search index; see sqldb.DB.Derive. It is
// outside the account's turns, and fn writes no noun.
func (s *Store) Derive(ctx context.Context, account desk.AccountID, fn func(*Tx) error) error {
	return fit(s.db.Derive(ctx, func(sqlTx *sqldb.Tx) error { return fn(s.tx(sqlTx, account)) }))
}

// PreferReplica returns a context with which a replica may answer Read and Look.
func PreferReplica(ctx context.Context) context.Context { return sqldb.PreferReplica(ctx) }

func (s *Store) tx(tx *sqldb.Tx, account desk.AccountID) *Tx {
	return &Tx{Tx: tx, Account: account, Now: s.Now(), store: s}
}

// fit turns errors of the database into errors with a message for the caller.
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

// Missing turns "no row" into "not found" with the noun's name.
func Missing(err error, noun string) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return desk.Missing(noun)
	}
	return err
}

// doAll runs statements about one thing of the account, in their order.
func (tx *Tx) doAll(id any, statements ...string) error {
	for _, s := range statements {
		if err := tx.Do(s, tx.Account, id); err != nil {
			return err
		}
	}
	return nil
}

// wrap says what could not be done, if there is an error.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func ms(t time.Time) int64 { return t.UnixMilli() }

// FromMS returns a time of which milliseconds are stored.
func FromMS(n int64) time.Time { return time.UnixMilli(n).UTC() }

// OptionalMS converts an optional time; nil becomes NULL.
func OptionalMS(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := ms(*t)
	return &n
}

// FromOptionalMS is FromMS for what may be NULL, which becomes nil.
func FromOptionalMS(n *int64) *time.Time {
	if n == nil {
		return nil
	}
	t := FromMS(*n)
	return &t
}
