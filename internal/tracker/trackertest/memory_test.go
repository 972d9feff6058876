package trackertest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// memory is a ticket system in memory. It shows that the suite can be passed. With
// a flaw, it shows that the suite notices the flaw.
type memory struct {
	flaw string

	mu      sync.Mutex
	token   string
	admin   bool
	tickets []*paper
	last    int
	fault   Fault
	nth     int // the call that fails; 0 for none
	struck  bool
	until   time.Time
	hooks   map[string]string // secrets by address
	more    []string          // addresses that are notified a second time, as a flaw
	queue   []told
	post    Post
}

type paper struct {
	id, title, status string
	changed           time.Time
	closed, deleted   bool
	notes             []note
}

type note struct {
	id, key, text string
	by            tracker.Author
	private       bool
	at            time.Time
}

type told struct{ address, secret, name, ticket string }

// The statuses. Two mean work, and none means on hold.
var meanings = map[string][]desk.State{
	"new": {desk.Open}, "doing": {desk.InProgress}, "testing": {desk.InProgress}, "asking": {desk.Pending}, "done": {desk.Solved, desk.Closed},
}

func (m *memory) status(id string) tracker.Status {
	return tracker.Status{ID: id, Name: strings.ToUpper(id), Means: meanings[id]}
}

var (
	mira = tracker.Author{ID: "7", Name: "Mira", Email: "mira@acme.test"}
	us   = tracker.Author{ID: "1", Name: "Desk", Email: "desk@acme.test"}
)

func failed() error { return desk.Errorf(desk.Unavailable, "It cannot be reached.") }

