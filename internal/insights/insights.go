// Package insights answers questions about requests with numbers: how many, how
// long, how good, in groups and time buckets. What can be asked is data: the tables
// of measures, dimensions and filter members. A query is checked against them and
// compiled to SQL for either engine, or looked up in columns in memory. It is
// answered from facts. There is one row of facts for each request, updated with
// every change. The package knows nothing about who asks.
//
// Each measure is computed at its own grain: requests, waits for an answer, or
// sessions of the virtual agent. The groups of each grain are joined afterwards. So
// asking for two measures together gives the same numbers as asking for each alone.
package insights

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Question is a query of an account, at a moment, in the account's time zone.
type Question struct {
	Account desk.AccountID
	Query   desk.InsightsQuery
	Fields  map[desk.CustomFieldID]desk.CustomField // the account's fields of requests
	Reach   desk.Reach                              // whose requests count
	Now     time.Time
	Zone    *time.Location
}

// Engine answers questions. Columns is one, and tests have another that compares
// its answers with those of SQL.
type Engine interface {
	// Answer returns the rows, ordered by bucket and then by dimensions. It returns
	// Invalid for what cannot be asked, naming it, and for more than MostRows.
	Answer(ctx context.Context, db *sqldb.DB, q Question) ([]desk.InsightsRow, error)
	// Run does the background work of the engine until ctx ends.
	Run(ctx context.Context, log *slog.Logger)
	// Answered returns how many questions were answered from columns, and how many
	// by SQL.
	Answered() (columns, sql uint64)
}

const (
	// MostRows bounds the rows of an answer, and MostTime the time to compute it.
	MostRows = 50_000
	MostTime = 30 * time.Second
	// mostBuckets bounds the buckets of a query, because each is queried
	// separately.
	mostBuckets = 4000
)
