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
// again while callers create members with idempotency keys and retry whatever
// was not acknowledged. In the end every member that anyone asked for is there
// once, with the id that was acknowledged.
func TestNothingIsLostOrDoubledByKills(t *testing.T) { killAgainAndAgain(t, kills) }

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
			// A random moment, counted in answers and not in time: the kill must
			// fall among writes on a slow machine too.
			w.await(int64(rand.N(120)) + 1)
			p.Process.Kill()
			p.Wait()
			if strings.Contains(p.logs.String(), "level=ERROR") {
				t.Errorf("a start after a kill needed repair:\n%s", p.logs)
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

// listen has a webhook of the account told of members.
func (w *crashWorld) listen(t *testing.T, in *installation) {
	p := in.start()
	c := call{method: "POST", path: "/webhooks", token: w.token, body: map[string]any{"url": w.told.URL, "event_types": []string{"member.created"}}}
	if status, body, _, err := c.do(t.Context(), http.DefaultClient, p.url); err != nil || status != http.StatusCreated {
		t.Fatalf("a webhook: %d %s %v", status, body, err)
	}
	p.Process.Kill()
	p.Wait()
}

// checkTold waits until the webhook was told of every member, whoever died
// telling it.
func (w *crashWorld) checkTold(t *testing.T) {
	deadline := time.Now().Add(5 * time.Minute)
	for missing := w.told.without(w.acknowledged); missing > 0; missing = w.told.without(w.acknowledged) {
		if time.Now().After(deadline) {
			t.Fatalf("the webhook was not told of %d members", missing)
		}
		time.Sleep(20 * time.Millisecond) // between two looks at what another process does
	}
	t.Logf("the webhook was told %d times of %d members", w.told.calls(), len(w.acknowledged))
}

// await waits until the callers have had n more answers.
func (w *crashWorld) await(n int64) {
	until := w.answers.Load() + n
	for deadline := time.Now().Add(5 * time.Minute); w.answers.Load() < until && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // the signal is a count in this process; 1 ms is how finely it is read
	}
}

// create asks for new members, and now and then again for one whose answer
// was lost, until ctx ends.
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
			time.Sleep(time.Millisecond) // the server is down or says "not yet": do not spin
		}
	}
}

// mostPending bounds what waits for an answer: callers who asked for another
// member each millisecond while the server is down would make the account as
// large as the machine is slow.
const mostPending = 100

// takePending is a key to ask for again, empty for none. With spare it is one only
// where there are too many.
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

// ask asks for the member of a key and reports whether that was acknowledged.
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
		// In flight: a dead process's key, until its lease has run out. The
		// other conflict, a member who exists, would be a write without its answer.
		if !strings.Contains(string(body), "in progress") {
			t.Errorf("%s: %s", key, body)
		}
	case http.StatusServiceUnavailable:
	default:
		t.Errorf("%s: %d %s", key, status, body)
	}
	return false
}

// finishPending retries until every key has its answer: none is stuck.
func (w *crashWorld) finishPending(t *testing.T) {
	client := &http.Client{Timeout: 10 * time.Second}
	deadline := time.Now().Add(5 * time.Minute)
	for key := w.takePending(false); key != ""; key = w.takePending(false) {
		for !w.ask(t, client, key) {
			if time.Now().After(deadline) {
				t.Fatalf("the key %s is stuck", key)
			}
			time.Sleep(20 * time.Millisecond) // between two tries at another process
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

	// The sequencer may still be numbering the last of them.
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

// checkKeys looks into the tables: every key has its answer, and the audit log
// is whole.
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
