package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A shop is a database in use, at version 1. growth is version 2: it has every kind of
// statement. Its UPDATE must change each row exactly once.
var (
	shop = files("0001_shop.sql", `CREATE TABLE goods (id @id, name TEXT NOT NULL, price BIGINT NOT NULL, old TEXT);
CREATE INDEX goods_name ON goods (name);
CREATE INDEX goods_old ON goods (old);
CREATE TABLE towns (id @id);
CREATE TABLE maps (goods_id BIGINT REFERENCES goods (id), town BIGINT REFERENCES towns (id));
CREATE TABLE sales (shop TEXT NOT NULL, day BIGINT NOT NULL, goods_id BIGINT NOT NULL REFERENCES goods (id), n BIGINT NOT NULL, PRIMARY KEY (shop, day));
`)
	growth = files("0002_growth.sql", `CREATE TABLE owners (
    id       @id,
    goods_id BIGINT NOT NULL REFERENCES goods (id),
    town     BIGINT REFERENCES towns (id),
    boss     BIGINT REFERENCES owners (id)
);
CREATE INDEX owners_goods ON owners (goods_id);
ALTER TABLE goods ADD COLUMN stock BIGINT NOT NULL DEFAULT 7;
UPDATE goods SET price = price + 1, stock = (SELECT count(*) FROM sales s WHERE s.goods_id = goods.id) WHERE name <> 'WHERE ' OR price = 0;
CREATE INDEX goods_stock ON goods (stock, id) WHERE stock > 0;
DROP INDEX goods_name;
DROP INDEX goods_old;
ALTER INDEX towns_pkey SET (fillfactor = 80);
UPDATE sales SET n = n + 1;
CREATE INDEX goods_name ON goods (name, id);
ALTER TABLE goods DROP COLUMN old;
INSERT INTO owners (goods_id) SELECT id FROM goods WHERE id <= 10;
DELETE FROM sales WHERE n > 900;
DROP TABLE maps;
`)
)

// openShop creates a shop with 4,000 goods and 1,000 sales on PostgreSQL.
func openShop(t *testing.T) (url string) {
	t.Helper()
	url = emptyPostgres(t)
	db := dbtest.Open(t, sqldb.Config{URL: url})
	_, err := db.Migrate(context.Background(), shop)
	must(t, err)
	do(t, db, "INSERT INTO goods (name, price) SELECT 'g' || i, i FROM generate_series(1, 4000) i")
	do(t, db, "INSERT INTO sales (shop, day, goods_id, n) SELECT 's' || i % 7, i, i, i FROM generate_series(1, 1000) i")
	must(t, db.Close())
	return url
}

