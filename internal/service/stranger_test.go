package service

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Strangers may come again after a while. A token that was valid passes in the
// meantime, as long as it stays valid.
func TestStrangersMayComeAgain(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	synctest.Test(t, func(t *testing.T) {
		c := companyAt(t, url)
		c.strangers = limit.New[string](2, 2)
		const office = "203.0.113.7"
		stranger := "fd_" + strings.Repeat("a", 34)
		passes := func() {
			t.Helper()
			if got, err := c.AuthenticateFrom(ctx, office, c.token.Secret); err != nil || got.Token != c.token.ID || got.Actor.IP != office {
				t.Errorf("%+v, %v", got, err)
			}
		}
		step := func(secret string, want desk.Kind) {
			t.Helper()
			if _, err := c.AuthenticateFrom(ctx, office, secret); err == nil || desk.KindOf(err) != want {
				t.Errorf("%v, want %v", err, want)
			}
		}
		passes()
		step(stranger, desk.Forbidden)
		step("", desk.Forbidden)
		step(stranger, desk.Busy)
		time.Sleep(30*time.Second - time.Nanosecond)
		step(stranger, desk.Busy)
		time.Sleep(time.Nanosecond)
		step(stranger, desk.Forbidden)
		step(stranger, desk.Busy)
		passes() // it has to be looked up again

		must(t, c.store.DB().Write(ctx, func(tx *sqldb.Tx) error { // as another process would do it
			_, err := tx.Exec("UPDATE tokens SET revoked_at = 1 WHERE account_id = $1 AND id = $2", c.account.ID, c.token.ID)
			return err
		}))
		time.Sleep(bearerKept)
		step(c.token.Secret, desk.Busy)
		if _, known := c.bearers.kept[c.token.Prefix]; known {
			t.Error("a revoked token is looked up each time")
		}
	})
}
