package slack_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/chat/chattest"
	"frontdesk/internal/sandbox"
)

// mostOnPage is the largest page that the wire allows. Slack may return fewer
// messages than asked for, so this tests paging without hundreds of messages.
const mostOnPage = 15

// wire sits between the connectors and the sandbox. It counts their calls, keeps
// pages short, and makes the sandbox misbehave at the requested call.
type wire struct {
	*process
	mu    sync.Mutex
	calls int
	at    int // the call to misbehave at; 0 for none
	fault sandbox.Fault
}

func (w *wire) made() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// misbehave switches a fault on at once, or when its call comes.
func (w *wire) misbehave(f chattest.Fault) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = 0
	w.fault = sandbox.Fault{Kind: sandbox.FaultKind(f.Kind), Probability: f.Chance, Delay: sandbox.Duration(f.Delay)}
	switch {
	case f.Kind == "":
		return w.plan()
	case f.Call > 0:
		w.at, w.fault.Count = w.calls+f.Call, 1
		return w.plan()
	}
	return w.plan(w.fault)
}

// plan tells the sandbox how to misbehave.
func (w *wire) plan(faults ...sandbox.Fault) error {
	body, err := json.Marshal(sandbox.FaultPlan{Seed: 1, Faults: faults})
	if err != nil {
		return err
	}
	if said, err := fetch(operate(http.MethodPost, w.URL+"/sandbox/faults", body)); err != nil {
		return fmt.Errorf("set the faults: %w: %s", err, said)
	}
	return nil
}

// struck asks the sandbox how often it has misbehaved.
func (w *wire) struck() (n int) {
	var p sandbox.FaultPlan
	if said, err := fetch(operate(http.MethodGet, w.URL+"/sandbox/faults", nil)); err == nil && json.Unmarshal(said, &p) == nil {
		for _, f := range p.Faults {
			n += f.Struck
		}
	}
	return n
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.calls++
	var err error
	if w.calls == w.at {
		f := w.fault
		f.Method = methodOf(r.URL.Path)
		err = w.plan(f)
	}
	w.mu.Unlock()
	if err == nil {
		r, err = shortened(r)
	}
	if err != nil {
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(r)
}

// methodOf returns the sandbox's name for the method of a path.
func methodOf(p string) string {
	switch {
	case strings.Contains(p, "/upload/"):
		return "upload"
	case strings.Contains(p, "/files-pri/"):
		return "download"
	}
	return path.Base(p)
}

// shortened returns a call that asks for a short page instead of a long one.
func shortened(r *http.Request) (*http.Request, error) {
	if r.Body == nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return r, nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(form.Get("limit")); err == nil && n > mostOnPage {
		form.Set("limit", strconv.Itoa(mostOnPage))
	}
	text := form.Encode()
	short := r.Clone(r.Context())
	short.Body, short.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return short, nil
}