func emptyPostgres(t *testing.T) string {
	t.Helper()
	url := dbtest.URL(t, sqldb.Postgres)
	conn := admin(t, url)
	_, err := conn.Exec(context.Background(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	must(t, err)
	must(t, conn.Close(context.Background()))
	return url
}

// grown returns the shop's migrations with further ones.
func grown(more ...fstest.MapFS) fstest.MapFS {
	all := maps.Clone(shop)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

// wantGrown checks that the shop is at version 2, and that each row was changed once.
func wantGrown(t *testing.T, db *sqldb.DB) {
	t.Helper()
	want := definition(t, grownAtOnce(t))
	for _, line := range difference(want, definition(t, db)) {
		t.Error(line)
	}
	var version, prices, stock, sales, days, owners int
	read(t, db, `SELECT (SELECT max(version) FROM schema_migrations), (SELECT sum(price - id) FROM goods), (SELECT sum(stock) FROM goods),
		(SELECT sum(n - day) FROM sales), (SELECT max(day) FROM sales), (SELECT count(*) FROM owners)`, nil, &version, &prices, &stock, &sales, &days, &owners)
	if got, want := []int{version, prices, stock, sales, days, owners}, []int{2, 4000, 1000, 899, 899, 10}; !slices.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
}

// grownAtOnce returns an empty shop at version 2.
func grownAtOnce(t *testing.T) *sqldb.DB {
	t.Helper()
	db := dbtest.Open(t, sqldb.Config{URL: emptyPostgres(t)})
	_, err := db.Migrate(context.Background(), grown(growth))
	must(t, err)
	return db
}

func TestStepsDoWhatTheTextSays(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: openShop(t)})
	if ran, err := db.Migrate(context.Background(), grown(growth)); err != nil || ran != 1 {
		t.Fatalf("%d ran, %v", ran, err)
	}
	wantGrown(t, db)
}

// A process can end after any part of a migration. The next one goes on from there.
func TestMigrationGoesOnWhereItWasLeft(t *testing.T) {
	url, ctx, enough := openShop(t), context.Background(), errors.New("enough")
	ends := 0
	for ; ; ends++ {
		db := dbtest.Open(t, sqldb.Config{URL: url}.WithStepDone(func() error { return enough }))
		_, err := db.Migrate(ctx, grown(growth))
		must(t, db.Close())
		if err == nil {
			break
		}
		if !errors.Is(err, enough) {
			t.Fatal(err)
		}
		if done, err := dbtest.Open(t, sqldb.Config{URL: url}).Migrated(ctx, grown(growth)); err != nil || done {
			t.Fatalf("after part %d it is migrated: %v, %v", ends, done, err)
		}
	}
	if ends < 13 { // ten steps, and pieces
		t.Errorf("it was left only %d times", ends)
	}
	wantGrown(t, dbtest.Open(t, sqldb.Config{URL: url}))
}

// Steps that are done must not be taken for others.
func TestMigrationThatChangedAfterItBegan(t *testing.T) {
	url, enough := openShop(t), errors.New("enough")
	half := dbtest.Open(t, sqldb.Config{URL: url}.WithStepDone(func() error { return enough }))
	if _, err := half.Migrate(context.Background(), grown(growth)); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	text := string(growth["0002_growth.sql"].Data)
	db := dbtest.Open(t, sqldb.Config{URL: url})
	_, err := db.Migrate(context.Background(), grown(files("0002_growth.sql", "CREATE TABLE another (id @id);\n"+text)))
	if err == nil || !strings.Contains(err.Error(), "migration 0002_growth: its first steps were run by a version of the program in which they are different") {
		t.Errorf("it gave %v", err)
	}
	// What has not run yet may change.
	if _, err := db.Migrate(context.Background(), grown(files("0002_growth.sql", strings.ReplaceAll(text, "n > 900", "n >= 901")))); err != nil {
		t.Error(err)
	}
	wantGrown(t, db)
}

// holdIndex starts a migration whose index on goods has to wait, because somebody has
// changed the table and not yet committed. It returns once the index waits.
func holdIndex(t *testing.T, url string, start func()) (release func()) {
	t.Helper()
	ctx := context.Background()
	other := admin(t, url)
	_, err := other.Exec(ctx, "BEGIN; LOCK TABLE goods IN ROW EXCLUSIVE MODE")
	must(t, err)
	start()
	waitForIndex(t, admin(t, url))
	return func() {
		t.Helper()
		_, err := other.Exec(ctx, "COMMIT")
		must(t, err)
	}
}

// waitForIndex waits until an index that is being built waits for somebody.
func waitForIndex(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	eventually(t, "the index waits", func() bool {
		var n int
		must(t, conn.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock' AND query LIKE 'CREATE % CONCURRENTLY %'`).Scan(&n))
		return n > 0
	})
}

// One process builds an index, which waits for all statements that have begun before it. The
// processes that wait for the end of the migration must not be among them.
func TestWaitingProcessesDoNotHoldUpAnIndex(t *testing.T) {
	url := openShop(t)
	more := grown(files("0002_index.sql", "CREATE INDEX goods_price ON goods (price);\n"))
	var ran atomic.Int64
	migrate := func() *writer {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		return started(func() error {
			n, err := db.Migrate(context.Background(), more)
			ran.Add(int64(n))
			return err
		})
	}
	var all []*writer
	release := holdIndex(t, url, func() { all = append(all, migrate()) })
	for range 3 {
		all = append(all, migrate())
	}
	eventually(t, "the others wait", func() bool {
		return strings.Count(stacks(), "sqldb.(*postgresDB).takeMigrationTurn(") == 3
	})
	release()
	for _, m := range all {
		must(t, m.wait(t))
	}
	if n := ran.Load(); n != 1 {
		t.Errorf("%d migrations ran, want 1", n)
	}
}

// While an index is built, and while a change of a table cannot get its lock, others write.
func TestMigrationKeepsNobodyWaiting(t *testing.T) {
	url := openShop(t)
	refused := make(chan struct{}, 100)
	log := slog.New(lineHandler(func(line string) {
		if strings.Contains(line, "trying again") {
			refused <- struct{}{}
		}
	}))
	db := dbtest.Open(t, sqldb.Config{URL: url, Log: log}.WithLockWait(10*time.Millisecond))
	old := dbtest.Open(t, sqldb.Config{URL: url}) // of the version before
	buy := func() {
		t.Helper()
		do(t, old, "INSERT INTO goods (name, price) VALUES ('new', 1)")
		do(t, old, "UPDATE goods SET price = price WHERE id = 1")
	}
	var migrating *writer
	release := holdIndex(t, url, func() {
		migrating = started(func() error {
			_, err := db.Migrate(context.Background(), grown(files(
				"0002_index.sql", "CREATE INDEX goods_price ON goods (price);\n",
				"0003_column.sql", "ALTER TABLE goods ADD COLUMN colour TEXT;\n")))
			return err
		})
	})
	buy() // the index waits for its lock, and this does not wait for the index
	other := admin(t, url)
	_, err := other.Exec(context.Background(), "BEGIN; LOCK TABLE goods IN ROW EXCLUSIVE MODE") // for the column
	must(t, err)
	release()
	waitForIndex(t, admin(t, url))
	buy()
	// The index also waits for this one. To get past it, and to hold up only the column,
	// another takes its place.
	third := admin(t, url)
	_, err = third.Exec(context.Background(), "BEGIN; LOCK TABLE goods IN ACCESS SHARE MODE")
	must(t, err)
	_, err = other.Exec(context.Background(), "COMMIT")
	must(t, err)
	for range 3 {
		select {
		case <-refused:
		case <-time.After(patience):
			t.Fatal("nothing was refused a lock")
		}
		buy() // between two tries
	}
	_, err = third.Exec(context.Background(), "COMMIT")
	must(t, err)
	must(t, migrating.wait(t))
	var n int
	read(t, db, "SELECT count(*) FROM goods WHERE name = 'new' AND colour IS NULL", nil, &n)
	if n != 5 {
		t.Errorf("%d of 5 rows were written", n)
	}
}

// A writer has locked one table and will want another. A new table that refers to both must not
// wait for the one while it has the other.
func TestMigrationTakesPartInNoDeadlock(t *testing.T) {
	url, ctx := openShop(t), context.Background()
	for _, order := range [][]string{{"goods", "towns"}, {"towns", "goods"}} {
		other := admin(t, url)
		_, err := other.Exec(ctx, "BEGIN; LOCK TABLE "+order[0]+" IN ROW EXCLUSIVE MODE")
		must(t, err)
		db := dbtest.Open(t, sqldb.Config{URL: url}.WithLockWait(patience))
		name := "0002_" + order[0]
		more := files("0002_goods.sql", "CREATE TABLE pair_goods (id @id, a BIGINT REFERENCES goods (id), b BIGINT REFERENCES towns (id));\n")
		if order[0] == "towns" {
			name = "0003_towns"
			more["0003_towns.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE pair_towns (id @id, a BIGINT REFERENCES goods (id), b BIGINT REFERENCES towns (id));\n")}
		}
		migrating := started(func() error {
			_, err := db.Migrate(ctx, grown(more))
			return err
		})
		conn := admin(t, url)
		eventually(t, name+" waits", func() bool {
			var n int
			must(t, conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE pair_%'").Scan(&n))
			return n > 0
		})
		_, err = other.Exec(ctx, "LOCK TABLE "+order[1]+" IN ROW EXCLUSIVE MODE; COMMIT") // fails in a deadlock
		must(t, err)
		must(t, migrating.wait(t))
	}
}

// Autovacuum stops only for somebody who waits for it. That wait must keep nobody else waiting.
func TestMigrationWaitsForAutovacuum(t *testing.T) {
	url, ctx := openShop(t), context.Background()
	vacuum := admin(t, url)
	_, err := vacuum.Exec(ctx, "BEGIN; LOCK TABLE goods IN SHARE UPDATE EXCLUSIVE MODE") // the lock that it has
	must(t, err)
	db := dbtest.Open(t, sqldb.Config{URL: url}.WithLockWait(time.Millisecond))
	migrating := started(func() error {
		_, err := db.Migrate(ctx, grown(files("0002_column.sql", "ALTER TABLE goods ADD COLUMN colour TEXT;\n")))
		return err
	})
	conn := admin(t, url)
	eventually(t, "the migration waits", func() bool {
		var n int
		must(t, conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE goods%'").Scan(&n))
		return n > 0
	})
	old := dbtest.Open(t, sqldb.Config{URL: url})
	do(t, old, "UPDATE goods SET price = price WHERE id = 1")
	_, err = vacuum.Exec(ctx, "COMMIT")
	must(t, err)
	must(t, migrating.wait(t))
}

// lineHandler is a log whose messages are given to a function.
type lineHandler func(string)

func (lineHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h lineHandler) Handle(_ context.Context, r slog.Record) error {
	h(r.Message)
	return nil
}
func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h lineHandler) WithGroup(string) slog.Handler      { return h }

// The process that migrates is killed while it builds an index.
func TestMigrationIsKilled(t *testing.T) {
	const address = "SQLDB_TEST_ADDRESS"
	if isChild(t) {
		db := dbtest.Open(t, sqldb.Config{URL: os.Getenv(address)})
		_, err := db.Migrate(context.Background(), grown(growth))
		t.Errorf("it was not killed: %v", err)
		return
	}
	url := openShop(t)
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childOf+"="+t.Name(), address+"="+url)
	// A reader that looks at the past holds up an index and nothing else.
	conn := admin(t, url)
	_, err := conn.Exec(context.Background(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
	must(t, err)
	must(t, child.Start())
	waitForIndex(t, admin(t, url))
	must(t, child.Process.Kill())
	_ = child.Wait()
	_, err = conn.Exec(context.Background(), "COMMIT")
	must(t, err)
	db := dbtest.Open(t, sqldb.Config{URL: url})
	if ran, err := db.Migrate(context.Background(), grown(growth)); err != nil || ran != 1 {
		t.Errorf("afterwards %d ran, %v", ran, err)
	}
	wantGrown(t, db)
}

// An index that could not be built is dropped, because it would already turn away rows. One
// that was left by a process that was killed is built again.
func TestBrokenIndex(t *testing.T) {
	ctx := context.Background()
	url := openShop(t)
	db := dbtest.Open(t, sqldb.Config{URL: url})
	do(t, db, "INSERT INTO goods (name, price) VALUES ('g1', 1)")
	more := grown(files("0002_unique.sql", "ALTER TABLE goods ADD COLUMN size BIGINT;\nCREATE UNIQUE INDEX goods_unique ON goods (name);\n"))
	if _, err := db.Migrate(ctx, more); !errors.Is(err, sqldb.ErrUnique) {
		t.Fatalf("it gave %v, want ErrUnique", err)
	}
	do(t, db, "INSERT INTO goods (name, price) VALUES ('g1', 1)")
	conn := admin(t, url)
	if _, err := conn.Exec(ctx, "CREATE UNIQUE INDEX CONCURRENTLY goods_unique ON goods (name)"); err == nil {
		t.Fatal("the index is complete")
	}
	do(t, db, "DELETE FROM goods WHERE id > 4000")
	if ran, err := db.Migrate(ctx, more); err != nil || ran != 1 {
		t.Errorf("%d ran, %v", ran, err)
	}
	var valid bool
	read(t, db, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'goods_unique'::regclass", nil, &valid)
	if !valid {
		t.Error("the index is not complete")
	}
}

// The connection that holds the turn is lost. The migration ends with an error, and the next
// one finishes it.
func TestMigrationLosesItsTurn(t *testing.T) {
	url := openShop(t)
	conn := admin(t, url)
	var once atomic.Bool
	db := dbtest.Open(t, sqldb.Config{URL: url}.WithStepDone(func() error {
		if once.Swap(true) {
			return nil
		}
		_, err := conn.Exec(context.Background(), "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 727001")
		return err
	}))
	if _, err := db.Migrate(context.Background(), grown(growth)); !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("it gave %v, want ErrUnavailable", err)
	}
	if ran, err := db.Migrate(context.Background(), grown(growth)); err != nil || ran != 1 {
		t.Errorf("%d ran, %v", ran, err)
	}
	wantGrown(t, db)
}

func TestConditionIsAddedToAStatement(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"UPDATE t SET a = 1", "UPDATE t SET a = 1\nWHERE C"},
		{"UPDATE t SET a = 1 WHERE b OR c", "UPDATE t SET a = 1 WHERE (b OR c\n) AND C"},
		{"UPDATE t SET a = (SELECT 1 FROM u WHERE x)", "UPDATE t SET a = (SELECT 1 FROM u WHERE x)\nWHERE C"},
		{"UPDATE t SET a = ' WHERE ('\nWHERE d", "UPDATE t SET a = ' WHERE ('\nWHERE (d\n) AND C"},
		{"UPDATE t SET a = 'it''s' /* isn't WHERE ( */", "UPDATE t SET a = 'it''s' /* isn't WHERE ( */\nWHERE C"},
		{"DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", "DELETE FROM t WHERE (EXISTS (SELECT 1 FROM u WHERE u.a = t.a)\n) AND C"},
		{"DELETE FROM t", "DELETE FROM t\nWHERE C"},
	} {
		if got := sqldb.WithCondition(c.statement, "C"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.statement, got, c.want)
		}
	}
}

