package sqldb

import (
	"context"
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
