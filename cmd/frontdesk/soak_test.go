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

// TestSoakMailInOnce is TestMailInOnce with many more mails and kills.
func TestSoakMailInOnce(t *testing.T) { receiveThroughKills(t, 10_000, 20) }

// TestSoakMailOutOnce is TestMailOutOnce with many more mails. The server is killed
// while it sends them.
func TestSoakMailOutOnce(t *testing.T) { sendThroughDrops(t, 1_000, 10) }
