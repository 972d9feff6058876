package store

import (
	"context"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/journal"
	"frontdesk/internal/sqldb"
)

// SQLitePlan returns how SQLite would find the positions of a page.
func SQLitePlan(tx *Tx, f desk.RequestFilter, p desk.Page) ([]string, error) {
	q := tx.pageOf(f, p)
	return planOf(tx, q)
}

// PlanOfCount returns how SQLite would count the requests of a list.
func PlanOfCount(tx *Tx, f desk.RequestFilter) ([]string, error) {
	var q query
	tx.addCount(&q, 0, desk.RequestList{RequestFilter: f}, runsOf(f), 100)
	return planOf(tx, &q)
}

// MostLooked is how many requests a count looks at.
const MostLooked = mostLooked

func planOf(tx *Tx, q *query) ([]string, error) {
	return sqldb.Collect(tx.Tx, func(scan scanner) (detail string, err error) {
		var id, parent, unused int64
		err = scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "EXPLAIN QUERY PLAN "+q.String(), q.Args()...)
}

// PostgresPlan returns how PostgreSQL would find a page.
func PostgresPlan(tx *Tx, f desk.RequestFilter, p desk.Page) ([]string, error) {
	q := tx.pageOf(f, p)
	return sqldb.Collect(tx.Tx, func(scan scanner) (line string, err error) { return line, scan(&line) }, "EXPLAIN "+q.String(), q.Args()...)
}

// Unchained is the statement that finds the next audit log entries to chain.
const Unchained = chain.Unchained

// OldestUnnumbered is the statement that finds what has waited longest for a number.
const OldestUnnumbered = journal.OldestUnnumbered

// WriteOutOfTurn runs fn in a transaction of an account outside its turns. What it
// records gets its numbers from the sequencer.
func WriteOutOfTurn(ctx context.Context, s *Store, account desk.AccountID, fn func(*Tx) error) error {
	return s.db.Claim(ctx, func(tx *sqldb.Tx) error { return fn(s.tx(tx, account)) })
}

// KeepAtMost limits the size of the request cache.
func KeepAtMost(s *Store, bytes int) { s.kept = newMemory(bytes) }

// Kept returns how many requests are cached and their size.
func Kept(s *Store) (requests, bytes int) { return len(s.kept.entries), s.kept.size }

// KeepNoFacts makes a store leave facts as they are.
func KeepNoFacts(s *Store) { s.factless = true }

// OnNews has fn called instead of queueing deliveries to webhooks.
func OnNews(s *Store, fn func(*Tx, News) error) { s.onNews = fn }
