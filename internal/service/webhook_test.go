package service

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/outbound"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/webhook"
	"frontdesk/internal/worker"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// hookCall is a call that a receiver got.
type hookCall struct {
	id, timestamp, signature string
	body                     []byte
	answered                 int
}

// receiver is somebody's server at the other end of a webhook.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []hookCall
	answer func(hookCall) (status int, header http.Header) // nil: 204
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	c := hookCall{id: req.Header.Get("webhook-id"), timestamp: req.Header.Get("webhook-timestamp"), signature: req.Header.Get("webhook-signature"), body: body, answered: 204}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		status, header := answer(c)
		for name, values := range header {
			w.Header()[name] = values
		}
		c.answered = status
	}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	r.mu.Unlock()
	w.WriteHeader(c.answered)
}

func (r *receiver) answers(fn func(hookCall) (int, http.Header)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = fn
}

func (r *receiver) answersWith(status int) {
	r.answers(func(hookCall) (int, http.Header) { return status, nil })
}

// taken returns the calls since the last time.
func (r *receiver) taken() []hookCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.calls
	r.calls = nil
	return taken
}

// privateHooks allows webhooks to this machine.
func privateHooks() *webhook.Sender {
	return webhook.NewSender(outbound.New(outbound.Config{AllowPrivate: true}))
}

// hookWorld is a company that may have webhooks to this machine.
type hookWorld struct {
	*company
	receiver *receiver
}

func eachHookWorld(t *testing.T, fn func(*testing.T, *hookWorld)) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := &company{url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}, hooks: privateHooks()}
		fn(t, &hookWorld{company: openCompany(t, c), receiver: newReceiver(t)})
	})
}

func (w *hookWorld) hook(types ...desk.EventType) desk.ShownWebhook {
	w.t.Helper()
	made, err := w.CreateWebhook(ctx, w.caller(), desk.GivenWebhook{URL: &w.receiver.URL, EventTypes: &types})
	must(w.t, err)
	return made
}

// rename changes a member, which is an event of that member.
func (w *hookWorld) rename(m desk.Member, name string) {
	w.t.Helper()
	_, err := w.UpdateMember(ctx, w.caller(), m.ID, desk.MemberChange{Name: &name})
	must(w.t, err)
}

// number gives events their numbers, and adds the jobs that follow from them.
func (w *hookWorld) number() {
	w.t.Helper()
	for more := true; more; {
		var err error
		more, err = w.store.Sequence(ctx)
		must(w.t, err)
	}
}

// work does the work on webhooks that a runner would do now, in order. It returns
// when the next is due.
func (w *hookWorld) work() (next time.Time, more bool) {
	w.t.Helper()
	w.number()
	for {
		var id int64
		var args string
		var at int64
		err := w.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
			return tx.Row("SELECT id, args, run_at FROM jobs WHERE kind = 'webhook.deliver' OR kind = 'webhook.replay' ORDER BY run_at, id LIMIT 1").Scan(&id, &args, &at)
		})
		if err != nil {
			return time.Time{}, false
		}
		due := time.UnixMilli(at).UTC()
		if due.After(w.store.Now()) {
			return due, true
		}
		kind := w.claim(id)
		if kind == "webhook.deliver" {
			var a store.DeliverWebhook
			must(w.t, json.Unmarshal([]byte(args), &a))
			must(w.t, w.Do(ctx, &job.Job{ID: id, Attempt: 1}, a))
			continue
		}
		var a change.ReplayEvents
		must(w.t, json.Unmarshal([]byte(args), &a))
		for from := a.From; ; {
			a.From = from
			var done bool
			must(w.t, w.store.Write(ctx, a.Account, func(tx *store.Tx) (err error) {
				from, err = worker.ReplayPart(tx, a)
				done = from == nil
				return err
			}))
			if done {
				break
			}
		}
	}
}

