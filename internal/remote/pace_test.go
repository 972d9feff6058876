package remote

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
)

// A call waits for its turn in the slowest of its queues. Other queues have turns of
// their own.
func TestLanesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := over(func(*http.Request) *http.Response { return said(200, `{}`) })
		seen := newTimes()
		for range 18 {
			check(s.get(t.Context(), Queue{"fast", Limit{1, time.Second, 3}}, slow("slow")))
			seen.note()
		}
		check(s.get(t.Context(), slow("other")))
		seen.note()
		at := seen.at
		for range 2 {
			check(s.get(t.Context(), Queue{"one by one", Limit{Calls: 1, Per: time.Minute}}))
		}
		want(t, "one by one", time.Since(seen.began).Seconds(), at[17]+60)
		want(t, "the first", at[:6], []float64{0, 0, 0, 1, 2, 3})
		if at[12] != 10 || at[17] < 23.9 || at[17] > 24.1 || at[18] != at[17] {
			t.Errorf("calls came at %v", at)
		}
	})
}

// A call that would have to wait longer than it may fails at once.
func TestTooLongAWaitIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		s := over(func(*http.Request) *http.Response { calls++; return said(200, `{}`) })
		for range 10 {
			check(s.get(t.Context(), slow("a")))
		}
		began := time.Now()
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			e := wantKind(t, "busy", s.get(ctx, slow("a")), desk.Busy)
			cancel()
			// A call that was turned away has not used up a turn.
			want(t, "retry after", e.RetryAfter, 3*time.Second)
			want(t, "message", e.Message, "Acme allows no more calls at the moment.")
		}
		// With half a second left after its turn the call would be cut off.
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		wantKind(t, "too little time", s.get(ctx, slow("a")), desk.Busy)
		cancel()
		want(t, "time and calls", []any{time.Since(began), calls}, []any{time.Duration(0), 10})
		check(s.get(t.Context(), slow("a")))
		want(t, "time and calls", []any{time.Since(began), calls}, []any{3 * time.Second, 11})

		// A caller who gives up waiting learns how long it would have been, and the
		// turn goes to the next one.
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		e := wantKind(t, "given up", s.get(ctx, slow("a")), desk.Busy)
		want(t, "retry after", e.RetryAfter, 2*time.Second)
		check(s.get(t.Context(), slow("a")))
		want(t, "time and calls", []any{time.Since(began), calls}, []any{6 * time.Second, 12})
	})
}

// A pause that one call gets applies to all calls of its queue, and to no others.
func TestPausesAreForALane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for queue := range 2 {
			queues := []Queue{slow("wide"), slow("narrow")}
			seen := newTimes()
			s := over(func(*http.Request) *http.Response { return said(200, `{}`) })
			call := func(ctx context.Context, queues ...Queue) error {
				return s.Do(ctx, Call{Name: "x", URL: "https://acme.test/", Queues: queues}, func(Answer) error {
					if seen.note() == 1 {
						return &Pause{For: 30 * time.Second, Queue: queue}
					}
					return nil
				})
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() { check(call(t.Context(), queues...)) })
				synctest.Wait() // the first is refused before the others come
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			wantKind(t, "busy", call(ctx, queues[queue]), desk.Busy)
			check(call(ctx, queues[1-queue]))
			cancel()
			group.Wait()
			// They continue one by one. All at once they would cause the next pause.
			at := seen.at
			if len(at) != 6 || at[0] != 0 || at[1] != 0 || at[2] != 30 || at[3] < 32.9 || at[5] < 38.9 {
				t.Errorf("calls came at %v", at)
			}
		}
	})
}

// A call that already waits for its turn is held by a pause that comes in the
// meantime.
func TestPauseComesWhileOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newTimes()
		s := over(func(*http.Request) *http.Response {
			if seen.note() == 10 {
				time.Sleep(time.Second)
				return said(429, `{}`, "Retry-After", "30")
			}
			return said(200, `{}`)
		})
		for range 9 {
			check(s.get(t.Context(), slow("a")))
		}
		var group sync.WaitGroup
		group.Go(func() { check(s.get(t.Context(), slow("a"))) })
		synctest.Wait() // it is on its way, and the next one's turn is in three seconds
		group.Go(func() { check(s.get(t.Context(), slow("a"))) })
		group.Wait()
		if at := seen.at; at[9] != 0 || at[10] < 31 {
			t.Errorf("calls came at %v", at)
		}
	})
}

// A shorter pause does not end a longer one, and who gives up during a pause has not
// saved up a turn for the others.
func TestPauseStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer("Acme", false)
		queues := []Queue{slow("a")}
		began := time.Now()
		p.pause(queues[0], time.Minute)
		p.pause(queues[0], time.Second)
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			wantKind(t, "busy", p.wait(ctx, queues), desk.Busy)
			cancel()
		}
		for _, at := range []time.Duration{60, 63, 66} {
			check(p.wait(t.Context(), queues))
			want(t, "turn", time.Since(began).Round(time.Millisecond), at*time.Second)
		}
	})
}

// A storm of refusals ends with each call done once.
func TestStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		refused, done := 0, 0
		s := over(func(*http.Request) *http.Response {
			mu.Lock()
			defer mu.Unlock()
			if time.Since(began) < 20*time.Second {
				refused++
				return said(429, `{}`, "Retry-After", "4")
			}
			done++
			return said(200, `{}`)
		})
		queue := Queue{Name: "all"}
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() { check(s.get(t.Context(), queue, slow(fmt.Sprint(i)))) })
		}
		group.Wait()
		want(t, "done", done, 10)
		if refused > 60 {
			t.Errorf("%d were refused", refused)
		}
		// With less time than the storm takes the result is Busy, and nothing was
		// done.
		began = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		wantKind(t, "busy", s.get(ctx, queue), desk.Busy)
		want(t, "done", done, 10)
	})
}

// Queues are forgotten when a new one would be the same, and not sooner.
func TestIdleLanesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer("Acme", false)
		hour := Queue{"hour", Limit{60, time.Hour, 60}}
		for range 10 {
			check(p.wait(t.Context(), []Queue{hour}))
		}
		for i := range 1000 {
			check(p.wait(t.Context(), []Queue{slow(fmt.Sprint(i)), {Name: fmt.Sprint(i, " unlimited")}}))
		}
		want(t, "queues", len(p.queues), 2001)
		p.pause(Queue{Name: "paused"}, time.Hour)
		time.Sleep(5 * time.Minute)
		check(p.wait(t.Context(), []Queue{slow("x")}))
		// The paused one, x, and the one that needs ten minutes to refill.
		want(t, "queues", len(p.queues), 3)
		want(t, "the pause", p.paused([]Queue{{Name: "paused"}}, time.Now()), true)
		time.Sleep(10 * time.Minute)
		check(p.wait(t.Context(), []Queue{slow("x")}))
		want(t, "queues", len(p.queues), 2)
		time.Sleep(time.Hour)
		check(p.wait(t.Context(), nil))
		want(t, "queues", len(p.queues), 0)
	})
}

// Without limits of our own, the system's pauses still count.
func TestUnlimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		s := over(func(*http.Request) *http.Response {
			if calls++; calls == 100 {
				return said(429, `{}`, "Retry-After", "7")
			}
			return said(200, `{}`)
		}, func(c *Config) { c.Unlimited = true })
		began := time.Now()
		for range 99 {
			check(s.get(t.Context(), slow("a")))
		}
		want(t, "at once", time.Since(began), time.Duration(0))
		check(s.get(t.Context(), slow("a")))
		want(t, "after the pause", time.Since(began), 7*time.Second)
	})
}
