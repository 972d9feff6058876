package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat/slack"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// town is a chat workspace in one process, and a server in another process that is
// connected to it. The test can kill the server without harming the workspace.
type town struct {
	t          testing.TB
	in         *installation
	addr       string // the server's address
	operations string
	args       []string
	server     *process // the running server
	token      string   // the token of the account's admin
	db         *sqldb.DB

	workspace *sandbox.Sandbox // the workspace's file, opened in the test as well
	box       *sqldb.DB        // the workspace's tables, to compare with
	api       string           // the workspace's address
	doorCode  string           // the code for endpoints that take no token
	client    *http.Client

	owner    *person
	agents   []*person // people who answer
	people   []*person // people who ask
	channels []string
	triage   string // empty for none
}

// person is a person in the workspace.
type person struct{ id, token string }

// townApp is Frontdesk's app in the workspace.
var townApp = sandbox.AppConfig{ClientID: "1.2", ClientSecret: "client secret", SigningSecret: "signing secret"}

// newTown starts everything and waits until it is quiet: the account is connected, and
// the bot is in every channel. settings are more environment variables of the server.
func newTown(t testing.TB, at string, channels int, triage bool, settings ...string) *town {
	w := &town{t: t, in: install(t, at), addr: freeAddr(t), operations: freeAddr(t), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 5 * time.Minute}}
	w.in.env = append(w.in.env, settings...)
	w.token = w.in.account()
	w.in.stdin = townPassword
	w.in.mustRun("member", "password", "--email", "admin@acme.test")
	w.db = dbtest.Open(t, sqldb.Config{URL: at})
	home := t.TempDir()
	w.furnish(filepath.Join(home, "sandbox.db"), channels, triage)
	w.serveWorkspace(home)
	w.box = dbtest.Open(t, sqldb.Config{URL: filepath.Join(home, "sandbox.db")})
	w.args = []string{"--url", "http://" + w.addr, "--slack-client-id", townApp.ClientID, "--slack-client-secret", townApp.ClientSecret,
		"--slack-signing-secret", townApp.SigningSecret, "--slack-api", w.api, "--slack-authorize", strings.TrimSuffix(w.api, "api/") + "oauth/v2/authorize",
		"--slack-unlimited"}
	w.start()
	w.connect()
	return w
}

// furnish creates the workspace with its people and channels.
func (w *town) furnish(path string, channels int, triage bool) {
	w.t.Helper()
	app := townApp
	app.Manifest = slack.Manifest("http://" + w.addr)
	ctx := w.t.Context()
	b, err := sandbox.New(ctx, sandbox.Config{Path: path, App: &app, Log: slog.New(slog.DiscardHandler),
		Workspace: &sandbox.WorkspaceConfig{Name: "Acme", OwnerEmail: "admin@acme.test"}})
	must(w.t, err)
	w.t.Cleanup(func() { b.Close() })
	w.workspace = b
	users, err := listPeople(ctx, b)
	must(w.t, err)
	var ids []string
	for i, u := range users {
		token, err := b.Token(ctx, u.ID)
		must(w.t, err)
		p := &person{u.ID, token}
		switch {
		case i == 0:
			w.owner = p
			continue
		case strings.HasSuffix(u.Profile.Email, "@acme.test"):
			w.agents = append(w.agents, p)
		default:
			w.people = append(w.people, p)
		}
		ids = append(ids, u.ID)
	}
	make := func(name string) string {
		c, err := b.As(w.owner.id).CreateChannel(ctx, name, false)
		must(w.t, err)
		must(w.t, b.As(w.owner.id).Invite(ctx, c.ID, ids...))
		return c.ID
	}
	for i := range channels {
		w.channels = append(w.channels, make(fmt.Sprintf("help-%d", i)))
	}
	if triage {
		w.triage = make("triage")
	}
}

// serveWorkspace starts the workspace. It resends events that are not accepted, and
// drops them, much sooner than Slack does.
func (w *town) serveWorkspace(home string) {
	w.t.Helper()
	p := install(w.t, filepath.Join(home, "frontdesk.db")).command("sandbox", "serve", "--listen", "127.0.0.1:0", "--retry-after", "0s,500ms,1500ms")
	said := &logs{}
	p.Stderr = said
	out, err := p.StdoutPipe()
	must(w.t, err)
	must(w.t, p.Start())
	w.t.Cleanup(func() {
		p.Process.Kill()
		p.Wait()
		if w.t.Failed() {
			w.t.Logf("the workspace says:\n%.4000s", said)
		}
	})
	w.api, w.doorCode = readSandboxScreen(w.t, out)
}

