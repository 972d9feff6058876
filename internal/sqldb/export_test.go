package sqldb

import (
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
