package lineartest

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Mishap is what happens to a delivery on its way.
type Mishap int

const (
	Lost    Mishap = iota + 1 // it never comes, and is not sent again
	Twice                     // it comes twice, the same
	Swapped                   // it comes after the next one to the same webhook
	Delayed                   // it comes when Release says
)

// courier brings deliveries, to each webhook in their order unless a mishap is
// asked for.
type courier struct {
	client *http.Client
	now    func() time.Time

	mu      sync.Mutex
	changed *sync.Cond
	queue   []*delivery
	mishaps []Mishap
	always  Mishap      // what happens behind those
	swapped []*delivery // each waits for the next one to its webhook
	held    []*delivery
	failed  []*delivery // that nobody took
	under   bool        // one is under way
	closed  bool
	ended   chan struct{}
}

func newCourier(c Config) *courier {
	k := &courier{client: c.Client, now: c.Now, ended: make(chan struct{})}
	k.changed = sync.NewCond(&k.mu)
	go k.run()
	return k
}

func (k *courier) run() {
	defer close(k.ended)
	for {
		k.mu.Lock()
		for len(k.queue) == 0 && !k.closed {
			k.changed.Wait()
		}
		if k.closed {
			k.mu.Unlock()
			return
		}
		d := k.queue[0]
		k.queue, k.under = k.queue[1:], true
		k.mu.Unlock()
		if d.raw == nil {
			d = d.stamped(k.now())
		}
		taken := k.bring(d)
		k.mu.Lock()
		if k.under = false; !taken {
			k.failed = append(k.failed, d)
		}
		k.changed.Broadcast()
		k.mu.Unlock()
	}
}

// bring brings a delivery, and reports whether it was taken: Linear takes nothing
// but 200 for that.
func (k *courier) bring(d *delivery) bool {
	req, err := d.request()
	if err != nil {
		return false
	}
	res, err := k.client.Do(req)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// send has a delivery brought, or lets happen to it what a test has asked for.
func (k *courier) send(d *delivery) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.always
	if len(k.mishaps) > 0 {
		m, k.mishaps = k.mishaps[0], k.mishaps[1:]
	}
	switch m {
	case Lost:
	case Twice:
		d = d.stamped(k.now())
		k.queue = append(k.queue, d, d)
	case Swapped:
		k.swapped = append(k.swapped, d)
		return
	case Delayed:
		k.held = append(k.held, d)
	default:
		k.queue = append(k.queue, d)
	}
	for i, before := range k.swapped {
		if before.hook.id == d.hook.id {
			k.queue = append(k.queue, before)
			k.swapped = append(k.swapped[:i:i], k.swapped[i+1:]...)
			break
		}
	}
	k.changed.Broadcast()
}

func (k *courier) close() {
	k.mu.Lock()
	k.closed = true
	k.changed.Broadcast()
	k.mu.Unlock()
	<-k.ended
}

// Mishaps are what happens to the next deliveries, one each, in their order; 0 is
// that nothing does.
func (s *Server) Mishaps(all ...Mishap) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.mishaps = append(s.hooks.mishaps, all...)
}

// Always is what happens to all deliveries behind those; 0 is that nothing does.
func (s *Server) Always(m Mishap) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.always = m
}

// Release brings what was delayed, and what waited for a next one.
func (s *Server) Release() { s.hooks.again((*courier).late) }

// Reverse does so, the newest first.
func (s *Server) Reverse() {
	s.hooks.again(func(k *courier) []*delivery {
		all := k.late()
		slices.Reverse(all)
		return all
	})
}

// late are the deliveries that wait for somebody to let them go.
func (k *courier) late() []*delivery {
	all := append(k.held, k.swapped...)
	k.held, k.swapped = nil, nil
	return all
}

// Retry brings once more what nobody took, under the name that it had. Linear
// does that after a minute, an hour and six hours.
func (s *Server) Retry() {
	s.hooks.again(func(k *courier) (all []*delivery) {
		for _, d := range k.failed {
			fresh := *d
			fresh.raw = nil
			all = append(all, &fresh)
		}
		k.failed = nil
		return all
	})
}

func (k *courier) again(take func(*courier) []*delivery) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue = append(k.queue, take(k)...)
	k.changed.Broadcast()
}

// Settle returns when everything was brought that is on its way, taken or not.
func (s *Server) Settle() {
	k := s.hooks
	k.mu.Lock()
	defer k.mu.Unlock()
	for (len(k.queue) > 0 || k.under) && !k.closed {
		k.changed.Wait()
	}
}
