package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// callTimeout is how long a caller waits for an answer before it repeats its call.
const callTimeout = 10 * time.Second

// load is what callers do, and what they know about it.
type load struct {
	w       *world
	client  *http.Client
	answers *answers

	mu     sync.Mutex
	writes []*write
	status map[string]int // how often each answer came
	odd    map[string]int
	files  map[string]string // the content of a file by the mark of its request
	mails  map[string]bool   // marks of messages that are mailed
	titles map[string]*titled
	looks  int // how often callers looked for what they had just written
}

func newLoad(w *world, a *answers) *load {
	return &load{w: w, answers: a, status: map[string]int{}, odd: map[string]int{}, files: map[string]string{}, mails: map[string]bool{}, titles: map[string]*titled{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}, Timeout: callTimeout}}
}

// caller makes one call after the other, as one program would. It repeats a call with the same idempotency key until it is
// acknowledged.
type caller struct {
	*load
	n        int
	r        *rand.Rand
	made     int
	requests []request
}

// request is a request that a caller has created.
type request struct {
	id      string
	created time.Time
	mailed  bool // what the team says in it is mailed to its requester
}

// run makes calls until work ends. Then it still repeats the last one until it is acknowledged, or until ctx ends.
func (c *caller) run(ctx, work context.Context) {
	for work.Err() == nil {
		c.made++
		switch chance := c.r.IntN(100); {
		case chance < 30 || len(c.requests) == 0:
			c.createRequest(ctx, chance < 5)
		case chance < 65:
			c.addMessage(ctx)
		case chance < 98:
			c.update(ctx)
		default:
			c.announce(ctx)
		}
		if c.r.IntN(100) < 5 {
			c.browse(ctx)
		}
		pause(work, time.Duration(c.r.IntN(80))*time.Millisecond)
	}
}

func (c *caller) mark(kind string) string { return fmt.Sprintf("%s-%d-%d", kind, c.n, c.made) }

func (c *caller) createRequest(ctx context.Context, withFile bool) {
	mark := c.mark("request")
	fields := map[string]string{"description": mark}
	mailed := c.r.IntN(4) == 0
	if mailed {
		fields["requester_email"] = mark + "@customer.example"
	}
	file := ""
	if withFile {
		file = strings.Repeat(mark+"\n", 1+c.r.IntN(2000))
	}
	var made struct{ Request struct{ ID string } }
	began := time.Now()
	if !c.write(ctx, "request", mark, "POST", "/requests", form(fields, file), &made) {
		return
	}
	if withFile {
		c.mu.Lock()
		c.files[mark] = file
		c.mu.Unlock()
	}
	if is := c.find(ctx, made.Request.ID, "/requests?limit=100", began); is.Title != "" {
		c.requests = append(c.requests, request{made.Request.ID, is.Created, mailed})
		if is.Title != mark {
			c.report(fmt.Sprintf("a list shows the new request %s as %s, not as %s", made.Request.ID, is.Title, mark))
		}
	}
}

func (c *caller) addMessage(ctx context.Context) {
	mark, to := c.mark("message"), c.any()
	c.mu.Lock()
	c.mails[mark] = to.mailed
	c.mu.Unlock()
	c.write(ctx, "message", mark, "POST", "/requests/"+to.id+"/message", jsonBody(map[string]any{"html_body": mark}), nil)
}

func (c *caller) update(ctx context.Context) {
	mark, r := c.mark("update"), c.any()
	id := r.id
	states := []string{"open", "in_progress", "pending", "solved"}
	done := c.write(ctx, "update", mark, "PATCH", "/requests/"+id, jsonBody(map[string]any{"title": mark, "state": states[c.r.IntN(len(states))]}), nil)
	c.mu.Lock()
	t := c.titles[id]
	if t == nil {
		t = &titled{request: id}
		c.titles[id] = t
	}
	if done {
		t.last = mark
	} else {
		t.unanswered = append(t.unanswered, mark)
	}
	may := append([]string{mark}, t.unanswered...)
	c.mu.Unlock()
	if !done {
		return
	}
	const stamp = "2006-01-02T15:04:05.000Z"
	until := "/requests?limit=10&before=" + r.created.Add(time.Millisecond).UTC().Format(stamp)
	if is := c.find(ctx, id, until, r.created); is.Title != "" && !slices.Contains(may, is.Title) {
		c.report(fmt.Sprintf("a list shows request %s as %s, after its change to %s was acknowledged", id, is.Title, mark))
	}
}

// listed is a request as a list shows it.
type listed struct {
	ID      json.Number
	Title   string
	Created time.Time `json:"created_at"`
}

