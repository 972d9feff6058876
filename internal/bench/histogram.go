package main

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts how long calls took, in the same few kilobytes however many
// there are. It is exact below 64 µs. Above that each power of two has 32 steps, so
// a quantile is off by at most 2%.
type histogram struct{ counts [1 << 10]atomic.Int64 }

// add counts one call. A call that takes longer than the steps cover, which is
// hours, counts in the last.
func (h *histogram) add(d time.Duration) { h.counts[stepOf(d)].Add(1) }

func stepOf(d time.Duration) int {
	us := uint64(max(0, d.Microseconds()))
	shift := max(0, bits.Len64(us)-6)
	return min(shift*32+int(us>>shift), len(histogram{}.counts)-1)
}

// middle returns the time in the middle of a step.
func middle(step int) time.Duration {
	if step < 64 {
		return time.Duration(step) * time.Microsecond
	}
	shift := step/32 - 1
	return time.Duration((2*(step-shift*32)+1)<<shift) * time.Microsecond / 2
}

// drainInto moves all counts to another histogram.
func (h *histogram) drainInto(other *histogram) {
	for i := range h.counts {
		other.counts[i].Add(h.counts[i].Swap(0))
	}
}

func (h *histogram) size() (n int64) {
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// quantile returns the time within which that share of the calls finished; 0
// without calls.
func (h *histogram) quantile(of float64) time.Duration {
	left := int64(of * float64(h.size()))
	for i := range h.counts {
		n := h.counts[i].Load()
		if left -= n; left < 0 {
			return middle(i)
		}
	}
	return 0
}
