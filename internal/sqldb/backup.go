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
	"time"
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

// Snapshot is the whole database at one moment, in the form of an SQLite file.
type Snapshot struct {
	Tx   *Tx       // reads the rows
	At   time.Time // everything that was committed by then is in it
	Size int64     // of the file, in bytes
}

// Snapshot calls fn with a snapshot, while others read and write. On SQLite it is
// the file itself: a page keeps its place from one snapshot to the next unless it
// changes. On PostgreSQL the rows are first copied to a temporary file in folder.
func (db *DB) Snapshot(ctx context.Context, files fs.FS, folder string, fn func(*Snapshot) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	at := db.Now() // before the snapshot begins
	if s, ok := db.backend.(*sqliteDB); ok {
		return readSnapshot(ctx, s.path, at, db.stats, fn)
	}
	temporary, err := os.MkdirTemp(folder, ".snapshot-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	path := filepath.Join(temporary, "snapshot.db")
	if err := db.backend.backup(ctx, files, path); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return readSnapshot(ctx, path, at, db.stats, fn)
}

// readSnapshot opens a snapshot of an SQLite file. SQLite's log grows until fn
// returns, by what others write meanwhile.
func readSnapshot(ctx context.Context, path string, at time.Time, stats *stats, fn func(*Snapshot) error) error {
	pool := openFile(path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(1)"}}, 1)
	defer pool.Close()
	conn, err := newConn(ctx, pool)
	if err != nil {
		return translate(err)
	}
	defer conn.close()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return translate(err)
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	s := &Snapshot{Tx: newTx(ctx, SQLite, conn, stats), At: at}
	return s.Tx.run(func(tx *Tx) error {
		// The first statement that reads begins the snapshot.
		if err := tx.Row("SELECT n.page_count * s.page_size FROM (SELECT count(*) FROM sqlite_schema) AS any_read, pragma_page_count n, pragma_page_size s").Scan(&s.Size); err != nil {
			return err
		}
		return fn(s)
	})
}

// Pages calls fn with one page of the file after the other. A page is only valid
// during the call.
func (s *Snapshot) Pages(fn func(page []byte) error) error {
	rows, err := s.Tx.Query("SELECT data FROM sqlite_dbpage")
	if err != nil {
		return err
	}
	defer rows.Close()
	var page sql.RawBytes
	var size int64
	for rows.Next() {
		if err := rows.Scan(&page); err != nil {
			return err
		}
		if err := fn(page); err != nil {
			return err
		}
		size += int64(len(page))
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if size != s.Size {
		return fmt.Errorf("the database has %d bytes, and %d could be read", s.Size, size)
	}
	return nil
}

// backup has SQLite copy the file, on a connection of its own.
func (s *sqliteDB) backup(ctx context.Context, _ fs.FS, path string) error {
	source := openFile(s.path, url.Values{"mode": {"ro"}}, 1)
	defer source.Close()
	_, err := source.ExecContext(ctx, "VACUUM INTO ?", path)
	return translate(err)
}

// backup copies every table from one snapshot, in the order of its primary key, so
// that the same rows become the same file.
func (p *postgresDB) backup(ctx context.Context, files fs.FS, path string) error {
	if err := migrateFile(ctx, files, path); err != nil {
		return err
	}
	// Without the usual pragmas, so that foreign keys are not checked. The rows
	// come in the order of the tables, not of their references. Nothing waits for
	// the disk: a file that is not complete is not used.
	target := openFile(path, url.Values{"_pragma": {"synchronous(OFF)", "cache_size(-64000)"}}, 1)
	defer target.Close()
	// Once, because a second run would copy rows again. The file's disk may take long
	// between two tables.
	_, err := p.readOnce(ctx, migrationTimeout, func(tx *Tx) error {
		tables, err := Collect(tx, func(scan func(...any) error) (t keyedTable, err error) {
			err = scan(&t.name, &t.key)
			return t, err
		}, tablesOfPostgres)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := copyTable(ctx, tx, target, t); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
		}
		return nil
	})
	return err
}

// keyedTable is a table and the columns of its primary key.
type keyedTable struct{ name, key string }

const tablesOfPostgres = `SELECT c.relname, string_agg(quote_ident(a.attname), ', ' ORDER BY array_position(i.indkey::int2[], a.attnum))
	FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migrations'
	GROUP BY c.relname ORDER BY c.relname`

func migrateFile(ctx context.Context, files fs.FS, path string) error {
	db, err := Open(ctx, Config{URL: path})
	if err != nil {
		return err
	}
	_, err = db.Migrate(ctx, files)
	return errors.Join(err, db.Close())
}

func copyTable(ctx context.Context, from *Tx, target *sql.DB, t keyedTable) (err error) {
	rows, err := from.Query("SELECT * FROM " + t.name + " ORDER BY " + t.key)
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
	insert, err := to.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.name, strings.Join(columns, ", "), strings.Join(marks, ", ")))
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
	if err := copyIdentity(ctx, from, to, t.name); err != nil {
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
