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
	"frontdesk/internal/outside"
	"frontdesk/internal/sandbox/mailbox"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/telemetry"
	"frontdesk/internal/tracker"
	"frontdesk/internal/worker"
)

// defaultData is the data folder unless a setting names another.
const defaultData = "frontdesk-data"

// settings are the flags that every command accepts. Fields without a group are
// common flags. The name of an environment variable is FRONTDESK_ and the flag's
// name in capitals.
type settings struct {
	Config              configFile    `placeholder:"FILE" env:"FRONTDESK_CONFIG" help:"A file of settings, one per line, such as FRONTDESK_ADDR=:8080"`
	Data                string        `placeholder:"FOLDER" default:"${data}" env:"FRONTDESK_DATA" help:"The folder for the SQLite database, the key and attachments."`
	DatabaseURL         string        `placeholder:"URL" env:"FRONTDESK_DATABASE_URL" help:"Use PostgreSQL instead of SQLite: postgres://user:password@host:5432/database"`
	DatabaseConnections int           `placeholder:"N" default:"24" env:"FRONTDESK_DATABASE_CONNECTIONS" help:"How many connections to PostgreSQL this process opens at most."`
	DatabaseListenURL   string        `placeholder:"URL" env:"FRONTDESK_DATABASE_LISTEN_URL" help:"Where PostgreSQL itself is, if FRONTDESK_DATABASE_URL leads to a pooler. One connection goes there, to listen. Default: FRONTDESK_DATABASE_URL"`
	DatabaseReplicaURL  string        `placeholder:"URL" env:"FRONTDESK_DATABASE_REPLICA_URL" help:"A standby of PostgreSQL that answers lists, searches and insights. Nobody gets an older answer because of it. Default: none"`
	DatabaseWait        time.Duration `placeholder:"DURATION" default:"15s" env:"FRONTDESK_DATABASE_WAIT" help:"How long to wait at the start for a database that does not answer."`
	Snapshot            bool          `negatable:"" default:"true" env:"FRONTDESK_SNAPSHOT" help:"Copy an SQLite database to \"backups\" in the data folder before a new version updates its schema. The last three copies are kept."`
	Key                 string        `placeholder:"BASE64" env:"FRONTDESK_KEY" help:"The key that encrypts secrets: 32 bytes in base64. Without it, Frontdesk uses the key file."`
	KeyFile             string        `placeholder:"FILE" env:"FRONTDESK_KEY_FILE" help:"The file with the key. Frontdesk creates it if it does not exist. Default: \"key\" in the data folder"`
	URL                 string        `placeholder:"URL" env:"FRONTDESK_URL" help:"The public address, used in links. Default: the address that the server listens on"`
	LogLevel            slog.Level    `placeholder:"LEVEL" default:"info" env:"FRONTDESK_LOG_LEVEL" help:"debug, info, warn or error."`
	LogFormat           string        `placeholder:"FORMAT" default:"text" enum:"text,json" env:"FRONTDESK_LOG_FORMAT" help:"text or json."`

	Server  serverSettings  `embed:"" group:"Server settings:"`
	Blob    blobSettings    `embed:"" group:"Attachment settings:"`
	Backup  backupSettings  `embed:"" group:"Backup settings:"`
	Chat    chatSettings    `embed:"" group:"Chat settings:"`
	Mail    mailSettings    `embed:"" group:"Mail settings:"`
	Tracker trackerSettings `embed:"" group:"Ticket system settings:"`
	Webhook webhookSettings `embed:"" group:"Webhook settings:"`
	AI      aiSettings      `embed:"" group:"Language model settings:"`
	SignIn  signInSettings  `embed:"" group:"Sign-in settings:"`

	writeTimeout time.Duration // of one transaction; 0 for the default
}

func (s *settings) logger() (*slog.Logger, error) {
	return telemetry.NewLogger(os.Stderr, s.LogLevel, s.LogFormat)
}

// key reads the master key. The first start creates the key file.
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

// keyPath is the path of the key file.
func (s *settings) keyPath() string {
	if s.KeyFile != "" {
		return s.KeyFile
	}
	return filepath.Join(s.Data, "key")
}

// leastConnections is enough for one that listens, one that works in the background
// and a few that answer.
const leastConnections = 4

