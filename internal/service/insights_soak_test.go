//go:build soak

package service

import "testing"

// TestSoakInsights is TestInsightsCheck with a year of a busy desk.
func TestSoakInsights(t *testing.T) { checkInsights(t, 1800) }