func (w *hookWorld) claim(id int64) (kind string) {
	w.t.Helper()
	must(w.t, w.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
		return tx.Row("DELETE FROM jobs WHERE id = $1 RETURNING kind", id).Scan(&kind)
	}))
	return kind
}

// workUntil goes on until a moment, moving the clock to whatever is due next.
func (w *hookWorld) workUntil(end time.Time) {
	w.t.Helper()
	for {
		next, more := w.work()
		if !more || next.After(end) {
			w.clock.move(end.Sub(w.clock.Now()))
			return
		}
		w.clock.move(next.Sub(w.clock.Now()))
	}
}

func (w *hookWorld) deliveries(id desk.WebhookID, f desk.DeliveryFilter) []desk.Delivery {
	w.t.Helper()
	l, err := w.Deliveries(ctx, w.caller(), id, f, desk.Page{Limit: 100, Ascending: true})
	must(w.t, err)
	return l.Items
}

// verified checks a call as the published verifier does, at the call's time.
func verified(secret string, c hookCall) error {
	v, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	h := http.Header{}
	h.Set("webhook-id", c.id)
	h.Set("webhook-timestamp", c.timestamp)
	h.Set("webhook-signature", c.signature)
	return v.VerifyIgnoringTimestamp(c.body, h)
}

// A webhook receives the events of its types, signed and as the feed has them, and
// its delivery log shows them.
func TestWebhookIsTold(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		w.rename(w.admin, "before there was a webhook")
		w.number()
		made := w.hook(desk.MemberUpdated)
		w.rename(w.admin, "Ada")
		w.newMember("not@asked.example", desk.Agent)
		w.rename(w.admin, "Bea")
		w.work()
		calls := w.receiver.taken()
		if len(calls) != 2 {
			t.Fatalf("received %d events, want 2", len(calls))
		}
		var feed []desk.Event
		for _, e := range w.events() {
			if e.Type == desk.MemberUpdated {
				feed = append(feed, e)
			}
		}
		feed = feed[1:] // it happened before the webhook existed
		for i, c := range calls {
			if err := verified(made.Secret, c); err != nil {
				t.Error(err)
			}
			var body struct {
				Type      desk.EventType
				Timestamp time.Time
				Data      json.RawMessage
			}
			must(t, json.Unmarshal(c.body, &body))
			if c.id != feed[i].ID || body.Type != desk.MemberUpdated || !body.Timestamp.Equal(feed[i].At) || string(body.Data) != string(feed[i].Data) {
				t.Errorf("received %s %s, but the feed has %+v", c.id, c.body, feed[i])
			}
			if c.timestamp != strconv.FormatInt(w.clock.Now().Unix(), 10) {
				t.Errorf("timestamp: %s", c.timestamp)
			}
			c.body = append(slices.Clone(c.body), ' ')
			if verified(made.Secret, c) == nil {
				t.Error("a changed body passes the check")
			}
		}
		log := w.deliveries(made.ID, desk.DeliveryFilter{})
		if len(log) != 2 || log[0].Status != desk.DeliveryDelivered || log[0].Tries != 1 || log[0].Event.ID != calls[0].id || log[0].EndedAt == nil {
			t.Errorf("delivery log: %+v", log)
		}
		one, err := w.Delivery(ctx, w.caller(), made.ID, log[0].ID)
		must(t, err)
		if len(one.Attempts) != 1 || one.Attempts[0].Status != 204 || one.Attempts[0].URL != w.receiver.URL || one.Attempts[0].Signature != calls[0].signature || string(one.Event.Data) != string(feed[0].Data) {
			t.Errorf("delivery: %+v", one)
		}
	})
}

