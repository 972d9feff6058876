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
	// memoryOutsideHeap is what Go needs besides the heap and the stacks.
	memoryOutsideHeap = 40 << 20
	// memoryStep rounds the limit, so that it does not move after every collection.
	memoryStep = 8 << 20

	// A process is quiet after so many seconds in which it allocates less than this in
	// each. Then it gives memory back, if that is worth a collection.
	quietSeconds = 10
	quietRate    = 512 << 10
	worthFreeing = 4 << 20
)

// limitMemory keeps the memory of a busy server small, until ctx ends. A small heap
// may grow to five times its live bytes, which costs little. Once the cache of
// requests is full, five times would be hundreds of megabytes.
//
// A fixed limit would make a server that needs more spend its time collecting
// garbage. So the limit follows the live bytes and the stacks, of which every
// connection has some: no collection makes those smaller. GOGC and GOMEMLIMIT
// override it.
//
// A quiet server allocates too little for the next collection to come soon. It would
// keep what starting or the last busy hour left, so it collects that by itself.
func limitMemory(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		// With Go's default, a busy server would spend a tenth of its CPU on garbage
		// collection.
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := memoryLimit(0, 0)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	var q quiet
	use := newHeapUse()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		use.read()
		if now := memoryLimit(int64(use.live()), int64(use.stacks())); now != limit {
			debug.SetMemoryLimit(now)
			limit = now
		}
		if q.frees(use.allocated(), use.spare()) {
			debug.FreeOSMemory()
		}
	}
}

// heapUse is how the heap is used, in bytes.
type heapUse []metrics.Sample

func newHeapUse() heapUse {
	return heapUse{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}}
}

func (u heapUse) read() { metrics.Read(u) }

// live is what the last collection found in use.
func (u heapUse) live() uint64 { return u[0].Value.Uint64() }

// allocated is how much was ever allocated.
func (u heapUse) allocated() uint64 { return u[1].Value.Uint64() }

// stacks is what the stacks of goroutines take.
func (u heapUse) stacks() uint64 { return u[4].Value.Uint64() }

// spare is what a collection would give back at most.
func (u heapUse) spare() uint64 {
	return max(u[2].Value.Uint64()+u[3].Value.Uint64(), u.live()) - u.live()
}

// quiet notices that a process has little to do.
type quiet struct {
	allocated uint64
	seconds   int
}

// frees is asked every second whether memory is to be given back now.
func (q *quiet) frees(allocated, spare uint64) bool {
	if allocated-q.allocated >= quietRate {
		q.seconds = 0
	} else {
		q.seconds++
	}
	q.allocated = allocated
	return q.seconds >= quietSeconds && spare >= worthFreeing
}

// memoryLimit is the limit for a heap with so many live bytes, which may grow by half,
// beside stacks of that size.
func memoryLimit(live, stacks int64) int64 {
	steps := (live*3/2 + stacks + memoryOutsideHeap + memoryStep - 1) / memoryStep
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
