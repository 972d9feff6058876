package sqldb

import (
	"fmt"
	"io/fs"
	"time"
)

// Internals that only the tests of this package use.

var (
	Translate   = translate
	SQLiteKind  = sqliteKind
	ErrConflict = errConflict
	ErrEnded    = errEnded
	ErrRowsOpen = errRowsOpen
	DialPeer    = dialPeer

	NewServerClock = newServerClock
)

const (
	StatementCacheSize = statementCacheSize
	WriteTries         = writeTries
	GroupTime          = groupTime
)

// WithGroupTime sets how long a group accepts callers.
func (c Config) WithGroupTime(d time.Duration) Config {
	c.groupTime = d
	return c
}

// WithListenCheck sets how long the connection that listens may be silent.
func (c Config) WithListenCheck(d time.Duration) Config {
	c.listenCheck = d
	return c
}

// WithOutageRest sets how long the database must work before an outage is over.
func (c Config) WithOutageRest(d time.Duration) Config {
	c.outageRest = d
	return c
}

// WithReplicaRest sets how long a replica is left alone that could not answer.
func (c Config) WithReplicaRest(d time.Duration) Config {
	c.replicaRest = d
	return c
}

// WithLockWait sets how long a step of a migration waits for a lock.
func (c Config) WithLockWait(d time.Duration) Config {
	c.lockWait = d
	return c
}

// WithStepDone calls fn after each part of a migration. If fn fails, the migration
// ends there.
func (c Config) WithStepDone(fn func() error) Config {
	c.stepDone = fn
	return c
}

// WithClockCheck sets how often the server is asked for its time.
func (c Config) WithClockCheck(d time.Duration) Config {
	c.clockCheck = d
	return c
}

// WithMachineClock sets the clock of this machine.
func (c Config) WithMachineClock(now func() time.Time) Config {
	c.machineClock = now
	return c
}

// Hear and Now are those of a clock that follows a server's.
func (c *serverClock) Hear(asked, answered time.Duration, server time.Time) {
	c.hear(asked, answered, server)
}
func (c *serverClock) Now() time.Time { return c.now() }

// OnWriter runs a statement on SQLite's writing connection while nobody writes.
func (db *DB) OnWriter(statement string) error {
	return db.backend.(*sqliteDB).group.session.exec(statement)
}

// CachedStatements returns how many statements the writing connection caches.
func (db *DB) CachedStatements() int {
	return len(db.backend.(*sqliteDB).group.session.(*sqliteSession).conn.statements.byKey)
}

// MigrationNames returns the migrations that an engine would run, in order.
func MigrationNames(files fs.FS, e Engine) ([]string, error) {
	all, err := migrations(files, e)
	var names []string
	for _, m := range all {
		names = append(names, m.name)
	}
	return names, err
}

// Waiting returns how many statements of a transaction wait to be sent.
func Waiting(tx *Tx) int { return len(tx.later) }

// PretendOutageSince makes an outage d older, and the last line about it.
func (db *DB) PretendOutageSince(d time.Duration) {
	db.outage.mu.Lock()
	defer db.outage.mu.Unlock()
	db.outage.since, db.outage.said = db.outage.since.Add(-d), db.outage.said.Add(-d)
}

// HoldCommits sets how long a connection waits for the answer to a COMMIT after its
// caller has left.
func (db *DB) HoldCommits(d time.Duration) { db.backend.(*postgresDB).hold = d }

// PlanSteps returns how the statements of each migration would run on a PostgreSQL server in
// use, by the migration's name: the way, and the first line of each statement.
func PlanSteps(files fs.FS) (map[string][]string, error) {
	all, err := migrations(files, Postgres)
	if err != nil {
		return nil, err
	}
	plans := map[string][]string{}
	for _, m := range all {
		steps, err := planSteps(m.sql)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", m.name, err)
		}
		for _, s := range steps {
			way := string(s.way)
			if s.replaces {
				way = "replaced " + way
			}
			for _, statement := range s.statements {
				plans[m.name] = append(plans[m.name], way+": "+firstLine(statement))
				way = "with it"
			}
		}
	}
	return plans, nil
}

// How the text of migrations is read.
var (
	Statements    = statements
	WithCondition = withCondition
)

// OpenReaders returns how many connections to a SQLite file are open for reading.
func (db *DB) OpenReaders() int { return db.backend.(*sqliteDB).pools[0].Stats().OpenConnections }
