// Package markuptest has helpers for the tests of packages that read or write
// formatted text.
package markuptest

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Growth fails if eight times the text takes far more than eight times the work. A
// quadratic step would take 64 times. It measures the CPU time of this thread,
// which other programs on the machine do not affect. The garbage collector may, so
// one good comparison out of several is enough.
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

// worked returns the CPU time of this thread.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
		t.Fatal(err)
	}
	return time.Duration(spent.Nano())
}
