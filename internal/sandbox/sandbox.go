// Package sandbox is a chat workspace that speaks Slack's Web API, Events API and
// interactivity, so that everything that uses chat runs for real without an outside
// account. It stands in for another company's system: it stores its data in its own
// file, it can misbehave on request, and it knows nothing about the product.
package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/outbound"
	"frontdesk/internal/sqldb"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// Config says where a sandbox lives and how it behaves. Only Path is required.
type Config struct {
	// Path is the SQLite file that holds everything.
	Path string
	// URL is where the sandbox is reached, without /sandbox. It begins the
	// addresses of uploads, avatars, links and response URLs. Defaults to
	// http://localhost:8080.
	URL string
	// Workspace is made if the file has none yet.
	Workspace *WorkspaceConfig
	// App is registered if it is new; otherwise its manifest is updated.
	App *AppConfig
	// Code opens the doors that need no token: see Sandbox.Code. Defaults to a new
	// random one.
	Code string
	// AllowRemote serves addresses other than loopback.
	AllowRemote bool
	// Pace limits how fast apps may call. The zero Pace does not limit.
	Pace Pace
	// Faults are active from the start. See Sandbox.SetFaults.
	Faults FaultPlan
	// Senders bounds the concurrent callbacks to apps. Defaults to 64.
	Senders int
	// RetryAfter says how long after each failure an event is sent again; after the
	// last it is not. Defaults to Slack's: at once, after one minute and after
	// five.
	RetryAfter []time.Duration
	// MaxFile bounds the size of an upload, in bytes. Defaults to 64 MiB.
	MaxFile int64
	// Clock tells the time. Defaults to the system's.
	Clock Clock
	// Outbound makes the callbacks to apps that were registered over HTTP. Apps of
	// RegisterApp may have private addresses in any case. Defaults to a client that
	// calls private addresses, too.
	Outbound *outbound.Client
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

func (c *Config) setDefaults() {
	c.URL = strings.TrimRight(cmp.Or(c.URL, "http://localhost:8080"), "/")
	c.Senders, c.MaxFile = cmp.Or(c.Senders, 64), cmp.Or(c.MaxFile, 64<<20)
	c.Code = cmp.Or(c.Code, strings.ToLower(rand.Text()))
	if c.RetryAfter == nil {
		c.RetryAfter = slackRetries
	}
	if c.Clock == nil {
		c.Clock = systemClock{}
	}
	if c.Outbound == nil {
		c.Outbound = outbound.New(outbound.Config{AllowPrivate: true})
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
}

// Sandbox is an open workspace. It is safe for concurrent use, and several
// processes may have the same file open.
type Sandbox struct {
	cfg    Config
	db     *sqldb.DB
	clock  Clock
	faults *faults
	pacer  *pacer

	underway *underway

	ours    *sync.Map        // ids of the apps that this process has registered
	private *outbound.Client // makes their callbacks

	streams *streams
}

// New opens the sandbox of c and migrates its tables. Handler serves it, and Run
// delivers its events.
func New(ctx context.Context, c Config) (*Sandbox, error) {
	c.setDefaults()
	db, err := sqldb.Open(ctx, sqldb.Config{URL: c.Path, Log: c.Log})
	if err != nil {
		return nil, fmt.Errorf("open the sandbox: %w", err)
	}
	c.Log = db.Logger()
	s := &Sandbox{cfg: c, db: db, clock: c.Clock, pacer: newPacer(c.Pace),
		ours: &sync.Map{}, private: outbound.New(outbound.Config{AllowPrivate: true}), underway: &underway{}, streams: newStreams()}
	if s.faults, err = newFaults(c.Faults, s.clock.Now()); err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open the sandbox: %w", err)
	}
	return s, nil
}

func (s *Sandbox) prepare(ctx context.Context) error {
	files, err := fs.Sub(schemaFiles, "schema")
	if err != nil {
		return err
	}
	if _, err := s.db.Migrate(ctx, files); err != nil {
		return err
	}
	if s.cfg.App != nil {
		if _, err := s.RegisterApp(ctx, *s.cfg.App); err != nil {
			return err
		}
	}
	if s.cfg.Workspace == nil {
		return nil
	}
	all, err := s.Workspaces(ctx)
	if err != nil || len(all) > 0 {
		return err
	}
	_, err = s.AddWorkspace(ctx, *s.cfg.Workspace)
	return err
}

// Close closes the file. Run and the handler's calls must have ended.
func (s *Sandbox) Close() error {
	s.private.Close()
	return s.db.Close()
}

// At returns the same sandbox with another clock. What is done through it happens,
// and is reported, at that clock's time.
func (s *Sandbox) At(c Clock) *Sandbox {
	other := *s
	other.clock = c
	return &other
}

// url returns an address of the sandbox.
func (s *Sandbox) url(format string, args ...any) string {
	return s.cfg.URL + "/sandbox" + fmt.Sprintf(format, args...)
}

// object is a JSON object to be sent.
type object = map[string]any

// encode writes JSON as Slack does, without escaping < and >.
func encode(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only for a value that JSON cannot represent
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
