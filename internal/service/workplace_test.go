package service

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// workplace is a company whose chat workspace is a sandbox next to it, reached over
// the network as Slack would be. Its clock runs.
type workplace struct {
	*company
	box       *sandbox.Sandbox
	at        string // the sandbox's address
	workspace sandbox.Workspace
	app       *slack.App
	calls     calls

	server  *httptest.Server // our server
	handler atomic.Pointer[http.Handler]
	mu      sync.Mutex
	deliver chat.Deliver // nil: the service's own
	browser Caller       // who is signed in with the visiting browser; the admin by default
	running sync.WaitGroup
	stop    context.CancelFunc
}

// calls counts the calls of the Web API by method, and remembers the last body of
// each.
type calls struct {
	mu   sync.Mutex
	n    map[string]int
	last map[string]string // the last body by method
}

func (c *calls) RoundTrip(r *http.Request) (*http.Response, error) {
	method, said := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], ""
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			b, _ := io.ReadAll(body)
			said = string(b)
		}
	}
	c.mu.Lock()
	c.n[method]++
	c.last[method] = said
	c.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

func (c *calls) saidLast(method string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last[method]
}

func (c *calls) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = map[string]int{}
	return n
}

// migratedSandbox is the file of a sandbox in which there is nothing yet. To copy it takes a
// tenth of making its tables.
var migratedSandbox = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "sandbox.db")
	box, err := sandbox.New(ctx, sandbox.Config{Path: path, Log: quiet})
	if err != nil {
		return nil, err
	}
	if err := box.Close(); err != nil { // closed, the database is one file
		return nil, err
	}
	return os.ReadFile(path)
})

// emptySandbox returns the path of a sandbox in which there is nothing yet.
func emptySandbox(t *testing.T) string {
	t.Helper()
	file, err := migratedSandbox()
	must(t, err)
	path := filepath.Join(t.TempDir(), "sandbox.db")
	must(t, os.WriteFile(path, file, 0o600))
	return path
}

// newWorkplace sets up the workspace and the company next to each other. connect
// connects them, and open starts the background work.
func newWorkplace(t *testing.T, url string, change ...func(*company)) *workplace {
	t.Helper()
	w := &workplace{calls: calls{n: map[string]int{}, last: map[string]string{}}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	w.at = "http://" + l.Addr().String() + "/sandbox/"
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if h := w.handler.Load(); h != nil {
			(*h).ServeHTTP(rw, r)
			return
		}
		panic(http.ErrAbortHandler) // our server is down
	}))
	app := sandbox.AppConfig{Manifest: slack.Manifest(w.server.URL), ClientID: "1.2", ClientSecret: "client secret", SigningSecret: "signing secret"}
	w.app = slack.New(slack.Config{ClientID: app.ClientID, ClientSecret: app.ClientSecret, SigningSecret: app.SigningSecret,
		API: w.at + "api/", Authorize: w.at + "oauth/v2/authorize", PublicURL: w.server.URL, Client: &http.Client{Transport: &w.calls}, Log: quiet})
	ready, ended := make(chan *sandbox.Sandbox, 1), make(chan error, 1)
	path := emptySandbox(t)
	boxContext, endBox := context.WithCancel(ctx)
	go func() {
		ended <- sandbox.Serve(boxContext, l, sandbox.Config{Path: path, App: &app, Log: quiet, RetryAfter: []time.Duration{0, time.Second, 3 * time.Second},
			Workspace: &sandbox.WorkspaceConfig{Name: "Acme", OwnerName: "Mira Vance", OwnerEmail: "mira@acme.test"}}, func(s *sandbox.Sandbox) { ready <- s })
	}()
	select {
	case w.box = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.server.CloseClientConnections()
		endBox()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		w.server.Close()
	})
	all, err := w.box.Workspaces(ctx)
	must(t, err)
	w.workspace = all[0]
	now := time.Now()
	c := &company{url: url, clock: &clock{now: now, goes: now}, chats: []chat.System{w.app}, blobs: blobtest.New(t, t.TempDir())}
	for _, change := range change {
		change(c)
	}
	w.company = openCompany(t, c)
	w.start()
	return w
}