// A failing delivery is tried ten times over about three days. Later events of the
// same subject wait, those of others do not. Then it is set aside, and the next one
// has its turn.
func TestWebhookTriesAgain(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		made := w.hook(desk.MemberUpdated)
		bea := w.newMember("bea@acme.example", desk.Agent)
		var tried []time.Time
		w.receiver.answers(func(c hookCall) (int, http.Header) {
			if strings.Contains(string(c.body), "poison") {
				tried = append(tried, w.clock.Now())
				return 500, nil
			}
			return 200, nil
		})
		began := w.clock.Now()
		w.rename(w.admin, "poison")
		w.rename(w.admin, "behind it")
		w.rename(bea, "Beatrix")
		w.work()
		w.rename(w.admin, "behind both")
		w.rename(bea, "Bice")
		w.workUntil(began.Add(time.Hour))
		names := func() (names []string) {
			for _, c := range w.receiver.taken() {
				var body struct {
					Data struct{ Member struct{ Name string } }
				}
				must(t, json.Unmarshal(c.body, &body))
				names = append(names, body.Data.Member.Name)
			}
			return names
		}
		got := names()
		if !slices.Contains(got, "Beatrix") || !slices.Contains(got, "Bice") || slices.Contains(got, "behind it") || slices.Contains(got, "behind both") {
			t.Errorf("received in the first hour: %q", got)
		}
		if waiting := w.deliveries(made.ID, desk.DeliveryFilter{Status: desk.DeliveryWaiting}); len(waiting) != 3 || waiting[0].TryAt == nil || waiting[1].TryAt != nil || waiting[2].TryAt != nil {
			t.Errorf("waiting: %+v", waiting)
		}
		w.workUntil(began.Add(5 * 24 * time.Hour))
		if len(tried) != 10 {
			t.Fatalf("it was tried %d times", len(tried))
		}
		if d := tried[9].Sub(tried[0]); d < 66*time.Hour || d > 86*time.Hour {
			t.Errorf("the ten tries took %v", d)
		}
		for i := 2; i < 10; i++ {
			if tried[i].Sub(tried[i-1]) <= tried[i-1].Sub(tried[i-2]) {
				t.Errorf("the pause before try %d is not longer than the one before", i+1)
			}
		}
		got = names()
		got = slices.DeleteFunc(got, func(n string) bool { return n == "poison" })
		if !slices.Equal(got, []string{"behind it", "behind both"}) {
			t.Errorf("received after it was set aside: %q", got)
		}
		failed := w.deliveries(made.ID, desk.DeliveryFilter{Status: desk.DeliveryFailed})
		if len(failed) != 1 || failed[0].Tries != 10 || len(failed[0].Attempts) != 10 {
			t.Errorf("set aside: %+v", failed)
		}
		if hook, err := w.Webhook(ctx, w.caller(), made.ID); err != nil || !hook.Enabled || hook.FailingSince != nil {
			t.Errorf("the webhook is %+v, %v: one bad event must not end it", hook, err)
		}
	})
}