// readSandboxScreen waits for what a sandbox prints when it starts. It returns the
// address of its API and the code for registering apps and changing faults.
func readSandboxScreen(t testing.TB, out io.Reader) (api, code string) {
	t.Helper()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, at, ok := strings.Cut(lines.Text(), "workspace is at "); ok {
			api = at
		}
		if _, is, ok := strings.Cut(lines.Text(), "Each start has a new one: "); ok {
			return api, is
		}
	}
	t.Fatal("the sandbox has not said where it is and what its code is")
	return "", ""
}

// start starts the server at its usual address.
func (w *town) start() {
	w.server = w.in.startAt(w.addr, append(w.args, "--operations-addr", w.operations)...)
}

// counted returns the value of a metric of the server.
func (w *town) counted(name string) (n float64) {
	w.t.Helper()
	r, err := w.client.Get("http://" + w.operations + "/metrics")
	must(w.t, err)
	defer r.Body.Close()
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			n, err = strconv.ParseFloat(value, 64)
			must(w.t, err)
		}
	}
	return n
}

// restart stops the server as an operator would, and starts it again.
func (w *town) restart() {
	w.t.Helper()
	must(w.t, w.server.Process.Signal(os.Interrupt))
	if err := w.server.Wait(); err != nil {
		w.t.Errorf("stopped with %v", err)
	}
	w.mustBeQuiet()
	w.start()
}

// kill kills the server without a warning.
func (w *town) kill() {
	w.server.Process.Kill()
	w.server.Wait()
	w.mustBeQuiet()
}

// mustBeQuiet fails the test if the server logged a problem. It ignores events that the
// server could not accept in time, because the workspace resends them.
func (w *town) mustBeQuiet() {
	for line := range strings.Lines(w.server.logs.String()) {
		if strings.Contains(line, "level=ERROR") && !strings.Contains(line, "a call was not taken") {
			w.t.Errorf("the server says: %s", line)
		}
	}
}

// ask calls the API with a body and reads the answer into v.
func (w *town) ask(path string, body, v any) {
	w.t.Helper()
	status, answer, _, err := call{method: "POST", path: path, token: w.token, body: body}.do(w.t.Context(), w.client, w.server.url)
	if err != nil || status >= 300 {
		w.t.Fatalf("POST %s: %d %s %v", path, status, answer, err)
	}
	must(w.t, json.Unmarshal(answer, v))
}

const townPassword = "a town of its own"

// connect connects the account, like its owner on the authorization page, and adds the
// channels to a collection.
func (w *town) connect() {
	w.t.Helper()
	var started struct {
		Integration struct {
			AuthorizeURL string `json:"authorize_url"`
		}
	}
	w.ask("/integrations", map[string]string{"kind": "slack"}, &started)
	r, err := http.PostForm(started.Integration.AuthorizeURL, url.Values{"allow": {"1"}, "code": {w.doorCode}})
	must(w.t, err)
	r.Body.Close()
	if r.StatusCode == http.StatusOK {
		w.t.Fatal("somebody who is not signed in connected the account")
	}
	w.ask("/integrations", map[string]string{"kind": "slack"}, &started)
	browser := &http.Client{Timeout: w.client.Timeout}
	browser.Jar, _ = cookiejar.New(nil) // it never fails
	r, err = browser.Post(w.server.url+"/auth/sign-in", "application/json", strings.NewReader(fmt.Sprintf(`{"email": "admin@acme.test", "password": %q}`, townPassword)))
	must(w.t, err)
	r.Body.Close()
	r, err = browser.PostForm(started.Integration.AuthorizeURL, url.Values{"allow": {"1"}, "code": {w.doorCode}})
	must(w.t, err)
	page, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if r.StatusCode != http.StatusOK {
		w.t.Fatalf("connecting answered %s: %s", r.Status, page)
	}
	members := func() (known, member int) {
		var got struct {
			Channels []struct {
				Name   string
				Member bool `json:"is_member"`
			}
		}
		w.server.get(w.t, w.token, "/channels?limit=100", &got)
		for _, c := range got.Channels {
			if c.Member {
				member++
			}
		}
		return len(got.Channels), member
	}
	rooms := len(w.channels)
	if w.triage != "" {
		rooms++
	}
	await(w.t, "the channels", func() bool { known, _ := members(); return known > rooms })
	await(w.t, "the people", func() bool {
		var got struct{ Users []struct{ ID string } }
		w.server.get(w.t, w.token, "/users?limit=100", &got)
		return len(got.Users) > len(w.agents)+len(w.people)
	})
	var made struct{ Collection struct{ ID int64 } }
	collection := map[string]any{"name": "Support", "kind": "chat", "config": map[string]any{
		"grouping_minutes": 0, "responders": []any{map[string]any{"user_id": w.agents[0].id}, map[string]any{"user_id": w.agents[1].id}}}}
	if w.triage != "" {
		collection["triage_channel_id"] = w.triage
	}
	w.ask("/collections", collection, &made)
	var named []map[string]string
	for _, c := range w.channels {
		named = append(named, map[string]string{"id": c})
	}
	w.ask(fmt.Sprintf("/collections/%d/channels", made.Collection.ID), map[string]any{"channels": named}, &struct{}{})
	await(w.t, "the bot in every channel", func() bool { _, member := members(); return member == rooms })
}

