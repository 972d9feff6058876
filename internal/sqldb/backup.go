package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Backup writes a snapshot of the whole database into a new SQLite file. It works
// with both engines, while others read and write. files are the migrations. The
// file gets its final name only when it is complete and on disk.
func (db *DB) Backup(ctx context.Context, files fs.FS, path string) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: choose another name", path)
	}
	unfinished := path + ".unfinished"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer removeAll(unfinished)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := makePrivate(unfinished); err != nil { // SQLite accepts an empty file as a new database
		return err
	}
	if err := db.backend.backup(ctx, files, unfinished); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if err := syncFile(unfinished); err != nil {
		return err
	}
	// Link, not rename: a file that was created under this name meanwhile must not
	// be replaced.
	if err := os.Link(unfinished, path); err != nil {
		return err
	}
	return syncFile(filepath.Dir(path))
}

func removeAll(path string) {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(path + end)
	}
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// backup has SQLite copy the file, on a connection of its own.
func (s *sqliteDB) backup(ctx context.Context, _ fs.FS, path string) error {
	source := openFile(s.path, url.Values{"mode": {"ro"}}, 1)
	defer source.Close()
	_, err := source.ExecContext(ctx, "VACUUM INTO ?", path)
	return translate(err)
}

// backup copies every table from one snapshot.
func (p *postgresDB) backup(ctx context.Context, files fs.FS, path string) error {
	if err := migrateFile(ctx, files, path); err != nil {
		return err
	}
	// Without the usual pragmas, so that foreign keys are not checked. The rows
	// come in the order of the tables, not of their references.
	target := openFile(path, nil, 1)
	defer target.Close()
	// Once, because a second run would copy rows again. The file's disk may take long
	// between two tables.
	_, err := p.readOnce(ctx, migrationTimeout, func(tx *Tx) error {
		tables, err := Collect(tx, func(scan func(...any) error) (name string, err error) {
			err = scan(&name)
			return name, err
		},
			"SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations' ORDER BY tablename")
		if err != nil {
			return err
		}
		for _, table := range tables {
			if err := copyTable(ctx, tx, target, table); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
		return nil
	})
	return err
}

func migrateFile(ctx context.Context, files fs.FS, path string) error {
	db, err := Open(ctx, Config{URL: path})
	if err != nil {
		return err
	}
	_, err = db.Migrate(ctx, files)
	return errors.Join(err, db.Close())
}

func copyTable(ctx context.Context, from *Tx, target *sql.DB, table string) (err error) {
	rows, err := from.Query("SELECT * FROM " + table)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	to, err := target.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer to.Rollback()
	marks := make([]string, len(columns))
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range columns {
		marks[i] = "$" + strconv.Itoa(i+1)
		into[i] = &values[i]
	}
	insert, err := to.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(marks, ", ")))
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if err := copyIdentity(ctx, from, to, table); err != nil {
		return err
	}
	return to.Commit()
}

// copyIdentity copies the highest id that was ever given out, so that the copy does
// not reuse the id of a deleted row.
func copyIdentity(ctx context.Context, from *Tx, to *sql.Tx, table string) error {
	var last *int64
	err := from.Row(`SELECT last_value FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = $1`, table+"_id_seq").Scan(&last)
	if errors.Is(err, ErrNoRows) || err == nil && last == nil {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := to.ExecContext(ctx, "DELETE FROM sqlite_sequence WHERE name = $1", table); err != nil {
		return err
	}
	_, err = to.ExecContext(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", table, *last)
	return err
}
