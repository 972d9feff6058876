package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"frontdesk/internal/blob"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/telemetry"
	"frontdesk/internal/tracker"
)

// defaultData is the data folder of a real installation.
const defaultData = "frontdesk-data"

// settings are the same for every command; those of a server stand apart.
type settings struct {
	Config       configFile    `placeholder:"FILE" env:"FRONTDESK_CONFIG" help:"A file of settings, one a line: FRONTDESK_ADDR=:8080"`
	Data         string        `default:"${data}" env:"FRONTDESK_DATA" help:"The folder for the SQLite database and the key."`
	DatabaseURL  string        `placeholder:"URL" env:"FRONTDESK_DATABASE_URL" help:"postgres://user:password@host:5432/database, to use PostgreSQL instead of SQLite."`
	DatabaseWait time.Duration `default:"15s" env:"FRONTDESK_DATABASE_WAIT" help:"How long to wait at the start for a database that does not answer."`
	Key          string        `placeholder:"BASE64" env:"FRONTDESK_KEY" help:"The key that seals secrets, 32 bytes in base64. Without it, the key file is used."`
	KeyFile      string        `placeholder:"FILE" env:"FRONTDESK_KEY_FILE" help:"The file with the key, by default \"key\" in the data folder. It is made when it is not there."`
	URL          string        `placeholder:"URL" env:"FRONTDESK_URL" help:"The public address, for links. By default the address it listens on."`
	LogLevel     slog.Level    `default:"info" env:"FRONTDESK_LOG_LEVEL" help:"debug, info, warn or error."`
	LogFormat    string        `default:"text" enum:"text,json" env:"FRONTDESK_LOG_FORMAT" help:"text or json."`

	Blob    blobSettings    `embed:"" group:"Settings of the place for attachments:"`
	Chat    chatSettings    `embed:"" group:"Settings of the chat system:"`
	Tracker trackerSettings `embed:"" group:"Settings of ticket systems:"`
	Webhook webhookSettings `embed:"" group:"Settings of webhooks:"`
	AI      aiSettings      `embed:"" group:"Settings of the language model:"`
	SignIn  signInSettings  `embed:"" group:"Settings of signing in:"`
	Server  serverSettings  `embed:"" group:"Settings of serve and demo:"`
}

func (s *settings) logger() (*slog.Logger, error) {
	return telemetry.NewLogger(os.Stderr, s.LogLevel, s.LogFormat)
}

// key reads the master key, or makes it at the first start.
func (s *settings) key() (*seal.Key, error) {
	if s.Key != "" {
		k, err := seal.ParseKey(s.Key)
		if err != nil {
			return nil, fmt.Errorf("FRONTDESK_KEY: %w", err)
		}
		return k, nil
	}
	return seal.LoadKey(s.keyPath())
}

// keyPath is where the key file is.
func (s *settings) keyPath() string {
	if s.KeyFile != "" {
		return s.KeyFile
	}
	return filepath.Join(s.Data, "key")
}

// database opens the database, waiting a while for one that is not up yet.
func (s *settings) database(ctx context.Context, log *slog.Logger) (*sqldb.DB, error) {
	url := s.DatabaseURL
	if url == "" {
		url = filepath.Join(s.Data, "frontdesk.db")
	} else if sqldb.EngineOf(url) != sqldb.Postgres {
		return nil, errors.New("FRONTDESK_DATABASE_URL must begin with postgres://; for SQLite set FRONTDESK_DATA to a folder")
	}
	deadline := time.Now().Add(s.DatabaseWait)
	for {
		db, err := sqldb.Open(ctx, sqldb.Config{URL: url, Log: log})
		if err == nil || !errors.Is(err, sqldb.ErrUnavailable) || time.Now().After(deadline) || ctx.Err() != nil {
			return db, err
		}
		log.Warn("the database does not answer; trying again", "error", err)
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// opened is what a command works with. Close it.
type opened struct {
	db       *sqldb.DB
	key      *seal.Key
	store    *store.Store
	service  *service.Service
	chats    chats
	trackers []tracker.System
	blobs    blob.Store
	log      *slog.Logger
}

// open opens the database, brings its tables up to date and makes the service.
func (s *settings) open(ctx context.Context) (*opened, error) {
	return s.openAt(ctx, "http://"+s.Server.Addr, false)
}

// openAt is open for a process that is reached at an address of this machine, and
// may offer the sandbox there.
func (s *settings) openAt(ctx context.Context, local string, offer bool) (*opened, error) {
	log, err := s.logger()
	if err != nil {
		return nil, err
	}
	db, err := s.database(ctx, log)
	if err != nil {
		return nil, err
	}
	ran, err := db.Migrate(ctx, schema.Files)
	if err != nil {
		db.Close()
		return nil, err
	}
	if ran > 0 {
		log.Debug("the tables are up to date", "migrations", ran)
	}
	key, err := s.key()
	if err != nil {
		db.Close()
		return nil, err
	}
	o := &opened{db: db, key: key, log: log, store: store.New(db, key, nil)}
	if o.chats, err = s.openChats(ctx, local, offer); err != nil {
		db.Close()
		return nil, err
	}
	if o.blobs, err = s.openBlobs(ctx); err != nil {
		o.Close()
		return nil, err
	}
	o.trackers = s.Tracker.systems(log)
	suggestions, err := s.AI.provider(o.store)
	if err != nil {
		o.Close()
		return nil, err
	}
	webhooks, err := s.Webhook.sender()
	if err != nil {
		o.Close()
		return nil, err
	}
	o.service = service.New(service.Config{Store: o.store, Webhooks: webhooks, PublicURL: cmp.Or(s.URL, local), Chats: o.chats.systems(), Sandbox: o.chats.box(), Trackers: o.trackers, Blobs: o.blobs, Suggestions: suggestions, RefusalLimit: s.Server.RefusalLimit, Log: log})
	return o, nil
}

// serviceAt is the service by another clock, for the sample account's past. It works
// no jobs.
func (o *opened) serviceAt(clock func() time.Time) *service.Service {
	return service.New(service.Config{Store: store.New(o.db, o.key, clock), Log: o.log})
}

func (o *opened) Close() {
	o.chats.Close()
	o.db.Close()
}

// configFile is a file of settings under the names of their environment
// variables. A flag or a variable that is set wins over it.
type configFile string

// BeforeResolve reads the file before settings get their defaults.
func (f configFile) BeforeResolve(app *kong.Kong, ctx *kong.Context, trace *kong.Path) error {
	path := ctx.FlagValue(trace.Flag).(configFile)
	if path == "" {
		return nil
	}
	values, err := readSettings(string(path))
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, flag := range app.Model.Flags {
		for _, env := range flag.Envs {
			known[env] = true
		}
	}
	for name := range values {
		if !known[name] {
			return fmt.Errorf("%s: there is no setting %s", path, name)
		}
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, env := range flag.Envs {
			if _, set := os.LookupEnv(env); set {
				return nil, nil
			}
			if v, ok := values[env]; ok {
				return v, nil
			}
		}
		return nil, nil
	}))
	return nil
}

func readSettings(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	defer f.Close()
	values := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s, line %d: a setting is NAME=value", path, n)
		}
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return values, lines.Err()
}
