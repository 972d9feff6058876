package sandbox

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// heard posts a message, which causes one event.
func (w *world) heard(c, text string) {
	w.t.Helper()
	must(w.s.As(w.owner).Post(w.ctx, c, text))
}

// quiet returns a world whose app is in a channel, with nothing left to send.
func quiet(t *testing.T, options ...option) (*world, string) {
	w := newWorld(t, options...)
	c := w.channel("desk")
	if err := w.s.write(w.ctx, func(t *tx) error {
		_, err := t.Exec("DELETE FROM deliveries")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return w, c
}

// await waits until the deliveries are as expected.
func (w *world) await(good func([]Delivery) bool) []Delivery {
	w.t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		if all := must(w.s.Deliveries(w.ctx)); good(all) {
			return all
		}
		time.Sleep(time.Millisecond)
	}
	w.t.Fatalf("the deliveries are %v", must(w.s.Deliveries(w.ctx)))
	panic("unreachable")
}

// settle waits until nothing is left to send. Then the clock can move without
// making a running callback look slow.
func (w *world) settle() {
	w.t.Helper()
	w.await(func(all []Delivery) bool {
		return !slices.ContainsFunc(all, func(d Delivery) bool { return d.State == "new" || d.State == "due" })
	})
}

// state waits until the only delivery is in a state.
func (w *world) state(state string) Delivery {
	w.t.Helper()
	return w.await(func(all []Delivery) bool { return len(all) == 1 && all[0].State == state })[0]
}

func TestRetries(t *testing.T) {
	w, c := quiet(t)
	w.rec.answers(func(rw http.ResponseWriter, _ callbackSeen) { rw.WriteHeader(503) })
	w.heard(c, "x")
	w.run()
	first := w.rec.next()
	want(t, "first", first.header.Get("X-Slack-Retry-Num"), "")
	again := w.rec.next() // at once
	want(t, "second", []string{again.header.Get("X-Slack-Retry-Num"), again.header.Get("X-Slack-Retry-Reason")}, []string{"1", "http_error"})
	want(t, "the same event", again.json["event_id"], first.json["event_id"])
	for _, step := range []struct {
		after time.Duration
		num   string
	}{{time.Minute, "2"}, {5 * time.Minute, "3"}} {
		due := w.clock.Now().Add(step.after)
		w.await(func(all []Delivery) bool { return all[0].Due.Equal(due) })
		w.clock.Advance(step.after - time.Second)
		if len(w.rec.got) > 0 {
			t.Error("it came too soon")
		}
		w.clock.Advance(time.Second)
		got := w.rec.next()
		want(t, "retry", got.header.Get("X-Slack-Retry-Num"), step.num)
		want(t, "signed when sent", got.header.Get("X-Slack-Request-Timestamp"), strconv.FormatInt(w.clock.Now().Unix(), 10))
	}
	d := w.state("failed")
	want(t, "retries", d.Retries, 3)
}

func TestRetryReasons(t *testing.T) {
	w, c := quiet(t)
	started, release := make(chan struct{}), make(chan struct{})
	var first sync.Once
	w.rec.answers(func(rw http.ResponseWriter, _ callbackSeen) {
		first.Do(func() { close(started); <-release })
	})
	w.heard(c, "x")
	w.run()
	<-started
	w.clock.Advance(patience)
	w.state("due")
	close(release)
	got := w.rec.next()
	for got.header.Get("X-Slack-Retry-Num") == "" { // skip the one that took too long
		got = w.rec.next()
	}
	want(t, "after three seconds", got.header.Get("X-Slack-Retry-Reason"), "http_timeout")
	w.state("delivered")

	around := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer around.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	secure := httptest.NewTLSServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer secure.Close()
	for address, reason := range map[string]string{around.URL: "too_many_redirects", gone.URL: "connection_failed", secure.URL: "ssl_error"} {
		a, err := w.s.callback(w.ctx, &w.app, address, "application/json", []byte("{}"), nil)
		want(t, "reason", retryReason(a, err), reason)
	}
}

func TestNoRetry(t *testing.T) {
	w, c := quiet(t)
	w.rec.answers(func(rw http.ResponseWriter, _ callbackSeen) {
		rw.Header().Set("X-Slack-No-Retry", "1")
		rw.WriteHeader(500)
	})
	w.heard(c, "x")
	w.run()
	w.rec.next()
	want(t, "retries", w.state("failed").Retries, 0)
}

// Events of a conversation arrive in the order they happened.
func TestOrder(t *testing.T) {
	w, c := quiet(t)
	w.run()
	for i := range 30 {
		w.heard(c, strconv.Itoa(i))
	}
	for i := range 30 {
		want(t, "text", w.rec.event("message", "")["text"], strconv.Itoa(i))
	}
}

// An app that hangs on one event still receives the next ones.
func TestAHangingEventHoldsUpNothing(t *testing.T) {
	w, c := quiet(t)
	release := make(chan struct{})
	w.rec.answers(func(_ http.ResponseWriter, got callbackSeen) {
		if got.event()["text"] == "hangs" {
			<-release
		}
	})
	t.Cleanup(func() { close(release) })
	w.heard(c, "hangs")
	w.heard(c, "follows")
	w.run()
	w.clock.await(laneWait)
	w.clock.Advance(laneWait)
	want(t, "text", w.rec.next().event()["text"], "follows")
}

// Events from the past are delivered in order, however slow the app is.
func TestThePastIsToldInOrder(t *testing.T) {
	w, c := quiet(t)
	release := make(chan struct{})
	w.rec.answers(func(_ http.ResponseWriter, got callbackSeen) {
		if got.event()["text"] == "slow" {
			<-release
		}
	})
	w.heard(c, "slow")
	w.heard(c, "follows")
	if err := w.s.write(w.ctx, func(t *tx) error {
		_, err := t.Exec("UPDATE deliveries SET due_at = due_at - $1", time.Hour.Milliseconds())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.run()
	for range 2 { // it looks again, and the other still waits
		w.clock.await(poll)
		w.clock.Advance(poll)
	}
	w.clock.await(poll)
	close(release)
	want(t, "text", w.rec.next().event()["text"], "slow")
	want(t, "text", w.rec.next().event()["text"], "follows")
}

// With many posts at once, each message has its own ts and is reported once.
func TestManyAtOnce(t *testing.T) {
	w, c := quiet(t)
	w.run()
	const writers, each = 4, 20
	var posting sync.WaitGroup
	for range writers {
		posting.Go(func() {
			for range each {
				if status := w.try(c, "x"); status != 200 {
					t.Errorf("status %d", status)
				}
			}
		})
	}
	heard := map[string]int{}
	for range writers * each {
		heard[text(w.rec.event("message", ""), "ts")]++
	}
	posting.Wait()
	want(t, "events", len(heard), writers*each)
	w.settle()
	want(t, "events left", len(w.rec.got), 0)
	kept := 0
	for _, m := range must(w.s.As(w.owner).History(w.ctx, c, 1000)) {
		if m.Text == "x" {
			kept += heard[m.TS]
		}
	}
	want(t, "messages", kept, writers*each)
}

// An address must return its challenge before events go there. Until then they
// wait.
func TestVerification(t *testing.T) {
	w, c := quiet(t)
	good := w.app.SigningSecret
	asked := make(chan struct{}, 10)
	w.rec.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { asked <- struct{}{} })
	w.heard(c, "x")
	w.run()
	<-asked
	want(t, "state", w.state("new").Retries, 0)
	if err := w.s.VerifyURL(w.ctx, w.app.ID); err == nil {
		t.Error("an address without the challenge is verified")
	}
	<-asked
	w.rec.server.Config.Handler = w.rec
	w.clock.await(poll)
	w.clock.Advance(verifyPause)
	want(t, "text", w.rec.event("message", "")["text"], "x")
	want(t, "secret", w.rec.secret(), good)
	for _, said := range []string{"abc", "challenge=abc", `{"challenge":"abc"}`, " abc\n"} {
		want(t, "challenge", challengeIn([]byte(said)), "abc")
	}
}

// Deliveries that were not acknowledged before a restart are sent after it.
func TestDeliveriesSurviveARestart(t *testing.T) {
	w, c := quiet(t)
	w.rec.answers(func(rw http.ResponseWriter, _ callbackSeen) { rw.WriteHeader(500) })
	w.heard(c, "kept")
	w.run()
	w.rec.next()
	w.rec.next()
	w.await(func(all []Delivery) bool { return all[0].Retries == 2 })
	w.halt()
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Hour)
	w.rec.answers(nil)
	w.open()
	w.run()
	got := w.rec.next()
	want(t, "text", got.event()["text"], "kept")
	want(t, "retry", []string{got.header.Get("X-Slack-Retry-Num"), got.header.Get("X-Slack-Retry-Reason")}, []string{"2", "http_error"})
	w.state("delivered")
}

func TestOldDeliveriesAreForgotten(t *testing.T) {
	w, c := quiet(t)
	w.run()
	w.heard(c, "x")
	w.rec.next()
	w.state("delivered")
	w.clock.Advance(keepDeliveries + time.Hour)
	w.heard(c, "y")
	w.rec.next()
	if d := w.state("delivered"); !strings.Contains(d.Body, `"text":"y"`) {
		t.Errorf("what is left is %s", d.Body)
	}
}
