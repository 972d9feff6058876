//go:build soak

package rest

import "testing"

// TestSoakModel is TestAPIFollowsTheModel for a quarter of an hour.
func TestSoakModel(t *testing.T) { followModel(t, 400, 200) }
