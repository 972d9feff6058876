package lineartest

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Mishap is something that goes wrong with a delivery.
type Mishap int

const (
	Lost    Mishap = iota + 1 // it never arrives, and is not sent again
	Twice                     // it arrives twice, unchanged
	Swapped                   // it arrives after the next one to the same webhook
	Delayed                   // it arrives when Release is called
)

// courier sends deliveries, in order for each webhook unless a test asks for a
// mishap.
type courier struct {
	client *http.Client
	now    func() time.Time

	mu      sync.Mutex
	changed *sync.Cond
	queue   []*delivery
	mishaps []Mishap
	always  Mishap      // what happens to the deliveries after those
	swapped []*delivery // each waits for the next delivery to its webhook
	held    []*delivery
	failed  []*delivery // deliveries that no receiver accepted
	under   bool        // whether one is being sent
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

// bring sends a delivery and reports whether it was accepted. Linear accepts only a
// 200.
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

// send queues a delivery, or applies the mishap that a test has asked for.
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

// Mishaps sets what happens to the next deliveries, one each, in order. 0 means no
// mishap.
func (s *Server) Mishaps(all ...Mishap) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.mishaps = append(s.hooks.mishaps, all...)
}

// Always sets what happens to all deliveries after those. 0 means no mishap.
func (s *Server) Always(m Mishap) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.always = m
}

// Release sends the delayed deliveries, and those that wait for a next one.
func (s *Server) Release() { s.hooks.again((*courier).late) }

// Reverse does the same, newest first.
func (s *Server) Reverse() {
	s.hooks.again(func(k *courier) []*delivery {
		all := k.late()
		slices.Reverse(all)
		return all
	})
}

// late returns the deliveries that wait for Release.
func (k *courier) late() []*delivery {
	all := append(k.held, k.swapped...)
	k.held, k.swapped = nil, nil
	return all
}

// Retry sends the deliveries again that were not accepted, under the same name.
// Linear does this after a minute, an hour and six hours.
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

// Settle returns once all deliveries under way have been sent, accepted or not.
func (s *Server) Settle() {
	k := s.hooks
	k.mu.Lock()
	defer k.mu.Unlock()
	for (len(k.queue) > 0 || k.under) && !k.closed {
		k.changed.Wait()
	}
}
