package store

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Report is an entry of the directory as the chat system reported it. Of two reports
// the one with the higher revision is the later. If the revisions are equal, the
// order is unknown.
type Report[T any] struct {
	Is       T
	Revision int64
}

// reportBatch holds how a batch of reports is applied: as a page of the whole
// directory, read at a known time, or as an event.
type reportBatch struct {
	readAt time.Time // zero for an event
	doubt  bool      // two reports with the same revision differ, so one may be outdated
}

// kept is the revision and time of the stored entry.
type kept struct {
	revision  int64
	updatedAt time.Time
}

// replaces decides whether a report that differs from the stored entry replaces it.
//
//  1. The later revision wins.
//  2. At the same revision, a page read after our last update is right: it shows
//     the current state.
//  3. At the same revision, an event is believed, because most events come in
//     order. It leaves a doubt that the next page settles.
func (t *reportBatch) replaces(revision int64, k kept) bool {
	switch {
	case revision != k.revision:
		return revision > k.revision
	case t.readAt.IsZero():
		t.doubt = true
		return true
	}
	return t.readAt.After(k.updatedAt)
}

// shelf describes the table of one part of the directory. key is the column with
// the chat system's id, present is the condition for an entry that exists, and gone
// is the SET that ends it.
type shelf struct{ table, key, present, gone string }

var (
	userShelf    = shelf{"users", "user_id", "NOT deleted", "deleted = TRUE"}
	teamShelf    = shelf{"teams", "source_id", "is_active", "is_active = FALSE"}
	channelShelf = shelf{"channels", "channel_id", "NOT is_gone", "is_gone = TRUE"}
)

// RetireUsers, RetireTeams and RetireChannels end every entry that the chat system
// no longer shows. They spare entries that were seen and entries updated after the
// reading began.
func (s *Store) RetireUsers(ctx context.Context, account desk.AccountID, seen map[string]bool, began time.Time) error {
	return s.retire(ctx, account, userShelf, seen, began)
}

func (s *Store) RetireTeams(ctx context.Context, account desk.AccountID, seen map[string]bool, began time.Time) error {
	return s.retire(ctx, account, teamShelf, seen, began)
}

func (s *Store) RetireChannels(ctx context.Context, account desk.AccountID, seen map[string]bool, began time.Time) error {
	return s.retire(ctx, account, channelShelf, seen, began)
}

func (s *Store) retire(ctx context.Context, account desk.AccountID, sh shelf, seen map[string]bool, began time.Time) error {
	const piece = 500
	type row struct {
		id  int64
		key string
	}
	for last, more := int64(0), true; more; {
		var rows []row
		err := s.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
			rows, err = sqldb.Collect(tx, func(scan scanner) (r row, err error) {
				err = scan(&r.id, &r.key)
				return r, err
			}, "SELECT id, "+sh.key+" FROM "+sh.table+" WHERE account_id = $1 AND "+sh.present+" AND id > $2 ORDER BY id LIMIT $3", account, last, piece)
			return err
		})
		if err != nil {
			return fit(err)
		}
		if more = len(rows) == piece; more {
			last = rows[piece-1].id
		}
		rows = slices.DeleteFunc(rows, func(r row) bool { return seen[r.key] })
		if len(rows) == 0 {
			continue
		}
		err = s.Write(ctx, account, func(tx *Tx) error {
			for _, r := range rows {
				if err := tx.Do("UPDATE "+sh.table+" SET "+sh.gone+", updated_at = $1 WHERE account_id = $2 AND id = $3 AND updated_at < $4",
					ms(tx.Now), account, r.id, ms(began)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fit(err)
		}
	}
	return nil
}
