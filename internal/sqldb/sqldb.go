// Package sqldb opens SQLite or PostgreSQL and hides which one it is:
// transactions, retries, group commit, named errors, migrations and wake-ups.
// SQL is written once, in the subset that both engines share, with $1
// placeholders and the four tokens of rewrite.go.
//
// It knows no table but its own list of migrations and no word of the product.
package sqldb

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Engine is the kind of database behind a DB.
type Engine string

const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// EngineOf returns the engine that a database URL stands for.
func EngineOf(url string) Engine {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return Postgres
	}
	return SQLite
}

// Config says which database to open and how. Only URL is required.
type Config struct {
	// URL is postgres://… or the path of a SQLite file.
	URL string
	// ListenURL is the address of PostgreSQL for the one connection that listens,
	// which needs a session of its own. Defaults to URL.
	ListenURL string
	// ReplicaURL is the address of a PostgreSQL standby that answers reads whose
	// context says so; see replica.go. Defaults to none.
	ReplicaURL string
	// ReplicaWait is how long a read waits for the replica to catch up. Then the
	// primary answers. Defaults to 250 ms.
	ReplicaWait time.Duration
	// Connections bounds the connections to PostgreSQL, with the one that listens, and
	// as much again those to the replica. Defaults to 24.
	Connections int
	// Readers bounds the connections that read a SQLite file. Defaults to 8.
	Readers int
	// WriteTimeout bounds the statements of one transaction. PostgreSQL ends a
	// transaction, also one that reads, whose process has been silent for half of it:
	// so whoever waits for its locks gets them in time. Defaults to 10 seconds.
	WriteTimeout time.Duration
	// LockTimeout is how long a writer waits for a SQLite file that another
	// process holds. Defaults to 5 seconds.
	LockTimeout time.Duration
	// GroupLimit is how many callers may share one commit. Defaults to 128 on
	// SQLite and 32 on PostgreSQL. With 1, every caller has its own commit.
	GroupLimit int
	// Snapshots is the folder to which Migrate copies a SQLite database before it
	// changes it. It keeps the last three copies. Without a folder it makes none.
	Snapshots string
	// Log receives messages for the operator. Defaults to slog.Default().
	Log *slog.Logger

	// Only tests set these; otherwise they are the constants of the same name, and
	// nothing.
	groupTime, listenCheck, outageRest, lockWait, clockCheck, replicaRest time.Duration
	stepDone                                                              func() error     // called after each part of a migration
	machineClock                                                          func() time.Time // time.Now
}

