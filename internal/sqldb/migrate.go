package sqldb

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// migrationTimeout bounds one statement of a migration. An index on a large table
// takes a long time.
const migrationTimeout = time.Hour

// A migration is one numbered file: 0003_members.sql, or the pair
// 0020_search.sqlite.sql and 0020_search.postgres.sql where the engines truly
// differ.
type migration struct {
	version int
	name    string
	sql     string
}

// Migrate runs the migrations in files that have not run yet. It returns how many it
// ran. Several processes may call it at once: one does the work and the others wait.
// It refuses a database that a newer version of the program has migrated.
//
// A SQLite database is first copied to Config.Snapshots. Then each migration is one
// transaction. On PostgreSQL others go on reading and writing: see migrate_steps.go.
func (db *DB) Migrate(ctx context.Context, files fs.FS) (int, error) {
	all, err := migrations(files, db.engine)
	if err != nil {
		return 0, err
	}
	// Check with a read first. Usually there is nothing to do, and then the
	// database need not be locked.
	current, err := db.checkVersion(ctx, all)
	if err != nil || current == len(all) {
		return 0, err
	}
	run := (&atOnce{db, db.engine == SQLite && db.config.Snapshots != "" && current > 0}).migrate
	if p, ok := db.backend.(*postgresDB); ok {
		turn, err := p.takeMigrationTurn(ctx)
		if err != nil {
			return 0, err
		}
		defer turn.end()
		// Again, because another process may have migrated during the wait.
		if current, err = db.checkVersion(ctx, all); err != nil {
			return 0, err
		}
		if current > 0 { // nobody uses an empty database yet
			run = (&inSteps{db: db, turn: turn}).migrate
		}
	}
	ran := 0
	for _, m := range all[current:] {
		done, err := run(ctx, m)
		if err != nil {
			return ran, fmt.Errorf("migration %s: %w", m.name, err)
		}
		if done {
			ran++
		}
	}
	return ran, nil
}

// checkVersion returns the version of the database, and an error if it is newer than
// all of the migrations.
func (db *DB) checkVersion(ctx context.Context, all []migration) (int, error) {
	current, err := db.schemaVersion(ctx)
	if err == nil && current > len(all) {
		err = fmt.Errorf("the database is at version %d and this program knows %d: use the program that wrote it, or a newer one", current, len(all))
	}
	return current, err
}

// schemaVersion returns the number of the last migration that ran, or 0 for an
// empty database.
func (db *DB) schemaVersion(ctx context.Context) (version int, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		exists, err := tx.hasTable("schema_migrations")
		if err != nil || !exists {
			return err
		}
		return tx.Row("SELECT coalesce(max(version), 0) FROM schema_migrations").Scan(&version)
	})
	return version, err
}

// Migrated reports whether every migration in files has run.
func (db *DB) Migrated(ctx context.Context, files fs.FS) (bool, error) {
	all, err := migrations(files, db.engine)
	if err != nil {
		return false, err
	}
	version, err := db.schemaVersion(ctx)
	return version >= len(all), err
}

// atOnce runs each migration in one transaction.
type atOnce struct {
	db       *DB
	snapshot bool // take one before the next migration
}

// migrate runs a migration. It reports false if another process has already run it.
func (r *atOnce) migrate(ctx context.Context, m migration) (done bool, err error) {
	// Claim, because it runs at READ COMMITTED. After waiting for another process,
	// this transaction must see what that process did. A serializable snapshot
	// would be from before the wait.
	err = r.db.claim(ctx, migrationTimeout, func(tx *Tx) error {
		if err := tx.Do(createMigrations); err != nil {
			return err
		}
		if done, err = tx.noteMigration(m); err != nil || !done {
			return err
		}
		// Inside the transaction, because it keeps other processes from writing. The
		// copy does not have what is not committed.
		if r.snapshot {
			if err := r.db.takeSnapshot(tx.Context(), m.version); err != nil {
				return fmt.Errorf("%w: %w", ErrSnapshot, err)
			}
			r.snapshot = false
		}
		for _, statement := range statements(m.sql) {
			if err := tx.Do(statement); err != nil {
				return err
			}
		}
		return nil
	})
	return done && err == nil, err
}

const createMigrations = `CREATE TABLE IF NOT EXISTS schema_migrations (
	version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`

// noteMigration notes that a migration has run. It reports false if that was noted
// before.
func (tx *Tx) noteMigration(m migration) (bool, error) {
	n, err := tx.Exec("INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
		m.version, m.name, time.Now().UnixMilli())
	return n > 0, err
}

func (tx *Tx) hasTable(name string) (bool, error) {
	query := "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = $1"
	if tx.engine == Postgres {
		query = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
	}
	var n int
	err := tx.Row(query, name).Scan(&n)
	return n > 0, err
}

// migrations reads the migrations of one engine, in order.
func migrations(files fs.FS, engine Engine) ([]migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, name := range names {
		base := strings.TrimSuffix(name, ".sql")
		if only := path.Ext(base); only != "" {
			base = strings.TrimSuffix(base, only)
			if err := isPair(files, base, only); err != nil {
				return nil, err
			}
			if only != "."+string(engine) {
				continue
			}
		}
		number, _, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migration %s: its name does not begin with a number", name)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		all = append(all, migration{version, base, string(text)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no migrations for %s", engine)
	}
	slices.SortFunc(all, func(a, b migration) int { return a.version - b.version })
	for i, m := range all {
		if m.version != i+1 {
			return nil, fmt.Errorf("migration %s: expected number %d", m.name, i+1)
		}
	}
	return all, nil
}

// isPair returns an error if a file for one engine has no counterpart for the
// other. Without it the engines would not be at the same version.
func isPair(files fs.FS, base, only string) error {
	twin := map[string]Engine{".sqlite": Postgres, ".postgres": SQLite}[only]
	if twin == "" {
		return fmt.Errorf("migration %s%s.sql: no engine of that name", base, only)
	}
	if _, err := fs.Stat(files, base+"."+string(twin)+".sql"); err != nil {
		return fmt.Errorf("migration %s%s.sql: there is none for %s", base, only, twin)
	}
	return nil
}

// comment matches a comment line of a migration.
var comment = regexp.MustCompile(`(?m)^\s*--.*$\n?`)

// statements splits a migration at the semicolons that end a line. The statement
// cache prepares one statement at a time, and none of our migrations needs a
// semicolon inside a line.
func statements(text string) []string {
	var all []string
	for s := range strings.SplitSeq(comment.ReplaceAllString(text, ""), ";\n") {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}
