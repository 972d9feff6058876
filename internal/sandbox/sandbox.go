// Package sandbox is a chat workspace that speaks Slack's Web API, Events API and
// interactivity, so that everything that uses chat runs for real without an outside
// account. It stands in for another company's system: it stores its data in its own
// file, it can misbehave on request, and it knows nothing about the product.
package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
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
	s := &Sandbox{cfg: c, db: db, clock: c.Clock, pacer: newPacer(c.Pace),
		ours: &sync.Map{}, private: outbound.New(outbound.Config{AllowPrivate: true}), streams: newStreams()}
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

// tx is a transaction at one moment.
//
// A statement that fails ends its transaction: the later ones fail too, nothing is
// committed (see sqldb.Tx), and whatever the function returns, its caller gets the
// failure. So what can fail only with the database, such as run, rowsOf and tell,
// returns no error. What refuses does.
type tx struct {
	*sqldb.Tx
	s      *Sandbox
	now    time.Time
	failed error
}

// note ends the transaction with an error, unless it is nil.
func (t *tx) note(err error) {
	if err != nil && t.failed == nil {
		t.failed = t.Fail(err)
	}
}

func (t *tx) millis() int64 { return t.now.UnixMilli() }

// run runs a statement that writes.
func (t *tx) run(query string, args ...any) {
	_, err := t.Exec(query, args...)
	t.note(err)
}

// runOr runs a statement that must change something, and refuses with a code if it
// does not.
func (t *tx) runOr(code, query string, args ...any) error {
	n, err := t.Exec(query, args...)
	if err == nil && n == 0 {
		err = refuse(code)
	}
	return err
}

// number returns the number in the only row of a query.
func (t *tx) number(query string, args ...any) (n int64) {
	t.note(t.Row(query, args...).Scan(&n))
	return n
}

// rowsOf returns the rows of a query.
func rowsOf[T any](t *tx, scan func(scan func(...any) error) (T, error), query string, args ...any) []T {
	rows, err := sqldb.Collect(t.Tx, scan, query, args...)
	t.note(err)
	return rows
}

// fromJSON scans a column of JSON into v.
func fromJSON(v any) sql.Scanner { return jsonColumn{v} }

type jsonColumn struct{ into any }

func (c jsonColumn) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return fmt.Errorf("a column of JSON is a %T", column)
	}
	return json.Unmarshal([]byte(text), c.into)
}

// write runs fn in a transaction that may write. fn may run more than once.
func (s *Sandbox) write(ctx context.Context, fn func(*tx) error) error {
	return s.db.Write(ctx, s.at(s.clock.Now(), fn))
}

func (s *Sandbox) read(ctx context.Context, fn func(*tx) error) error {
	return s.db.Read(ctx, s.at(s.clock.Now(), fn))
}

func (s *Sandbox) at(now time.Time, fn func(*tx) error) func(*sqldb.Tx) error {
	return func(in *sqldb.Tx) error {
		t := &tx{Tx: in, s: s, now: now}
		if err := fn(t); t.failed == nil {
			return err
		}
		return t.failed
	}
}

// writing returns what fn returns in a transaction that may write.
func writing[T any](ctx context.Context, s *Sandbox, fn func(*tx) (T, error)) (v T, err error) {
	err = s.write(ctx, func(t *tx) (err error) {
		v, err = fn(t)
		return err
	})
	return v, err
}

// reading returns what fn reads.
func reading[T any](ctx context.Context, s *Sandbox, fn func(*tx) (T, error)) (v T, err error) {
	err = s.read(ctx, func(t *tx) (err error) {
		v, err = fn(t)
		return err
	})
	return v, err
}

// each returns what show makes of each row, never nil.
func each[R, S any](rows []R, show func(R) S) []S {
	all := make([]S, 0, len(rows))
	for _, row := range rows {
		all = append(all, show(row))
	}
	return all
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
