package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeClock moves only when told to.
type fakeClock struct {
	mu     sync.Mutex
	moved  *sync.Cond
	now    time.Time
	timers map[*fakeTimer]bool
}

type fakeTimer struct {
	at    time.Time
	fired chan time.Time
}

func newFakeClock() *fakeClock {
	c := &fakeClock{now: time.Unix(1718000000, 0), timers: map[*fakeTimer]bool{}}
	c.moved = sync.NewCond(&c.mu)
	return c
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) At(at time.Time) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{at: at, fired: make(chan time.Time, 1)}
	if !at.After(c.now) {
		t.fired <- c.now
	} else {
		c.timers[t] = true
	}
	c.moved.Broadcast()
	return t.fired, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

func (c *fakeClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for t := range c.timers {
		if !t.at.After(c.now) {
			t.fired <- c.now
			delete(c.timers, t)
		}
	}
}

// await waits until somebody waits for exactly this long.
func (c *fakeClock) await(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for t := range c.timers {
			if t.at.Equal(c.now.Add(d)) {
				return
			}
		}
		c.moved.Wait()
	}
}

// everyEvent is what the test's app subscribes to.
var everyEvent = []string{
	"message.channels", "message.groups", "message.im", "message.mpim", "app_mention", "reaction_added", "reaction_removed",
	"team_join", "user_change", "channel_created", "channel_rename", "channel_archive", "channel_unarchive",
	"group_rename", "group_archive", "group_unarchive", "member_joined_channel", "member_left_channel",
	"subteam_created", "subteam_updated", "subteam_members_changed", "file_shared", "file_deleted", "pin_added", "pin_removed", "emoji_changed", "app_uninstalled", "tokens_revoked",
}

var botScopes = []string{
	"app_mentions:read", "channels:history", "channels:join", "channels:manage", "channels:read", "chat:write", "chat:write.customize",
	"dnd:read", "emoji:read", "files:read", "files:write", "groups:history", "groups:read", "groups:write", "im:history", "im:read", "im:write",
	"mpim:history", "mpim:read", "mpim:write", "pins:read", "pins:write", "reactions:read", "reactions:write", "team:read", "usergroups:read", "users:read", "users:read.email",
	"users.profile:read",
}

// receiver is the app's side of the callbacks.
type receiver struct {
	t      *testing.T
	server *httptest.Server
	got    chan callbackSeen
	mu     sync.Mutex
	secret func() string
	answer func(w http.ResponseWriter, c callbackSeen)
}

// callbackSeen is a callback that arrived with a valid signature.
type callbackSeen struct {
	path   string
	header http.Header
	body   []byte
	json   map[string]any // the envelope, or the payload of an interaction
}

func (c callbackSeen) event() map[string]any {
	e, _ := c.json["event"].(map[string]any)
	return e
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, got: make(chan callbackSeen, 1000)}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

// answers changes how the app answers.
func (r *receiver) answers(fn func(w http.ResponseWriter, c callbackSeen)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = fn
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	c := callbackSeen{path: req.URL.Path, header: req.Header, body: body}
	at := req.Header.Get("X-Slack-Request-Timestamp")
	var seconds int64
	fmt.Sscan(at, &seconds)
	if want := Sign(r.secret(), time.Unix(seconds, 0), body); req.Header.Get("X-Slack-Signature") != want {
		r.t.Errorf("the signature of %s is %q, want %q", body, req.Header.Get("X-Slack-Signature"), want)
	}
	text := body
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, _ := url.ParseQuery(string(body))
		text = []byte(form.Get("payload"))
	}
	if err := json.Unmarshal(text, &c.json); err != nil {
		r.t.Errorf("a callback is no JSON: %q", text)
	}
	if c.json["type"] == "url_verification" {
		json.NewEncoder(w).Encode(map[string]any{"challenge": c.json["challenge"]})
		return
	}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		answer(w, c)
	}
	r.got <- c
}

// next returns the next callback. It fails the test if none comes for a long time.
func (r *receiver) next() callbackSeen {
	r.t.Helper()
	select {
	case c := <-r.got:
		return c
	case <-time.After(5 * time.Minute):
		r.t.Fatal("no callback came")
		panic("unreachable")
	}
}

// event returns the next event of a type and subtype and skips others.
func (r *receiver) event(kind, subtype string) map[string]any {
	r.t.Helper()
	for {
		e := r.next().event()
		if e["type"] == kind && (e["subtype"] == subtype || e["subtype"] == nil && subtype == "") {
			return e
		}
	}
}

// world is a served sandbox with an installed app.
type world struct {
	t                    *testing.T
	ctx                  context.Context
	s                    *Sandbox
	cfg                  Config
	clock                *fakeClock
	url                  string
	app                  App
	in                   Installed
	rec                  *receiver
	team, owner, general string
	people               []User
	server               *httptest.Server
	stop                 func()
	admins               Admins // admins who need no code
}

// theCode opens the doors that need no token.
const theCode = "the code from the log"

// operates sends a request as the operator of the sandbox.
func (w *world) operates(method, path, body string) (*http.Response, map[string]any) {
	w.t.Helper()
	req := must(http.NewRequest(method, w.url+path, strings.NewReader(body)))
	req.Header.Set("Authorization", "Bearer "+theCode)
	return w.do(req)
}

type option func(*Config)