// open starts another process of the company.
func (w *workplace) open() {
	w.process = w.another()
	w.start()
}

// start starts the company's process.
func (w *workplace) start() {
	w.browses(inBrowser(w.caller()))
	h := w.app.Handler(func(ctx context.Context, e chat.Event) error {
		w.mu.Lock()
		deliver := w.deliver
		w.mu.Unlock()
		if deliver == nil {
			deliver = w.Receive
		}
		return deliver(ctx, e)
	}, func(r *http.Request, state, code string) error {
		w.mu.Lock()
		by := w.browser
		w.mu.Unlock()
		return w.Connect(r.Context(), by, desk.Slack, state, code)
	})
	w.handler.Store(&h)
	running, stop := context.WithCancel(ctx)
	w.stop = stop
	w.running.Go(func() { w.Run(running) })
	w.t.Cleanup(w.close) // before the database closes
}

// close stops the company's process.
func (w *workplace) close() {
	w.handler.Store(nil)
	w.stop()
	w.running.Wait()
}

// delivers makes events be received by d; nil restores the default.
func (w *workplace) delivers(d chat.Deliver) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deliver = d
}

// browses signs c in with the visiting browser.
func (w *workplace) browses(c Caller) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.browser = c
}

// inBrowser returns a caller with a session.
func inBrowser(c Caller) Caller {
	c.Session = true
	return c
}

// connect connects the account through the authorization page.
func (w *workplace) connect() {
	w.t.Helper()
	started, err := w.CreateIntegration(ctx, w.caller(), desk.NewIntegration{Kind: desk.Slack})
	must(w.t, err)
	if status, page := w.visit(started.AuthorizeURL); status != http.StatusOK {
		w.t.Fatalf("connecting answered %d: %s", status, page)
	}
}

