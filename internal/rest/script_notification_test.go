package rest

import (
	"context"
	"encoding/json"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
)

// tells tells members of this stage what has happened. Otherwise this happens in the
// background.
func (s *stage) tells() error {
	type waiting struct {
		id   int64
		args change.NotifyMembers
	}
	var all []waiting
	ctx := context.Background()
	err := s.store.DB().Write(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (w waiting, err error) {
			var args string
			if err := scan(&w.id, &args); err != nil {
				return w, err
			}
			return w, json.Unmarshal([]byte(args), &w.args)
		}, "SELECT id, args FROM jobs WHERE kind = 'notification.add' ORDER BY id")
		return err
	})
	if err != nil {
		return err
	}
	for _, w := range all {
		if desk.FormatID(w.args.Account) != s.ids["account"] {
			continue
		}
		if err := s.worker.Do(ctx, &job.Job{Attempt: 1}, w.args); err != nil {
			return err
		}
		if err := s.store.DB().Write(ctx, func(tx *sqldb.Tx) error { return tx.Do("DELETE FROM jobs WHERE id = $1", w.id) }); err != nil {
			return err
		}
	}
	return nil
}
