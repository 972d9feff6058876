package sqldb

import (
	"context"
	"fmt"
)

// mergedPages is how many pages one call of MergeSegments writes, which takes about
// 10 ms.
const mergedPages = 64

// MergeSegments merges some segments of a full-text index, and reports whether there
// is more to merge. Segments are merged where a level has at least so many: the
// fewer, the more often a document is written again. SQLite adds a segment with every
// transaction, and a search looks into each of them. PostgreSQL has no segments, so
// there is nothing to do.
func (db *DB) MergeSegments(ctx context.Context, index string, least int64) (more bool, err error) {
	if db.engine != SQLite {
		return false, nil
	}
	err = db.Derive(ctx, func(tx *Tx) error {
		if db.mergeLeast.Load() != least {
			if _, err := tx.Exec(fmt.Sprintf("INSERT INTO %s (%[1]s, rank) VALUES ('usermerge', %d)", index, least)); err != nil {
				return err
			}
		}
		before, err := totalChanges(tx)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(fmt.Sprintf("INSERT INTO %s (%[1]s, rank) VALUES ('merge', %d)", index, mergedPages)); err != nil {
			return err
		}
		after, err := totalChanges(tx)
		more = after-before >= 2 // one change is the statement itself
		return err
	})
	if err != nil {
		return false, fmt.Errorf("merge the segments of %s: %w", index, err)
	}
	db.mergeLeast.Store(least)
	return more, nil
}

// totalChanges returns how many rows the connection has changed so far, in tables
// behind a virtual one too.
func totalChanges(tx *Tx) (n int64, err error) {
	err = tx.Row("SELECT total_changes()").Scan(&n)
	return n, err
}
