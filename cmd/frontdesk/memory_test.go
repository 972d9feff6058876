package main

import (
	"context"
	"runtime/debug"
	"testing"
)

// The limit is the target for a heap as large as the cache of requests makes it, and
// lets a larger heap double.
func TestMemoryLimit(t *testing.T) {
	for live, want := range map[int64]int64{0: 128 << 20, 44 << 20: 128 << 20, 48 << 20: 136 << 20, 48<<20 + 1: 144 << 20, 1 << 30: 2088 << 20} {
		if got := memoryLimit(live); got != want {
			t.Errorf("the limit for %d live bytes is %d, want %d", live, got, want)
		}
	}
}

// The operator's limit stays, and the server's own limit ends with the server.
func TestLimitMemory(t *testing.T) {
	t.Setenv("GOGC", "400") // as the tests run
	before := debug.SetMemoryLimit(-1)
	ended, end := context.WithCancel(t.Context())
	end()
	t.Setenv("GOMEMLIMIT", "1GiB")
	limitMemory(ended)
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("with the operator's limit: %d, want %d", now, before)
	}
	t.Setenv("GOMEMLIMIT", "")
	limitMemory(ended)
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("after the server's end: %d, want %d", now, before)
	}
}