// database opens the database. It waits up to DatabaseWait for a database that
// is not up yet.
func (s *settings) database(ctx context.Context, log *slog.Logger) (*sqldb.DB, error) {
	url, err := s.databaseURL()
	if err != nil {
		return nil, err
	}
	if s.DatabaseConnections < leastConnections {
		return nil, fmt.Errorf("FRONTDESK_DATABASE_CONNECTIONS must be at least %d", leastConnections)
	}
	if s.DatabaseReplicaURL != "" && sqldb.EngineOf(url) != sqldb.Postgres {
		return nil, errors.New("FRONTDESK_DATABASE_REPLICA_URL needs PostgreSQL: set FRONTDESK_DATABASE_URL as well")
	}
	c := sqldb.Config{URL: url, ListenURL: s.DatabaseListenURL, ReplicaURL: s.DatabaseReplicaURL, Connections: s.DatabaseConnections, WriteTimeout: s.writeTimeout, Log: log}
	if s.Snapshot {
		c.Snapshots = filepath.Join(s.Data, "backups")
	}
	deadline := time.Now().Add(s.DatabaseWait)
	for first := true; ; first = false {
		db, err := sqldb.Open(ctx, c)
		if err == nil || !errors.Is(err, sqldb.ErrUnavailable) || time.Now().After(deadline) || ctx.Err() != nil {
			return db, err
		}
		if first {
			log.Warn("the database does not answer; waiting for it", "at_most", s.DatabaseWait, "error", err)
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// databaseURL is the address of the database, for sqldb.
func (s *settings) databaseURL() (string, error) {
	if s.DatabaseURL == "" {
		return filepath.Join(s.Data, "frontdesk.db"), nil
	}
	if sqldb.EngineOf(s.DatabaseURL) != sqldb.Postgres {
		return "", errors.New("FRONTDESK_DATABASE_URL must begin with postgres://; for SQLite set FRONTDESK_DATA to a folder")
	}
	return s.DatabaseURL, nil
}

// resources are what a command works with. Close them.
type resources struct {
	db       *sqldb.DB
	data     string // the folder
	key      *seal.Key
	store    *store.Store
	outside  *outside.Systems
	service  *service.Service
	worker   *worker.Worker
	chats    chats
	mail     postOffice
	mailbox  *mailbox.Mailbox // of the demo's customers; nil elsewhere
	trackers []tracker.System
	blobs    blob.Store
	backups  *scheduledBackups // nil if there is no schedule
	log      *slog.Logger
}

// open opens the database, updates its schema and creates the service and its worker.
func (s *settings) open(ctx context.Context) (*resources, error) {
	return s.openAt(ctx, "http://"+s.Server.Addr, false)
}

// openAt is open for a server. localURL is its address on this machine. With
// offerSandbox, it offers the sandbox there if no chat system is configured.
func (s *settings) openAt(ctx context.Context, localURL string, offerSandbox bool) (*resources, error) {
	log, err := s.logger()
	if err != nil {
		return nil, err
	}
	db, err := s.database(ctx, log)
	if err != nil {
		return nil, err
	}
	o := &resources{db: db, data: s.Data, log: db.Logger()}
	if err := s.fill(ctx, o, localURL, offerSandbox); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// fill opens everything besides the database, which it updates.
func (s *settings) fill(ctx context.Context, o *resources, localURL string, offerSandbox bool) error {
	if _, err := migrate(ctx, o.db, o.log); err != nil {
		return err
	}
	var err error
	if o.key, err = s.key(); err != nil {
		return err
	}
	o.store = store.New(o.db, o.key, nil)
	if o.chats, err = s.openChats(ctx, localURL, offerSandbox, o.log); err != nil {
		return err
	}
	if o.blobs, err = s.openBlobs(ctx); err != nil {
		return err
	}
	o.trackers = s.Tracker.systems(o.log)
	suggestions, err := s.AI.provider(o.store)
	if err != nil {
		return err
	}
	webhooks, err := s.Webhook.sender()
	if err != nil {
		return err
	}
	if o.mail, err = s.openMail(o); err != nil {
		return err
	}
	o.outside = outside.New(outside.Config{Store: o.store, Chats: o.chats.systems(), Sandbox: o.chats.serviceSandbox(), Trackers: o.trackers, Mail: o.mail.sender(), Blobs: o.blobs})
	url := cmp.Or(s.URL, localURL)
	o.service = service.New(service.Config{Store: o.store, Outside: o.outside, Suggestions: suggestions, Model: s.AI.helper(suggestions), Webhooks: webhooks, Mail: o.mail.Mail, PublicURL: url, RefusalLimit: s.Server.RefusalLimit, Log: o.log})
	o.worker = worker.New(worker.Config{Store: o.store, Outside: o.outside, Suggestions: suggestions, Webhooks: webhooks, Mail: o.mail.Mail, PublicURL: url, Insights: o.service.Insights(), Bells: o.service, Log: o.log})
	if o.backups, err = s.scheduleBackups(o); err != nil {
		return err
	}
	return s.openMailbox(ctx, o, url)
}

// migrate updates the schema of the database, and returns how many migrations it ran.
func migrate(ctx context.Context, db *sqldb.DB, log *slog.Logger) (int, error) {
	began := time.Now()
	ran, err := db.Migrate(ctx, schema.Files)
	if errors.Is(err, sqldb.ErrSnapshot) {
		return 0, fmt.Errorf("%w; to go without a copy, set FRONTDESK_SNAPSHOT=false", err)
	}
	if ran > 0 {
		log.Debug("updated the database schema", "migrations", ran, "seconds", time.Since(began).Seconds())
	}
	return ran, err
}

// serviceAt returns a service with another clock. The demo creates its past
// requests with it. It runs no jobs.
func (o *resources) serviceAt(clock func() time.Time) *service.Service {
	return service.New(service.Config{Store: store.New(o.db, o.key, clock), Log: o.log})
}

func (o *resources) Close() {
	o.chats.Close()
	o.mail.Close()
	if o.mailbox != nil {
		o.mailbox.Close()
	}
	o.db.Close()
}

// configFile is the path of a file with settings, one NAME=value per line. The
// names are those of the environment variables. A flag or a variable wins over
// the file.
type configFile string

// BeforeResolve reads the file before kong sets the defaults.
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
		return nil, fmt.Errorf("read the settings file: %w", err)
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
			return nil, fmt.Errorf("%s, line %d: write a setting as NAME=value", path, n)
		}
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return values, lines.Err()
}
