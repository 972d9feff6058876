//go:build soak

package sqldb_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// TestSoakMigrationBesideWriters upgrades a database of 100,000 requests and 300,000 messages
// on PostgreSQL while others write. It logs the longest wait of a writer.
func TestSoakMigrationBesideWriters(t *testing.T) {
	for _, version := range []int{25, 5} {
		ctx := context.Background()
		url := dbtest.URL(t, sqldb.Postgres)
		conn := admin(t, url)
		_, err := conn.Exec(ctx, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		must(t, err)
		db := dbtest.Open(t, sqldb.Config{URL: url})
		_, err = db.Migrate(ctx, schemaTo(t, 5))
		must(t, err)
		for _, statement := range []string{
			"INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at) VALUES ('Acme', 'A', 'UTC', TRUE, 1, 1)",
			"INSERT INTO collections (account_id, name, kind, created_at, updated_at) VALUES (1, 'Help', 'chat', 1, 1)",
			`INSERT INTO requests (account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, author_name, author_email, author_email_folded, workspace, thread_url, triage_url, source,
				created_at, updated_at, last_message_at) SELECT 1, 1, 'Request ' || i, '', 'open', TRUE, 'normal', '', 'Jo', 'jo' || i % 900 || '@acme.test', 'jo' || i % 900 || '@acme.test', '', '', '', 'api', i, i, i
				FROM generate_series(1, 100000) i`,
			`INSERT INTO messages (account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at)
				SELECT 1, 1 + i % 100000, 'Jo', 'jo@acme.test', repeat('<p>It does not open.</p>', 10), repeat('It does not open. ', 10), FALSE, FALSE, FALSE, FALSE, 'api', i FROM generate_series(1, 300000) i`,
			"INSERT INTO request_tags (account_id, request_id, n, tag) SELECT 1, i, 0, 'tag' || i % 50 FROM generate_series(1, 100000) i",
			`INSERT INTO audit_logs (account_id, at, actor, action, resource_type, resource_id, source, ip) SELECT 1, i, '{}', 'request.created', 'request', i, 'api', '' FROM generate_series(1, 100000) i`,
		} {
			do(t, db, statement)
		}
		_, err = conn.Exec(ctx, "VACUUM ANALYZE")
		must(t, err)
		_, err = db.Migrate(ctx, schemaTo(t, version))
		must(t, err)

		running, stop := context.WithCancel(ctx)
		var writers sync.WaitGroup
		var mu sync.Mutex
		var longest, sum time.Duration
		writes := 0
		for i := range 2 {
			writers.Go(func() {
				for n := i; running.Err() == nil; n += 2 {
					began := time.Now()
					err := db.Write(ctx, func(tx *sqldb.Tx) error {
						if err := tx.Do(`INSERT INTO messages (account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at)
							VALUES (1, $1, '', '', '', '', FALSE, FALSE, FALSE, FALSE, 'api', $1)`, n%100000+1); err != nil {
							return err
						}
						return tx.Do("UPDATE requests SET updated_at = $1 WHERE account_id = 1 AND id = $2", n, n%100000+1)
					})
					if err != nil {
						t.Errorf("a write failed: %v", err)
					}
					mu.Lock()
					longest, sum, writes = max(longest, time.Since(began)), sum+time.Since(began), writes+1
					mu.Unlock()
				}
			})
		}
		node := dbtest.Open(t, sqldb.Config{URL: url})
		began := time.Now()
		_, err = node.Migrate(ctx, schema.Files)
		took := time.Since(began)
		stop()
		writers.Wait()
		must(t, err)
		t.Logf("from version %d: %s; %d writes, %s on average, at most %s", version, took, writes, sum/time.Duration(writes), longest)
		must(t, db.Close())
	}
}
