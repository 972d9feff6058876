package rest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/outside"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
	"frontdesk/internal/worker"
)

// scriptKey signs and seals for all stages, because they share databases.
var scriptKey = seal.NewKey()

var (
	// castMade is when everyone on stage was added.
	castMade = time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	// curtain is when a script begins. Time stands still until the script moves it.
	curtain = time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
)

// stage is a service of its own for one script, with two fresh accounts. Others may
// share its database, but nothing they do can be seen from here.
type stage struct {
	blobs   string // the folder of attachments
	store   *store.Store
	service *service.Service
	worker  *worker.Worker
	server  *httptest.Server
	client  *http.Client
	relay   *scriptRelay
	mails   int // that came in without a Message-ID of their own

	mu  sync.Mutex
	now time.Time

	callers map[string]castCaller // by the value of As
	ids     map[string]string     // ids of the cast, by the names that scripts use
}

// castCaller is one of the cast's callers.
type castCaller struct {
	service.Caller
	secret string
}

// scriptRate is the rate limit of a stage. The zero value means none.
type scriptRate struct{ perMinute, burst int }

// newStage sets up the stage: the accounts Acme and Globex, each with an admin, an
// agent and a viewer. Each of these has a read_write and a read_only token. Each
// account has a chat system with users, a team and channels (script_chat_test.go).
// Acme also has an expired token, a revoked token, and the token of a removed
// member.
func newStage(t testing.TB, db *sqldb.DB, rate scriptRate, adjust ...func(*service.Config)) *stage {
	t.Helper()
	s := &stage{now: castMade, relay: &scriptRelay{}, callers: map[string]castCaller{}, ids: map[string]string{}}
	s.store = store.New(db, scriptKey, s.clock)
	s.relay.tests = quickMail{s.store}
	quiet := slog.New(slog.DiscardHandler)
	s.blobs = t.TempDir()
	const url = "https://desk.example"
	systems := outside.New(outside.Config{Store: s.store, Blobs: blobtest.New(t, s.blobs), Trackers: []tracker.System{quietTracker{}}, Sandbox: quietSandbox{},
		Mail: s.relay, DNS: quietDNS{},
		Chats: []chat.System{slack.New(slack.Config{ClientID: "1.2", PublicURL: url, Unlimited: true, Client: &http.Client{Transport: slackDouble{}}, Log: quiet})}})
	cfg := service.Config{Store: s.store, Model: newModelDouble(t), Outside: systems, PublicURL: url, Mail: scriptMail, MailTestTime: scriptMailTime, Log: quiet, PasswordCost: service.PasswordCost{Memory: 64, Passes: 1}}
	for _, c := range adjust {
		c(&cfg)
	}
	s.service = service.New(cfg)
	s.worker = worker.New(worker.Config{Store: s.store, Bells: s.service, Outside: systems, PublicURL: url, Mail: scriptMail, Webhooks: cfg.Webhooks, Suggestions: cfg.Suggestions, Log: quiet})
	s.addAccount(t, "Acme", "")
	s.addAccount(t, "Globex", "other ")
	s.setClock(curtain)
	s.server = httptest.NewServer(New(Config{
		Service: s.service, Key: scriptKey, RateLimit: rate.perMinute, RateBurst: rate.burst, Log: quiet}))
	t.Cleanup(s.server.Close)
	t.Cleanup(func() { s.allIsKept(t) })
	s.client = &http.Client{
		Transport:     s.server.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// allIsKept checks that the stored facts of the stage's accounts, and what is
// stored about requests, are the same as if they were computed again.
func (s *stage) allIsKept(t testing.TB) {
	t.Helper()
	accounts := map[desk.AccountID]bool{}
	for _, c := range s.callers {
		accounts[c.Account] = true
	}
	for a := range accounts {
		err := s.worker.RebuildInsights(context.Background(), a, func(looked, wrong int) {
			if wrong > 0 {
				t.Errorf("of %d requests %d have facts that were not kept", looked, wrong)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.store.CheckKept(context.Background()); err != nil {
		t.Error(err)
	}
}

func (s *stage) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *stage) setClock(to time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = to
}

// addAccount adds an account with its cast without using the operations. Their
// records would be at the beginning of every script's feed and audit log.
func (s *stage) addAccount(t testing.TB, name, who string) {
	t.Helper()
	domain := strings.ToLower(name) + ".example"
	fill := func(tx *store.Tx, a desk.Account) error {
		s.name(who+"account", a.ID)
		for _, role := range desk.Roles {
			m, err := s.addMember(tx, role, who+string(role), string(role)+"@"+domain)
			if err != nil {
				return err
			}
			if err := s.addToken(tx, m, who+string(role), "read-write", desk.ReadWrite, nil); err != nil {
				return err
			}
			if err := s.addToken(tx, m, who+string(role)+" read-only", "read-only", desk.ReadOnly, nil); err != nil {
				return err
			}
		}
		for _, role := range []string{"admin", "agent"} {
			if err := s.addSession(tx, who+role); err != nil {
				return err
			}
		}
		if err := s.addDirectory(tx, who); err != nil {
			return err
		}
		if who != "" {
			return nil
		}
		return s.addOutsiders(tx, domain)
	}
	// Many stages are set up at once, and the tables are so small that PostgreSQL
	// sees conflicts between rows of different accounts.
	var err error
	for range 20 {
		if err = s.store.AddAccount(context.Background(), name, fill); desk.KindOf(err) != desk.Unavailable {
			break
		}
	}
	if err != nil {
		t.Fatalf("set the stage: %v", err)
	}
}

func (s *stage) addOutsiders(tx *store.Tx, domain string) error {
	m, err := s.addMember(tx, desk.Admin, "removed", "removed@"+domain)
	if err != nil {
		return err
	}
	if err := s.addToken(tx, m, "removed", "removed", desk.ReadWrite, nil); err != nil {
		return err
	}
	if err := tx.RemoveMember(m.ID); err != nil {
		return err
	}
	agent := s.callers["agent"].Actor
	m = desk.Member{ID: agent.ID, Name: agent.Name, Email: agent.Email, Role: desk.Agent}
	expiry := castMade.Add(time.Hour)
	if err := s.addToken(tx, m, "expired", "expired", desk.ReadWrite, &expiry); err != nil {
		return err
	}
	if err := s.addToken(tx, m, "revoked", "revoked", desk.ReadWrite, nil); err != nil {
		return err
	}
	return tx.RevokeToken(s.callers["revoked"].Token)
}

func (s *stage) addMember(tx *store.Tx, role desk.Role, who, email string) (desk.Member, error) {
	name := strings.ToUpper(who[:1]) + who[1:]
	m, err := desk.NewMember{Email: email, Name: &name, Role: &role}.Member(tx.Now)
	if err != nil {
		return m, err
	}
	err = tx.AddMember(&m)
	s.name(who, m.ID)
	return m, err
}

// name makes a value available to scripts: "other admin" as {{other.admin}}.
func (s *stage) name(name string, v any) { s.ids[strings.ReplaceAll(name, " ", ".")] = fmt.Sprint(v) }

func (s *stage) addToken(tx *store.Tx, m desk.Member, who, name string, scope desk.Scope, expires *time.Time) error {
	made, err := desk.NewToken{Name: name, Scope: scope, ExpiresAt: desk.Nullable[time.Time]{Given: true, Value: expires}}.Token(m, tx.Now)
	if err != nil {
		return err
	}
	if err := tx.AddToken(&made.Token); err != nil {
		return err
	}
	s.name(who+" token", made.ID)
	s.name(who+" prefix", made.Prefix)
	s.name(who+" secret", made.Secret)
	s.callers[who] = castCaller{secret: made.Secret, Caller: service.Caller{
		Account: tx.Account, Role: m.Role, Token: made.ID, Scope: scope,
		Actor: desk.Actor{ID: m.ID, Name: m.Name, Email: m.Email, Source: desk.SourceAPI},
	}}
	return nil
}

// addSession signs one of the cast in with a browser.
func (s *stage) addSession(tx *store.Tx, who string) error {
	made := desk.NewSession(desk.Member{ID: s.callers[who].Actor.ID}, desk.Visitor{Browser: "Netscape 4", IP: "192.0.2.7"}, tx.Now)
	if err := tx.AddToken(&made.Token); err != nil {
		return err
	}
	s.name(who+" session", made.ID)
	s.name(who+" session secret", made.Secret)
	return nil
}

// numberEvents does what the sequencer and its followers do outside the operations.
// All stages on a database use the same owner, or they would wait for each other's
// lease.
func (s *stage) numberEvents() error {
	for more := true; more; {
		var err error
		if more, err = s.store.Sequence(context.Background()); err != nil {
			return err
		}
	}
	for _, who := range []string{"admin", "other admin"} {
		if err := index.Update(context.Background(), s.store, s.callers[who].Account); err != nil {
			return err
		}
	}
	return nil
}

// noteUse makes the service record the use of tokens, as it does when it stops.
func (s *stage) noteUse() {
	ended, end := context.WithCancel(context.Background())
	end()
	s.service.Run(ended)
}

// holdKey starts a call with an idempotency key that never ends.
func (s *stage) holdKey(name string) error {
	_, err := s.service.BeginKey(context.Background(), s.callers["admin"].Caller, name)
	return err
}

// do sends a request as one of the cast and reads the response.
func (s *stage) do(r *http.Request) (*http.Response, string, error) {
	w, err := s.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	return w, string(b), err
}

// listen sends a request whose response is a stream, and reads its first lines.
func (s *stage) listen(r *http.Request, lines int) (*http.Response, string, error) {
	ctx, stop := context.WithTimeout(r.Context(), 5*time.Minute) // otherwise a stream with fewer lines would never end
	defer stop()
	w, err := s.server.Client().Do(r.WithContext(ctx))
	if err != nil {
		return nil, "", err
	}
	defer w.Body.Close()
	var read []string
	for scan := bufio.NewScanner(w.Body); len(read) < lines && scan.Scan(); {
		read = append(read, scan.Text())
	}
	return w, strings.Join(read, "\n"), nil
}
