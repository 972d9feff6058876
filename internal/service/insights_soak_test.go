//go:build soak

package service

import (
	"testing"

	"frontdesk/internal/sqldb"
)

// TestSoakInsights is TestInsightsCheck with a year of a busy desk, and every
// question on both engines.
func TestSoakInsights(t *testing.T) {
	checkInsights(t, map[sqldb.Engine]insightsSample{sqldb.SQLite: {1800, 1}, sqldb.Postgres: {1800, 1}})
}
