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
	id     string
	mailed bool // what the team says in it is mailed to its requester
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
	if c.write(ctx, "request", mark, "POST", "/requests", form(fields, file), &made) {
		c.requests = append(c.requests, request{made.Request.ID, mailed})
		if withFile {
			c.mu.Lock()
			c.files[mark] = file
			c.mu.Unlock()
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
	mark, id := c.mark("update"), c.any().id
	states := []string{"open", "in_progress", "pending", "solved"}
	done := c.write(ctx, "update", mark, "PATCH", "/requests/"+id, jsonBody(map[string]any{"title": mark, "state": states[c.r.IntN(len(states))]}), nil)
	c.mu.Lock()
	defer c.mu.Unlock()
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
		status, answer, err := c.call(ctx, method, path, mark, b)
		switch {
		case err == nil && status/100 == 2:
			c.answers.add(began, time.Now())
			c.mu.Lock()
			w.outcome = acknowledged
			c.mu.Unlock()
			if v != nil {
				if err := json.Unmarshal(answer, v); err != nil {
					c.report(fmt.Sprintf("%s %s answered %.200s: %v", method, path, answer, err))
					return false
				}
			}
			return true
		case err != nil || status >= 502 && status <= 504 || status == http.StatusTooManyRequests || status == http.StatusConflict && bytes.Contains(answer, []byte("in progress")):
			// The call may be on its way, or have happened: it is repeated with its key.
		default:
			c.report(fmt.Sprintf("a call was answered with %d %.300s", status, answer))
			return false
		}
		if abandons {
			return false
		}
		pause(ctx, time.Duration(50+c.r.IntN(100))*time.Millisecond)
	}
	return false
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