// call makes a call of the system.
func (m *memory) call(ctx context.Context, token string, fn func() error) error {
	for {
		if ctx.Err() != nil {
			return failed()
		}
		m.mu.Lock()
		wait := time.Until(m.until)
		if wait <= 0 {
			break
		}
		m.mu.Unlock()
		if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
			if m.flaw == "unknown for busy" {
				return failed()
			}
			return &desk.Error{Kind: desk.Busy, Message: "Not now.", RetryAfter: wait}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	defer m.mu.Unlock()
	if token != m.token {
		if m.flaw == "refused for lost" {
			return desk.Errorf(desk.Refused, "No.")
		}
		return fmt.Errorf("%w (token)", tracker.ErrLost)
	}
	if m.nth > 0 {
		if m.nth--; m.nth == 0 {
			m.struck = true
			if m.fault == LoseAnswer {
				fn()
			}
			return failed()
		}
	}
	return fn()
}

func (m *memory) find(id string) (*paper, error) {
	for _, p := range m.tickets {
		if (p.id == id || "#"+p.id == id) && !p.deleted {
			return p, nil
		}
	}
	if m.flaw == "refused for missing" {
		return nil, desk.Errorf(desk.Refused, "No.")
	}
	return nil, desk.Errorf(desk.NotFound, "There is none.")
}

func (m *memory) id() string {
	m.last++
	return strconv.Itoa(m.last)
}

// add adds a note and notifies.
func (m *memory) add(p *paper, n note) string {
	n.id, n.at = m.id(), time.Now().Truncate(time.Second)
	p.notes = append(p.notes, n)
	m.tell(p)
	return n.id
}

func (m *memory) tell(p *paper) {
	p.changed = time.Now()
	if m.post == Lose {
		return
	}
	for address, secret := range m.hooks {
		t := told{address, secret, "d" + m.id(), p.id}
		m.queue = append(m.queue, t)
		if m.post == Double {
			m.queue = append(m.queue, t)
		}
	}
}

// settle sends everything that is waiting to be sent.
func (m *memory) settle() {
	m.mu.Lock()
	var all []told
	if m.post != Hold {
		all, m.queue = m.queue, nil
	}
	m.mu.Unlock()
	for i, t := range all {
		if m.flaw == "names anew" {
			t.name += fmt.Sprint("-", i)
		}
		body, _ := json.Marshal(map[string]any{"name": t.name, "ticket": t.ticket, "at": time.Now().Unix()})
		req, _ := http.NewRequest(http.MethodPost, t.address, bytes.NewReader(body))
		req.Header.Set("Signature", sign(t.secret, body))
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// The system.

func (m *memory) Name() string { return "memory" }

func (m *memory) Check(c tracker.Credential) error {
	var p desk.Problems
	if c.Token == "" {
		p.Add("token", "is required")
	}
	return p.Err()
}

func (m *memory) Tracker(c tracker.Credential) tracker.Tracker { return &desktop{m, c.Token} }

func (m *memory) Hear(secret string, h http.Header, body []byte, now time.Time) (tracker.Heard, error) {
	var d struct {
		Name, Ticket string
		At           int64
	}
	err := json.Unmarshal(body, &d)
	if m.flaw != "believes anybody" && (secret == "" || !hmac.Equal([]byte(sign(secret, body)), []byte(h.Get("Signature")))) {
		err = errors.New("signed by somebody else")
	}
	if age := now.Sub(time.Unix(d.At, 0)); m.flaw != "believes for ever" && (age > time.Minute || age < -time.Minute) {
		err = errors.New("stale")
	}
	if err != nil {
		return tracker.Heard{}, &desk.Error{Kind: unauthenticated, Message: "No.", Err: err}
	}
	return tracker.Heard{Delivery: d.Name, Tickets: []string{d.Ticket}}, nil
}

// desktop is a tracker.
type desktop struct {
	m     *memory
	token string
}

func (d *desktop) Place(ctx context.Context) (p tracker.Place, err error) {
	return tracker.Place{ID: "m", Name: "Memory", URL: "https://memory.test/", User: us.ID}, d.m.call(ctx, d.token, func() error { return nil })
}

func (d *desktop) Ticket(ctx context.Context, name string) (t tracker.Ticket, err error) {
	err = d.m.call(ctx, d.token, func() error {
		p, err := d.m.find(name)
		if err == nil {
			t = tracker.Ticket{ID: p.id, Key: "#" + p.id, URL: "https://memory.test/" + p.id, Title: p.title, Status: d.m.status(p.status), UpdatedAt: p.changed}
		}
		return err
	})
	return t, err
}

// page is the number of notes on a page.
const page = 7

func (d *desktop) Comments(ctx context.Context, ticket, cursor string) (out tracker.Comments, err error) {
	err = d.m.call(ctx, d.token, func() error {
		p, err := d.m.find(ticket)
		if err != nil {
			return err
		}
		from, _ := strconv.Atoi(cursor)
		end := min(from+page, len(p.notes))
		for _, n := range p.notes[from:end] {
			out.Comments = append(out.Comments, tracker.Comment{ID: n.id, Key: n.key, Author: n.by, HTML: paragraph(n.text), Private: n.private, At: n.at})
		}
		out.Next, out.More = strconv.Itoa(end), end < len(p.notes)
		switch {
		case d.m.flaw == "reads twice" && end > 0:
			out.Next = strconv.Itoa(end - 1)
		case d.m.flaw == "skips" && out.More:
			out.Next = strconv.Itoa(end + 1)
		}
		return nil
	})
	return out, err
}

func (d *desktop) Say(ctx context.Context, ticket string, s tracker.Said) (id string, err error) {
	if s.Again && d.m.flaw != "says again" {
		err := d.m.call(ctx, d.token, func() error {
			p, err := d.m.find(ticket)
			if err != nil {
				return err
			}
			if i := slices.IndexFunc(p.notes, func(n note) bool { return n.key == s.Key }); i >= 0 && (d.m.flaw != "looks at the last" || i > len(p.notes)-100) {
				id = p.notes[i].id
			}
			return nil
		})
		if id != "" || err != nil {
			return id, err
		}
	}
	text := textOf(s.HTML)
	if d.m.flaw == "says what is written" {
		text = s.HTML
	}
	err = d.m.call(ctx, d.token, func() error {
		p, err := d.m.find(ticket)
		if err != nil {
			return err
		}
		if p.closed && d.m.flaw != "speaks to the closed" {
			return desk.Errorf(desk.Refused, "It is closed.")
		}
		id = d.m.add(p, note{key: s.Key, text: text, by: us, private: s.Private && d.m.flaw != "tells all"})
		return nil
	})
	return id, err
}

func (d *desktop) SetStatus(ctx context.Context, ticket string, state desk.State) (s tracker.Status, err error) {
	err = d.m.call(ctx, d.token, func() error {
		p, err := d.m.find(ticket)
		if err == nil {
			s = d.m.status(p.status)
			if p.closed {
				err = desk.Errorf(desk.Refused, "It is closed.")
			}
		}
		return err
	})
	if err != nil || slices.Contains(s.Means, state) && d.m.flaw != "moves anyway" {
		return s, err
	}
	for _, to := range []string{"new", "doing", "asking", "done"} {
		if slices.Contains(meanings[to], state) {
			err = d.m.call(ctx, d.token, func() error {
				p, err := d.m.find(ticket)
				if err == nil {
					p.status, s = to, d.m.status(to)
					d.m.tell(p)
				}
				return err
			})
			return s, err
		}
	}
	return s, nil
}

func (d *desktop) Watch(ctx context.Context, address string) (secret string, err error) {
	err = d.m.call(ctx, d.token, func() error {
		if !d.m.admin {
			return desk.Errorf(desk.Forbidden, "No.")
		}
		secret = d.m.hooks[address]
		return nil
	})
	if err != nil || secret != "" && d.m.flaw != "watches twice" {
		return secret, err
	}
	err = d.m.call(ctx, d.token, func() error {
		if d.m.hooks[address] != "" {
			d.m.more = append(d.m.more, address)
		}
		secret = newKey()
		d.m.hooks[address] = secret
		return nil
	})
	return secret, err
}

func (d *desktop) Unwatch(ctx context.Context, address string) error {
	return d.m.call(ctx, d.token, func() error {
		if d.m.hooks[address] == "" && d.m.flaw == "misses the watch" {
			return desk.Errorf(desk.NotFound, "There is none.")
		}
		delete(d.m.hooks, address)
		return nil
	})
}

// remembered opens a world with a memory that has a flaw.
func remembered(flaw string) Open {
	return func(t *testing.T) *World {
		m := &memory{flaw: flaw, token: "t", admin: true, hooks: map[string]string{}, last: 100}
		// locked does something as a person there.
		locked := func(id string, fn func(*paper)) {
			m.mu.Lock()
			defer m.mu.Unlock()
			p, err := m.find(id)
			if err != nil {
				t.Fatal(err)
			}
			fn(p)
		}
		change := func(fn func()) {
			m.mu.Lock()
			defer m.mu.Unlock()
			fn()
		}
		return &World{
			System: m, Credential: tracker.Credential{Token: "t"}, States: []desk.State{desk.Open, desk.InProgress, desk.Pending, desk.Solved, desk.Closed},
			Missing: []string{"#1", "99999", "x"}, Author: mira, Private: true,
			Open: func(title string) (out Ticket) {
				change(func() {
					p := &paper{id: m.id(), title: title, status: "new", changed: time.Now()}
					m.tickets = append(m.tickets, p)
					out = Ticket{ID: p.id, Name: "#" + p.id, Title: title}
				})
				return out
			},
			Say: func(ticket, text string, private bool) (id string) {
				locked(ticket, func(p *paper) { id = m.add(p, note{text: text, by: mira, private: private}) })
				return id
			},
			Read: func(ticket string) (all []Shown) {
				locked(ticket, func(p *paper) {
					for _, n := range p.notes {
						all = append(all, Shown{n.id, n.text, n.private})
					}
				})
				return all
			},
			Move: func(ticket string, state desk.State) {
				locked(ticket, func(p *paper) {
					p.status = map[desk.State]string{desk.Open: "new", desk.InProgress: "testing", desk.Pending: "asking", desk.Solved: "done", desk.Closed: "done"}[state]
					m.tell(p)
				})
			},
			Status: func(ticket string) (status string) {
				locked(ticket, func(p *paper) { status = p.status })
				return status
			},
			Delete: func(ticket string) { locked(ticket, func(p *paper) { p.deleted = true }) },
			Close:  func(ticket string) { locked(ticket, func(p *paper) { p.closed = true }) },
			Revoke: func() { change(func() { m.token = "" }) },
			Demote: func() { change(func() { m.admin = false }) },
			Misbehave: func(f Fault, nth int) {
				change(func() { m.fault, m.nth, m.struck = f, nth, false })
			},
			Struck: func() (struck bool) {
				change(func() { struck, m.nth = m.struck, 0 })
				return struck
			},
			Pause: func(d time.Duration) { change(func() { m.until = time.Now().Add(d) }) },
			Watching: func() (all []string) {
				change(func() {
					for address := range m.hooks {
						all = append(all, address)
					}
					all = append(all, m.more...)
				})
				return all
			},
			Post: func(p Post) {
				change(func() {
					if m.post = p; p == Reverse {
						slices.Reverse(m.queue)
					}
				})
			},
			Settle: m.settle,
		}
	}
}
