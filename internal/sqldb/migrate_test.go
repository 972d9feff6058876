package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// files builds migrations from pairs of a name and a text.
func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for pair := range slices.Chunk(pairs, 2) {
		all[pair[0]] = &fstest.MapFile{Data: []byte(pair[1])}
	}
	return all
}

// eachEmpty runs fn on both engines with a database without any table.
func eachEmpty(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		if sqldb.EngineOf(url) == sqldb.SQLite {
			url = filepath.Join(t.TempDir(), "empty.db")
		} else {
			conn := admin(t, url)
			_, err := conn.Exec(context.Background(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
			must(t, err)
			must(t, conn.Close(context.Background()))
		}
		fn(t, url)
	})
}

// shape describes what both engines must agree on: one line for each column, index
// and reference.
func shape(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	queries := []string{
		`SELECT 'column ' || m.name || '.' || c.name || ' ' || lower(c.type) ||
			CASE WHEN c."notnull" OR c.pk AND c.type = 'INTEGER' -- which is never NULL; other keys must say so
				THEN ' not null' ELSE '' END || CASE WHEN c.pk THEN ' key' ELSE '' END
			FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`,
		`SELECT 'index ' || m.tbl_name || '.' || m.name || CASE WHEN l."unique" THEN ' unique' ELSE '' END ||
			CASE WHEN l.partial THEN ' partial' ELSE '' END || ' (' ||
			(SELECT group_concat(name, ', ') FROM (SELECT coalesce(name, 'an expression') AS name FROM pragma_index_info(m.name) ORDER BY seqno)) || ')'
			FROM sqlite_schema m, pragma_index_list(m.tbl_name) l WHERE m.type = 'index' AND m.sql IS NOT NULL AND l.name = m.name`,
		`SELECT 'reference ' || m.name || '.' || f."from" || ' to ' || f."table"
			FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
	}
	if db.Engine() == sqldb.Postgres {
		queries = []string{
			`SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
				CASE WHEN a.attnotnull THEN ' not null' ELSE '' END ||
				CASE WHEN EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) THEN ' key' ELSE '' END
				FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
				WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`,
			`SELECT 'index ' || c.relname || '.' || x.relname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END ||
				CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END || ' (' ||
				(SELECT string_agg(coalesce((SELECT attname FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = i.indkey[k]), 'an expression'), ', ' ORDER BY k)
					FROM generate_series(0, i.indnkeyatts - 1) k) || ')'
				FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
				WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisprimary
				AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype = 'u')`,
			`SELECT 'reference ' || k.conrelid::regclass || '.' || a.attname || ' to ' || k.confrelid::regclass
				FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] WHERE k.contype = 'f'`,
		}
	}
	var all []string
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		for _, query := range queries {
			lines, err := sqldb.Collect(tx, scanString, query)
			if err != nil {
				return err
			}
			for _, line := range lines {
				// Each engine has its own full-text index.
				if _, thing, _ := strings.Cut(line, " "); !strings.HasPrefix(thing, "search_index") {
					all = append(all, typeClass(line))
				}
			}
		}
		return nil
	}))
	slices.Sort(all)
	return all
}

// typeClass replaces an engine's type name with a common one. JSON counts as text,
// because SQLite has no JSON type.
func typeClass(line string) string {
	if !strings.HasPrefix(line, "column ") {
		return line
	}
	words := strings.Fields(line)
	class, ok := map[string]string{
		"bigint": "integer", "integer": "integer", "text": "text", "json": "text", "boolean": "bool", "blob": "blob", "bytea": "blob",
		"double": "double", // precision
	}[words[2]]
	if !ok {
		class = "unknown type " + words[2]
	}
	words[2] = class
	return strings.Join(words, " ")
}

func TestBothEnginesEndWithTheSameTables(t *testing.T) {
	shapes := map[sqldb.Engine][]string{}
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) { shapes[db.Engine()] = shape(t, db) })
	if len(shapes) < 2 {
		t.Skip("there is only one engine to compare")
	}
	for _, other := range []struct{ a, b sqldb.Engine }{{sqldb.SQLite, sqldb.Postgres}, {sqldb.Postgres, sqldb.SQLite}} {
		if len(shapes[other.a]) < 50 {
			t.Errorf("%s: only %d lines: %v", other.a, len(shapes[other.a]), shapes[other.a])
		}
		for _, line := range shapes[other.a] {
			if strings.Contains(line, "unknown type") {
				t.Errorf("%s: %s", other.a, line)
			}
			if !slices.Contains(shapes[other.b], line) {
				t.Errorf("only %s has: %s", other.a, line)
			}
		}
	}
}

func TestMigratingTwiceDoesNothing(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		ctx := context.Background()
		if done, err := db.Migrated(ctx, schema.Files); err != nil || done {
			t.Errorf("an empty database is migrated: %v, %v", done, err)
		}
		names, err := sqldb.MigrationNames(schema.Files, db.Engine())
		must(t, err)
		if ran, err := db.Migrate(ctx, schema.Files); err != nil || ran != len(names) {
			t.Fatalf("%d migrations ran, %v; want %d", ran, err, len(names))
		}
		before := shape(t, db)
		if ran, err := db.Migrate(ctx, schema.Files); err != nil || ran != 0 {
			t.Errorf("the second time %d migrations ran, %v; want 0", ran, err)
		}
		if after := shape(t, db); !slices.Equal(before, after) {
			t.Errorf("the second time changed %v to %v", before, after)
		}
		if done, err := db.Migrated(ctx, schema.Files); err != nil || !done {
			t.Errorf("afterwards it is migrated: %v, %v", done, err)
		}
	})
}

// crowd is a set of migrations that fail when one of them runs twice.
func crowd() fstest.MapFS {
	all := fstest.MapFS{}
	for i := range 10 {
		maps.Copy(all, files(fmt.Sprintf("%04d_step.sql", i+1), fmt.Sprintf("CREATE TABLE step_%d (id @id, n BIGINT);\nINSERT INTO step_%d (n) VALUES (%d);\n", i, i, i)))
	}
	return all
}

func TestManyAtOnceRunEachMigrationOnce(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		const handles = 8
		var ran atomic.Int64
		var all sync.WaitGroup
		for range handles {
			all.Go(func() {
				db, err := sqldb.Open(context.Background(), sqldb.Config{URL: url})
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				n, err := db.Migrate(context.Background(), crowd())
				if err != nil {
					t.Error(err)
				}
				ran.Add(int64(n))
			})
		}
		all.Wait()
		if n := ran.Load(); n != int64(len(crowd())) {
			t.Errorf("%d migrations ran, want %d", n, len(crowd()))
		}
	})
}

// Between processes, SQLite uses different locks than within one.
func TestManyProcessesRunEachMigrationOnce(t *testing.T) {
	const address, result = "SQLDB_TEST_ADDRESS", "SQLDB_TEST_RESULT"
	if isChild(t) {
		db := dbtest.Open(t, sqldb.Config{URL: os.Getenv(address)})
		n, err := db.Migrate(context.Background(), crowd())
		must(t, err)
		must(t, os.WriteFile(os.Getenv(result), []byte(strings.Repeat("x", n)), 0o600))
		return
	}
	top := t
	eachEmpty(t, func(t *testing.T, url string) {
		folder := t.TempDir()
		var waits []func()
		for i := range 8 {
			waits = append(waits, startChild(top, address+"="+url, result+"="+filepath.Join(folder, fmt.Sprint(i))))
		}
		ran := 0
		for i, wait := range waits {
			wait()
			marks, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(i)))
			must(t, err)
			ran += len(marks)
		}
		if ran != len(crowd()) {
			t.Errorf("%d migrations ran, want %d", ran, len(crowd()))
		}
	})
}

func TestMigrationThatFailsLeavesNothing(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		ctx := context.Background()
		broken := files(
			"0001_good.sql", "CREATE TABLE good (id @id);\n",
			"0002_broken.sql", "CREATE TABLE half (id @id);\nINSERT INTO good (id) VALUES (7);\nINSERT INTO nowhere VALUES (1);\n",
			"0003_never.sql", "CREATE TABLE never (id @id);\n",
		)
		ran, err := db.Migrate(ctx, broken)
		if err == nil || !strings.Contains(err.Error(), "0002_broken") || !strings.Contains(err.Error(), "nowhere") || ran != 1 {
			t.Errorf("Migrate ran %d and gave %v; want 1 and an error that names the migration and its reason", ran, err)
		}
		want := []string{"column good.id integer not null key"}
		got := slices.DeleteFunc(shape(t, db), func(s string) bool { return strings.Contains(s, "schema_migrations") })
		if !slices.Equal(got, want) {
			t.Errorf("there is %v, want %v", got, want)
		}
		var n, version int
		read(t, db, "SELECT (SELECT count(*) FROM good), (SELECT max(version) FROM schema_migrations)", nil, &n, &version)
		if n != 0 || version != 1 {
			t.Errorf("%d rows and version %d are left, want 0 and 1", n, version)
		}
		// Once it is fixed, Migrate continues from there.
		broken["0002_broken.sql"].Data = []byte("CREATE TABLE half (id @id);\n")
		if ran, err := db.Migrate(ctx, broken); err != nil || ran != 2 {
			t.Errorf("Migrate ran %d and gave %v; want 2", ran, err)
		}
	})
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		newer, older := crowd(), files("0001_step.sql", "CREATE TABLE step_0 (id @id);\n")
		_, err := db.Migrate(context.Background(), newer)
		must(t, err)
		before := shape(t, db)
		ran, err := db.Migrate(context.Background(), older)
		const want = "the database is at version 10 and this program knows 1: use the program that wrote it, or a newer one"
		if err == nil || err.Error() != want || ran != 0 {
			t.Errorf("Migrate ran %d and gave %v", ran, err)
		}
		if after := shape(t, db); !slices.Equal(before, after) {
			t.Errorf("it changed %v to %v", before, after)
		}
	})
}

// A migration may take longer than an operation: an index on a large table does.
func TestMigrationHasMoreTimeThanAnOperation(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url, WriteTimeout: 5 * time.Millisecond})
		long := "INSERT INTO n (i) WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100000) SELECT count(*) FROM c;\n"
		if db.Engine() == sqldb.Postgres {
			long = "SELECT pg_sleep(0.05);\n"
		}
		if _, err := db.Migrate(context.Background(), files("0001_long.sql", "CREATE TABLE n (i BIGINT);\n"+long)); err != nil {
			t.Error(err)
		}
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(strings.TrimSuffix(long, ";\n"))
			return err
		})
		if !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("as an operation it gave %v: it is too short to show the difference", err)
		}
	})
}

func TestMigrationsAreChosenAndOrdered(t *testing.T) {
	const some = "CREATE TABLE x (id @id);\n"
	for _, c := range []struct {
		name             string
		files            fstest.MapFS
		sqlite, postgres string // the names, or the text of the error
	}{
		{"in order of their numbers", files("0002_b.sql", some, "0001_a.sql", some, "10_j.sql.txt", some), "0001_a 0002_b", "0001_a 0002_b"},
		{"a pair", files("0001_a.sql", some, "0002_s.sqlite.sql", some, "0002_s.postgres.sql", some), "0001_a 0002_s", "0001_a 0002_s"},
		{"a gap", files("0001_a.sql", some, "0003_c.sql", some), "migration 0003_c: expected number 2", "migration 0003_c: expected number 2"},
		{"not from one", files("0002_b.sql", some), "migration 0002_b: expected number 1", "migration 0002_b: expected number 1"},
		{"twice the same", files("0001_a.sql", some, "0001_b.sql", some), "expected number 2", "expected number 2"},
		{"a pair and a plain one", files("0001_a.sql", some, "0001_a.sqlite.sql", some, "0001_a.postgres.sql", some), "expected number 2", "expected number 2"},
		{"half a pair", files("0001_a.sql", some, "0002_s.sqlite.sql", some), "there is none for postgres", "there is none for postgres"},
		{"the other half", files("0001_a.sql", some, "0002_s.postgres.sql", some), "there is none for sqlite", "there is none for sqlite"},
		{"an unknown engine", files("0001_a.sql", some, "0002_s.mysql.sql", some), "no engine of that name", "no engine of that name"},
		{"no number", files("a.sql", some), "does not begin with a number", "does not begin with a number"},
		{"nothing", files(), "no migrations", "no migrations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for engine, want := range map[sqldb.Engine]string{sqldb.SQLite: c.sqlite, sqldb.Postgres: c.postgres} {
				names, err := sqldb.MigrationNames(c.files, engine)
				got := strings.Join(names, " ")
				if err != nil {
					got = err.Error()
				}
				if got != want && (err == nil || !strings.Contains(got, want)) {
					t.Errorf("%s: got %q, want %q", engine, got, want)
				}
			}
		})
	}
}

func TestEachEngineRunsItsHalfOfAPair(t *testing.T) {
	pair := files(
		"0001_s.sqlite.sql", "CREATE TABLE only_sqlite (id @id);\n",
		"0001_s.postgres.sql", "CREATE TABLE only_postgres (id @id);\n",
	)
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		_, err := db.Migrate(context.Background(), pair)
		must(t, err)
		want := fmt.Sprintf("column only_%s.id integer not null key", db.Engine())
		if got := shape(t, db); !slices.Contains(got, want) {
			t.Errorf("there is %v, want %s", got, want)
		}
	})
}

func TestMigrationTextIsSplitAtSemicolons(t *testing.T) {
	text := `-- A comment; with a semicolon;
