package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

// world is a sandbox workspace that our app is connected to over the network, as it
// would be to Slack.
type world struct {
	t       *testing.T
	ctx     context.Context
	s       *sandbox.Sandbox
	url     string // of the sandbox
	app     *App
	in      chat.Installation
	c       chat.Connector
	server  *httptest.Server // ours
	events  chan chat.Event
	mu      sync.Mutex
	deliver func(chat.Event) error
	connect func(ctx context.Context, state, code string) error
	owner   string
	general string
	people  []sandbox.User
}

type option func(*sandbox.Config)

func newWorld(t *testing.T, options ...option) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &world{t: t, ctx: ctx, events: make(chan chat.Event, 1000)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.url = "http://" + l.Addr().String()
	// The server must exist before the manifest can name it.
	var handler http.Handler
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { handler.ServeHTTP(rw, r) }))
	quiet := slog.New(slog.DiscardHandler)
	w.app = New(Config{ClientID: "1.2", ClientSecret: "client secret", SigningSecret: "signing secret", API: w.url + "/sandbox/api/",
		Authorize: w.url + "/sandbox/oauth/v2/authorize", PublicURL: w.server.URL, Unlimited: true, Log: quiet})
	handler = w.app.Handler(w.take, func(r *http.Request, state, code string) error { return w.connect(r.Context(), state, code) })

	c := sandbox.Config{Path: filepath.Join(t.TempDir(), "sandbox.db"), Workspace: &sandbox.WorkspaceConfig{Name: "Acme"}, Log: quiet,
		App: &sandbox.AppConfig{Manifest: Manifest(w.server.URL), ClientID: "1.2", ClientSecret: "client secret", SigningSecret: "signing secret"}}
	for _, o := range options {
		o(&c)
	}
	ready, ended := make(chan *sandbox.Sandbox, 1), make(chan error, 1)
	go func() { ended <- sandbox.Serve(ctx, l, c, func(s *sandbox.Sandbox) { ready <- s }) }()
	t.Cleanup(func() {
		w.server.CloseClientConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		w.server.Close()
	})
	select {
	case w.s = <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	teams := must(w.s.Workspaces(ctx))
	w.owner = teams[0].Owner
	w.people = must(w.s.Users(ctx, teams[0].ID))
	w.general = must(w.s.As(w.owner).Conversations(ctx))[0].ID
	w.install()
	return w
}

// take is the desk's side of deliver.
func (w *world) take(_ context.Context, ev chat.Event) error {
	w.mu.Lock()
	deliver := w.deliver
	w.mu.Unlock()
	if deliver != nil {
		if err := deliver(ev); err != nil {
			return err
		}
	}
	w.events <- ev
	return nil
}

// delivers changes how the desk answers.
func (w *world) delivers(fn func(chat.Event) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deliver = fn
}

// install connects the app the way a person's browser does.
func (w *world) install() {
	w.t.Helper()
	w.connect = func(ctx context.Context, state, code string) (err error) {
		if state != "a state" {
			w.t.Errorf("the state is %q", state)
		}
		w.in, err = w.app.Exchange(ctx, code)
		return err
	}
	status, page := w.visit(w.app.AuthorizeURL("a state"))
	if status != http.StatusOK {
		w.t.Fatalf("connecting answered %d: %s", status, page)
	}
	w.c = w.app.Connector(w.in)
}

// visit presses the button of an authorize page and follows it.
func (w *world) visit(address string) (int, string) {
	w.t.Helper()
	res, err := http.PostForm(address, url.Values{"allow": {"1"}, "code": {w.s.Code()}})
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode, string(must(io.ReadAll(res.Body)))
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

// channel makes a public channel of the owner with the bot in it.
func (w *world) channel(name string, also ...string) string {
	w.t.Helper()
	ch := must(w.s.As(w.owner).CreateChannel(w.ctx, name, false))
	w.check(w.s.As(w.owner).Invite(w.ctx, ch.ID, append([]string{w.in.Bot.User}, also...)...))
	return ch.ID
}

// next returns the next event that matches and skips others.
func (w *world) next(wanted func(chat.Event) bool) chat.Event {
	w.t.Helper()
	for {
		select {
		case ev := <-w.events:
			if wanted(ev) {
				return ev
			}
		case <-time.After(5 * time.Minute):
			w.t.Fatal("no such event came")
		}
	}
}

// texts returns the messages that were said in a channel, oldest first.
func (w *world) texts(channel string) (all []string) {
	w.t.Helper()
	for _, m := range must(w.s.As(w.owner).History(w.ctx, channel, 1000)) {
		if m.Subtype == "" || m.Subtype == "bot_message" {
			all = append([]string{m.Text}, all...)
		}
	}
	return all
}

func (w *world) faults(all ...sandbox.Fault) {
	w.t.Helper()
	w.check(w.s.SetFaults(sandbox.FaultPlan{Faults: all}))
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// struck makes the next call that a fault applies to fail, and returns the context
// for that call. The context ends once the sandbox holds back a late answer,
// because by then the work is done.
func (w *world) struck(f sandbox.Fault) context.Context {
	w.t.Helper()
	w.faults(f)
	if f.Kind != sandbox.LateAnswer {
		return w.ctx
	}
	ctx, cancel := context.WithCancel(w.ctx)
	go func() {
		defer cancel()
		for ctx.Err() == nil && w.s.Faults().Faults[0].Holding == 0 {
			time.Sleep(time.Millisecond)
		}
	}()
	return ctx
}

// within returns a context for a call that must not take long.
func (w *world) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(w.ctx, d)
	w.t.Cleanup(cancel)
	return ctx
}

func post(channel, html, mark string) chat.Post {
	return chat.Post{Channel: channel, Mark: mark, Content: chat.Content{HTML: html}}
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// wantKind expects an error of a kind with a message for the caller.
func wantKind(t *testing.T, what string, err error, kind desk.Kind) {
	t.Helper()
	var e *desk.Error
	if !errors.As(err, &e) || e.Kind != kind || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("%s: got %v, want kind %d", what, err, kind)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("must: ", err))
	}
	return v
}

func isLost(err error) bool { return errors.Is(err, chat.ErrLost) }

// served returns a connector to a server that answers as the test says.
func served(t *testing.T, answer http.HandlerFunc) chat.Connector {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return New(Config{API: server.URL + "/api/", Log: slog.New(slog.DiscardHandler)}).
		Connector(chat.Installation{Workspace: "T1", URL: "https://acme.slack.com/", Bot: chat.Credential{User: "UBOT", Token: "xoxb-1"}})
}

// faked returns a connector to a server with one answer for each method.
func faked(t *testing.T, answers map[string]string) chat.Connector {
	return served(t, func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[strings.TrimPrefix(r.URL.Path, "/api/")]
		if !ok {
			t.Errorf("%s was called", r.URL.Path)
		}
		io.WriteString(w, answer)
	})
}
