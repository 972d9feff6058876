package service

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// The database goes away in the middle of a call, which therefore cannot release its
// key. When it is back, the call can be repeated at once where it ended, and soon at
// any other node. No lease has to run out: the clock stands still.
func TestKeyOfACallThatDiedWithTheDatabase(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	c := companyAt(t, url)
	proxy, address := dbtest.StartProxy(t, url)
	cut := c.on(store.New(dbtest.Open(t, sqldb.Config{URL: address, Log: quiet}), key, c.clock.Now))
	caller := c.caller()
	begin := func(name string) desk.IdempotencyKey {
		t.Helper()
		k, err := cut.BeginKey(ctx, caller, name)
		must(t, err)
		return k
	}
	here, elsewhere, refusal := begin("here"), begin("elsewhere"), begin("refusal")

	proxy.Set(func() { proxy.Cut = true })
	wantKind(t, cut.ReleaseKey(ctx, caller, here), desk.Unavailable)
	wantKind(t, cut.ReleaseKey(ctx, caller, elsewhere), desk.Unavailable)
	wantKind(t, cut.FinishKey(ctx, caller, refusal, desk.Answer{Status: 422}), desk.Unavailable)
	_, err := c.BeginKey(ctx, caller, "elsewhere")
	wantKind(t, err, desk.Conflict)

	proxy.Set(func() { proxy.Cut = false })
	begin("here")
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cut.Service.Run(running)
	}()
	for _, name := range []string{"elsewhere", "refusal"} {
		for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
			if _, err = c.BeginKey(ctx, caller, name); err == nil {
				break
			}
			wantKind(t, err, desk.Conflict)
			if time.Now().After(end) {
				t.Fatalf("%s is still taken", name)
			}
		}
	}
	// What was taken again stays taken.
	for _, name := range []string{"here", "elsewhere", "refusal"} {
		_, err := c.BeginKey(ctx, caller, name)
		wantKind(t, err, desk.Conflict)
	}
	stop()
	<-ended
}
