package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// once runs a call under its Idempotency-Key, if it has one. The first call runs
// for real; later calls get the stored response. An operation stores its response
// in its own transaction. This function stores the others: refusals, and calls that
// change nothing.
func (c *call) once(run func() (answer, error)) (answer, error) {
	name := c.req.Header.Get("Idempotency-Key")
	if name == "" || c.route.asks || c.req.Method == http.MethodGet || c.req.Method == http.MethodHead || c.req.Method == http.MethodDelete {
		return run()
	}
	if len(c.req.Header.Values("Idempotency-Key")) > 1 || utf8.RuneCountInString(name) > desk.MostKeyName || !desk.Storable(name) {
		return answer{}, desk.Errorf(desk.Invalid, "Idempotency-Key must be a single text of at most %d characters.", desk.MostKeyName)
	}
	key, err := c.server.service.BeginKey(c.ctx, c.caller, name)
	if err != nil {
		return answer{}, err
	}
	if key.Answer != nil {
		return c.replay(key)
	}
	defer c.keepAlive(key)() // also stops the renewals after a panic
	return c.runWith(&key, run)
}

// runWith runs the call that holds a key, and makes sure that the key is released
// or completed.
func (c *call) runWith(key *desk.IdempotencyKey, run func() (answer, error)) (a answer, err error) {
	ended := false
	defer func() {
		if !ended { // a panic: the call may be tried again
			c.release(*key)
		}
	}()
	c.caller.Key = key
	c.caller.Answer = func(result any) (desk.Answer, error) {
		// The fingerprint is taken here because only now has the form been read to
		// its end. It must have been: this is a transaction, and a transaction does
		// not wait for clients.
		if c.form != nil && c.form.err != io.EOF || c.items != nil && c.items.err != io.EOF {
			return desk.Answer{}, errFormLeft
		}
		if key.Fingerprint, err = c.fingerprint(); err != nil {
			return desk.Answer{}, err
		}
		a, err := c.route.answer(result)
		c.kept = &a
		return a.Answer, err
	}
	a, err = run()
	ended = true
	if err == nil && c.kept != nil {
		return a, nil
	}
	c.kept = nil
	if err != nil {
		a = errorAnswer(err)
	}
	if !keepable(a.Status) {
		c.release(*key)
		return a, err
	}
	print, e := c.fingerprint()
	if e != nil {
		c.release(*key)
		return a, err
	}
	key.Fingerprint = print
	if e := c.server.service.FinishKey(context.WithoutCancel(c.ctx), c.caller, *key, a.Answer); e != nil {
		c.server.log.WarnContext(c.ctx, "keep an idempotent answer", "request_id", c.requestID(), "error", e)
	}
	return a, err
}

// errFormLeft reports a mistake in a handler.
var errFormLeft = errors.New("the handler has not read its body to the end")

// keepable reports whether a response is final. Faults, rate limits and missing
// permissions may be gone at the next try.
func keepable(status int) bool {
	return status < 500 && status != http.StatusTooManyRequests && status != http.StatusForbidden
}

func (c *call) release(key desk.IdempotencyKey) {
	if err := c.server.service.ReleaseKey(context.WithoutCancel(c.ctx), c.caller, key); err != nil {
		// It is released later, or its lease will expire.
		c.server.log.WarnContext(c.ctx, "release an idempotency key", "request_id", c.requestID(), "error", err)
	}
}

// replay returns a stored response, but only to the same call.
func (c *call) replay(key desk.IdempotencyKey) (answer, error) {
	print, err := c.fingerprint()
	if err != nil {
		return answer{}, err
	}
	if !bytes.Equal(print, key.Fingerprint) {
		return answer{}, desk.Errorf(desk.Mismatch, "This Idempotency-Key was used for another call. Use a new key for a new call.")
	}
	return answer{Answer: *key.Answer, replayed: true}, nil
}

// keepAlive renews the key's lease until stop is called. Most calls end long before
// the first renewal.
func (c *call) keepAlive(key desk.IdempotencyKey) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.ctx))
	done := make(chan struct{})
	caller, request := c.caller, c.requestID() // copied, because the call goes on in another goroutine
	renew := func() {
		if err := c.server.service.RenewKey(ctx, caller, key); err != nil && ctx.Err() == nil {
			c.server.log.WarnContext(ctx, "renew an idempotency key", "request_id", request, "error", err)
		}
	}
	timer := time.AfterFunc(desk.KeyLease/3, func() {
		defer close(done)
		tick := time.NewTicker(desk.KeyLease / 3)
		defer tick.Stop()
		for ctx.Err() == nil {
			renew()
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		if !timer.Stop() {
			<-done // the renewal has started: wait until it ends
		}
	}
}

// fingerprint identifies a call by its method, path and decoded content, never by
// its raw bytes. A form or a list is read to its end for this. The fingerprint is
// keyed, because a body may hold a password that could be guessed from a plain
// digest.
func (c *call) fingerprint() ([]byte, error) {
	h := sha256.New()
	h.Write([]byte(c.req.Method + " " + c.req.URL.RequestURI() + "\n"))
	if c.form != nil {
		parts, err := c.formFingerprint()
		if err != nil {
			return nil, err
		}
		h.Write(parts)
		return c.server.keys.Sign(h.Sum(nil)), nil
	}
	if c.items != nil {
		list, err := c.items.fingerprint()
		if err != nil {
			return nil, err
		}
		h.Write(list)
		return c.server.keys.Sign(h.Sum(nil)), nil
	}
	h.Write(canonical(c.raw))
	return c.server.keys.Sign(h.Sum(nil)), nil
}

// canonical returns JSON without the differences that do not matter: white space,
// the order of fields, and how characters are escaped. It returns text that is not
// JSON unchanged.
func canonical(raw []byte) []byte {
	// The decoder stops after the first value and repairs broken characters.
	// Without this check, a bad call could have the same fingerprint as the
	// corrected call that follows it.
	if !json.Valid(raw) || !utf8.Valid(raw) || hasHalfPair(raw) {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // 1.10 and 1.1 need not differ, but 2^53+1 must not be rounded
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return b
}
