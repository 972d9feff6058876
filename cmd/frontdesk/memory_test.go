package main

import (
	"context"
	"runtime/debug"
	"testing"
)

// The limit is the usual one for a heap as requests in memory make it, and leaves
// a larger one room to double.
func TestMemoryLimit(t *testing.T) {
	for alive, want := range map[int64]int64{0: 128 << 20, 44 << 20: 128 << 20, 48 << 20: 136 << 20, 48<<20 + 1: 144 << 20, 1 << 30: 2088 << 20} {
		if got := memoryLimit(alive); got != want {
			t.Errorf("%d bytes are alive: %d, not %d", alive, got, want)
		}
	}
}

// A limit that the operator has set stays, and ours ends with the server.
func TestBoundMemory(t *testing.T) {
	t.Setenv("GOGC", "400") // which is the tests' own
	before := debug.SetMemoryLimit(-1)
	ended, end := context.WithCancel(t.Context())
	end()
	t.Setenv("GOMEMLIMIT", "1GiB")
	boundMemory(ended)
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("the operator's limit: %d, not %d", now, before)
	}
	t.Setenv("GOMEMLIMIT", "")
	boundMemory(ended)
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("when the server has ended: %d, not %d", now, before)
	}
}
