package service

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// After an upgrade, a job computes the facts of existing requests and the folded
// texts.
func TestInsightsAfterAnUpgrade(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newAPIDesk(t, url)
		field, err := c.CreateCustomField(ctx, c.caller(), desk.NewCustomField{Name: "Note", Type: desk.FieldText, Entity: desk.EntityRequest})
		must(t, err)
		for range worker.RebuildPiece + 1 {
			c.request("Help", "Help")
		}
		values := desk.FieldInput{fmt.Sprint(field.ID): "ÄRGER"}
		_, err = c.UpdateRequest(ctx, c.caller(), c.request("One", "more").ID, desk.RequestChange{Values: values})
		must(t, err)
		must(t, c.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
			for _, statement := range []string{"DELETE FROM request_facts", "DELETE FROM response_facts", "UPDATE custom_field_values SET value_folded = NULL"} {
				if _, err := tx.Exec(statement); err != nil {
					return err
				}
			}
			return nil
		}))
		must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
			return job.Add(tx.Tx, worker.RebuildInsights{Account: c.account.ID}, tx.Now)
		}))
		c.clock.goes = time.Now()
		run(t, c.process)
		for deadline := time.Now().Add(5 * time.Minute); c.rows("jobs WHERE kind = 'insights.rebuild'") > 0; time.Sleep(10 * time.Millisecond) { // no bell rings when a job ends
			if time.Now().After(deadline) {
				t.Fatal("the job did not finish")
			}
		}
		if n := c.rows("request_facts"); n != worker.RebuildPiece+2 {
			t.Errorf("%d requests have facts", n)
		}
		if n := c.rows("custom_field_values WHERE value_folded = 'ärger'"); n != 1 {
			t.Errorf("%d texts are folded", n)
		}
	})
}
