package trackertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// ear is an address of ours and the calls that it has received.
type ear struct {
	r       *room
	address string

	mu     sync.Mutex
	secret string
	heard  []tracker.Heard
	last   *letter
}

// letter is what was sent.
type letter struct {
	header http.Header
	body   []byte
	at     time.Time
}

// listen starts an ear and watches with its address.
func (r *room) listen() *ear {
	r.t.Helper()
	e := r.newEar()
	secret, err := r.tracker.Watch(r.ctx, e.address)
	r.must(err)
	e.know(secret)
	if secret == "" {
		r.t.Fatal("there is no secret")
	}
	return e
}

func (r *room) newEar() *ear {
	e := &ear{r: r}
	server := httptest.NewServer(e)
	r.t.Cleanup(server.Close)
	e.address = server.URL + "/hooks/1"
	return e
}

// know makes the ear check signatures with a secret.
func (e *ear) know(secret string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.secret = secret
}

func (e *ear) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	h, err := e.r.System.Hear(e.secret, req.Header, body, now)
	if err != nil {
		e.r.t.Errorf("what was sent is not heard: %v", err)
		return
	}
	e.heard = append(e.heard, h)
	e.last = &letter{req.Header.Clone(), body, now}
}

// take returns what was received since the last call.
func (e *ear) take() []tracker.Heard {
	e.r.Settle()
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.heard
	e.heard = nil
	return all
}

// tells expects notifications of one ticket and no other.
func (e *ear) tells(what, ticket string) []tracker.Heard {
	e.r.t.Helper()
	all := e.take()
	var tickets []string
	for _, h := range all {
		if h.Delivery == "" {
			e.r.t.Errorf("%s: it has no name", what)
		}
		tickets = append(tickets, h.Tickets...)
	}
	slices.Sort(tickets)
	if got := slices.Compact(tickets); !slices.Equal(got, []string{ticket}) {
		e.r.t.Errorf("%s: heard of %q, want %s", what, got, ticket)
	}
	return all
}

func watchHeard(r *room) {
	e := r.listen()
	other := r.Open("Another")
	e.take()
	var names []string
	note := func(all []tracker.Heard) {
		for _, h := range all {
			names = append(names, h.Delivery)
		}
	}
	r.Say(r.ticket.ID, "Hello", false)
	note(e.tells("a comment", r.ticket.ID))
	r.Move(r.ticket.ID, desk.Solved)
	note(e.tells("a status", r.ticket.ID))
	r.Say(other.ID, "Hello", false)
	note(e.tells("another ticket", other.ID))
	r.say(said("Ours"))
	note(e.tells("our own", r.ticket.ID))
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		r.t.Errorf("two have one name: %q", names)
	}
}

// watching returns how often an address is notified.
func (r *room) watching(address string) (n int) {
	for _, a := range r.Watching() {
		if a == address {
			n++
		}
	}
	return n
}

func watchTwice(r *room) {
	e := r.listen()
	for range 2 {
		r.restart()
		secret, err := r.tracker.Watch(r.ctx, e.address)
		r.must(err)
		if secret != e.secret {
			r.t.Error("the secret is another")
		}
	}
	if n := r.watching(e.address); n != 1 {
		r.t.Errorf("the address is told %d times", n)
	}
	r.Say(r.ticket.ID, "Hello", false)
	e.tells("a comment", r.ticket.ID)
}

func watchAtEachStep(r *room) {
	for _, f := range []Fault{LoseAnswer, LoseCall, ErrorAnswer} {
		for n := 1; n <= steps; n++ {
			e := r.newEar()
			r.Misbehave(f, n)
			secret, err := r.tracker.Watch(r.ctx, e.address)
			struck := r.Struck()
			if err != nil {
				r.kind("watch", err, desk.Unavailable)
				r.restart()
				secret, err = r.tracker.Watch(r.ctx, e.address)
				r.must(err)
			}
			e.know(secret)
			if n := r.watching(e.address); n != 1 {
				r.t.Errorf("the address is told %d times", n)
			}
			r.Say(r.ticket.ID, "Hello", false)
			e.tells("a comment", r.ticket.ID)
			r.must(r.tracker.Unwatch(r.ctx, e.address))
			if !struck {
				break
			}
		}
	}
}