// What each answer of a receiver means.
func TestWebhookAnswers(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		elsewhere := newReceiver(t)
		made := w.hook(desk.MemberUpdated)
		header := func(name, value string) http.Header { return http.Header{name: {value}} }
		for _, test := range []struct {
			answer int
			header http.Header
			status desk.DeliveryStatus
			least  time.Duration // until the next try
			most   time.Duration
		}{
			{200, nil, desk.DeliveryDelivered, 0, 0},
			{202, nil, desk.DeliveryDelivered, 0, 0},
			{299, nil, desk.DeliveryDelivered, 0, 0},
			{301, header("Location", elsewhere.URL), desk.DeliveryWaiting, 4 * time.Second, 6 * time.Second},
			{307, header("Location", elsewhere.URL), desk.DeliveryWaiting, 4 * time.Second, 6 * time.Second},
			{400, nil, desk.DeliveryWaiting, 4 * time.Second, 6 * time.Second},
			{500, nil, desk.DeliveryWaiting, 4 * time.Second, 6 * time.Second},
			{429, header("Retry-After", "600"), desk.DeliveryWaiting, 600 * time.Second, 601 * time.Second},
			{503, header("Retry-After", "in two hours"), desk.DeliveryWaiting, 2*time.Hour - time.Minute, 2*time.Hour + time.Minute},
			{503, header("Retry-After", "99999999"), desk.DeliveryWaiting, 24 * time.Hour, 24*time.Hour + time.Second},
			{503, header("Retry-After", "soon"), desk.DeliveryWaiting, 4 * time.Second, 6 * time.Second},
			{503, header("Retry-After", "-5"), desk.DeliveryWaiting, 4 * time.Second, 6 * time.Second},
		} {
			if test.header.Get("Retry-After") == "in two hours" {
				test.header.Set("Retry-After", w.clock.Now().Add(2*time.Hour).Format(http.TimeFormat))
			}
			w.receiver.answers(func(hookCall) (int, http.Header) { return test.answer, test.header })
			m := w.newMember(fmt.Sprintf("%d@acme.example", rand.Int64()), desk.Viewer) // its own subject
			w.rename(m, "x")
			now := w.clock.Now()
			w.work()
			all := w.deliveries(made.ID, desk.DeliveryFilter{})
			d := all[len(all)-1]
			if d.Status != test.status {
				t.Errorf("%d: %s", test.answer, d.Status)
			}
			if test.status == desk.DeliveryWaiting {
				if pause := d.TryAt.Sub(now); pause < test.least || pause > test.most+time.Second {
					t.Errorf("%d %v: the next try is after %v", test.answer, test.header, pause)
				}
			}
			// Skip what waits, so that it does not delay the next case.
			w.receiver.answersWith(200)
			w.workUntil(now.Add(26 * time.Hour))
		}
		if n := len(elsewhere.taken()); n != 0 {
			t.Errorf("%d redirects were followed", n)
		}
	})
}

// 410 disables a webhook at once. If no call succeeds for as long as an event is
// tried, that disables it too. Enabled again, it goes on where it stopped.
func TestWebhookIsDisabled(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		made := w.hook(desk.MemberUpdated)
		look := func() desk.Webhook {
			t.Helper()
			hook, err := w.Webhook(ctx, w.caller(), made.ID)
			must(t, err)
			return hook
		}
		enable := func(skip bool) {
			t.Helper()
			on := true
			_, err := w.UpdateWebhook(ctx, w.caller(), made.ID, desk.GivenWebhook{Enabled: &on, SkipMissed: &skip})
			must(t, err)
		}
		for _, test := range []struct {
			status int
			reason string
			after  time.Duration
		}{{410, "410 Gone", time.Second}, {500, "Nothing has got through since", 4 * 24 * time.Hour}} {
			w.receiver.taken()
			w.receiver.answersWith(test.status)
			w.rename(w.admin, "one")
			w.rename(w.admin, "two")
			w.workUntil(w.clock.Now().Add(test.after))
			hook := look()
			if hook.Enabled || !strings.Contains(hook.DisabledReason, test.reason) || hook.DisabledAt == nil {
				t.Fatalf("%d: the webhook is %+v", test.status, hook)
			}
			log := w.auditLog()
			if last := log[len(log)-1]; last.Action != "webhook.disabled" || last.Actor.Source != desk.SourceSystem {
				t.Errorf("%d: the audit log says %+v", test.status, last)
			}
			w.receiver.taken()
			w.rename(w.admin, "three")
			w.workUntil(w.clock.Now().Add(30 * 24 * time.Hour))
			if n := len(w.receiver.taken()); n != 0 {
				t.Errorf("%d: a disabled webhook received %d events", test.status, n)
			}
			w.receiver.answersWith(200)
			enable(false)
			w.workUntil(w.clock.Now().Add(time.Minute))
			want := 3
			if test.status == 500 {
				want = 2 // one was set aside
			}
			if calls := w.receiver.taken(); len(calls) != want {
				t.Errorf("%d: enabled again, it received %d events, want %d", test.status, len(calls), want)
			}
			if hook := look(); !hook.Enabled || hook.DisabledAt != nil || hook.DisabledReason != "" || hook.FailingSince != nil {
				t.Errorf("%d: enabled again, it is %+v", test.status, hook)
			}
		}
		// Or with what happens next.
		w.receiver.answersWith(410)
		w.rename(w.admin, "missed")
		w.work()
		w.receiver.taken()
		w.rename(w.admin, "missed, too")
		w.work()
		w.receiver.answersWith(200)
		enable(true)
		w.rename(w.admin, "the next")
		w.workUntil(w.clock.Now().Add(24 * time.Hour))
		if calls := w.receiver.taken(); len(calls) != 1 || !strings.Contains(string(calls[0].body), "the next") {
			t.Errorf("with skip_missed it received %d events", len(calls))
		}
	})
}