// It is known of every statement of every migration how to run it beside other nodes.
func TestEveryMigrationHasSteps(t *testing.T) {
	plans, err := sqldb.PlanSteps(schema.Files)
	must(t, err)
	for _, c := range []struct{ migration, want string }{
		{"0007_conversations", "in pieces: UPDATE messages SET said_at = created_at * 1000 /* every account: a new column */"},
		{"0008_request_changes", "replaced concurrently: CREATE INDEX requests_created ON requests (account_id, is_listed, created_at, id) WHERE merged_into IS NULL"},
		{"0021_audit_by_action", "concurrently: CREATE INDEX audit_logs_action ON audit_logs (account_id, action, at, id)"},
		{"0025_index_without_jobs", "in pieces: DELETE FROM jobs WHERE kind IN ('search.index', 'search.index-all')"},
		{"0031_mail", "in a transaction: ALTER TABLE messages ADD COLUMN email @json"},
		{"0031_mail", "in a transaction: ALTER TABLE mails ADD CONSTRAINT mails_request_id_fkey FOREIGN KEY (request_id) REFERENCES requests (id)"},
		{"0033_search_pending", "in a transaction: ALTER INDEX search_index_terms SET (gin_pending_list_limit = 1024)"},
		{"0031_mail", "with it: CREATE INDEX mails_external ON mails (account_id, external_id)"},
	} {
		if !slices.Contains(plans[c.migration], c.want) {
			t.Errorf("%s has no step %q:\n%s", c.migration, c.want, strings.Join(plans[c.migration], "\n"))
		}
	}
	for _, statement := range []string{"ALTER TABLE t ALTER COLUMN c TYPE TEXT", "VACUUM t", "LOCK TABLE t", "ALTER INDEX i RENAME TO j", "ALTER INDEX i SET TABLESPACE x", "WITH x AS (SELECT 1) UPDATE t SET a = 1", "CREATE INDEX ON t (a)", "TRUNCATE t", "UPDATE t AS u SET a = 1",
		"ALTER TABLE t ADD COLUMN a DOUBLE PRECISION DEFAULT random()", "ALTER TABLE t ADD COLUMN a BIGINT GENERATED ALWAYS AS (b + 1) STORED", "ALTER TABLE t ADD COLUMN a @id",
		"ALTER TABLE t ADD COLUMN a TEXT CHECK (a <> '')", "ALTER TABLE t ADD COLUMN a TEXT UNIQUE"} {
		if _, err := sqldb.PlanSteps(files("0001_odd.sql", statement+";\n")); err == nil || !strings.Contains(err.Error(), statement) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// lastBeforeRules is the last migration that was written before these rules.
const lastBeforeRules = 31

// A node of the version before works beside the tables of the next one.
func TestNewMigrationsOnlyAdd(t *testing.T) {
	for _, file := range rulesBroken(t, schema.Files, lastBeforeRules) {
		t.Error(file)
	}
	for _, c := range []struct{ text, want string }{
		{"CREATE TABLE t (id @id, a TEXT NOT NULL);\nCREATE INDEX t_a ON t (a);\nINSERT INTO t (a) VALUES ('x');\n", ""},
		{"ALTER TABLE t ADD COLUMN b TEXT;\nALTER TABLE t ADD COLUMN c TEXT NOT NULL DEFAULT '';\nCREATE INDEX t_b ON t (b);\n", ""},
		{"ALTER TABLE t ADD COLUMN b TEXT NOT NULL;\n", "a node of the version before adds rows without it"},
		{"ALTER TABLE t ADD COLUMN b TEXT;\nCREATE UNIQUE INDEX t_b ON t (a, b);\n", ""},
		{"CREATE UNIQUE INDEX t_b ON t (b);\n", "a node of the version before may add rows that it turns away"},
		{"ALTER TABLE t DROP COLUMN b;\n", "a node of the version before may use it"},
		{"ALTER TABLE t RENAME COLUMN b TO c;\n", "a node of the version before may use it"},
		{"DROP TABLE t;\n", "a node of the version before may use it"},
		{"DROP INDEX t_b;\n", "a node of the version before may use it"},
		{"-- contract: unused since 0001\nDROP TABLE t;\nALTER TABLE u DROP COLUMN b;\nDROP INDEX u_b;\n", ""},
		{"-- contract: unused since 0002\nDROP TABLE t;\n", "migration 2 is not an earlier one"},
		{"-- contract: unused since 0000\nDROP TABLE t;\n", "migration 0 is not an earlier one"},
		{"-- contract: unused since 0001\nALTER TABLE t RENAME COLUMN b TO c;\n", "a node of the version before may use it"},
		{"DROP TABLE t;\n-- contract: unused since 0001\n", "may use it"}, // the mark is the first line
	} {
		broken := rulesBroken(t, files("0001_t.sql", "SELECT 1;\n", "0002_new.sql", c.text), 1)
		if got := strings.Join(broken, "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// rulesBroken returns a sentence for each statement of the migrations after a version that a
// node of the version before would not survive. A migration that takes away what is no longer
// used says so in its first line.
func rulesBroken(t *testing.T, all fs.FS, after int) (broken []string) {
	t.Helper()
	names, err := fs.Glob(all, "*.sql")
	must(t, err)
	created := regexp.MustCompile(`^CREATE TABLE (\w+)`)
	added := regexp.MustCompile(`^ALTER TABLE (\w+) ADD COLUMN (\w+)(.*)`)
	unique := regexp.MustCompile(`^CREATE UNIQUE INDEX \w+ ON (\w+) (.*)`)
	for _, name := range names {
		version, err := strconv.Atoi(name[:4])
		must(t, err)
		if version <= after {
			continue
		}
		text, err := fs.ReadFile(all, name)
		must(t, err)
		unused := 0
		_, contracts := fmt.Sscanf(string(text), "-- contract: unused since %04d", &unused)
		if contracts == nil && (unused < 1 || unused >= version) {
			broken = append(broken, fmt.Sprintf("%s: migration %d is not an earlier one", name, unused))
		}
		made, optional := map[string]bool{}, map[string][]string{}
		for _, s := range sqldb.Statements(string(text)) {
			reason := ""
			if m := created.FindStringSubmatch(s); m != nil {
				made[m[1]] = true
			} else if m := added.FindStringSubmatch(s); m != nil {
				switch required := strings.Contains(m[3], "NOT NULL"); {
				case required && !strings.Contains(s, "DEFAULT"):
					reason = "a node of the version before adds rows without it"
				case !required:
					optional[m[1]] = append(optional[m[1]], m[2])
				}
			} else if m := unique.FindStringSubmatch(s); m != nil && !made[m[1]] &&
				!slices.ContainsFunc(optional[m[1]], func(column string) bool { return slices.Contains(words.FindAllString(m[2], -1), column) }) {
				reason = "a node of the version before may add rows that it turns away"
			} else if strings.HasPrefix(s, "DROP ") || strings.Contains(s, " DROP COLUMN ") {
				if contracts != nil {
					reason = "a node of the version before may use it"
				}
			} else if strings.Contains(s, " RENAME ") {
				reason = "a node of the version before may use it"
			}
			if reason != "" {
				broken = append(broken, fmt.Sprintf("%s: %s: %s", name, s, reason))
			}
		}
	}
	return broken
}

var words = regexp.MustCompile(`\w+`)
