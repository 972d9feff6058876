// Package insights answers questions about requests with numbers: how many, how
// long, how good, in groups and buckets of time. What can be asked is data, the
// tables of measures, dimensions and filter members; a query is checked against
// them, compiled to SQL for either engine or looked up in columns in memory, and
// answered from facts, of which there is one row a request, kept up to date with
// every change. It knows nothing of who asks.
//
// Each measure is taken at its own grain, of requests, of waits for an answer or
// of sessions of the virtual agent, and the groups of each grain are put side by
// side afterwards. So asking two measures together gives what asking each alone
// gives.
package insights

import (
	"context"
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

// Engine answers questions. SQL is one, Columns another.
type Engine interface {
	// Answer gives the rows, ordered by bucket and then by dimensions. It gives
	// Invalid for what cannot be asked, naming it, and for more than MostRows.
	Answer(ctx context.Context, db *sqldb.DB, q Question) ([]desk.InsightsRow, error)
}

const (
	// MostRows bounds an answer, MostTime how long it may take to find.
	MostRows = 50_000
	MostTime = 30 * time.Second
	// mostBuckets bounds the buckets of a query: each is looked at by itself.
	mostBuckets = 4000
)