// After a rotation everything has two signatures, until the old secret expires.
func TestWebhookSecretsRotate(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		made := w.hook(desk.MemberUpdated)
		hour := time.Hour
		turned, err := w.RotateWebhook(ctx, w.caller(), made.ID, desk.Rotation{Keep: &hour})
		must(t, err)
		if turned.Secret == made.Secret {
			t.Fatal("the new secret is the old one")
		}
		told := func() hookCall {
			t.Helper()
			w.rename(w.admin, fmt.Sprint("name ", rand.Int64()))
			w.work()
			calls := w.receiver.taken()
			if len(calls) != 1 {
				t.Fatalf("received %d events", len(calls))
			}
			return calls[0]
		}
		c := told()
		if err := verified(made.Secret, c); err != nil {
			t.Errorf("the old secret: %v", err)
		}
		if err := verified(turned.Secret, c); err != nil {
			t.Errorf("the new secret: %v", err)
		}
		w.clock.move(hour)
		c = told()
		if verified(made.Secret, c) == nil {
			t.Error("the old secret still signs after it expired")
		}
		if err := verified(turned.Secret, c); err != nil {
			t.Errorf("the new secret, later: %v", err)
		}
	})
}

// A test is sent once, whatever types the webhook receives. A replay sends events
// again with the same ids: one event, or those in a time range.
func TestWebhookTestAndReplay(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		made := w.hook(desk.MemberUpdated)
		w.receiver.answersWith(500)
		d, err := w.TestWebhook(ctx, w.caller(), made.ID)
		must(t, err)
		w.workUntil(w.clock.Now().Add(24 * time.Hour))
		calls := w.receiver.taken()
		if len(calls) != 1 || calls[0].id != d.Event.ID || !strings.Contains(string(calls[0].body), `"webhook.test"`) || verified(made.Secret, calls[0]) != nil {
			t.Errorf("the test arrived as %+v", calls)
		}
		if d, err = w.Delivery(ctx, w.caller(), made.ID, d.ID); err != nil || d.Status != desk.DeliveryFailed || d.Attempts[0].Status != 500 {
			t.Errorf("its delivery is %+v, %v", d, err)
		}

		w.receiver.answersWith(200)
		var ids []string
		began := w.clock.Now()
		for i := range 450 { // more than one batch of a replay
			w.rename(w.admin, fmt.Sprint("name ", i))
			w.clock.move(time.Second)
		}
		w.work()
		for _, c := range w.receiver.taken() {
			ids = append(ids, c.id)
		}
		if len(ids) != 450 {
			t.Fatalf("received %d events", len(ids))
		}
		told := func(r desk.Replay) (got []string) {
			t.Helper()
			must(t, errOf(w.ReplayWebhook(ctx, w.caller(), made.ID, r)))
			w.work()
			for _, c := range w.receiver.taken() {
				got = append(got, c.id)
			}
			return got
		}
		if got := told(desk.Replay{Event: ids[7]}); !slices.Equal(got, ids[7:8]) {
			t.Errorf("replay of one event: %v", got)
		}
		from, to := began.Add(10*time.Second), began.Add(430*time.Second)
		if got := told(desk.Replay{After: &from, Before: &to}); !slices.Equal(got, ids[10:430]) {
			t.Errorf("replay of 420 events sent %d", len(got))
		}
		if got := told(desk.Replay{After: &from}); !slices.Equal(got, ids[10:]) {
			t.Errorf("replay of 440 events sent %d", len(got))
		}
	})
}