func (c *Config) setDefaults() {
	if c.Connections == 0 {
		c.Connections = 24
	}
	if c.Readers == 0 {
		c.Readers = 8
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = 10 * time.Second
	}
	if c.LockTimeout == 0 {
		c.LockTimeout = 5 * time.Second
	}
	if c.GroupLimit == 0 {
		c.GroupLimit = 128
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.groupTime == 0 {
		c.groupTime = groupTime
	}
	if c.listenCheck == 0 {
		c.listenCheck = listenCheck
	}
	if c.outageRest == 0 {
		c.outageRest = outageRest
	}
	if c.lockWait == 0 {
		c.lockWait = lockWait
	}
	if c.ReplicaWait == 0 {
		c.ReplicaWait = 250 * time.Millisecond
	}
	if c.replicaRest == 0 {
		c.replicaRest = replicaRest
	}
	if c.clockCheck == 0 {
		c.clockCheck = clockCheck
	}
	if c.stepDone == nil {
		c.stepDone = func() error { return nil }
	}
	if c.machineClock == nil {
		c.machineClock = time.Now
	}
}

// backend holds the operations that the two engines implement differently.
type backend interface {
	read(ctx context.Context, fn func(*Tx) error) error
	look(ctx context.Context, fn func(*Tx) error) error
	write(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error
	writeInTurn(ctx context.Context, timeout time.Duration, turn int64, fn func(*Tx) error) error
	claim(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error
	derive(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error
	ping(ctx context.Context) error
	now() time.Time
	backup(ctx context.Context, files fs.FS, path string) error
	close() error
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine  Engine
	backend backend
	timeout time.Duration // of a transaction that writes
	bells   *bells
	stats   *stats
	outage  *outage
	config  Config

	mergeLeast atomic.Int64 // how MergeSegments last merged

	mu        sync.Mutex
	closing   bool
	callers   sync.WaitGroup
	closeOnce func() error
}

// Open opens the database that c describes. It returns ErrUnavailable if the
// database cannot be reached. It creates nothing except an empty SQLite file.
func Open(ctx context.Context, c Config) (*DB, error) {
	c.setDefaults()
	db := &DB{engine: EngineOf(c.URL), timeout: c.WriteTimeout, bells: newBells(), stats: &stats{}, outage: &outage{log: c.Log, rest: c.outageRest}}
	c.Log = db.Logger() // for what the backends say
	db.config = c
	var err error
	if db.engine == Postgres {
		db.backend, err = openPostgres(ctx, c, db.bells, db.stats)
	} else {
		db.backend, err = openSQLite(ctx, c, db.bells, db.stats)
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db.closeOnce = sync.OnceValue(db.backend.close)
	return db, nil
}

// Engine returns the engine behind db.
func (db *DB) Engine() Engine { return db.engine }

// Close waits for the callers in flight and closes every connection. Later calls
// return ErrUnavailable.
func (db *DB) Close() error {
	db.mu.Lock()
	db.closing = true
	db.mu.Unlock()
	db.callers.Wait()
	return db.closeOnce()
}

// enter counts a caller in. The caller calls leave when it is done.
func (db *DB) enter(ctx context.Context) (leave func(), err error) {
	if ctx.Err() != nil {
		return nil, waitEnded(ctx)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closing {
		return nil, errClosing
	}
	db.callers.Add(1)
	return db.callers.Done, nil
}

// Ping returns ErrUnavailable if the database does not answer.
func (db *DB) Ping(ctx context.Context) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeRead(ctx, db.backend.ping(ctx))
}

// Write runs fn in a serializable transaction and returns once it is on disk. fn
// may run more than once, and must change nothing outside the database except its
// own variables. An error or a panic in fn undoes what it did. The end of ctx ends
// the wait, but never a statement. If fn has already run by then, the caller cannot
// know whether it was committed.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeWrite(db.backend.write(ctx, db.timeout, fn))
}

// WriteInTurn is Write for callers that read and write the rows of one owner only,
// such as an account. Only one caller with the same turn runs at a time, across all
// processes. So each caller sees what the earlier ones did, and no caller has to
// run again because of another. Callers that wait in this process share a
// transaction; see group.go. Use Write for the rows of several owners.
//
// On SQLite it is the same as Write, because SQLite has only one writer anyway.
func (db *DB) WriteInTurn(ctx context.Context, turn int64, fn func(*Tx) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeWrite(db.backend.writeInTurn(ctx, db.timeout, turn, fn))
}

// Read runs fn on one snapshot of the database. A write in fn fails. fn may run more
// than once, as that of Write, if its connection was lost or was refused.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeRead(ctx, db.backend.read(ctx, fn))
}

// Look is Read for a single statement. One statement always sees a single moment,
// so PostgreSQL needs one round trip instead of three. A second statement fails.
func (db *DB) Look(ctx context.Context, fn func(*Tx) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeRead(ctx, db.backend.look(ctx, fn))
}

// Claim is Write for taking rows off a queue with @skiplocked. On PostgreSQL it
// runs at READ COMMITTED, where skipping a locked row is not a conflict.
func (db *DB) Claim(ctx context.Context, fn func(*Tx) error) error {
	return db.claim(ctx, db.timeout, fn)
}

func (db *DB) claim(ctx context.Context, timeout time.Duration, fn func(*Tx) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeWrite(db.backend.claim(ctx, timeout, fn))
}

// Derive is Claim for data that is computed from the rest of the database and
// rebuilt if it is missing, such as a search index. On SQLite its commit does not
// wait for the disk, which frees the one writer for others. A power failure may
// undo the whole transaction, but nothing that was written before or after it.
func (db *DB) Derive(ctx context.Context, fn func(*Tx) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return db.outage.observeWrite(db.backend.derive(ctx, db.timeout, fn))
}

// Pieces does long work as a series of short transactions, so that other writers
// get their turn in between. piece does at most 20 ms of the work and reports
// whether there is more. If a piece fails, the work of the earlier pieces stays.
func (db *DB) Pieces(ctx context.Context, piece func(*Tx) (more bool, err error)) error {
	for {
		var more bool
		err := db.Write(ctx, func(tx *Tx) (err error) {
			more, err = piece(tx)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// Stats counts events since Open.
type Stats struct {
	Statements   uint64 // of callers
	Transactions uint64 // of readers and writers; each attempt counts
	Writes       uint64 // committed transactions of callers
	Commits      uint64 // fewer than Writes when callers share a commit
	VoidGroups   uint64 // groups whose callers had to run again one by one
	Retries      uint64 // PostgreSQL transactions that ran again after a conflict
	SlowWriters  uint64 // callers that held a writer for over 20 ms

	ReplicaReads  uint64 // that the replica answered
	ReplicaMisses uint64 // times that it could not answer, or not yet
}

type stats struct {
	statements, transactions, writes, commits, voidGroups, retries, slowWriters, replicaReads, replicaMisses atomic.Uint64
}

// Stats returns the counts so far.
func (db *DB) Stats() Stats {
	return Stats{
		Statements:   db.stats.statements.Load(),
		Transactions: db.stats.transactions.Load(),
		Writes:       db.stats.writes.Load(),
		Commits:      db.stats.commits.Load(),
		VoidGroups:   db.stats.voidGroups.Load(),
		Retries:      db.stats.retries.Load(),
		SlowWriters:  db.stats.slowWriters.Load(),

		ReplicaReads:  db.stats.replicaReads.Load(),
		ReplicaMisses: db.stats.replicaMisses.Load(),
	}
}
