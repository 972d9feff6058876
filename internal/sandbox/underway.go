package sandbox

import (
	"context"
	"net/http"
	"sync"
)

// underway are the calls that the sandbox is working on. A call whose answer a fault
// holds back is done.
type underway struct {
	mu    sync.Mutex
	calls map[chan struct{}]bool // each is closed when its call is done
}

// begin counts a call until done is called, at the latest when it is answered. It may
// be called more than once.
func (u *underway) begin() (done func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls == nil {
		u.calls = map[chan struct{}]bool{}
	}
	call := make(chan struct{})
	u.calls[call] = true
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.calls[call] {
			delete(u.calls, call)
			close(call)
		}
	}
}

// settle waits for every call that is under way now, and not for later ones.
func (u *underway) settle(ctx context.Context) error {
	u.mu.Lock()
	var calls []chan struct{}
	for call := range u.calls {
		calls = append(calls, call)
	}
	u.mu.Unlock()
	for _, call := range calls {
		select {
		case <-call:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// serveSettled answers when every call that was under way has been done. A caller
// that gave up on a call cannot know otherwise whether it is still going to happen.
func (s *Sandbox) serveSettled(w http.ResponseWriter, r *http.Request, _ pass) {
	if err := s.underway.settle(r.Context()); err == nil {
		s.answer(w, object{"ok": true})
	}
}
