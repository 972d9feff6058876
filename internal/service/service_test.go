package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/outside"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
	"frontdesk/internal/tracker"
	"frontdesk/internal/webhook"
	"frontdesk/internal/worker"
)

var (
	ctx   = context.Background()
	key   = seal.NewKey()
	quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
)

// clock stands still until it is moved, unless goes is set.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	goes time.Time // when it started to run; zero: it stands still
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.goes.IsZero() {
		return c.now
	}
	return c.now.Add(time.Since(c.goes))
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// company is an account with an admin who has a token, and the service that it is
// in.
type company struct {
	process
	t        testing.TB
	url      string
	clock    *clock
	chats    []chat.System
	box      chat.Sandbox
	trackers []tracker.System
	blobs    blob.Store
	mail     change.Mail
	relay    outside.MailSender
	hooks    *webhook.Sender
	ai       func(*store.Store) suggest.Provider // nil: rules
	account  desk.Account
	admin    desk.Member
	token    desk.MadeToken
}

// newCompany creates one on SQLite.
func newCompany(t testing.TB) *company { return companyAt(t, dbtest.URL(t, sqldb.SQLite)) }

func companyAt(t testing.TB, url string) *company {
	t.Helper()
	return openCompany(t, &company{url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}})
}

func openCompany(t testing.TB, c *company) *company {
	t.Helper()
	c.t = t
	c.process = c.another()
	var err error
	c.account, c.admin, err = c.NewAccount(ctx, "Acme", desk.NewMember{Email: "admin@acme.example"})
	must(t, err)
	if c.admin.Role != desk.Admin {
		t.Fatalf("the first member is %+v", c.admin)
	}
	c.token = c.newToken(c.admin, desk.NewToken{Name: "test", Scope: desk.ReadWrite})
	first := c.process // its database closes last
	t.Cleanup(func() { allIsKept(t, first) })
	return c
}

// allIsKept checks at the end of a test that the stored facts are what computing
// them again would give, and that the cached requests are current.
func allIsKept(t testing.TB, p process) {
	t.Helper()
	if t.Failed() || p.Ready(ctx) != nil { // some tests close their database
		return
	}
	accounts, err := p.store.Accounts(ctx)
	must(t, err)
	for _, a := range accounts {
		err := p.RebuildInsights(ctx, a, func(looked, wrong int) {
			if wrong > 0 {
				t.Errorf("of %d requests, %d have outdated facts", looked, wrong)
			}
		})
		must(t, err)
	}
	must(t, p.store.CheckKept(ctx))
}

// process is what a server runs.
type process struct {
	*Service
	*worker.Worker
}

// Run runs it until ctx ends.
func (p process) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { p.Service.Run(ctx) })
	running.Go(func() { p.Worker.Run(ctx, ctx) })
	running.Wait()
}

// another returns another process on the same database, with the same clock.
func (c *company) another() process {
	return c.on(store.New(dbtest.Open(c.t, sqldb.Config{URL: c.url, Log: quiet}), key, c.clock.Now))
}

func (c *company) on(s *store.Store) process {
	systems := outside.New(outside.Config{Store: s, Chats: c.chats, Sandbox: c.box, Trackers: c.trackers, Mail: c.relay, Blobs: c.blobs})
	const url = "https://desk.example"
	var ai suggest.Provider
	if c.ai != nil {
		ai = c.ai(s)
	}
	model, _ := ai.(*suggest.Model)
	service := New(Config{Store: s, Outside: systems, PublicURL: url, Suggestions: ai, Model: model, Webhooks: c.hooks, Mail: c.mail, PasswordCost: PasswordCost{Memory: 64, Passes: 1}, Log: quiet})
	return process{
		service,
		worker.New(worker.Config{Store: s, Bells: service, Outside: systems, PublicURL: url, Suggestions: ai, Webhooks: c.hooks, Mail: c.mail, Log: quiet}),
	}
}

func (c *company) newToken(m desk.Member, n desk.NewToken) desk.MadeToken {
	c.t.Helper()
	made, err := c.NewToken(ctx, c.account.ID, m, n)
	must(c.t, err)
	return made
}

func (c *company) newMember(email string, role desk.Role) desk.Member {
	c.t.Helper()
	m, err := c.CreateMember(ctx, c.caller(), desk.NewMember{Email: email, Role: &role})
	must(c.t, err)
	return m
}

