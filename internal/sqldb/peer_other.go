//go:build !linux

package sqldb

import "time"

// setUserTimeout does nothing: only Linux has this limit. Keepalives find a dead peer
// while nothing is on its way to it.
func setUserTimeout(uintptr, time.Duration) {}
