//go:build soak

package job_test

import "testing"

// TestSoakKilledRunners is TestKilledRunnersLoseAndDoubleNothing for a minute or two.
func TestSoakKilledRunners(t *testing.T) { killRunners(t, 300) }
