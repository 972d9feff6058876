package sandbox

import (
	"context"
	"testing"
	"testing/synctest"
)

func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &underway{}
		settled := func(ctx context.Context) chan error {
			done := make(chan error, 1)
			go func() { done <- u.settle(ctx) }()
			synctest.Wait()
			return done
		}
		want(t, "with no call", len(settled(t.Context())), 1)
		first, second := u.begin(), u.begin()
		both := settled(t.Context())
		later := u.begin()
		first()
		synctest.Wait()
		want(t, "one call is under way", len(both), 0)
		second()
		second() // a call that was done when its answer was held back, and ends now
		synctest.Wait()
		want(t, "only a later call is under way", len(both), 1)
		ctx, cancel := context.WithCancel(t.Context())
		waiting := settled(ctx)
		want(t, "the later call is under way", len(waiting), 0)
		cancel()
		want(t, "who gives up", <-waiting, context.Canceled)
		later()
		want(t, "all done", len(settled(t.Context())), 1)
	})
}
