//go:build soak

package main

import (
	"testing"
	"time"

	"frontdesk/internal/sqldb"
)

// TestSoakKills is TestNothingIsLostOrDoubledByKills for some minutes.
func TestSoakKills(t *testing.T) { killAgainAndAgain(t, 300) }

// TestSoakEachMessageOnce is TestEachMessageOnce with many more messages.
func TestSoakEachMessageOnce(t *testing.T) {
	eachMessageOnce(t, map[sqldb.Engine]int{sqldb.SQLite: 20_000, sqldb.Postgres: 20_000}, 15*time.Minute)
}

// TestSoakAnnouncementOnce is TestAnnouncementOnce with many more channels and
// kills.
func TestSoakAnnouncementOnce(t *testing.T) { announceThroughKills(t, 500, 50) }
