package job

import (
	"errors"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// If the job belongs to another runner by now, its effect is undone even though the
// handler ignores the error of Done.
func TestEffectOfALostJobIsUndoneEvenIfDoneIsNotHeeded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		gone := &Job{ID: 7, Kind: "gone", owner: "me", Attempt: 1}
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			if _, err := tx.Exec("INSERT INTO leases (name, owner, until) VALUES ('effect', 'o', 1)"); err != nil {
				return err
			}
			_ = gone.Done(tx)
			return nil
		})
		if !errors.Is(err, ErrLost) {
			t.Errorf("the transaction gave %v, want ErrLost", err)
		}
		var effects int
		if err := db.Read(t.Context(), func(tx *sqldb.Tx) error {
			return tx.Row("SELECT count(*) FROM leases WHERE name = 'effect'").Scan(&effects)
		}); err != nil || effects != 0 {
			t.Errorf("%d effects are there, %v", effects, err)
		}
	})
}