// find looks for a request in a list, newest first, right after it was created or changed: whichever node is asked, and
// whichever server that node reads from, the list must have it. It is not older than oldest.
func (c *caller) find(ctx context.Context, id, path string, oldest time.Time) listed {
	for at := path; ; {
		var page struct {
			Requests []listed
			Metadata struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if !c.read(ctx, "GET", at, body{}, &page) {
			return listed{}
		}
		for _, is := range page.Requests {
			if is.ID.String() == id {
				c.mu.Lock()
				c.looks++
				c.mu.Unlock()
				return is
			}
		}
		const slack = time.Minute // between our clock and theirs
		if page.Metadata.Next == nil || page.Requests[len(page.Requests)-1].Created.Before(oldest.Add(-slack)) {
			c.report(fmt.Sprintf("a list does not have request %s, which was acknowledged before", id))
			return listed{}
		}
		at = path + "&next_cursor=" + url.QueryEscape(*page.Metadata.Next)
	}
}

// browse asks what a person would who looks around. What it finds may be a moment old.
func (c *caller) browse(ctx context.Context) {
	if c.r.IntN(2) == 0 {
		c.read(ctx, "GET", "/requests/search?query=how&limit=10", body{}, nil)
		return
	}
	c.read(ctx, "POST", "/insights/query", jsonBody(map[string]any{"query": map[string]any{"measures": []string{"Requests.count"}, "dimensions": []string{"Requests.state"},
		"time_dimensions": []any{map[string]any{"dimension": "Requests.created_at", "date_range": "today"}}}}), nil)
}

func (c *caller) announce(ctx context.Context) {
	mark := c.mark("announcement")
	ts, err := c.w.town.say(ctx, mark)
	if err != nil {
		c.report("a message in the workspace: " + err.Error())
		return
	}
	var to []map[string]string
	for _, room := range c.w.town.rooms {
		to = append(to, map[string]string{"type": "channel", "id": room})
	}
	c.write(ctx, "announcement", mark, "POST", "/announcements",
		jsonBody(map[string]any{"channel_id": c.w.town.source, "message_ts": ts, "name": mark, "recipients": to, "action": "send_now"}), nil)
}

// any returns one of the caller's own requests, so that its updates have one order.
func (c *caller) any() request { return c.requests[c.r.IntN(len(c.requests))] }

// body is what a call sends.
type body struct {
	kind    string
	content []byte
}

func jsonBody(v any) body {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts
	}
	return body{"application/json", b}
}

// form returns a form with a file, or JSON if there is none.
func form(fields map[string]string, file string) body {
	if file == "" {
		return jsonBody(fields)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		w.WriteField(name, value)
	}
	part, _ := w.CreateFormFile("attachments", "notes.txt") // a buffer never fails
	io.WriteString(part, file)
	w.Close()
	return body{w.FormDataContentType(), b.Bytes()}
}

// abandonment is in how many of 100 calls a caller gives up after the first failure: those may have happened, at most once.
const abandonment = 3

// write makes a call until it is acknowledged, and reports whether it was.
func (c *caller) write(ctx context.Context, kind, mark, method, path string, b body, v any) bool {
	w := &write{kind: kind, mark: mark}
	c.mu.Lock()
	c.writes = append(c.writes, w)
	c.mu.Unlock()
	began := time.Now()
	abandons := c.r.IntN(100) < abandonment
	for ctx.Err() == nil {
		again, ok := c.try(ctx, method, path, mark, b, v)
		if ok {
			c.answers.add(began, time.Now())
			c.mu.Lock()
			w.outcome = acknowledged
			c.mu.Unlock()
		}
		if !again || abandons {
			return ok
		}
		pause(ctx, time.Duration(50+c.r.IntN(100))*time.Millisecond)
	}
	return false
}

// read makes a call that changes nothing until it is answered, and reports whether it was.
func (c *caller) read(ctx context.Context, method, path string, b body, v any) bool {
	for ctx.Err() == nil {
		again, ok := c.try(ctx, method, path, "", b, v)
		if !again {
			return ok
		}
		pause(ctx, time.Duration(50+c.r.IntN(100))*time.Millisecond)
	}
	return false
}

// try makes a call once, and reads the answer into v. It reports whether the call worked, and otherwise whether it is to be
// repeated, with its key: then it may be on its way, or have happened.
func (c *caller) try(ctx context.Context, method, path, key string, b body, v any) (again, ok bool) {
	status, answer, err := c.call(ctx, method, path, key, b)
	switch {
	case err != nil || status >= 502 && status <= 504 || status == http.StatusTooManyRequests || status == http.StatusConflict && bytes.Contains(answer, []byte("in progress")):
		return true, false
	case status/100 != 2:
		c.report(fmt.Sprintf("a call was answered with %d %.300s", status, answer))
		return false, false
	}
	if v != nil {
		if err := json.Unmarshal(answer, v); err != nil {
			c.report(fmt.Sprintf("%s %s answered %.200s: %v", method, path, answer, err))
		}
	}
	return false, true
}

// call makes a call once, by way of HAProxy.
func (l *load) call(ctx context.Context, method, path, key string, b body) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+l.w.cluster.HTTP+"/v1/rest"+path, bytes.NewReader(b.content))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.w.token)
	if b.kind != "" {
		req.Header.Set("Content-Type", b.kind)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
		req.GetBody = nil // Go's client would repeat the call by itself
	}
	r, err := l.client.Do(req)
	if err == nil {
		answer, err = io.ReadAll(r.Body)
		r.Body.Close()
		status = r.StatusCode
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.status["no answer"]++
	} else {
		l.status[fmt.Sprint(status)]++
	}
	return status, answer, err
}

// report notes something that no caller should see.
func (l *load) report(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.odd[what]++
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
