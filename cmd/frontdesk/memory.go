package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// usualMemory is how many bytes Go takes from the system before it collects
	// garbage more often. SQLite's caches are not in it.
	usualMemory = 128 << 20
	// besideHeap is what Go needs beside the heap.
	besideHeap = 40 << 20
	// memoryStep has the limit not move with every collection.
	memoryStep = 8 << 20
)

// boundMemory keeps a busy server small, until ctx ends. A small heap may become
// five times what is alive in it, which costs little; where requests fill what is
// kept of them in memory, that would be hundreds of megabytes.
//
// A limit that stays would have a server that needs more do nothing but collect,
// so it moves with what is alive. Who sets GOMEMLIMIT or GOGC has chosen themselves.
func boundMemory(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		// To collect each time that the heap has doubled would cost a busy server a
		// tenth of its CPU.
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := memoryLimit(0)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		metrics.Read(alive)
		if now := memoryLimit(int64(alive[0].Value.Uint64())); now != limit {
			debug.SetMemoryLimit(now)
			limit = now
		}
	}
}

// memoryLimit is for a heap in which so many bytes are alive: it may double.
func memoryLimit(alive int64) int64 {
	steps := (2*alive + besideHeap + memoryStep - 1) / memoryStep
	return max(usualMemory, steps*memoryStep)
}