func newWorld(t *testing.T, options ...option) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), clock: newFakeClock(), rec: newReceiver(t)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.url = "http://" + listener.Addr().String()
	w.cfg = Config{
		Path: filepath.Join(t.TempDir(), "sandbox.db"), URL: w.url, Clock: w.clock, Workspace: &WorkspaceConfig{Name: "Acme"},
		App: &AppConfig{Manifest: w.manifest(everyEvent)},
		Log: slog.New(slog.DiscardHandler), Code: theCode,
	}
	for _, o := range options {
		o(&w.cfg)
	}
	w.open()
	w.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.s.Handler(w.admins).ServeHTTP(rw, r)
	})}}
	w.server.Start()
	t.Cleanup(func() {
		w.rec.server.CloseClientConnections()
		w.halt()
		w.server.Close()
		w.s.Close()
	})
	if w.in, err = w.s.Install(w.ctx, w.app.ID, w.owner, nil, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// open opens the sandbox of the world's file.
func (w *world) open() {
	w.t.Helper()
	var err error
	if w.s, err = New(w.ctx, w.cfg); err != nil {
		w.t.Fatal(err)
	}
	apps, err := w.s.Apps(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	w.app = apps[0]
	secret := w.app.SigningSecret
	w.rec.mu.Lock()
	w.rec.secret = func() string { return secret }
	w.rec.mu.Unlock()
	teams, err := w.s.Workspaces(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	w.team, w.owner = teams[0].ID, teams[0].Owner
	if w.people, err = w.s.Users(w.ctx, w.team); err != nil {
		w.t.Fatal(err)
	}
	all, err := w.s.As(w.owner).Conversations(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	w.general = all[0].ID
}

// run delivers events until the test ends or halt is called.
func (w *world) run() {
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan error, 1)
	s := w.s
	go func() { done <- s.Run(ctx) }()
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

func (w *world) halt() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *world) manifest(events []string) json.RawMessage {
	return encode(object{
		"display_information": object{"name": "Desk"},
		"features":            object{"bot_user": object{"display_name": "desk"}},
		"oauth_config": object{"redirect_urls": []string{"http://127.0.0.1/back"},
			"scopes": object{"bot": botScopes, "user": []string{"channels:history", "chat:write", "users:read"}}},
		"settings": object{
			"event_subscriptions": object{"request_url": w.rec.server.URL + "/events", "bot_events": events},
			"interactivity":       object{"is_enabled": true, "request_url": w.rec.server.URL + "/interactions"},
		},
	})
}

// person returns a member by the first word of their name.
func (w *world) person(name string) string {
	w.t.Helper()
	for _, u := range w.people {
		if first, _, _ := strings.Cut(u.RealName, " "); first == name {
			return u.ID
		}
	}
	w.t.Fatalf("nobody is called %s", name)
	return ""
}

func (w *world) token(user string) string {
	w.t.Helper()
	token, err := w.s.Token(w.ctx, user)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// botWith returns a token of the app's bot with other scopes.
func (w *world) botWith(scopes ...string) string {
	w.t.Helper()
	var token string
	err := w.s.write(w.ctx, func(t *tx) (err error) {
		token = "xoxb-" + newSecret(20)
		_, err = t.Exec("INSERT INTO tokens (token, team_id, user_id, app_id, is_bot, scopes, fate, created_at) VALUES ($1, $2, $3, $4, $5, $6, '', 0)",
			token, w.team, w.in.BotUserID, w.app.ID, true, strings.Join(scopes, ","))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// channel makes a public channel of the owner with the bot in it.
func (w *world) channel(name string, also ...string) string {
	w.t.Helper()
	c, err := w.s.As(w.owner).CreateChannel(w.ctx, name, false)
	if err == nil {
		err = w.s.As(w.owner).Invite(w.ctx, c.ID, append([]string{w.in.BotUserID}, also...)...)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return c.ID
}

// args returns the arguments of a call, given as alternating names and values.
func args(pairs ...string) url.Values {
	v := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		v.Set(pair[0], pair[1])
	}
	return v
}

// call calls a method with a form and the token in the header.
func (w *world) call(token, method string, v url.Values) map[string]any {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url+"/sandbox/api/"+method, strings.NewReader(v.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	_, o := w.do(req)
	return o
}

func (w *world) do(req *http.Request) (*http.Response, map[string]any) {
	w.t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	o := map[string]any{}
	if err := json.Unmarshal(body, &o); err != nil {
		o["text"] = string(body)
	}
	return res, o
}

// bot calls a method as the app and expects success.
func (w *world) bot(method string, pairs ...string) map[string]any {
	w.t.Helper()
	o := w.call(w.in.BotToken, method, args(pairs...))
	if o["ok"] != true {
		w.t.Fatalf("%s %v: %v", method, pairs, o)
	}
	return o
}

// refused calls a method as the app and expects a refusal.
func (w *world) refused(code, method string, pairs ...string) map[string]any {
	w.t.Helper()
	return w.refusedTo(w.in.BotToken, code, method, pairs...)
}

func (w *world) refusedTo(token, code, method string, pairs ...string) map[string]any {
	w.t.Helper()
	o := w.call(token, method, args(pairs...))
	if o["ok"] != false || o["error"] != code {
		w.t.Errorf("%s %v: got %v, want %s", method, pairs, o, code)
	}
	return o
}

// dig looks into nested objects and lists by a path of names and indexes.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				return nil
			}
			v = l[s]
		}
	}
	return v
}

func text(v any, path ...any) string {
	s, _ := dig(v, path...).(string)
	return s
}

// want compares the JSON of two values.
func want(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := must(json.Marshal(got)), must(json.Marshal(want))
	var a, b any
	json.Unmarshal(g, &a)
	json.Unmarshal(w, &b)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
