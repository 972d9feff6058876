//go:build soak

package main

import "testing"

// TestSoakKills is TestNothingIsLostOrDoubledByKills for a quarter of an hour.
func TestSoakKills(t *testing.T) { killAgainAndAgain(t, 1000) }
