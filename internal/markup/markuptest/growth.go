// Package markuptest has what the tests of whoever reads or writes formatted text
// share.
package markuptest

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Growth fails where eight times the text takes far more than eight times the
// work: a quadratic step would take 64 times. What counts is the time of this
// thread on a processor, which others on the machine do not take; the collector
// of garbage may, so one good comparison of several is enough.
func Growth(t *testing.T, piece string, f func(string)) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const size = 1 << 13
	least := func(n int) time.Duration {
		text := strings.Repeat(piece, n/len(piece))
		least := time.Hour
		for range 2 {
			begin := worked(t)
			f(text)
			least = min(least, worked(t)-begin)
		}
		return max(least, time.Microsecond)
	}
	var ratio float64
	for range 6 {
		if ratio = float64(least(8*size)) / float64(least(size)); ratio < 24 {
			return
		}
	}
	t.Errorf("%q eight times as long takes %.0f times the work", piece, ratio)
}

// worked is how long this thread has been on a processor.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
		t.Fatal(err)
	}
	return time.Duration(spent.Nano())
}