// caller returns the admin as a caller.
func (c *company) caller() Caller {
	return Caller{
		Account: c.account.ID, Role: desk.Admin, Token: c.token.ID, Scope: desk.ReadWrite,
		Actor: desk.Actor{ID: c.admin.ID, Name: c.admin.Name, Email: c.admin.Email, Source: desk.SourceAPI, IP: "192.0.2.1"},
	}
}

// rows counts the rows of a table.
func (c *company) rows(table string) (n int) {
	c.t.Helper()
	must(c.t, c.store.DB().Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT count(*) FROM " + table).Scan(&n) }))
	return n
}

// auditLog returns the whole audit log, oldest first.
func (c *company) auditLog() []desk.AuditLog {
	c.t.Helper()
	l, err := c.AuditLogs(ctx, c.caller(), desk.AuditLogFilter{}, desk.Page{Limit: 100, Ascending: true})
	must(c.t, err)
	return l.Items
}

// events returns all events, once they have their numbers.
func (c *company) events() []desk.Event {
	c.t.Helper()
	_, err := c.store.Sequence(ctx)
	must(c.t, err)
	f, err := c.Events(ctx, c.caller(), 0, 100)
	must(c.t, err)
	return f.Events
}

// disk returns every byte of a SQLite database: the file and its write-ahead log.
func (c *company) disk() (b []byte) {
	c.t.Helper()
	for _, file := range []string{c.url, c.url + "-wal"} {
		part, err := os.ReadFile(file)
		must(c.t, err)
		b = append(b, part...)
	}
	if !bytes.Contains(b, []byte("admin@acme.example")) {
		c.t.Fatal("the bytes that were read are not the database")
	}
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, err error, want desk.Kind) {
	t.Helper()
	if err == nil || desk.KindOf(err) != want {
		t.Errorf("got %v, want an error of kind %d", err, want)
	}
}

func ptr[T any](v T) *T { return &v }

// eventually waits until ok returns true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !comesAbout(ok) {
		t.Fatalf("this did not happen: %s", what)
	}
}

// comesAbout calls ok until it returns true: often at first, and less often the
// longer it takes, because checking is work. The benchmarks decide how long things
// may take; here a slow machine must not fail a test.
func comesAbout(ok func() bool) bool {
	pause := time.Millisecond
	for late := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(pause) {
		if time.Now().After(late) {
			return false
		}
		pause = min(pause*3/2, 100*time.Millisecond)
	}
	return true
}

func id[T ~int64](v T) string { return fmt.Sprint(int64(v)) }

// All of Run: it numbers events and records the use of tokens, and once stopped it
// returns with everything saved.
func TestRunStops(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		running, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(running)
		}()
		c.newMember("jo@acme.example", desk.Agent)
		bell, silence := c.store.DB().Listen(store.TopicFeed)
		defer silence()
		for late := time.After(5 * time.Minute); ; {
			f, err := c.Events(ctx, c.caller(), 0, 100)
			must(t, err)
			if len(f.Events) == 2 {
				break
			}
			select {
			case <-bell:
			case <-late:
				t.Fatalf("the feed has %d events, want 2", len(f.Events))
			}
		}
		_, err := c.Authenticate(ctx, c.token.Secret)
		must(t, err)
		stop()
		select {
		case <-ended:
		case <-time.After(5 * time.Minute):
			t.Fatal("Run does not stop")
		}
		got, err := c.Token(ctx, c.caller(), c.token.ID)
		must(t, err)
		if got.LastUsedAt == nil {
			t.Error("the use of the token was not saved at the end")
		}
		must(t, c.Ready(ctx))
	})
}

func TestReady(t *testing.T) {
	c := newCompany(t)
	must(t, c.Ready(ctx))
	must(t, c.store.DB().Close())
	if err := c.Ready(ctx); err == nil {
		t.Error("Ready succeeds with a closed database")
	}
	_, err := c.Authenticate(ctx, c.token.Secret)
	wantKind(t, err, desk.Unavailable) // it must not say that the token is wrong
	if err != nil && strings.Contains(err.Error(), c.token.Secret) {
		t.Errorf("the secret is in the error: %v", err)
	}
}