// misbehave sets the workspace's faults.
func (w *town) misbehave(faults ...sandbox.Fault) {
	w.t.Helper()
	b, err := json.Marshal(sandbox.FaultPlan{Seed: 7, Faults: faults})
	must(w.t, err)
	r := w.faults("POST", b)
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		w.t.Fatalf("setting faults answered %s", r.Status)
	}
}

func (w *town) faults(method string, body []byte) *http.Response {
	w.t.Helper()
	req, err := http.NewRequest(method, strings.TrimSuffix(w.api, "api/")+"faults", bytes.NewReader(body))
	must(w.t, err)
	req.Header.Set("Authorization", "Bearer "+w.doorCode)
	r, err := w.client.Do(req)
	must(w.t, err)
	return r
}

// struck returns how often each kind of fault occurred.
func (w *town) struck() map[sandbox.FaultKind]int {
	w.t.Helper()
	r := w.faults("GET", nil)
	defer r.Body.Close()
	var p sandbox.FaultPlan
	must(w.t, json.NewDecoder(r.Body).Decode(&p))
	n := map[sandbox.FaultKind]int{}
	for _, f := range p.Faults {
		n[f.Kind] += f.Struck
	}
	return n
}

// does calls a method of the workspace as a person. It returns false if there was no
// valid answer. The call may have succeeded nevertheless.
func (w *town) does(ctx context.Context, p *person, method string, args url.Values) (ts string, ok bool) {
	req, err := http.NewRequestWithContext(ctx, "POST", w.api+method, strings.NewReader(args.Encode()))
	must(w.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.GetBody = nil // Go's client would retry a call whose answer was lost
	r, err := w.client.Do(req)
	if err != nil {
		return "", false
	}
	defer r.Body.Close()
	var answer struct {
		OK    bool
		Error string
		TS    string
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		return "", false
	}
	switch answer.Error {
	case "", "message_not_found", "cant_update_message", "already_reacted": // another person was faster
	default:
		w.t.Errorf("%s answered %s", method, answer.Error)
	}
	return answer.TS, answer.OK
}

// count counts rows in Frontdesk's tables or in the workspace's.
func count(t testing.TB, db *sqldb.DB, statement string, args ...any) (n int) {
	t.Helper()
	must(t, db.Read(t.Context(), func(tx *sqldb.Tx) error { return tx.Row(statement, args...).Scan(&n) }))
	return n
}

// settle waits until neither side has anything left to do.
func (w *town) settle(patience time.Duration) {
	w.t.Helper()
	var events, jobs, unnumbered int
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) { // polls other processes
		events = count(w.t, w.box, "SELECT count(*) FROM deliveries WHERE state IN ('new', 'due')")
		jobs = count(w.t, w.db, "SELECT count(*) FROM jobs WHERE dead_at IS NULL")
		unnumbered = count(w.t, w.db, "SELECT count(*) FROM events WHERE seq IS NULL")
		if events+jobs+unnumbered == 0 {
			break
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("it does not come to rest: %d events to be told, %d jobs, %d events without a number\n%.4000s", events, jobs, unnumbered, w.server.logs)
		}
	}
	if n := count(w.t, w.db, "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL"); n > 0 {
		w.t.Errorf("%d jobs were given up:\n%s", n, w.in.mustRun("jobs", "dead"))
	}
}
