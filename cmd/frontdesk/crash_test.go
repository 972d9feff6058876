package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// kills is how often the server is killed on each engine.
const kills = 20

// TestNothingIsLostOrDoubledByKills kills the server with kill -9 again and
// again while callers create members with idempotency keys. The callers retry
// every call that was not acknowledged. In the end each member exists once, with
// the ID that was acknowledged.
func TestNothingIsLostOrDoubledByKills(t *testing.T) { killAgainAndAgain(t, kills) }

// loggedProblems returns the errors in a server's log. It leaves out calls that were
// answered with 503, because on a stalled machine a call can miss its deadline, and
// the tests then call again as the answer asks.
func loggedProblems(log string) (problems string) {
	for line := range strings.Lines(log) {
		retried := strings.Contains(line, `msg="call failed"`) && strings.Contains(line, "status=503")
		if strings.Contains(line, "level=ERROR") && !retried {
			problems += line
		}
	}
	return problems
}

func killAgainAndAgain(t *testing.T, kills int) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		in := install(t, url)
		in.env = append(in.env, "FRONTDESK_ALLOW_PRIVATE_WEBHOOKS=true")
		token := in.account()
		w := &crashWorld{token: token, acknowledged: map[string]int64{}, told: newHookReceiver(t)}
		w.listen(t, in)
		ctx, stop := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for n := range 8 {
			callers.Go(func() { w.create(ctx, t, n) })
		}
		for range kills {
			p := in.start()
			w.url.Store(&p.url)
			// A random moment, counted in answers instead of time: on a slow machine,
			// too, the kill must happen during writes.
			w.await(int64(rand.N(120)) + 1)
			p.Process.Kill()
			p.Wait()
			if problems := loggedProblems(p.logs.String()); problems != "" {
				t.Errorf("a start after a kill needed repair:\n%s", problems)
			}
		}
		p := in.start()
		w.url.Store(&p.url)
		stop()
		callers.Wait()
		w.finishPending(t)
		w.check(t, p, kills)
		w.checkTold(t)
		p.Process.Kill()
		p.Wait()
		checkKeys(t, in, url)
	})
}

// crashWorld is what the callers know.
type crashWorld struct {
	token   string
	url     atomic.Pointer[string]
	answers atomic.Int64

	mu           sync.Mutex
	pending      []string         // asked for and not acknowledged
	acknowledged map[string]int64 // the member's id by key
	replays      int

	told *hookReceiver
}

// listen creates a webhook that receives the account's members.
func (w *crashWorld) listen(t *testing.T, in *installation) {
	p := in.start()
	c := call{method: "POST", path: "/webhooks", token: w.token, body: map[string]any{"url": w.told.URL, "event_types": []string{"member.created"}}}
	if status, body, _, err := c.do(t.Context(), http.DefaultClient, p.url); err != nil || status != http.StatusCreated {
		t.Fatalf("a webhook: %d %s %v", status, body, err)
	}
	p.Process.Kill()
	p.Wait()
}

// checkTold waits until the webhook has received every member, although the server
// was killed while it sent some.
func (w *crashWorld) checkTold(t *testing.T) {
	deadline := time.Now().Add(5 * time.Minute)
	for missing := w.told.without(w.acknowledged); missing > 0; missing = w.told.without(w.acknowledged) {
		if time.Now().After(deadline) {
			t.Fatalf("the webhook was not told of %d members", missing)
		}
		time.Sleep(20 * time.Millisecond) // polls another process
	}
	t.Logf("the webhook was told %d times of %d members", w.told.calls(), len(w.acknowledged))
}

// await waits until the callers have n more answers.
func (w *crashWorld) await(n int64) {
	until := w.answers.Load() + n
	for deadline := time.Now().Add(5 * time.Minute); w.answers.Load() < until && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // polls a counter of this process
	}
}

// create creates members until ctx ends. Now and then it retries a call whose
// answer was lost.
func (w *crashWorld) create(ctx context.Context, t *testing.T, caller int) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("caller-%d-%d", caller, n)
		if old := w.takePending(n%4 != 3); old != "" {
			key = old
		}
		if !w.ask(t, client, key) {
			w.mu.Lock()
			w.pending = append(w.pending, key)
			w.mu.Unlock()
			time.Sleep(time.Millisecond) // the server is down or asks to wait: do not spin
		}
	}
}

// mostPending limits the calls without an answer. Without it, callers would ask for
// another member each millisecond while the server is down, and the account would
// grow with the slowness of the machine.
const mostPending = 100

// takePending returns a key to retry, or an empty string. With spare it returns one
// only if there are too many.
func (w *crashWorld) takePending(spare bool) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 || spare && len(w.pending) < mostPending {
		return ""
	}
	key := w.pending[0]
	w.pending = w.pending[1:]
	return key
}

