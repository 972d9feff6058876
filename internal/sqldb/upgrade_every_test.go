package sqldb_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A database of every earlier version, with rows in every table, becomes what a new
// database is, and loses no row. On PostgreSQL, which takes longer, this is every
// fifth version, unless it is a soak test.
func TestUpgradeFromEveryVersion(t *testing.T) {
	upgradeFromEach(t, map[sqldb.Engine]int{sqldb.SQLite: 1, sqldb.Postgres: 5})
}

func upgradeFromEach(t *testing.T, every map[sqldb.Engine]int) {
	t.Helper()
	eachEmpty(t, func(t *testing.T, url string) {
		ctx := context.Background()
		fresh := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.EngineOf(url))})
		want := definition(t, fresh)
		if len(want) < 200 {
			t.Fatalf("only %d lines describe the database", len(want))
		}
		names, err := sqldb.MigrationNames(schema.Files, fresh.Engine())
		must(t, err)
		for version := 1; version < len(names); version++ {
			if (len(names)-1-version)%every[fresh.Engine()] != 0 {
				continue
			}
			old := dbtest.Open(t, sqldb.Config{URL: url})
			_, err := old.Migrate(ctx, schemaTo(t, version))
			must(t, err)
			before := furnish(t, old)
			must(t, old.Close())
			db := dbtest.Open(t, sqldb.Config{URL: dbtest.Copy(t, url)})
			if ran, err := db.Migrate(ctx, schema.Files); err != nil || ran != len(names)-version {
				t.Fatalf("from version %d: %d migrations ran, %v", version, ran, err)
			}
			for _, line := range difference(want, definition(t, db)) {
				t.Errorf("from version %d: %s", version, line)
			}
			after := countRows(t, db)
			for table, n := range before {
				if kept, ok := after[table]; ok && kept < n {
					t.Errorf("from version %d: %s has %d rows of %d", version, table, kept, n)
				}
			}
			checkReferences(t, db)
			must(t, db.Close())
		}
	})
}

// definition describes a database completely: one line for each column, index,
// constraint and function.
func definition(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	query := "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema"
	if db.Engine() == sqldb.Postgres {
		query = `SELECT 'column ' || c.relname || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull::text || ' ' || a.attidentity::text || ' ' ||
				coalesce(pg_get_expr(d.adbin, d.adrelid), '') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
				LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
				WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
			UNION ALL SELECT pg_get_indexdef(i.indexrelid) || ' valid ' || i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
				WHERE c.relnamespace = current_schema()::regnamespace
			UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' valid ' || convalidated FROM pg_constraint
				WHERE connamespace = current_schema()::regnamespace
			UNION ALL SELECT 'function ' || oid::regprocedure || ' ' || prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace`
	}
	var all []string
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, scanString, query)
		return err
	}))
	slices.Sort(all)
	return all
}

