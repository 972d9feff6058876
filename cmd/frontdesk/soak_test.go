//go:build soak

package main

import "testing"

// TestSoakKills is TestNothingIsLostOrDoubledByKills for some minutes.
func TestSoakKills(t *testing.T) { killAgainAndAgain(t, 300) }
