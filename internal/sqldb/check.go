package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Check reads everything in the database and returns what is wrong with it, as
// about a hundred sentences at most. SQLite compares every table with its indexes, and every reference with
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
	// Not opened read-only, because SQLite then forgets the CHECK constraints.
	pool := openFile(path, url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)", "query_only(1)", "cache_size(-64000)"}}, 1)
	defer pool.Close()
	for _, check := range []struct{ what, query string }{
		{"tables and indexes", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"},
		{"references", `SELECT 'rows of ' || "table" || ' that name a missing row of ' || "parent" || ': ' || count(*) FROM pragma_foreign_key_check GROUP BY "table", "parent"`},
	} {
		progress(check.what)
		found, err := queryTexts(ctx, pool, check.query)
		problems = append(problems, found...)
		var e *sqlite.Error
		if errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB) {
			return append(problems, fmt.Sprintf("%s cannot be read: %v", check.what, err)), nil
		}
		if err != nil {
			return nil, translate(err)
		}
	}
	return problems, nil
}

func queryTexts(ctx context.Context, pool *sql.DB, query string) (texts []string, err error) {
	rows, err := pool.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return texts, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
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
