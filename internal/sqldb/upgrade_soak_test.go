//go:build soak

package sqldb_test

import (
	"testing"

	"frontdesk/internal/sqldb"
)

// TestSoakUpgrade is TestUpgradeFromEveryVersion with every version on both engines.
func TestSoakUpgrade(t *testing.T) {
	upgradeFromEach(t, map[sqldb.Engine]int{sqldb.SQLite: 1, sqldb.Postgres: 1})
}
