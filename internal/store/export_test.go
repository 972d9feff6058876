package store

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/journal"
	"frontdesk/internal/sqldb"
)

// PlanOfRequests returns how SQLite would find the positions of a page.
func PlanOfRequests(tx *Tx, f desk.RequestFilter, p desk.Page) ([]string, error) {
	q := tx.pageOf(f, p)
	return sqldb.Collect(tx.Tx, func(scan scanner) (detail string, err error) {
		var id, parent, unused int64
		err = scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "EXPLAIN QUERY PLAN "+q.String(), q.Args()...)
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

// RequestsAtOnce is how many requests are indexed together.
const RequestsAtOnce = requestsAtOnce

// IndexPiece advances the search index of an account by as little as one
// transaction does.
func IndexPiece(ctx context.Context, s *Store, account desk.AccountID) (more bool, err error) {
	err = s.db.Claim(ctx, func(tx *sqldb.Tx) (err error) {
		more, _, err = s.tx(tx, account).indexSome(time.Time{})
		return err
	})
	return more, err
}

// FindBehind looks for indexes that are behind, as the indexer does from time to
// time.
func FindBehind(ctx context.Context, s *Store) { s.findBehind(ctx, slog.Default()) }

// KeepAtMost limits the size of the request cache.
func KeepAtMost(s *Store, bytes int) { s.kept = newMemory(bytes) }

// Kept returns how many requests are cached and their size.
func Kept(s *Store) (requests, bytes int) { return len(s.kept.entries), s.kept.size }

// KeepNoFacts makes a store leave facts as they are.
func KeepNoFacts(s *Store) { s.factless = true }

// OnNews has fn called instead of queueing deliveries to webhooks.
func OnNews(s *Store, fn func(*Tx, News) error) { s.onNews = fn }
