package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// follower follows the feed, by pages or as a stream, and remembers what it got.
type follower struct {
	l     *load
	name  string
	mu    sync.Mutex
	got   []event
	after string // the id of the last event
	again int    // how often it had to connect or ask again
}

func (f *follower) take(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = append(f.got, e)
	f.after = e.id
}

func (f *follower) events() []event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got
}

// last returns the id of the last event that it got.
func (f *follower) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.after
}

func (f *follower) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.again++
}

// read reads the feed page by page until ctx ends.
func (f *follower) read(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := f.page(ctx)
		if err != nil {
			f.count()
		}
		if !more {
			pause(ctx, 200*time.Millisecond)
		}
	}
}

// page reads one page and reports whether there is another.
func (f *follower) page(ctx context.Context) (more bool, err error) {
	path := "/events?limit=100"
	if f.after != "" {
		path += "&after=" + url.QueryEscape(f.after)
	}
	status, answer, err := f.l.call(ctx, "GET", path, "", body{})
	if err != nil {
		return false, err
	}
	if status != http.StatusOK {
		if status == http.StatusInternalServerError || status < 500 {
			f.l.report(fmt.Sprintf("the feed answered %d %.200s", status, answer))
		}
		return false, fmt.Errorf("the feed answered %d", status)
	}
	var page struct {
		Events   []json.RawMessage
		Metadata struct {
			Next *string `json:"next_cursor"`
		} `json:"response_metadata"`
	}
	if err := json.Unmarshal(answer, &page); err != nil {
		return false, err
	}
	for _, raw := range page.Events {
		e, err := parseEvent(raw)
		if err != nil {
			return false, err
		}
		f.take(e)
	}
	return page.Metadata.Next != nil, nil
}

// stream follows the feed as server-sent events until ctx ends. It connects again whenever the stream ends.
func (f *follower) stream(ctx context.Context) {
	for ctx.Err() == nil {
		if err := f.connect(ctx); err != nil && ctx.Err() == nil {
			f.count()
		}
		pause(ctx, 200*time.Millisecond)
	}
}

// silence is how long a stream may say nothing before its reader connects again. It says something every 15 seconds.
const silence = 25 * time.Second

func (f *follower) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+f.l.w.cluster.HTTP+"/v1/rest/events/stream", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+f.l.w.token)
	req.Header.Set("Last-Event-ID", f.after)
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	r, err := f.l.w.streams.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return errors.New(r.Status)
	}
	lines := bufio.NewReader(r.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		alive.Reset(silence)
		raw, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		e, err := parseEvent([]byte(raw))
		if err != nil {
			return err
		}
		f.take(e)
	}
}

// marks finds the marks of writes.
var marks = regexp.MustCompile(`\b(request|message|update|announcement|mail)-\d+-\d+\b`)

// findMark returns the mark in a text and its kind.
func findMark(text string) (kind, mark string) {
	m := marks.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], m[0]
}

// parseEvent reads an event as the feed, the stream and the webhook have it.
func parseEvent(raw []byte) (e event, err error) {
	var in struct {
		ID, Type string
		Data     map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return e, fmt.Errorf("%.200q: %w", raw, err)
	}
	e.id = in.ID
	e.sum = sum(in.Data)
	for noun, content := range in.Data {
		var about struct {
			ID      json.RawMessage
			Request json.RawMessage `json:"request_id"`
			Title   string
			Text    string
		}
		if json.Unmarshal(content, &about) != nil {
			continue // not an object
		}
		switch {
		case noun == "request":
			e.object = "request " + string(about.ID)
		case about.Request != nil:
			e.object = "request " + string(about.Request)
		case e.object == "":
			e.object = noun + " " + string(about.ID)
		}
		switch in.Type {
		case "request.created":
			e.kind, e.mark = findMark(about.Title)
		case "message.created":
			e.kind, e.mark = findMark(about.Text)
		}
	}
	return e, nil
}

// sum returns a sum of an event's data, whatever the order of its nouns.
func sum(data map[string]json.RawMessage) uint64 {
	text, _ := json.Marshal(data) // it was JSON
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}