// difference returns a sentence for each line that only one of the descriptions has.
func difference(want, got []string) (all []string) {
	for _, line := range want {
		if !slices.Contains(got, line) {
			all = append(all, "it lacks "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			all = append(all, "only it has "+line)
		}
	}
	return all
}

// A furnished column gets a value for each row.
type furnished struct {
	name, class string
	required    bool
	key         bool
	refers      string // to this table
}

// furnish adds three rows to every empty table, and returns how many rows each table
// has. The n-th row refers to the n-th row of other tables.
func furnish(t *testing.T, db *sqldb.DB) map[string]int {
	t.Helper()
	tables, allowed := map[string][]*furnished{}, allowedValues(t)
	for _, line := range shape(t, db) {
		words := strings.Fields(line)
		table, column, _ := strings.Cut(words[1], ".")
		switch {
		case table == "schema_migrations":
		case words[0] == "column":
			tables[table] = append(tables[table], &furnished{name: column, class: words[2], required: strings.Contains(line, " not null"), key: strings.HasSuffix(line, " key")})
		case words[0] == "reference":
			i := slices.IndexFunc(tables[table], func(c *furnished) bool { return c.name == column })
			tables[table][i].refers = words[3]
		}
	}
	has := countRows(t, db)
	for filled := true; filled; { // until there is no table left whose references can be satisfied
		filled = false
		for _, table := range slices.Sorted(maps.Keys(tables)) {
			if has[table] > 0 || slices.ContainsFunc(tables[table], func(c *furnished) bool { return c.required && c.refers != "" && has[c.refers] == 0 }) {
				continue
			}
			for n := 1; n <= 3; n++ {
				addRow(t, db, table, tables[table], allowed, has, n)
			}
			has[table], filled = 3, true
		}
	}
	for table := range tables {
		if has[table] == 0 {
			t.Fatalf("no rows for the table %s", table)
		}
	}
	return has
}

func addRow(t *testing.T, db *sqldb.DB, table string, columns []*furnished, allowed map[string]string, has map[string]int, n int) {
	t.Helper()
	keys := 0
	for _, c := range columns {
		if c.key {
			keys++
		}
	}
	var names, values []string
	for _, c := range columns {
		if c.name == "id" && c.key && keys == 1 && c.class == "integer" || !c.required && (c.refers == "" || has[c.refers] == 0) {
			continue // the database gives it out, or it may be left out
		}
		value := fmt.Sprint(n)
		switch {
		case c.class == "text" && allowed[table+"."+c.name] != "":
			value = "'" + allowed[table+"."+c.name] + "'"
		case c.class == "text" && strings.Contains(c.name, "email"):
			value = fmt.Sprintf(`'"Ä%d@Acme.test"'`, n)
		case c.class == "text":
			value = fmt.Sprintf(`'"x%d"'`, n) // also valid as JSON
		case c.class == "bool":
			value = []string{"TRUE", "FALSE"}[n%2]
		case c.class == "blob" && db.Engine() == sqldb.Postgres:
			value = fmt.Sprintf(`'\x0%d'`, n)
		case c.class == "blob":
			value = fmt.Sprintf("x'0%d'", n)
		}
		names, values = append(names, c.name), append(values, value)
	}
	do(t, db, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(names, ", "), strings.Join(values, ", ")))
}

// allowedValues returns a value that the CHECK of a column accepts, by table and
// column.
func allowedValues(t *testing.T) map[string]string {
	t.Helper()
	texts, err := fs.Glob(schema.Files, "*.sql")
	must(t, err)
	table, check := regexp.MustCompile(`(?s)CREATE TABLE (\w+) \((.*?)\n\)`), regexp.MustCompile(`CHECK \((\w+) IN \('(\w+)'`)
	values := map[string]string{}
	for _, name := range texts {
		text, err := fs.ReadFile(schema.Files, name)
		must(t, err)
		for _, m := range table.FindAllStringSubmatch(string(text), -1) {
			for _, c := range check.FindAllStringSubmatch(m[2], -1) {
				values[m[1]+"."+c[1]] = c[2]
			}
		}
	}
	return values
}

// countRows returns how many rows each table has.
func countRows(t *testing.T, db *sqldb.DB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, line := range shape(t, db) {
		if kind, rest, _ := strings.Cut(line, " "); kind == "column" {
			table, _, _ := strings.Cut(rest, ".")
			counts[table] = 0
		}
	}
	delete(counts, "schema_migrations")
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		for table := range counts {
			var n int
			if err := tx.Row("SELECT count(*) FROM " + table).Scan(&n); err != nil {
				return err
			}
			counts[table] = n
		}
		return nil
	}))
	return counts
}

// checkReferences fails the test if a row refers to a missing one. PostgreSQL checks
// that itself, whenever a row or a constraint changes.
func checkReferences(t *testing.T, db *sqldb.DB) {
	t.Helper()
	if db.Engine() == sqldb.SQLite {
		var broken int
		read(t, db, "SELECT count(*) FROM pragma_foreign_key_check", nil, &broken)
		if broken > 0 {
			t.Errorf("%d rows refer to missing ones", broken)
		}
	}
}
