package sqldb_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Migration 29 moves who holds what to lanes, and what is pending stays pending: what
// was on its way when the version before stopped is neither lost nor done twice.
func TestUpgradeToLanes(t *testing.T) {
	eachEmpty(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		ctx := context.Background()
		_, err := db.Migrate(ctx, schemaTo(t, 28))
		must(t, err)
		const person = "author_name, author_email, author_email_folded"
		for _, statement := range []string{
			"INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at) VALUES ('Acme', 'A', 'UTC', TRUE, 1, 1)",
			"INSERT INTO collections (account_id, name, kind, created_at, updated_at) VALUES (1, 'Help', 'chat', 1, 1)",
			`INSERT INTO requests (account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, ` + person + `, workspace, thread_url, triage_url, source,
				created_at, updated_at, last_message_at) VALUES (1, 1, '', '', 'open', TRUE, 'normal', '', '', '', '', '', '', '', 'api', 1, 1, 1)`,
			"INSERT INTO tellings (account_id, request_id, held_by, held_until) VALUES (1, 1, 'poster', 11)",
			`INSERT INTO announcements (account_id, name, status, channel_id, message_id, sender, as_user, unfurl_links, unfurl_media, html, wanted, read_for, synced, channels, delivered, failed, created_at)
				VALUES (1, 'News', 'pending', 'C', '1.1', 'native', FALSE, FALSE, FALSE, 'old', 3, 2, 1, 5, 2, 1, 1)`,
			`INSERT INTO announcement_recipients (account_id, announcement_id, channel_id, status, error, mark, kept, external_id, shown, held_by, held_until) VALUES
				(1, 1, 'waits', NULL, '', 'm1', '', NULL, 0, '', 0), (1, 1, 'on its way', NULL, '', 'm2', 'k2', NULL, 0, 'announcer', 12),
				(1, 1, 'failed', 'fail', 'archived', 'm3', '', NULL, 2, '', 0), (1, 1, 'stale', 'success', '', 'm4', '', '2.4', 2, '', 0), (1, 1, 'fresh', 'success', '', 'm5', '', '2.5', 3, '', 0)`,
			"INSERT INTO tickets (account_id, request_id, type, key, url, created_at) VALUES (1, 1, 'zendesk', '7', '', 1)",
			`INSERT INTO ticket_links (account_id, ticket_id, system, name, is_task, forward, backward, notify_status, status_id, status_name, state, comment_cursor, read_at, held_by, held_until, created_at)
				VALUES (1, 1, 'zendesk', '7', FALSE, TRUE, TRUE, FALSE, '', '', 'open', '', 0, 'syncer', 13, 1)`,
			"INSERT INTO messages (account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at)" +
				" VALUES (1, 1, '', '', '', '', FALSE, FALSE, FALSE, FALSE, 'api', 1), (1, 1, '', '', '', '', FALSE, FALSE, FALSE, FALSE, 'api', 2), (1, 1, '', '', '', '', FALSE, FALSE, FALSE, FALSE, 'api', 3), (1, 1, '', '', '', '', FALSE, FALSE, FALSE, FALSE, 'api', 4)",
			`INSERT INTO link_comments (account_id, link_id, message_id, key, external_id, tried, failure) VALUES
				(1, 1, 1, 'k1', NULL, FALSE, ''), (1, 1, 2, 'k2', NULL, TRUE, ''), (1, 1, 3, 'k3', NULL, TRUE, 'closed'), (1, 1, 4, '', '99', FALSE, '')`,
			`INSERT INTO jobs (kind, args, args_id, unique_key, run_at, owner, attempt, failures, last_error, created_at) VALUES
				('announcement.send', '{}', 0, 'both', 1, '', 0, 0, '', 1), ('announcement.resync', '{}', 0, 'both', 1, '', 0, 0, '', 1), ('announcement.resync', '{}', 0, 'one', 1, '', 0, 0, '', 1)`,
		} {
			must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
				_, err := tx.Exec(statement)
				return err
			}))
		}
		_, err = db.Migrate(ctx, schema.Files)
		must(t, err)
		for _, look := range []struct{ statement, want string }{
			{"SELECT kind || ' ' || id || ' ' || held_by || ' ' || held_until FROM lanes ORDER BY held_until", "request 1 poster 11, copy 2 announcer 12, link 1 syncer 13"},
			{"SELECT channel_id || ' ' || mark || kept || ' ' || failure FROM announcement_recipients WHERE wanted > shown ORDER BY id", "waits m1 , on its way m2k2 , stale m4 "},
			{"SELECT channel_id || ' ' || failure FROM announcement_recipients WHERE wanted <= shown ORDER BY id", "failed archived, fresh "},
			{"SELECT mark || ' ' || CASE WHEN tried_at IS NULL THEN 'new' ELSE 'tried' END FROM link_comments WHERE wanted > shown ORDER BY id", "k1 new, k2 tried"},
			{"SELECT kind || ' ' || unique_key FROM jobs ORDER BY id", "announcement.send both, announcement.send one"},
		} {
			var got []string
			must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
				got, err = sqldb.Collect(tx, func(scan func(...any) error) (s string, err error) {
					err = scan(&s)
					return s, err
				}, look.statement)
				return err
			}))
			if strings.Join(got, ", ") != look.want {
				t.Errorf("%s:\ngot  %q\nwant %q", look.statement, strings.Join(got, ", "), look.want)
			}
		}
	})
}

// schemaTo returns the migrations up to a version.
func schemaTo(t *testing.T, version int) fs.FS {
	t.Helper()
	names, err := fs.Glob(schema.Files, "*.sql")
	must(t, err)
	some := fstest.MapFS{}
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return name > fmt.Sprintf("%04d_~", version) }) {
		text, err := fs.ReadFile(schema.Files, name)
		must(t, err)
		some[name] = &fstest.MapFile{Data: text}
	}
	return some
}
