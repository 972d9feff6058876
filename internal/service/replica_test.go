package service

import (
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// A replica answers lists, searches and insights, and they have what was written a
// moment ago. That it answers nothing else is checked with a single request.
func TestReplicaAnswersWhatReadsMuch(t *testing.T) {
	primary := dbtest.StartServer(t)
	_, err := dbtest.Open(t, sqldb.Config{URL: primary.URL}).Migrate(ctx, schema.Files)
	must(t, err)
	replica := primary.StartReplica(t)
	c := newAPIDesk(t, primary.URL)
	db := dbtest.Open(t, sqldb.Config{URL: primary.URL, ReplicaURL: replica.URL, Log: quiet})
	node := c.on(store.New(db, key, c.clock.Now))
	must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
		_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U1", Name: "Ada", Email: c.admin.Email}}}, time.Time{})
		return err
	}))
	made := c.request("Broken", "The heron does not fly")
	must(t, index.Update(ctx, c.store, c.account.ID))

	who := c.caller()
	for _, asked := range []struct {
		what  string
		far   bool
		count func() (int, error)
	}{
		{"the list of requests", true, func() (int, error) {
			l, err := node.Requests(ctx, who, desk.RequestFilter{}, desk.Page{}, false)
			return len(l.Items), err
		}},
		{"the search", true, func() (int, error) {
			l, err := node.SearchRequests(ctx, who, desk.RequestSearch{Query: "heron"}, desk.Page{}, true)
			return len(l.Items), err
		}},
		{"insights", true, func() (int, error) {
			rows, err := node.QueryInsights(ctx, who, desk.InsightsQuery{Measures: []string{"Requests.count"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}})
			return len(rows), err
		}},
		{"the audit log", true, func() (int, error) {
			l, err := node.AuditLogs(ctx, who, desk.AuditLogFilter{}, desk.Page{Limit: 1})
			return len(l.Items), err
		}},
		{"a request", false, func() (int, error) {
			_, err := node.Request(ctx, who, made.ID, RequestParts{})
			return 1, err
		}},
	} {
		before := db.Stats()
		n, err := asked.count()
		must(t, err)
		if n != 1 {
			t.Errorf("%s has %d", asked.what, n)
		}
		if after := db.Stats(); (after.ReplicaReads > before.ReplicaReads) != asked.far || after.ReplicaMisses > before.ReplicaMisses {
			t.Errorf("%s: the replica answered %d reads and missed %d", asked.what, after.ReplicaReads-before.ReplicaReads, after.ReplicaMisses-before.ReplicaMisses)
		}
	}
}