// visit presses the button of an authorization page, and follows where it leads.
func (w *workplace) visit(address string) (int, string) {
	w.t.Helper()
	res, err := http.PostForm(address, map[string][]string{"allow": {"1"}, "code": {w.box.Code()}})
	must(w.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(w.t, err)
	return res.StatusCode, string(b)
}

// faults makes the workspace misbehave; without arguments it behaves.
func (w *workplace) faults(kinds ...sandbox.FaultKind) {
	w.t.Helper()
	var plan sandbox.FaultPlan
	for _, k := range kinds {
		plan.Faults = append(plan.Faults, sandbox.Fault{Kind: k, Delay: sandbox.Duration(300 * time.Millisecond)})
	}
	must(w.t, w.box.SetFaults(plan))
}

// boxUsers returns the people as the workspace has them.
func (w *workplace) boxUsers() (all []string) {
	w.t.Helper()
	users, err := w.box.Users(ctx, w.workspace.ID)
	must(w.t, err)
	for _, u := range users {
		name := u.Profile.DisplayName
		if name == "" {
			name = u.RealName
		}
		all = append(all, fmt.Sprintf("%s %s %s %t %t", u.ID, name, u.Profile.Email, u.Deleted, u.IsBot))
	}
	slices.Sort(all)
	return all
}

// ourUsers returns the people as the directory has them.
func (w *workplace) ourUsers() (all []string) {
	w.t.Helper()
	q := desk.UserQuery{IncludeDeleted: true, Page: desk.Page{Limit: desk.MostLimit}}
	for more := true; more; {
		l, err := w.Users(ctx, w.caller(), q)
		must(w.t, err)
		for _, u := range l.Items {
			all = append(all, fmt.Sprintf("%s %s %s %t %t", u.ID, u.Name, u.Email, u.Deleted, u.IsBot))
		}
		q.From, more = l.Next, l.Next != nil
	}
	slices.Sort(all)
	return all
}

// ourTeams returns the teams as the directory has them.
func (w *workplace) ourTeams() (all []string) {
	w.t.Helper()
	l, err := w.Teams(ctx, w.caller(), true, desk.Page{Limit: desk.MostLimit})
	must(w.t, err)
	for _, team := range l.Items {
		line := fmt.Sprintf("%s %s %t", team.SourceID, team.Name, team.Active)
		for _, m := range team.Members {
			line += " " + m.User
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

// bot returns our user in the workspace.
func (w *workplace) bot() string {
	w.t.Helper()
	l, err := w.Integrations(ctx, w.caller(), desk.Page{})
	must(w.t, err)
	return l.Items[0].BotUser
}

// ourChannels returns the channels as the directory has them.
func (w *workplace) ourChannels() (all []string) {
	w.t.Helper()
	p := desk.Page{Limit: desk.MostLimit}
	for more := true; more; {
		l, err := w.Channels(ctx, w.caller(), desk.ChannelFilter{}, p)
		must(w.t, err)
		for _, c := range l.Items {
			all = append(all, channelLine(c.ID, c.Name, c.Private, c.Archived, c.BotMember))
		}
		p.From, more = l.Next, l.Next != nil
	}
	slices.Sort(all)
	return all
}

// channelsBecome waits until the channels except #general are these.
func (w *workplace) channelsBecome(want ...string) {
	w.t.Helper()
	slices.Sort(want)
	become(w.t, fmt.Sprintf("%q as the channels", want), w.ourChannels, func(got []string) bool {
		got = slices.DeleteFunc(slices.Clone(got), func(c string) bool { return strings.Contains(c, " general") })
		return slices.Equal(got, want)
	})
}

func channelLine(id, name string, private, archived, member bool) string {
	line := id + " " + name
	if private {
		line += " private"
	}
	if archived {
		line += " archived"
	}
	if member {
		line += " member"
	}
	return line
}

// lets returns the connection and the bot's credential.
func (w *workplace) lets() (i desk.Integration, secret []byte) {
	w.t.Helper()
	must(w.t, w.store.Read(ctx, w.account.ID, func(tx *store.Tx) (err error) {
		if i, err = tx.Chat(); err != nil {
			return err
		}
		secret, err = tx.Credential(i.ID, "")
		return err
	}))
	return i, secret
}

// become waits until a list is as wanted. The chat system reports in its own time.
func become[T any](t testing.TB, what string, now func() []T, want func([]T) bool) {
	t.Helper()
	var got []T
	if !comesAbout(func() bool { got = now(); return want(got) }) {
		t.Fatalf("this did not happen: %s; got %v", what, got)
	}
}

// delivered waits until the workspace has delivered all of its events.
func (w *workplace) delivered() {
	w.t.Helper()
	become(w.t, "the end of all deliveries", func() (waiting []sandbox.Delivery) {
		all, err := w.box.Deliveries(ctx)
		must(w.t, err)
		return slices.DeleteFunc(all, func(d sandbox.Delivery) bool { return d.State != "new" && d.State != "due" })
	}, func(waiting []sandbox.Delivery) bool { return len(waiting) == 0 })
}

// rests waits until nothing is left to deliver or do, except for suggestions, which
// wait for more messages.
func (w *workplace) rests() {
	w.t.Helper()
	w.delivered()
	become(w.t, "the end of all work", func() (kinds []string) {
		must(w.t, w.store.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
			kinds, err = sqldb.Collect(tx, func(scan func(...any) error) (kind string, err error) {
				err = scan(&kind)
				return kind, err
			}, "SELECT kind FROM jobs WHERE dead_at IS NULL AND kind <> 'request.suggest'")
			return err
		}))
		return kinds
	}, func(kinds []string) bool { return len(kinds) == 0 })
}

// sameAs waits until two lists are equal.
func sameAs(t testing.TB, what string, ours, theirs func() []string) {
	t.Helper()
	become(t, what, ours, func(got []string) bool { return slices.Equal(got, theirs()) })
}
