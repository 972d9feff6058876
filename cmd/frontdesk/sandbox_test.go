package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The workspace runs in its own process. The command line prints people's tokens while
// it runs, and messages survive a restart.
func TestSandboxAsAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	var base string
	start := func(args ...string) (stop func()) {
		p := in.command(append([]string{"sandbox", "serve", "--listen", "127.0.0.1:0"}, args...)...)
		out, err := p.StdoutPipe()
		must(t, err)
		must(t, p.Start())
		base, _ = readSandboxScreen(t, out)
		return func() {
			must(t, p.Process.Signal(os.Interrupt))
			if err := p.Wait(); err != nil {
				t.Errorf("stopped with %v", err)
			}
		}
	}
	call := func(method, token string, args url.Values) (answer struct {
		OK       bool
		Error    string
		UserID   string `json:"user_id"`
		Channel  json.RawMessage
		TS       string
		Messages []struct{ Text, User string }
	}) {
		t.Helper()
		req, err := http.NewRequest("POST", base+method, strings.NewReader(args.Encode()))
		must(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(req)
		must(t, err)
		defer r.Body.Close()
		must(t, json.NewDecoder(r.Body).Decode(&answer))
		return answer
	}

	stop := start()
	lines := strings.Split(strings.TrimSpace(in.mustRun("sandbox", "people")), "\n")
	if len(lines) != 1+9 { // the heading, the owner and eight more
		t.Fatalf("the people of a new workspace:\n%s", strings.Join(lines, "\n"))
	}
	id := strings.Fields(lines[1])[0]
	token := strings.TrimSpace(in.mustRun("sandbox", "token", "--user", id))
	if !strings.HasPrefix(token, "xoxp-") || strings.ContainsAny(token, " \n") {
		t.Fatalf("sandbox token printed %q, not a token alone", token)
	}
	if a := call("auth.test", token, nil); !a.OK || a.UserID != id {
		t.Fatalf("auth.test: %+v", a)
	}
	made := call("conversations.create", token, url.Values{"name": {"cust-globex"}})
	var channel struct{ ID string }
	must(t, json.Unmarshal(made.Channel, &channel))
	if a := call("chat.postMessage", token, url.Values{"channel": {channel.ID}, "text": {"Our export fails <b>'; DROP"}}); !a.OK || a.TS == "" {
		t.Fatalf("chat.postMessage: %+v", a)
	}
	stop()

	stop = start("--fault", "rate_limit:method=auth.test,count=1")
	defer stop()
	a := call("conversations.history", token, url.Values{"channel": {channel.ID}})
	if len(a.Messages) == 0 || a.Messages[0].Text != "Our export fails <b>'; DROP" || a.Messages[0].User != id {
		t.Errorf("after a restart: %+v", a)
	}
	r, err := http.Get(base + "auth.test?token=" + token)
	must(t, err)
	r.Body.Close()
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Errorf("the fault that was asked for: %s", r.Status)
	}
	if _, errs, code := in.run("sandbox", "token", "--user", "UNOBODY"); code != 1 || !strings.Contains(errs, "sandbox people") {
		t.Errorf("a token for nobody: %d %s", code, errs)
	}
	if _, errs, code := in.run("sandbox", "serve", "--fault", "explode"); code != 1 || !strings.Contains(errs, "explode") {
		t.Errorf("an unknown fault: %d %s", code, errs)
	}
}
