//go:build soak

package service

import (
	"testing"

	"frontdesk/internal/sqldb"
)

// TestSoakInsights is TestInsightsCheck with a year of a busy desk, and every
// question on both engines.
func TestSoakInsights(t *testing.T) {
	checkInsights(t, 1800, map[sqldb.Engine]int{sqldb.SQLite: 1, sqldb.Postgres: 1})
}
