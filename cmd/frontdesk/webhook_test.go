package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// hookReceiver is the endpoint of a webhook that receives members.
type hookReceiver struct {
	*httptest.Server
	t       testing.TB
	mu      sync.Mutex
	members map[int64]string // the IDs of their events
	total   int
}

func newHookReceiver(t testing.TB) *hookReceiver {
	r := &hookReceiver{t: t, members: map[int64]string{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *hookReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Data struct{ Member struct{ ID int64 } }
	}
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return // the sender was killed while it sent this
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	id := req.Header.Get("webhook-id")
	if before, again := r.members[body.Data.Member.ID]; again && before != id {
		r.t.Errorf("member %d is told of by the ids %s and %s", body.Data.Member.ID, before, id)
	}
	r.members[body.Data.Member.ID] = id
}

// without counts the members that it did not receive.
func (r *hookReceiver) without(members map[string]int64) (missing int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range members {
		if r.members[id] == "" {
			missing++
		}
	}
	return missing
}

func (r *hookReceiver) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}
