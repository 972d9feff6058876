package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Quantiles match those of the sorted times to 2%.
func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h, all histogram
	var times []time.Duration
	for range 100_000 {
		d := time.Duration(math.Exp(random.Float64()*18)) * time.Microsecond // up to a minute
		h.add(d)
		times = append(times, d)
	}
	slices.Sort(times)
	h.drainInto(&all)
	if h.size() != 0 || h.quantile(0.5) != 0 || all.size() != int64(len(times)) {
		t.Fatalf("%d are left, and %d were moved", h.size(), all.size())
	}
	for _, of := range []float64{0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999} {
		got, want := all.quantile(of), times[int(of*float64(len(times)))]
		if math.Abs(float64(got-want)) > 0.02*float64(want) {
			t.Errorf("quantile %v is %v, not %v", of, got, want)
		}
	}
	for _, d := range []time.Duration{-1, math.MaxInt64} {
		h.add(d)
	}
	if h.size() != 2 {
		t.Error("times out of bounds are not counted")
	}
}
