package limit

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New[string](60, 2) // one a second
		step := func(key string, left float64, wait time.Duration) {
			t.Helper()
			if w := b.Wait(key); (w > 0) != (wait > 0) {
				t.Errorf("%s has to wait %s", key, w)
			}
			if l, w := b.Take(key); l != left || w != wait {
				t.Errorf("%s: %v left, wait %s; want %v, %s", key, l, w, left, wait)
			}
		}
		step("a", 1, 0)
		step("a", 0, 0)
		step("a", 0, time.Second)
		step("a", 0, time.Second) // a refused call costs nothing
		step("b", 1, 0)
		time.Sleep(time.Second)
		step("a", 0, 0)
		time.Sleep(time.Hour)
		step("a", 1, 0) // never more than the burst
		if got := b.Refill(0); got != 2*time.Second {
			t.Errorf("a bucket is full after %s", got)
		}
	})
}

func TestNoLimit(t *testing.T) {
	b := New[int](0, 3)
	for range 100 {
		if left, wait := b.Take(1); left != 3 || wait != 0 || b.Wait(1) != 0 {
			t.Fatalf("%v left, wait %s", left, wait)
		}
	}
	if len(b.young) > 0 {
		t.Error("something is kept")
	}
}

// However many keys are used, the memory is bounded, and a key in constant use is
// not dropped.
func TestBucketsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New[int](1, 1)
		const busy = -1
		b.Take(busy)
		for i := range 5 * maxKeys {
			if i%(maxKeys/4) == 0 {
				if _, wait := b.Take(busy); wait == 0 {
					t.Fatalf("after %d others it began anew", i)
				}
			}
			if i%7 == 0 {
				b.Wait(1_000_000 + i) // Wait stores nothing
			}
			b.Take(i)
			if kept := len(b.young) + len(b.old); kept > maxKeys {
				t.Fatalf("%d are kept", kept)
			}
		}
		if _, wait := b.Take(0); wait != 0 {
			t.Error("one that did not come again is remembered")
		}
	})
}

func TestLogCannotBeFlooded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		l := NewLog(slog.New(slog.NewTextHandler(&text, nil)))
		lines := func() (n int, last string) {
			all := strings.Split(strings.TrimSpace(text.String()), "\n")
			return strings.Count(text.String(), "\n"), all[len(all)-1]
		}
		say := func(times int, key string) {
			for range times {
				l.Info(t.Context(), key, "refused", "who", key)
			}
		}
		say(1000, "one")
		if n, _ := lines(); n != linesOfOne {
			t.Errorf("%d lines of one, want %d", n, linesOfOne)
		}
		say(1, "another") // is still logged
		if n, last := lines(); n != linesOfOne+1 || !strings.Contains(last, "who=another") || !strings.Contains(last, "left_out_before=990") {
			t.Errorf("%d lines, the last is %s", n, last)
		}
		for i := range 10 * linesOfAll {
			say(1, fmt.Sprint("many ", i))
		}
		if n, _ := lines(); n != linesOfAll {
			t.Errorf("%d lines of all, want %d", n, linesOfAll)
		}
		time.Sleep(time.Minute)
		say(1, "later")
		if n, last := lines(); n != linesOfAll+1 || !strings.Contains(last, "left_out_before=1811") {
			t.Errorf("%d lines, the last is %s", n, last)
		}
		quiet := bytes.Buffer{}
		NewLog(slog.New(slog.NewTextHandler(&quiet, &slog.HandlerOptions{Level: slog.LevelWarn}))).Info(t.Context(), "x", "refused")
		if quiet.Len() > 0 {
			t.Errorf("logged %s", &quiet)
		}
	})
}

func TestShort(t *testing.T) {
	if got := Short("/v1/rest/account"); got != "/v1/rest/account" {
		t.Error(got)
	}
	if got := Short(strings.Repeat("x", 60_000)); len(got) > 210 {
		t.Errorf("%d bytes", len(got))
	}
}
