// Package dbtest opens a fresh, migrated database for a test, on both engines.
// SQLite is a file in the test's folder; PostgreSQL is the server that
// `make test` starts and names in FRONTDESK_TEST_POSTGRES.
package dbtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

// patience is long, because the machine may be very busy.
const patience = 5 * time.Minute

// Each runs fn once per engine, each time with a new database.
func Each(t *testing.T, fn func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	EachURL(t, func(t *testing.T, url string) { fn(t, Open(t, sqldb.Config{URL: url})) })
}

// EachURL runs fn once per engine with the address of a fresh, migrated
// database, for tests that open it in several ways or processes.
func EachURL(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		t.Run(string(engine), func(t *testing.T) { fn(t, URL(t, engine)) })
	}
}

// URL creates a fresh, migrated database and returns its address. Without a
// PostgreSQL server it skips the test, or fails it if CI is set.
func URL(t testing.TB, engine sqldb.Engine) string {
	t.Helper()
	if engine == sqldb.SQLite {
		return sqlite(t)
	}
	return postgres(t)
}

// Open opens a database and closes it at the end of the test. Timeouts that c does
// not set are long. On a busy machine the product's own timeouts would fail tests
// that have nothing to do with them.
func Open(t testing.TB, c sqldb.Config) *sqldb.DB {
	t.Helper()
	// A test makes few calls at once, and each PostgreSQL connection is a process that
	// has to load the schema again.
	c.Readers = cmp.Or(c.Readers, 4)
	c.Connections = cmp.Or(c.Connections, 5)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, patience)
	c.LockTimeout = cmp.Or(c.LockTimeout, patience)
	c.ReplicaWait = cmp.Or(c.ReplicaWait, patience)
	if sqldb.EngineOf(c.URL) == sqldb.Postgres && !strings.Contains(c.URL, "connect_timeout=") {
		c.URL += fmt.Sprintf("&connect_timeout=%d", int(patience.Seconds()))
	}
	db, err := sqldb.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func migrate(t testing.TB, url string) {
	t.Helper()
	db, err := sqldb.Open(context.Background(), sqldb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(context.Background(), schema.Files); err != nil {
		t.Fatal(err)
	}
}

// Migrating takes a hundred times as long as copying a migrated database. So each
// test process migrates once per engine and keeps the result as a template: a file
// in memory, and a PostgreSQL database that lives as long as the server.
var (
	sqliteTemplate struct {
		once sync.Once
		file []byte
	}
	template struct {
		once     sync.Once
		name     string
		strategy string // file_copy takes half as long as the default, which logs every page, when the disk is in memory
	}
)

func sqlite(t testing.TB) string {
	t.Helper()
	url := filepath.Join(t.TempDir(), "frontdesk.db")
	sqliteTemplate.once.Do(func() {
		migrate(t, url) // once closed, the database is one file
		file, err := os.ReadFile(url)
		if err != nil {
			t.Fatal(err)
		}
		sqliteTemplate.file = file
	})
	if sqliteTemplate.file == nil {
		t.Fatal("the template database could not be made")
	}
	if err := os.WriteFile(url, sqliteTemplate.file, 0o600); err != nil {
		t.Fatal(err)
	}
	return url
}

// shared returns the address of the server that tests share.
func shared(t testing.TB) string {
	t.Helper()
	server := os.Getenv("FRONTDESK_TEST_POSTGRES")
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("FRONTDESK_TEST_POSTGRES is not set: run `make test`, which starts PostgreSQL")
		}
		t.Skip("no PostgreSQL: run `make test`, which starts one, or set FRONTDESK_TEST_POSTGRES")
	}
	return server
}

// admin makes and drops databases. It stays connected, because each connection is a
// process. It is no pool, whose goroutines a test might take for those of its own.
var admin struct {
	mu   sync.Mutex
	conn *pgx.Conn // nil: not connected yet
}

func asAdmin(t testing.TB, server string, do func(ctx context.Context, conn *pgx.Conn) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	admin.mu.Lock()
	defer admin.mu.Unlock()
	if admin.conn == nil || admin.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, server)
		check(t, err)
		admin.conn = conn
	}
	check(t, do(ctx, admin.conn))
}

func execAsAdmin(t testing.TB, server, statement string) {
	t.Helper()
	asAdmin(t, server, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func postgres(t testing.TB) string {
	t.Helper()
	server := shared(t)
	template.once.Do(func() {
		name := "template_" + suffix()
		execAsAdmin(t, server, "CREATE DATABASE "+name)
		migrate(t, inDatabase(t, server, name))
		var version int
		asAdmin(t, server, func(ctx context.Context, conn *pgx.Conn) error {
			return conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
		})
		if version >= 150000 { // earlier versions have no other strategy
			template.strategy = " STRATEGY file_copy"
		}
		template.name = name
	})
	if template.name == "" {
		t.Fatal("the template database could not be made")
	}
	return fromTemplate(t, template.name)
}

// fromTemplate copies a PostgreSQL database, and drops the copy at the end of the
// test.
func fromTemplate(t testing.TB, from string) string {
	t.Helper()
	server := shared(t)
	name := "test_" + suffix()
	execAsAdmin(t, server, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s%s", name, from, template.strategy))
	t.Cleanup(func() { execAsAdmin(t, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return inDatabase(t, server, name)
}

// Copy copies a database that nobody has open, and returns the address of the copy.
func Copy(t testing.TB, address string) string {
	t.Helper()
	if sqldb.EngineOf(address) == sqldb.SQLite {
		file, err := os.ReadFile(address)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return fromTemplate(t, strings.TrimPrefix(u.Path, "/"))
}

func suffix() string { return strings.ToLower(rand.Text()[:12]) }

func inDatabase(t testing.TB, server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
