package sqldb

import (
	"context"
	"fmt"
	"net/url"
)

// mostProblems is how many problems Check reports at most.
const mostProblems = 100

// Check reads everything in the database and returns what is wrong with it, as
// sentences. SQLite compares every table with its indexes, and every reference with
// the row that it names. PostgreSQL keeps references by itself, so every value is
// read, and every index is followed if the extension amcheck is installed. progress
// is called with each thing that is read next.
func (db *DB) Check(ctx context.Context, progress func(what string)) (problems []string, err error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if s, ok := db.backend.(*sqliteDB); ok {
		return checkFile(ctx, s.path, progress)
	}
	err = db.backend.read(ctx, func(tx *Tx) error {
		problems, err = checkPostgres(tx, progress)
		return err
	})
	return problems, err
}

func checkFile(ctx context.Context, path string, progress func(string)) (problems []string, err error) {
	pool := openFile(path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(1)", "cache_size(-64000)"}}, 1)
	defer pool.Close()
	progress("tables and indexes")
	rows, err := pool.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", mostProblems))
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, translate(err)
		}
		if text != "ok" {
			problems = append(problems, text)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, translate(err)
	}
	progress("references")
	broken, err := pool.QueryContext(ctx, `SELECT "table", "parent", count(*) FROM pragma_foreign_key_check GROUP BY 1, 2`)
	if err != nil {
		return nil, translate(err)
	}
	defer broken.Close()
	for broken.Next() {
		var child, parent string
		var n int
		if err := broken.Scan(&child, &parent, &n); err != nil {
			return nil, translate(err)
		}
		problems = append(problems, fmt.Sprintf("rows of %s that name a missing row of %s: %d", child, parent, n))
	}
	return problems, translate(broken.Err())
}

// checkPostgres returns the first thing that cannot be read: after an error, the
// transaction has ended.
func checkPostgres(tx *Tx, progress func(string)) ([]string, error) {
	text := func(scan func(...any) error) (name string, err error) {
		err = scan(&name)
		return name, err
	}
	tables, err := Collect(tx, text, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		progress("table " + table)
		// To make a text of a row, each of its values has to be read.
		var long int64
		if err := tx.Row("SELECT count(*) FROM " + table + " t WHERE octet_length(t::text) < 0").Scan(&long); err != nil {
			return []string{fmt.Sprintf("the table %s cannot be read: %v", table, err)}, nil
		}
	}
	indexes, err := Collect(tx, text, `SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
		WHERE c.relnamespace = current_schema()::regnamespace AND a.amname = 'btree' AND EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'amcheck') ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	for _, index := range indexes {
		progress("index " + index)
		var one int
		if err := tx.Row("SELECT 1 FROM bt_index_check(CAST($1 AS TEXT)::regclass)", index).Scan(&one); err != nil {
			return []string{fmt.Sprintf("the index %s is damaged: %v", index, err)}, nil
		}
	}
	return nil, nil
}
