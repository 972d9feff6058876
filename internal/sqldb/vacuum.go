package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"time"
)

// Vacuum writes a SQLite file anew, so that nothing that was deleted is left in it, in
// its write-ahead log, or in the segments of a full-text index. It takes as much room
// again as the file, and nobody else can write meanwhile. It returns ErrUnavailable if
// readers keep the log in use for too long. On PostgreSQL it does nothing: there,
// operators decide when to run VACUUM FULL, which locks every table.
func (db *DB) Vacuum(ctx context.Context, index string) error {
	s, isSQLite := db.backend.(*sqliteDB)
	if !isSQLite {
		return nil
	}
	if err := db.Derive(ctx, func(tx *Tx) error {
		return tx.Do(fmt.Sprintf("INSERT INTO %s (%[1]s) VALUES ('optimize')", index))
	}); err != nil {
		return fmt.Errorf("merge the segments of %s: %w", index, err)
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	file := openFile(s.path, url.Values{"mode": {"rw"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", db.config.LockTimeout.Milliseconds())}}, 1)
	defer file.Close()
	if _, err := file.ExecContext(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("write the database anew: %w", translate(err))
	}
	return db.emptyLog(ctx, file)
}

// emptyLog empties the write-ahead log of a SQLite file.
func (db *DB) emptyLog(ctx context.Context, file *sql.DB) error {
	for until := time.Now().Add(db.config.LockTimeout); ; {
		var busy, pages, written int
		if err := file.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &written); err != nil {
			return fmt.Errorf("empty the write-ahead log: %w", translate(err))
		}
		if busy == 0 {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("%w: somebody reads the database all the time, so its write-ahead log still has what was deleted", ErrUnavailable)
		}
	}
}

// logWait is how long Forget waits for readers of the log in one attempt. Others who
// write wait with it.
const logWait = 100 * time.Millisecond

// Forget removes what was deleted from where SQLite keeps it for a while: from the
// segments of a full-text index, which keep the terms of a document until they are
// merged, and from the write-ahead log. What is deleted in the file itself is
// overwritten at once. Forget works in short transactions, so others can write
// meanwhile, and takes longer the larger the index is. Unlike Vacuum it leaves alone
// what SQLite may have copied within a page of the file. It returns ErrUnavailable if
// readers keep the log in use for too long. On PostgreSQL it does nothing.
func (db *DB) Forget(ctx context.Context, index string) error {
	s, isSQLite := db.backend.(*sqliteDB)
	if !isSQLite {
		return nil
	}
	for first, more := true, true; more; first = false {
		var err error
		if more, err = db.mergeAll(ctx, index, first); err != nil {
			return fmt.Errorf("merge the segments of %s: %w", index, err)
		}
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	file := openFile(s.path, url.Values{"mode": {"rw"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", logWait.Milliseconds())}}, 1)
	defer file.Close()
	return db.emptyLog(ctx, file)
}

// mergeAll does a part of merging all segments of a full-text index into one, and
// reports whether there is more to do. A negative number begins this, and later
// ones go on.
func (db *DB) mergeAll(ctx context.Context, index string, first bool) (more bool, err error) {
	pages := mergedPages
	if first {
		pages = -pages
	}
	err = db.Derive(ctx, func(tx *Tx) error {
		before, err := totalChanges(tx)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(fmt.Sprintf("INSERT INTO %s (%[1]s, rank) VALUES ('merge', %d)", index, pages)); err != nil {
			return err
		}
		after, err := totalChanges(tx)
		more = after-before >= 2 // one change is the statement itself
		return err
	})
	return more, err
}
