package lineartest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// brought is a delivery that has arrived.
type brought struct {
	header http.Header
	raw    []byte
	body   map[string]any
}

// receiver receives deliveries.
type receiver struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	status int
	got    []brought
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, status: http.StatusOK}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		r.t.Error(err)
	}
	b := brought{header: req.Header, raw: raw}
	if err := json.Unmarshal(raw, &b.body); err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, b)
	w.WriteHeader(r.status)
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// take returns what has arrived since the last call.
func (r *receiver) take() []brought {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// watched returns a world with a webhook.
func watched(t *testing.T, c Config, change args) (*world, *receiver) {
	c.PlainHooks = true
	w, r := newWorld(t, c), newReceiver(t)
	input := args{"url": r.url, "resourceTypes": each("Issue", "Comment"), "allPublicTeams": true, "secret": "s3cret"}
	for name, value := range change {
		input[name] = value
	}
	w.query("webhookCreate", watching, args{"input": input})
	return w, r
}

// after returns the deliveries that do causes.
func (w *world) after(r *receiver, do func()) []brought {
	do()
	w.s.Settle()
	return r.take()
}

func TestDelivery(t *testing.T) {
	c := newClock()
	w, r := watched(t, Config{Now: c.Now}, nil)
	hook := w.s.Webhooks()[0]
	var i Issue
	got := w.after(r, func() { i = w.bob.CreateIssue(w.team.ID, "Printer burns", "") })
	if len(got) != 1 {
		t.Fatalf("%d came", len(got))
	}
	b := got[0]
	same(t, "signed", b.header.Get("Linear-Signature"), Sign("s3cret", b.raw))
	same(t, "about", b.header.Get("Linear-Event"), "Issue")
	same(t, "type", b.header.Get("Content-Type"), "application/json; charset=utf-8")
	if !uuids.MatchString(b.header.Get("Linear-Delivery")) {
		t.Errorf("its name is %q", b.header.Get("Linear-Delivery"))
	}
	same(t, "when", b.body["webhookTimestamp"], float64(c.Now().UnixMilli()))
	same(t, "when, in the header", b.header.Get("Linear-Timestamp"), strconv.FormatInt(c.Now().UnixMilli(), 10))
	for name, want := range map[string]any{"action": "create", "type": "Issue", "createdAt": "2026-03-01T12:00:00.000Z", "url": i.URL, "webhookId": hook.ID,
		"data.id": i.ID, "data.identifier": "ENG-1", "data.title": "Printer burns", "data.number": 1.0, "data.teamId": w.team.ID, "data.team.key": "ENG",
		"data.stateId": w.team.State("Backlog").ID, "data.state.type": "backlog", "data.creatorId": w.bob.ID, "actor.id": w.bob.ID, "actor.type": "user", "actor.name": "Bob",
		"updatedFrom": nil} {
		same(t, name, at(b.body, name), want)
	}

	c.pass(time.Minute)
	got = w.after(r, func() {
		w.query("issueUpdate", moving, args{"id": i.ID, "input": args{"stateId": w.team.State("Done").ID}})
	})
	if len(got) != 1 {
		t.Fatalf("%d came", len(got))
	}
	for name, want := range map[string]any{"action": "update", "type": "Issue", "data.state.name": "Done", "data.updatedAt": "2026-03-01T12:01:00.000Z", "actor.id": w.ada.ID} {
		same(t, name, at(got[0].body, name), want)
	}
	same(t, "from", got[0].body["updatedFrom"], map[string]any{"stateId": w.team.State("Backlog").ID, "completedAt": nil, "updatedAt": "2026-03-01T12:00:00.000Z"})

	id := newID()
	got = w.after(r, func() {
		w.query("commentCreate", saying, args{"input": args{"id": id, "issueId": i.ID, "body": "Hello"}})
	})
	if len(got) != 1 {
		t.Fatalf("%d came", len(got))
	}
	same(t, "about", got[0].header.Get("Linear-Event"), "Comment")
	for name, want := range map[string]any{"action": "create", "type": "Comment", "data.id": id, "data.body": "Hello", "data.issueId": i.ID, "data.issue.identifier": "ENG-1",
		"data.userId": w.ada.ID, "data.user.name": "Ada", "url": i.URL + "#comment-" + id[:8]} {
		same(t, name, at(got[0].body, name), want)
	}

	got = w.after(r, func() { w.bob.EditComment(id, "Bye"); w.bob.DeleteComment(id); w.bob.DeleteIssue(i.ID) })
	if len(got) != 3 {
		t.Fatalf("%d came", len(got))
	}
	same(t, "edited", got[0].body["action"], "update")
	same(t, "from", at(got[0].body, "updatedFrom.body"), "Hello")
	same(t, "removed", got[1].body["action"], "remove")
	same(t, "the issue", at(got[2].body, "data.identifier"), "ENG-1")
}

// TestWhoIsTold shows that a webhook gets only the events that it asked for, and
// nothing if nothing has changed.
func TestWhoIsTold(t *testing.T) {
	w, r := watched(t, Config{}, args{"resourceTypes": each("Comment")})
	ops := w.s.PrivateTeam("OPS", "Operations")
	w.ada.CreateIssue(w.team.ID, "Printer burns", "")
	w.ada.CreateIssue(ops.ID, "Coffee is out", "")
	said := w.ada.Comment("ENG-1", "Hello")
	w.ada.Comment("OPS-1", "Hello")
	w.ada.EditComment(said.ID, "Hello")
	w.ada.CommentByApp("ENG-1", "Bot", "Beep")
	w.s.Settle()
	got := r.take()
	if len(got) != 2 || at(got[0].body, "data.id") != said.ID || got[1].body["actor"] != nil || at(got[1].body, "data.userId") != nil {
		t.Errorf("what came is %v", got)
	}

	w, r = watched(t, Config{}, args{"enabled": false})
	same(t, "of one that is stopped", len(w.after(r, func() { w.ada.CreateIssue(w.team.ID, "x", "") })), 0)

	w, r = watched(t, Config{}, nil)
	w.s.DisableWebhook(w.s.Webhooks()[0].ID)
	same(t, "of one that was stopped since", len(w.after(r, func() { w.ada.CreateIssue(w.team.ID, "x", "") })), 0)

	w, r = watched(t, Config{}, nil)
	w.ada.CreateIssue(w.team.ID, "x", "")
	w.s.Settle()
	r.take()
	same(t, "of no change", len(w.after(r, func() { w.ada.Rename("ENG-1", "x"); w.ada.Move("ENG-1", w.team.State("Backlog").ID) })), 0)
	w.query("webhookDelete", ending, args{"id": w.s.Webhooks()[0].ID})
	same(t, "of one that was ended", len(w.after(r, func() { w.ada.Rename("ENG-1", "y") })), 0)

	w, r = watched(t, Config{}, args{"allPublicTeams": false, "teamId": "ENG"})
	w.s.Team("WEB", "Web")
	got = w.after(r, func() { w.ada.CreateIssue("WEB", "x", ""); w.ada.CreateIssue("ENG", "y", "") })
	if len(got) != 1 || at(got[0].body, "data.team.key") != "ENG" {
		t.Errorf("what came is %v", got)
	}
}

func TestMishaps(t *testing.T) {
	c := newClock()
	w, r := watched(t, Config{Now: c.Now}, nil)
	w.ada.CreateIssue(w.team.ID, "0", "")
	w.s.Settle()
	r.take()
	titles := func(all []brought) (got []any) {
		for _, b := range all {
			got = append(got, at(b.body, "data.title"))
		}
		return got
	}
	rename := func(all ...string) func() {
		return func() {
			for _, title := range all {
				w.ada.Rename("ENG-1", title)
			}
		}
	}
	same(t, "as they should", titles(w.after(r, rename("1", "2", "3"))), each("1", "2", "3"))
	w.s.Mishaps(0, Lost)
	same(t, "one is lost", titles(w.after(r, rename("4", "5", "6"))), each("4", "6"))
	w.s.Mishaps(Twice)
	got := w.after(r, rename("7", "8"))
	same(t, "one twice", titles(got), each("7", "7", "8"))
	same(t, "under one name", got[0].header.Get("Linear-Delivery"), got[1].header.Get("Linear-Delivery"))
	same(t, "and the same", string(got[0].raw), string(got[1].raw))
	w.s.Mishaps(Swapped)
	same(t, "in another order", titles(w.after(r, rename("9", "10", "11"))), each("10", "9", "11"))
	w.s.Mishaps(Delayed, 0, Swapped)
	same(t, "some late", titles(w.after(r, rename("12", "13", "14"))), each("13"))
	same(t, "and then they come", titles(w.after(r, w.s.Release)), each("12", "14"))

	w.s.Always(Delayed)
	w.s.Mishaps(Lost)
	same(t, "all late", titles(w.after(r, rename("15", "16", "17"))), []any(nil))
	w.s.Always(0)
	same(t, "and in reverse", titles(w.after(r, w.s.Reverse)), each("17", "16"))
	w.s.Always(Lost)
	same(t, "all lost", titles(w.after(r, rename("18", "19"))), []any(nil))
	w.s.Always(0)

	r.answer(http.StatusAccepted) // only 200 counts
	first := w.after(r, rename("20"))
	same(t, "not taken", titles(first), each("20"))
	r.answer(http.StatusOK)
	c.pass(time.Minute)
	again := w.after(r, w.s.Retry)
	same(t, "again", titles(again), each("20"))
	same(t, "under its name", again[0].header.Get("Linear-Delivery"), first[0].header.Get("Linear-Delivery"))
	same(t, "with its moment", again[0].body["webhookTimestamp"], float64(c.Now().UnixMilli()))
	same(t, "signed", again[0].header.Get("Linear-Signature"), Sign("s3cret", again[0].raw))
	same(t, "only once", titles(w.after(r, w.s.Retry)), []any(nil))
}
