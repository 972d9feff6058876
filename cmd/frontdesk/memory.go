package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

const (
	// memoryTarget is how many bytes Go takes from the system before it collects
	// garbage more often. SQLite's caches are not part of it.
	memoryTarget = 128 << 20
	// memoryOutsideHeap is what Go needs besides the heap.
	memoryOutsideHeap = 40 << 20
	// memoryStep rounds the limit, so that it does not move after every collection.
	memoryStep = 8 << 20
)

// limitMemory keeps the memory of a busy server small, until ctx ends. A small heap
// may grow to five times its live bytes, which costs little. Once the cache of
// requests is full, five times would be hundreds of megabytes.
//
// A fixed limit would make a server that needs more spend its time collecting
// garbage. So the limit follows the live bytes. GOGC and GOMEMLIMIT override it.
func limitMemory(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		// With Go's default, a busy server would spend a tenth of its CPU on garbage
		// collection.
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := memoryLimit(0)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		metrics.Read(live)
		if now := memoryLimit(int64(live[0].Value.Uint64())); now != limit {
			debug.SetMemoryLimit(now)
			limit = now
		}
	}
}

// memoryLimit is the limit for a heap with so many live bytes: it may double.
func memoryLimit(live int64) int64 {
	steps := (2*live + memoryOutsideHeap + memoryStep - 1) / memoryStep
	return max(memoryTarget, steps*memoryStep)
}

// memoryBound returns how many bytes the processes of this control group may use. ok is
// false if there is no such bound, or if it is not known.
func memoryBound() (limit uint64, ok bool) {
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		return limit, err == nil && limit < 1<<50 // more means none
	}
	return 0, false
}
