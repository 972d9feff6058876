//go:build soak

package main

import "testing"

// TestSoakKills runs TestNothingIsLostOrDoubledByKills for some minutes.
func TestSoakKills(t *testing.T) { killAgainAndAgain(t, 300) }

// TestSoakEachMessageOnce is TestEachMessageOnce with many more messages.
func TestSoakEachMessageOnce(t *testing.T) { eachMessageOnce(t, 20_000) }

// TestSoakAnnouncementOnce is TestAnnouncementOnce with many more channels and
// kills.
func TestSoakAnnouncementOnce(t *testing.T) { announceThroughKills(t, 500, 50) }