// ask asks for the member of a key and reports whether the server acknowledged it.
func (w *crashWorld) ask(t *testing.T, client *http.Client, key string) bool {
	url := w.url.Load()
	if url == nil {
		return false
	}
	c := call{method: "POST", path: "/members", token: w.token, key: key,
		body: map[string]string{"email": key + "@acme.test", "role": "agent"}}
	status, body, header, err := c.do(context.Background(), client, *url)
	if err != nil {
		return false
	}
	w.answers.Add(1)
	switch status {
	case http.StatusCreated:
		var answer struct{ Member struct{ ID int64 } }
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if id, twice := w.acknowledged[key]; twice && id != answer.Member.ID {
			t.Errorf("%s was acknowledged as member %d and as member %d", key, id, answer.Member.ID)
		}
		w.acknowledged[key] = answer.Member.ID
		if header.Get("Idempotent-Replayed") != "" {
			w.replays++
		}
		return true
	case http.StatusConflict:
		// In flight: the key of a dead process, until its lease expires. The other
		// conflict, a member that exists, would be a write without its answer.
		if !strings.Contains(string(body), "in progress") {
			t.Errorf("%s: %s", key, body)
		}
	case http.StatusServiceUnavailable:
	default:
		t.Errorf("%s: %d %s", key, status, body)
	}
	return false
}

// finishPending retries until every key has an answer. No key may be stuck.
func (w *crashWorld) finishPending(t *testing.T) {
	client := &http.Client{Timeout: 10 * time.Second}
	deadline := time.Now().Add(5 * time.Minute)
	for key := w.takePending(false); key != ""; key = w.takePending(false) {
		for !w.ask(t, client, key) {
			if time.Now().After(deadline) {
				t.Fatalf("the key %s is stuck", key)
			}
			time.Sleep(20 * time.Millisecond) // retries a call to another process
		}
	}
}

// check reads everything back over the API.
func (w *crashWorld) check(t *testing.T, p *process, kills int) {
	found := map[string]int64{}
	walk(t, p, w.token, "/members?limit=100", "next_cursor", func(body []byte) (next *string) {
		var page struct {
			Members []struct {
				ID    int64
				Email string
			}
			Metadata struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		must(t, json.Unmarshal(body, &page))
		for _, m := range page.Members {
			key, _, _ := strings.Cut(m.Email, "@")
			if _, twice := found[key]; twice {
				t.Errorf("%s is there twice", m.Email)
			}
			found[key] = m.ID
		}
		return page.Metadata.Next
	})
	delete(found, "admin")
	for key, id := range w.acknowledged {
		if found[key] != id {
			t.Errorf("%s was acknowledged as member %d and is %d", key, id, found[key])
		}
	}
	if len(found) != len(w.acknowledged) {
		t.Errorf("%d members are there, %d were acknowledged", len(found), len(w.acknowledged))
	}

	// The server may still be numbering the last events.
	told := map[int64]int{}
	after := ""
	for deadline := time.Now().Add(5 * time.Minute); len(told) < len(found)+1 && time.Now().Before(deadline); {
		var page struct {
			Events []struct {
				ID   string
				Data struct{ Member struct{ ID int64 } }
			}
		}
		p.get(t, w.token, "/events?limit=100"+after, &page)
		for _, e := range page.Events {
			told[e.Data.Member.ID]++
			after = "&after=" + e.ID
		}
	}
	for _, id := range found {
		if told[id] != 1 {
			t.Errorf("the feed tells of member %d %d times", id, told[id])
		}
	}
	t.Logf("%d members, %d answers given again, %d kills", len(found), w.replays, kills)
	if len(found) < kills {
		t.Errorf("only %d members were created: the kills did not fall among writes", len(found))
	}
}

// walk follows a list's cursors from page to page.
func walk(t testing.TB, p *process, token, path, cursor string, page func([]byte) *string) {
	t.Helper()
	for at := path; ; {
		var body json.RawMessage
		p.get(t, token, at, &body)
		next := page(body)
		if next == nil {
			return
		}
		at = path + "&" + cursor + "=" + *next
	}
}

// checkKeys checks in the tables that every key has its answer and that the audit
// log is complete.
func checkKeys(t *testing.T, in *installation, url string) {
	db := dbtest.Open(t, sqldb.Config{URL: url})
	var unanswered int
	must(t, db.Read(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT count(*) FROM idempotency_keys WHERE answer IS NULL").Scan(&unanswered)
	}))
	if unanswered > 0 {
		t.Errorf("%d keys have no answer", unanswered)
	}
	key, err := seal.LoadKey(in.dir + "/key")
	must(t, err)
	s := store.New(db, key, nil)
	for more := true; more; {
		more, err = s.Sequence(t.Context())
		must(t, err)
	}
	if n, err := s.VerifyAuditLog(t.Context(), 1); err != nil || n == 0 {
		t.Errorf("the audit log after %d entries: %v", n, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
