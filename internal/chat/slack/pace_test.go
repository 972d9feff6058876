package slack

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// transport answers calls without a network, so that a test can use fake time.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return f(r), nil
}

func said(status int, body string, header ...string) *http.Response {
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	if len(header) > 0 {
		res.Header.Set("Retry-After", header[0])
	}
	return res
}

func over(f transport) *App {
	return New(Config{API: "https://slack.test/api/", Client: &http.Client{Transport: f}, Log: slog.New(slog.DiscardHandler)})
}

// workspaceOf returns an installation in a workspace.
func workspaceOf(id string) chat.Installation {
	return chat.Installation{Workspace: id, Bot: chat.Credential{User: "UBOT", Token: "xoxb-" + id}}
}

// times records when calls came, in seconds since the test began.
type times struct {
	mu    sync.Mutex
	began time.Time
	at    map[string][]float64
}

func (s *times) note(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at[key] = append(s.at[key], time.Since(s.began).Seconds())
}

func newTimes() *times { return &times{began: time.Now(), at: map[string][]float64{}} }

func TestPostsToAChannelArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newTimes()
		a := over(func(r *http.Request) *http.Response {
			seen.note(r.Header.Get("Authorization"))
			return said(200, `{"ok":true,"ts":"1718000000.000100"}`)
		})
		for i := range 6 {
			// Connectors come and go; the pace belongs to the workspace.
			must(a.Connector(workspaceOf("T1")).Post(t.Context(), post("C1", "x", fmt.Sprint("m", i))))
		}
		must(a.Connector(workspaceOf("T1")).Post(t.Context(), post("C2", "x", "m6")))
		must(a.Connector(workspaceOf("T2")).Post(t.Context(), post("C1", "x", "m7")))
		want(t, "one workspace", seen.at["Bearer xoxb-T1"], []float64{0, 0, 0, 1, 2, 3, 3})
		want(t, "another", seen.at["Bearer xoxb-T2"], []float64{3})
	})
}

func TestMethodsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newTimes()
		c := over(func(r *http.Request) *http.Response {
			seen.note(r.URL.Path)
			return said(200, `{"ok":true}`)
		}).Connector(workspaceOf("T1"))
		for range 40 {
			must(c.Directory(t.Context(), chat.People, ""))
		}
		at := seen.at["/api/users.list"]
		// Twenty a minute, with a burst of ten.
		if at[9] != 0 || at[10] < 2.9 || at[10] > 3.1 || at[39] < 89 || at[39] > 91 {
			t.Errorf("calls came at %v", at)
		}
		must(c.Directory(t.Context(), chat.Teams, ""))
		want(t, "another method", seen.at["/api/usergroups.list"], []float64{at[39]})
	})
}

// A pause that one caller gets applies to the whole workspace.
func TestPausesAreForEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newTimes()
		asked := false
		var mu sync.Mutex
		a := over(func(r *http.Request) *http.Response {
			seen.note(r.URL.Path + " " + r.Header.Get("Authorization"))
			mu.Lock()
			defer mu.Unlock()
			if !asked && strings.HasSuffix(r.URL.Path, "users.list") {
				asked = true
				return said(429, `{"ok":false,"error":"ratelimited"}`, "30")
			}
			return said(200, `{"ok":true}`)
		})
		c := a.Connector(workspaceOf("T1"))
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Second) // the first is refused before the others come
				must(c.Directory(t.Context(), chat.People, ""))
			})
		}
		group.Go(func() {
			time.Sleep(time.Second)
			must(c.Directory(t.Context(), chat.Teams, ""))
			must(a.Connector(workspaceOf("T2")).Directory(t.Context(), chat.People, ""))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := c.Directory(ctx, chat.People, "")
			wantKind(t, "busy", err, desk.Busy)
		})
		group.Wait()
		at := seen.at["/api/users.list Bearer xoxb-T1"]
		// They continue one by one. All at once they would cause the next pause.
		if len(at) != 5 || at[0] != 0 || at[1] != 30 || at[2] < 32.9 || at[4] < 38.9 {
			t.Errorf("calls came at %v", at)
		}
		want(t, "another method", seen.at["/api/usergroups.list Bearer xoxb-T1"], []float64{1})
		want(t, "another workspace", seen.at["/api/users.list Bearer xoxb-T2"], []float64{1})
	})
}

// Without our own limits, Slack's pauses still count.
func TestUnlimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		a := New(Config{API: "https://slack.test/api/", Unlimited: true, Log: slog.New(slog.DiscardHandler), Client: &http.Client{Transport: transport(func(*http.Request) *http.Response {
			if calls++; calls == 100 {
				return said(429, `{}`, "7")
			}
			return said(200, `{"ok":true}`)
		})}})
		began := time.Now()
		for range 99 {
			must(a.Connector(workspaceOf("T1")).Directory(t.Context(), chat.People, ""))
		}
		want(t, "at once", time.Since(began), time.Duration(0))
		must(a.Connector(workspaceOf("T1")).Directory(t.Context(), chat.People, ""))
		want(t, "after the pause", time.Since(began), 7*time.Second)
	})
}
