package store

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Told is something of the directory as the chat system told it. Of two
// tellings the one with the higher revision is the later; at the same revision
// nobody knows.
type Told[T any] struct {
	Is       T
	Revision int64
}

// tellings is how several tellings are taken: a page of the whole directory,
// read at a moment, or an event.
type tellings struct {
	readAt time.Time // zero for an event
	doubt  bool      // two with the same revision differ: one may have been overtaken
}

// kept is what is known so far.
type kept struct {
	revision  int64
	updatedAt time.Time
}

// replaces decides whether a telling that differs from what is kept replaces
// it.
//
//  1. The later revision wins.
//  2. At the same revision a page that was read after we last heard is right:
//     it is how things are.
//  3. At the same revision an event is believed, since most come in order, but
//     it leaves a doubt for the next page to settle.
func (t *tellings) replaces(revision int64, k kept) bool {
	switch {
	case revision != k.revision:
		return revision > k.revision
	case t.readAt.IsZero():
		t.doubt = true
		return true
	}
	return t.readAt.After(k.updatedAt)
}

// shelf is a part of the directory in its table: key is the chat system's id,
// present tells what is there, and gone is how that ends.
type shelf struct{ table, key, present, gone string }

var (
	userShelf    = shelf{"users", "user_id", "NOT deleted", "deleted = TRUE"}
	teamShelf    = shelf{"teams", "source_id", "is_active", "is_active = FALSE"}
	channelShelf = shelf{"channels", "channel_id", "NOT is_gone", "is_gone = TRUE"}
)

// RetireUsers, RetireTeams and RetireChannels end what the chat system no
// longer shows: everything but what was seen, and but what we heard of after
// the reading began.
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
				if _, err := tx.Exec("UPDATE "+sh.table+" SET "+sh.gone+", updated_at = $1 WHERE account_id = $2 AND id = $3 AND updated_at < $4",
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