// A receiver fails at random for three days. Still every event arrives at least
// once, with a stable id, signed, and in order for each subject.
func TestWebhookSurvivesAFlakyReceiver(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		const seed, subjects, changes = 26, 12, 150
		random := rand.New(rand.NewPCG(seed, seed))
		var mu sync.Mutex // lanes call in parallel
		flaky := func(hookCall) (int, http.Header) {
			mu.Lock()
			defer mu.Unlock()
			return []int{200, 200, 500, 503, 302}[random.IntN(5)], nil
		}
		made := w.hook(desk.MemberUpdated)
		var members []desk.Member
		for i := range subjects {
			members = append(members, w.newMember(fmt.Sprintf("m%d@acme.example", i), desk.Viewer))
		}
		w.receiver.answers(flaky)
		end := w.clock.Now().Add(3 * 24 * time.Hour)
		for i := range changes {
			w.rename(members[random.IntN(subjects)], fmt.Sprint("name ", i))
			w.workUntil(w.clock.Now().Add(time.Duration(random.Int64N(int64(2 * end.Sub(w.clock.Now()) / (changes - time.Duration(i)))))))
		}
		w.receiver.answersWith(200)
		w.workUntil(end.Add(10 * 24 * time.Hour))

		want, arrived := map[string][]string{}, map[string][]string{} // ids by subject
		subject := map[string]string{}
		var after int64
		for more := true; more; {
			f, err := w.Events(ctx, w.caller(), after, 100)
			must(t, err)
			for _, e := range f.Events {
				after = e.Seq
				if e.Type == desk.MemberUpdated {
					want[e.Subject] = append(want[e.Subject], e.ID)
					subject[e.ID] = e.Subject
				}
			}
			more = f.More
		}
		bodies, calls, failures := map[string]string{}, 0, 0
		for _, c := range w.receiver.taken() {
			calls++
			if err := verified(made.Secret, c); err != nil {
				t.Fatal(err)
			}
			if before, told := bodies[c.id]; told && before != string(c.body) {
				t.Errorf("%s arrived with another body", c.id)
			}
			bodies[c.id] = string(c.body)
			if c.answered != 200 {
				failures++
				continue
			}
			arrived[subject[c.id]] = append(arrived[subject[c.id]], c.id)
		}
		for s := range want {
			if !slices.Equal(arrived[s], want[s]) {
				t.Errorf("%s: %d arrived, want %d, in order", s, len(arrived[s]), len(want[s]))
			}
		}
		t.Logf("%d events, %d calls, %d of them failed", changes, calls, failures)
		if failures < changes/2 {
			t.Errorf("only %d calls failed: the receiver was too kind", failures)
		}
	})
}

// A webhook that hangs delays no other, and its own events are not lost.
func TestWebhookThatHangs(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := openCompany(t, &company{url: url, clock: &clock{now: time.Now().UTC(), goes: time.Now()}, hooks: privateHooks()})
		w := &hookWorld{company: c, receiver: newReceiver(t)}
		hanging, answer := newReceiver(t), make(chan struct{})
		var begun sync.WaitGroup
		begun.Add(1)
		once := sync.OnceFunc(begun.Done)
		hanging.answers(func(hookCall) (int, http.Header) {
			once()
			<-answer
			return 200, nil
		})
		types := []desk.EventType{desk.MemberUpdated}
		_, err := w.CreateWebhook(ctx, w.caller(), desk.GivenWebhook{URL: &hanging.URL, EventTypes: &types})
		must(t, err)
		w.hook(desk.MemberUpdated)
		run(t, w.process)
		w.rename(w.admin, "first")
		begun.Wait()
		for i := range 20 {
			w.rename(w.admin, fmt.Sprint("name ", i))
		}
		eventually(t, "told of everything", func() bool {
			w.receiver.mu.Lock()
			defer w.receiver.mu.Unlock()
			return len(w.receiver.calls) == 21
		})
		close(answer)
		eventually(t, "told of everything", func() bool {
			hanging.mu.Lock()
			defer hanging.mu.Unlock()
			ids := map[string]bool{}
			for _, c := range hanging.calls {
				ids[c.id] = true
			}
			return len(ids) == 21
		})
	})
}

