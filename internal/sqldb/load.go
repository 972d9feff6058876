package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// ErrNotEmpty says that a database has rows where none are expected.
var ErrNotEmpty = errors.New("the database is not empty")

// Load fills an empty PostgreSQL database with the rows of an SQLite file, all or
// nothing. It migrates both. It leaves out the tables in without. The database
// gives the next ids as the file would.
//
//  1. Foreign keys and indexes are dropped, because rows come in the order of the
//     tables, and because an index is built faster at once than row by row.
//  2. Rows are copied, and the sequences are set.
//  3. Indexes and foreign keys are made again, which checks them.
func (db *DB) Load(ctx context.Context, files fs.FS, path string, without []string) error {
	p, ok := db.backend.(*postgresDB)
	if !ok {
		return errors.New("only PostgreSQL is loaded: SQLite uses the file itself")
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if _, err := db.Migrate(ctx, files); err != nil {
		return err
	}
	if err := migrateFile(ctx, files, path); err != nil {
		return err
	}
	source := openFile(path, nil, 1)
	defer source.Close()
	conn, err := p.conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(raw any) error {
		return pgx.BeginFunc(ctx, raw.(*stdlib.Conn).Conn(), func(tx pgx.Tx) error {
			return (&loading{ctx: ctx, from: source, to: tx, without: without}).run()
		})
	})
}

// loading is one run of Load.
type loading struct {
	ctx     context.Context
	from    *sql.DB
	to      pgx.Tx
	without []string
}

func (l *loading) run() error {
	tables, err := l.texts("SELECT tablename, '' FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations' ORDER BY tablename")
	if err != nil {
		return err
	}
	for _, t := range tables {
		var some bool
		if err := l.to.QueryRow(l.ctx, "SELECT EXISTS (SELECT 1 FROM "+t[0]+")").Scan(&some); err != nil {
			return err
		}
		if some {
			return fmt.Errorf("%w: its table %s has rows", ErrNotEmpty, t[0])
		}
	}
	keys, err := l.texts(`SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
		format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
		FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`)
	if err != nil {
		return err
	}
	indexes, err := l.texts(`SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisprimary
		AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = i.indexrelid AND o.contype IN ('u', 'x'))`)
	if err != nil {
		return err
	}
	around := slices.Concat(indexes, keys)
	for _, drop := range slices.Backward(around) {
		if _, err := l.to.Exec(l.ctx, drop[0]); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if slices.Contains(l.without, t[0]) {
			continue
		}
		if err := l.copyRows(t[0]); err != nil {
			return fmt.Errorf("table %s: %w", t[0], err)
		}
	}
	if err := l.setSequences(); err != nil {
		return err
	}
	for _, add := range around {
		if _, err := l.to.Exec(l.ctx, add[1]); err != nil {
			return err
		}
	}
	return nil
}

// texts reads pairs of texts.
func (l *loading) texts(query string) ([][2]string, error) {
	rows, err := l.to.Query(l.ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (pair [2]string, err error) {
		err = row.Scan(&pair[0], &pair[1])
		return pair, err
	})
}

func (l *loading) copyRows(table string) error {
	rows, err := l.from.QueryContext(l.ctx, "SELECT * FROM "+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	columns, values, into := make([]string, len(types)), make([]any, len(types)), make([]any, len(types))
	for i := range values {
		columns[i], into[i] = types[i].Name(), &values[i]
		if types[i].DatabaseTypeName() == "BOOLEAN" { // SQLite stores a number
			into[i] = &sqlBool{&values[i]}
		}
	}
	_, err = l.to.CopyFrom(l.ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		return values, rows.Scan(into...)
	}))
	return err
}

// sqlBool scans a truth value into a value for PostgreSQL.
type sqlBool struct{ to *any }

// Scan implements sql.Scanner.
func (b *sqlBool) Scan(value any) error {
	var v sql.NullBool
	err := v.Scan(value)
	if *b.to = nil; v.Valid {
		*b.to = v.Bool
	}
	return err
}

// setSequences makes the next ids those that the file would give.
func (l *loading) setSequences() error {
	rows, err := l.from.QueryContext(l.ctx, "SELECT name, seq FROM sqlite_sequence WHERE seq > 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var last int64
		if err := rows.Scan(&table, &last); err != nil {
			return err
		}
		if _, err := l.to.Exec(l.ctx, "SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", table, last); err != nil {
			return fmt.Errorf("the ids of %s: %w", table, err)
		}
	}
	return rows.Err()
}
