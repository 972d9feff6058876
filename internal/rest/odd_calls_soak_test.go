//go:build soak

package rest

import (
	"math/rand/v2"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestSoakOddCalls(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) { walkExamples(t, db, 400, rand.Uint64()) })
}