// Webhooks receive neither imported events nor private notes.
func TestWebhookIsNotToldOfImports(t *testing.T) {
	eachHookWorld(t, func(t *testing.T, w *hookWorld) {
		_, err := w.CreateCollection(ctx, w.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection})
		must(t, err)
		w.number()
		made := w.hook()
		_, err = w.ImportRequests(ctx, w.caller(), oneByOne(desk.ImportedRequest{Title: ptr("Taken over"), Requester: desk.Requester{Email: "jo@harborpine.example"}, CreatedAt: ptr(w.clock.Now().Add(-time.Hour)),
			Messages: []desk.ImportedMessage{{HTML: ptr("Taken over"), Author: desk.Requester{Email: "jo@harborpine.example"}, Responder: ptr(false), CreatedAt: ptr(w.clock.Now().Add(-time.Hour))}}}))
		must(t, err)
		r := w.request("Told", "Told")
		_, err = w.AddMessage(ctx, w.caller(), r.ID, desk.NewMessage{HTML: ptr("between us"), Private: true})
		must(t, err)
		w.work()
		var types []string
		for _, c := range w.receiver.taken() {
			var body struct{ Type string }
			must(t, json.Unmarshal(c.body, &body))
			types = append(types, body.Type)
			if strings.Contains(string(c.body), "Taken over") || strings.Contains(string(c.body), "between us") {
				t.Errorf("received %s", c.body)
			}
		}
		if !slices.Contains(types, "request.created") || !slices.Contains(types, "ticket.created") || slices.Contains(types, "note.created") {
			t.Errorf("received %v", types)
		}
		// A replay does not send them either.
		from := w.clock.Now().Add(-24 * time.Hour)
		w.clock.move(time.Second)
		must(t, errOf(w.ReplayWebhook(ctx, w.caller(), made.ID, desk.Replay{After: &from})))
		w.work()
		if again := w.receiver.taken(); len(again) < len(types) || strings.Contains(string(slices.Concat(desk.Each(again, func(c hookCall) []byte { return c.body })...)), "Taken over") {
			t.Errorf("the replay sent %d events: it includes imported ones, or misses some", len(again))
		}
	})
}

// When a webhook disables itself, the admins get a direct message, once.
func TestAdminsAreToldOfAWebhook(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		w := newWorkplace(t, url, func(c *company) { c.hooks = privateHooks() })
		h, _ := newDesk(w, func(*desk.NewCollection) {})
		h.newMember("maya@acme.test", desk.Admin)
		h.newMember("priya@acme.test", desk.Agent)
		gone := newReceiver(t)
		gone.answersWith(http.StatusGone)
		_, err := h.CreateWebhook(ctx, h.caller(), desk.GivenWebhook{URL: &gone.URL})
		must(t, err)
		h.creates("The door does not open")
		told := func(user string) (n int) {
			all, err := h.box.As(user).Conversations(ctx)
			must(t, err)
			for _, c := range slices.DeleteFunc(all, func(c sandbox.Conversation) bool { return !c.IsIM }) {
				messages, err := h.box.As(user).History(ctx, c.ID, 10)
				must(t, err)
				for _, m := range messages {
					if strings.Contains(m.Text, "was disabled") {
						n++
					}
				}
			}
			return n
		}
		eventually(t, "the admin is told", func() bool { return told(h.maya) > 0 })
		h.rests()
		if told(h.maya) != 1 || told(h.priya) != 0 {
			t.Errorf("the admin was notified %d times, an agent %d times", told(h.maya), told(h.priya))
		}
	})
}
