//go:build soak

package rest

import "testing"

// TestSoakModel is TestAPIFollowsTheModel for a quarter of an hour.
func TestSoakModel(t *testing.T) { followModel(t, 600, 60) }