CREATE TABLE a (
    id   @id,
    -- another;
    name TEXT NOT NULL DEFAULT ';' -- at the end of a line
);
CREATE INDEX a_name ON a (name);


INSERT INTO a (name) VALUES ('x;y');
-- the last word;`
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		_, err := db.Migrate(context.Background(), files("0001_a.sql", text))
		must(t, err)
		var name string
		read(t, db, "SELECT name FROM a", nil, &name)
		if name != "x;y" {
			t.Errorf("the name is %q", name)
		}
	})
}

// If requests exist before the table of facts does, a job adds their facts.
func TestUpgradeAsksForFacts(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := dbtest.Open(t, sqldb.Config{URL: url})
		migrateBefore(t, db, "0017")
		var account int64
		must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
			return tx.Row("INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at) VALUES ('Acme', 'ACME', 'UTC', FALSE, 0, 0) RETURNING id").Scan(&account)
		}))
		_, err := db.Migrate(ctx, schema.Files)
		must(t, err)
		var kind, args string
		must(t, db.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT kind, args FROM jobs").Scan(&kind, &args) }))
		if want := fmt.Sprintf(`{"Account":%d}`, account); kind != "insights.rebuild" || args != want {
			t.Errorf("the job is %s %s, not %s", kind, args, want)
		}
	})
}

// migrateBefore runs all migrations before the given one.
func migrateBefore(t *testing.T, db *sqldb.DB, first string) {
	t.Helper()
	before := fstest.MapFS{}
	files, err := fs.Glob(schema.Files, "*.sql")
	must(t, err)
	for _, name := range files {
		if name < first {
			text, err := fs.ReadFile(schema.Files, name)
			must(t, err)
			before[name] = &fstest.MapFile{Data: text}
		}
	}
	_, err = db.Migrate(context.Background(), before)
	must(t, err)
}

// Emails were folded like other text before. The migration folds them as emails,
// and leaves ASCII ones unchanged.
func TestUpgradeFoldsEmails(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := dbtest.Open(t, sqldb.Config{URL: url})
		migrateBefore(t, db, "0022")
		type email struct{ is, was, want string }
		emails := []email{{"Jo@Acme.test", "jo@acme.test", "jo@acme.test"}, {"Admın@acme.teſt", "admin@acme.test", "admın@acme.teſt"}, {"JÜRGEN@acme.test", "jürgen@acme.test", "jÜrgen@acme.test"}}
		must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
			exec := func(statement string, args ...any) error {
				_, err := tx.Exec(statement, args...)
				return err
			}
			for _, err := range []error{
				exec("INSERT INTO accounts (id, name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at) VALUES (1, 'Acme', 'ACME', 'UTC', FALSE, 0, 0)"),
				exec("INSERT INTO collections (id, account_id, name, kind, created_at, updated_at) VALUES (1, 1, 'Help', 'chat', 0, 0)"),
				exec("INSERT INTO customers (id, account_id, name, revisit, portal_enabled, portal_for_all, version, created_at, updated_at) VALUES (1, 1, 'Pine', FALSE, FALSE, FALSE, 1, 0, 0)"),
			} {
				if err != nil {
					return err
				}
			}
			for i, e := range emails {
				for _, err := range []error{
					exec("INSERT INTO members (account_id, email, email_folded, name, role, created_at, updated_at) VALUES (1, $1, $2, '', 'agent', 0, 0)", e.is, e.was),
					exec("INSERT INTO users (account_id, user_id, name, email, email_folded, avatar, deleted, is_bot, revision, created_at, updated_at) VALUES (1, $1, '', $1, $2, '', FALSE, FALSE, 1, 0, 0)", e.is, e.was),
					exec("INSERT INTO customer_portal_users (account_id, customer_id, n, email, email_folded, role) VALUES (1, 1, $1, $2, $3, 'USER')", i, e.is, e.was),
					exec(`INSERT INTO requests (id, account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, author_name, author_email, author_email_folded,
						workspace, thread_url, triage_url, source, created_at, updated_at, last_message_at, newest_id, newest_by) VALUES ($1, 1, 1, '', '', 'open', TRUE, 'low', '', '', $2, $3, '', '', '', '', 0, 0, 0, $1, '@' || $3)`, i+1, e.is, e.was),
					exec(`INSERT INTO messages (id, account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at)
						VALUES ($1, 1, $1, '', $2, '', '', FALSE, FALSE, FALSE, FALSE, '', 0)`, i+1, e.is),
				} {
					if err != nil {
						return err
					}
				}
			}
			return nil
		}))
		_, err := db.Migrate(ctx, schema.Files)
		must(t, err)
		for _, e := range emails {
			for _, statement := range []string{
				"SELECT email_folded FROM members WHERE email = $1", "SELECT email_folded FROM users WHERE email = $1", "SELECT email_folded FROM customer_portal_users WHERE email = $1",
				"SELECT author_email_folded FROM requests WHERE author_email = $1", "SELECT substr(newest_by, 2) FROM requests WHERE author_email = $1",
			} {
				var got string
				must(t, db.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row(statement, e.is).Scan(&got) }))
				if got != e.want {
					t.Errorf("%s: %s became %q, not %q", statement, e.is, got, e.want)
				}
			}
		}
	})
}
