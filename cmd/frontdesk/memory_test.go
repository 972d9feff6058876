package main

import (
	"context"
	"runtime/debug"
	"testing"
)

// The limit is the target for a small heap. A larger one may grow by half, and stacks
// have their room beside it.
func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct{ live, stacks, want int64 }{
		{0, 0, 128 << 20},
		{56 << 20, 2 << 20, 128 << 20},
		{64 << 20, 0, 136 << 20},
		{64<<20 + 2, 0, 144 << 20},
		{64 << 20, 48 << 20, 184 << 20},
		{1 << 30, 0, 1576 << 20},
	} {
		if got := memoryLimit(c.live, c.stacks); got != c.want {
			t.Errorf("the limit for %d live bytes and %d of stacks is %d, want %d", c.live, c.stacks, got, c.want)
		}
	}
}

// Memory is given back after ten quiet seconds, if there is enough of it.
func TestQuiet(t *testing.T) {
	var q quiet
	total := uint64(1 << 30)
	second := func(allocates, spare uint64) bool {
		total += allocates
		return q.frees(total, spare)
	}
	second(0, worthFreeing)
	for n := 1; n <= quietSeconds; n++ {
		if got, want := second(quietRate-1, worthFreeing), n == quietSeconds; got != want {
			t.Errorf("after %d quiet seconds: %v, want %v", n, got, want)
		}
	}
	if second(0, worthFreeing-1) {
		t.Error("it was not worth it")
	}
	if !second(0, worthFreeing) {
		t.Error("it was worth it, and still quiet")
	}
	if second(quietRate, worthFreeing) || second(0, worthFreeing) {
		t.Error("it was busy a moment before")
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
