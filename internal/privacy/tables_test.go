package privacy

import (
	"context"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Whoever adds a table, or a column with text, decides what becomes of people in it.
func TestEveryTextIsDecided(t *testing.T) {
	ctx := context.Background()
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	if _, err := db.Migrate(ctx, schema.Files); err != nil {
		t.Fatal(err)
	}
	known := map[string]table{}
	for _, t := range tables {
		known[t.name] = t
	}
	columns := map[string][]string{}
	err := db.Read(ctx, func(tx *sqldb.Tx) error {
		return tx.Each(func(scan func(...any) error) error {
			var name, column, kind string
			var inKey int
			if err := scan(&name, &column, &kind, &inKey); err != nil {
				return err
			}
			if strings.HasPrefix(name, "sqlite_") || strings.HasPrefix(name, "search_index_") {
				return nil
			}
			columns[name] = append(columns[name], column)
			of, isKnown := known[name]
			if isKnown && inKey > 0 && column != "account_id" && !slices.Contains(strings.Fields(of.key), column) {
				t.Errorf("%s is part of the key of %s", column, name)
			}
			if kind != "TEXT" || beside[name] != "" {
				return nil
			}
			if !isKnown {
				t.Errorf("%s has text, and nobody has decided what becomes of people in it", name)
				return nil
			}
			if decided := slices.Concat(strings.Fields(of.text), strings.Fields(of.json), strings.Fields(of.kept)); !slices.Contains(decided, column) {
				t.Errorf("%s.%s has text, and nobody has decided what becomes of people in it", name, column)
			}
			return nil
		}, "SELECT t.name, c.name, c.type, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid")
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(columns) < 60 {
		t.Errorf("only %d tables were looked at", len(columns))
	}
	for name, of := range known {
		for _, c := range slices.Concat(strings.Fields(of.key), strings.Fields(of.text), strings.Fields(of.json), strings.Fields(of.kept)) {
			if !slices.Contains(columns[name], c) {
				t.Errorf("%s has no column %s", name, c)
			}
		}
		if beside[name] != "" {
			t.Errorf("%s is decided twice", name)
		}
	}
	for name := range beside {
		if columns[name] == nil {
			t.Errorf("there is no table %s", name)
		}
	}
}
