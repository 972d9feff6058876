package zendesktest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// tries is how often a webhook call is sent if its endpoint asks for a retry.
const tries = 4

// letter is an event on its way to a webhook.
type letter struct {
	webhook, endpoint, secret string
	invocation                string
	kind                      string
	ticket                    int64
	body                      []byte
}

// Delivery is an event that was sent to a webhook, or was lost on the way.
type Delivery struct {
	Type   string // zen:event-type:ticket.comment_added
	Ticket int64
	Status int // the endpoint's answer; 0 for none
	Lost   bool
}

// office sends webhook calls, one after the other.
type office struct {
	client *http.Client
	now    func() time.Time
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex
	changed *sync.Cond
	waiting []letter
	held    bool
	busy    bool
	lose    int
	double  int
	sent    []Delivery
}

func newOffice(c Config) *office {
	o := &office{client: c.Client, now: c.Now, ended: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	o.ctx, o.cancel = context.WithCancel(context.Background())
	go o.work()
	return o
}

func (o *office) close() {
	// With the lock held, because a worker that is about to wait would miss it.
	o.mu.Lock()
	o.cancel()
	o.changed.Broadcast()
	o.mu.Unlock()
	<-o.ended
}

func (o *office) add(l letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lose > 0 {
		o.lose--
		o.sent = append(o.sent, Delivery{Type: l.kind, Ticket: l.ticket, Lost: true})
		return
	}
	o.waiting = append(o.waiting, l)
	if o.double > 0 {
		o.double--
		o.waiting = append(o.waiting, l)
	}
	o.changed.Broadcast()
}

func (o *office) work() {
	defer close(o.ended)
	for {
		l, ok := o.next()
		if !ok {
			return
		}
		status := o.send(l)
		o.mu.Lock()
		o.busy = false
		o.sent = append(o.sent, Delivery{Type: l.kind, Ticket: l.ticket, Status: status})
		o.mu.Unlock()
		o.changed.Broadcast()
	}
}

// next waits for the next letter to send. It returns false at the end.
func (o *office) next() (letter, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.ctx.Err() == nil && (o.held || len(o.waiting) == 0) {
		o.changed.Wait()
	}
	if o.ctx.Err() != nil {
		return letter{}, false
	}
	l := o.waiting[0]
	o.waiting, o.busy = o.waiting[1:], true
	return l, true
}

// send sends a letter until it is accepted. This fake retries at once, without the
// pause that the endpoint asks for.
func (o *office) send(l letter) (status int) {
	for range tries {
		status = o.try(l)
		if status != http.StatusConflict && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			break
		}
	}
	return status
}

func (o *office) try(l letter) (status int) {
	req, err := http.NewRequestWithContext(o.ctx, http.MethodPost, l.endpoint, bytes.NewReader(l.body))
	if err != nil {
		return 0
	}
	at := stamp(o.now())
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Zendesk Webhook")
	req.Header.Set("X-Zendesk-Account-Id", strconv.Itoa(accountID))
	req.Header.Set("X-Zendesk-Webhook-Id", l.webhook)
	req.Header.Set("X-Zendesk-Webhook-Invocation-Id", l.invocation)
	req.Header.Set("X-Zendesk-Webhook-Signature-Timestamp", at)
	req.Header.Set("X-Zendesk-Webhook-Signature", Sign(l.secret, at, l.body))
	res, err := o.client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	return res.StatusCode
}

// Sign returns the signature of a body that is sent at a time, in the form of the
// header.
func Sign(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Lose makes the next n deliveries get lost.
func (z *Zendesk) Lose(n int) {
	z.post.mu.Lock()
	defer z.post.mu.Unlock()
	z.post.lose = n
}

// Double makes the next n deliveries arrive twice.
func (z *Zendesk) Double(n int) {
	z.post.mu.Lock()
	defer z.post.mu.Unlock()
	z.post.double = n
}

// Hold holds deliveries back until Release or Reverse.
func (z *Zendesk) Hold() {
	z.post.mu.Lock()
	defer z.post.mu.Unlock()
	z.post.held = true
}

// Release sends the held deliveries, and all later ones as usual.
func (z *Zendesk) Release() { z.post.release(false) }

// Reverse does the same, newest first.
func (z *Zendesk) Reverse() { z.post.release(true) }

func (o *office) release(reverse bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if reverse {
		slices.Reverse(o.waiting)
	}
	o.held = false
	o.changed.Broadcast()
}

// Settle waits until everything is sent that is not held back.
func (z *Zendesk) Settle() {
	o := z.post
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.ctx.Err() == nil && (o.busy || len(o.waiting) > 0 && !o.held) {
		o.changed.Wait()
	}
}

// Deliveries returns the sent and the lost deliveries, in order.
func (z *Zendesk) Deliveries() []Delivery {
	z.post.mu.Lock()
	defer z.post.mu.Unlock()
	return slices.Clone(z.post.sent)
}