func watchTwoAddresses(r *room) {
	one, two := r.listen(), r.listen()
	r.Say(r.ticket.ID, "Hello", false)
	one.tells("the one", r.ticket.ID)
	two.tells("the other", r.ticket.ID)
	r.must(r.tracker.Unwatch(r.ctx, one.address))
	r.Say(r.ticket.ID, "Bye", false)
	two.tells("the other", r.ticket.ID)
	if all := one.take(); len(all) != 0 {
		r.t.Errorf("still heard: %+v", all)
	}
}

func unwatch(r *room) {
	e := r.listen()
	for range 2 {
		r.must(r.tracker.Unwatch(r.ctx, e.address))
		r.restart()
	}
	r.Say(r.ticket.ID, "Hello", false)
	if all := e.take(); len(all) != 0 || r.watching(e.address) != 0 {
		r.t.Errorf("still heard: %+v", all)
	}
	r.must(r.tracker.Unwatch(r.ctx, "https://nobody.test/hooks/2"))
}

// A repeated notification has the same name, and late or reordered ones are still
// accepted.
func watchToldAgain(r *room) {
	e := r.listen()
	r.Post(Double)
	r.Say(r.ticket.ID, "Hello", false)
	all := e.tells("twice", r.ticket.ID)
	counts := map[string]int{}
	for _, h := range all {
		counts[h.Delivery]++
	}
	for name, n := range counts {
		if n != 2 {
			r.t.Errorf("%s was heard %d times", name, n)
		}
	}
	other := r.Open("Another") // some systems notify of it
	e.take()
	r.Post(Hold)
	r.Say(r.ticket.ID, "one", false)
	r.Say(other.ID, "two", false)
	if all := e.take(); len(all) != 0 {
		r.t.Errorf("heard %+v", all)
	}
	r.Post(Reverse)
	all = slices.DeleteFunc(e.take(), func(h tracker.Heard) bool { return len(h.Tickets) == 0 })
	if len(all) < 2 || all[len(all)-1].Tickets[0] != r.ticket.ID {
		r.t.Errorf("heard %+v", all)
	}
}

// unauthenticated is the error kind of an unsigned call. It has no kind of its own.
const unauthenticated = desk.Forbidden

// Only calls of the system are accepted, and only for a short time.
func watchForged(r *room) {
	e := r.listen()
	r.Say(r.ticket.ID, "Hello", false)
	e.tells("a comment", r.ticket.ID)
	l := e.last
	hear := func(secret string, h http.Header, body []byte, now time.Time) error {
		_, err := r.System.Hear(secret, h, body, now)
		return err
	}
	r.must(hear(e.secret, l.header, l.body, l.at))
	changed := slices.Clone(l.body)
	changed[len(changed)/2] ^= 1
	unsigned := http.Header{"Content-Type": l.header["Content-Type"]}
	for what, err := range map[string]error{
		"another secret": hear(e.secret+"x", l.header, l.body, l.at),
		"no secret":      hear("", l.header, l.body, l.at),
		"another body":   hear(e.secret, l.header, changed, l.at),
		"more of it":     hear(e.secret, l.header, append(slices.Clone(l.body), ' '), l.at),
		"nothing":        hear(e.secret, l.header, nil, l.at),
		"no signature":   hear(e.secret, unsigned, l.body, l.at),
		"a day later":    hear(e.secret, l.header, l.body, l.at.Add(24*time.Hour)),
		"a day before":   hear(e.secret, l.header, l.body, l.at.Add(-24*time.Hour)),
	} {
		r.kind(what, err, unauthenticated)
	}
}

func watchForbidden(r *room) {
	if r.Demote == nil {
		r.t.Skip("anybody may watch here")
	}
	r.Demote()
	_, err := r.tracker.Watch(r.ctx, "https://desk.test/hooks/1")
	r.kind("watch", err, desk.Forbidden)
	// Everything else still works.
	r.known()
}

// Changes are read even if the notification is lost.
func watchLost(r *room) {
	e := r.listen()
	_, next := r.read("")
	r.Post(Lose)
	r.Say(r.ticket.ID, "Hello", false)
	if all := e.take(); len(all) != 0 {
		r.t.Errorf("heard %+v", all)
	}
	got, _ := r.since(next)
	r.same("read", got, []string{"Hello"})
}
