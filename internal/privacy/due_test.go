package privacy_test

import (
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// A preview counts to its limit and says that there is more. It reads what is due by
// an index, and so does the sweep.
func TestPreviewsCountToALimit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFormer(t, db)
		col := desk.Collection{Name: "API", Kind: desk.APICollection}
		must(t, f.Store.Write(ctx, f.account, func(tx *store.Tx) error { return tx.AddCollection(&col) }))
		add := func(from, to int) {
			f.sql(`WITH RECURSIVE n (i) AS (SELECT CAST($2 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $3)
				INSERT INTO requests (account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, author_name, author_email, author_email_folded, workspace, thread_url, triage_url,
					source, created_at, updated_at, last_message_at, solved_at)
				SELECT CAST($1 AS BIGINT), CAST($4 AS BIGINT), 'x', 'rules', 'solved', TRUE, 'normal', 'rules', '', '', '', '', '', '', 'api', i, i, i, i FROM n`, f.account, from, to, col.ID)
		}
		preview := func() (p desk.RetentionPreview) {
			must(t, f.Store.Read(ctx, f.account, func(tx *store.Tx) (err error) {
				one := 1
				p, err = privacy.PreviewRetention(tx, col.ID, desk.Retention{MessagesDays: &one})
				return err
			}))
			return p
		}
		add(1, desk.MostCounted)
		if p := preview(); p.Now.Requests != (desk.Counted{Count: desk.MostCounted}) || p.Now.Messages.More {
			t.Errorf("at the limit: %+v", p.Now)
		}
		add(desk.MostCounted+1, desk.MostCounted+5)
		if p := preview(); p.Now.Requests != (desk.Counted{Count: desk.MostCounted, More: true}) || !p.Now.Messages.More || p.Now.Newest.UnixMilli() != desk.MostCounted+5 || p.Now.Oldest.UnixMilli() != 1 {
			t.Errorf("above the limit: %+v", p.Now)
		}
		if db.Engine() != sqldb.SQLite { // PostgreSQL plans by the size of tables
			return
		}
		for index, column := range map[string]string{"requests_texts_due": "texts_deleted_to", "requests_files_due": "files_deleted_to"} {
			plan := ""
			must(t, f.Store.Read(ctx, f.account, func(tx *store.Tx) error {
				q := privacy.DuePlan(tx, column, col.ID)
				return tx.Each(func(scan func(...any) error) error {
					var a, b, c int
					var detail string
					err := scan(&a, &b, &c, &detail)
					plan += detail + "\n"
					return err
				}, q.String(), q.Args()...)
			}))
			if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("what is due is found by %s", plan)
			}
		}
	})
}
