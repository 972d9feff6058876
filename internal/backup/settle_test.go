package backup_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"frontdesk/internal/backup"
	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// A restored desk does nothing twice that the old one may have done after the backup,
// and gives no id again.
func TestRestoreDoublesNothing(t *testing.T) {
	t.Parallel()
	eachDesk(t, nil, func(t *testing.T, d *aDesk) {
		must(t, d.request("a request", "a file"))
		now := time.Now().UnixMilli()
		must(t, d.db.Write(ctx, func(tx *sqldb.Tx) error {
			for _, s := range []struct {
				statement string
				args      []any
			}{
				{`INSERT INTO posts (account_id, request_id, kind, place, part, text, as_bot, mark, wanted, shown, kept, failure)
					SELECT account_id, id, 'root', 'thread', 0, '', TRUE, 'pending', 1, 0, '', '' FROM requests`, nil},
				{`INSERT INTO posts (account_id, request_id, kind, place, part, text, as_bot, mark, wanted, shown, kept, failure)
					SELECT account_id, id, 'notice', 'direct', 0, '', TRUE, 'done', 1, 1, '', '' FROM requests`, nil},
				{`INSERT INTO mails (account_id, request_id, direction, external_id, body, created_at) SELECT account_id, id, 'out', 'x', '', 0 FROM requests`, nil},
				{`INSERT INTO mail_copies (account_id, mail_id, email, role, due_at, created_at, mark, wanted, shown, kept, failure)
					SELECT account_id, id, 'jo@customer.test', 'to', 0, 0, 'm', 1, 0, '', '' FROM mails`, nil},
				{`INSERT INTO notices (account_id, member_id, way, is_test, created_at, mark, wanted, shown, kept, failure) SELECT account_id, id, 'chat', FALSE, 0, 'n', 1, 0, '', '' FROM members`, nil},
				{`INSERT INTO notifications (account_id, member_id, request_id, kind, message_id, by_name, mark, created_at, goes_out)
					SELECT r.account_id, m.id, r.id, 'mention', 0, '', 'x', 0, TRUE FROM requests r JOIN members m ON m.account_id = r.account_id`, nil},
				{`INSERT INTO dashboards (account_id, member_id, name, cards, date_range, filters, is_shared, position, created_at, updated_at)
					SELECT account_id, id, '', '[]', '""', '[]', FALSE, 1, 0, 0 FROM members`, nil},
				{`INSERT INTO reports (account_id, dashboard_id, member_id, every, weekday, day, hour, member_ids, next_at, stopped, failure, created_at, updated_at)
					SELECT account_id, id, member_id, 'day', 1, 1, 9, '[]', $1, '', '', 0, 0 FROM dashboards`, []any{now - 1}},
				{`INSERT INTO reports (account_id, dashboard_id, member_id, every, weekday, day, hour, member_ids, next_at, stopped, failure, created_at, updated_at)
					SELECT account_id, id, member_id, 'day', 1, 1, 9, '[]', $1, '', '', 0, 0 FROM dashboards`, []any{now + 3_600_000}},
				{`INSERT INTO report_letters (account_id, mark, subject, html, created_at) SELECT account_id, 'asked', '', '', 0 FROM dashboards`, nil},
				{`INSERT INTO report_copies (account_id, letter_id, email, due_at, mark, wanted, shown, kept, failure) SELECT account_id, id, 'jo@desk.test', 0, 'c', 1, 0, '', '' FROM report_letters`, nil},
				{`INSERT INTO jobs (kind, args, args_id, run_at, owner, attempt, failures, last_error, created_at) VALUES
					('message.send', '{"n":1}', 0, $1, '', 0, 0, '', 0), ('message.send', '{"n":2}', 0, $2, '', 0, 0, '', 0), ('chat.notice', '{"n":3}', 0, $1, '', 0, 0, '', 0)`, []any{now - 1, now + 3_600_000}},
				{`INSERT INTO tokens (account_id, member_id, name, scope, prefix, digest, created_at, expires_at, session) SELECT account_id, id, 's', 'read_write', 'p', $1, 0, $2, TRUE FROM members`, []any{[]byte("d"), now + 3_600_000}},
				{`INSERT INTO lanes (account_id, kind, id, held_by, held_until) SELECT account_id, 'request', id, 'dead', $1 FROM requests`, []any{now + 3_600_000}},
			} {
				if _, err := tx.Exec(s.statement, s.args...); err != nil {
					return err
				}
			}
			return nil
		}))
		before, err := d.CreateRequest(ctx, d.caller, desk.NewRequest{Description: "the last before"})
		must(t, err)
		r := d.backUp()
		after, err := d.CreateRequest(ctx, d.caller, desk.NewRequest{Description: "after the backup"})
		must(t, err)
		lastEvent := number(t, d.db, "SELECT max(seq) FROM events")

		path := filepath.Join(t.TempDir(), "frontdesk.db")
		must(t, d.place.WriteDatabase(ctx, r.Manifest, path, func(int64, int64) {}))
		settled, err := backup.Settle(ctx, path, r.At, time.Now(), false)
		must(t, err)
		if want := (backup.Settled{Posts: 3, Mails: 1, Held: 1, Sessions: 1}); settled != want {
			t.Errorf("settled %+v, not %+v", settled, want)
		}
		check := func(t *testing.T, db *sqldb.DB) {
			at := r.At.UnixMilli()
			for query, want := range map[string]int64{
				"SELECT tried_at FROM posts WHERE mark = 'pending'":                                                      at,
				"SELECT count(*) FROM posts WHERE mark = 'done' AND tried_at IS NULL":                                    1,
				"SELECT tried_at FROM mail_copies":                                                                       at,
				"SELECT tried_at FROM report_copies":                                                                     at,
				"SELECT count(*) FROM report_letters l JOIN reports r ON l.mark = 'report ' || r.id || ' ' || r.next_at": 1,
				"SELECT tried_at FROM notices":                                                                           at,
				"SELECT count(*) FROM notifications WHERE told_at IS NULL":                                               0,
				"SELECT count(*) FROM jobs WHERE kind = 'message.send' AND dead_at IS NOT NULL":                          1,
				"SELECT count(*) FROM jobs WHERE kind = 'message.send' AND dead_at IS NULL":                              1,
				"SELECT attempt FROM jobs WHERE kind = 'chat.notice'":                                                    1,
				"SELECT count(*) FROM tokens WHERE session AND revoked_at IS NULL":                                       0,
				"SELECT count(*) FROM lanes":                                                                             0,
				"SELECT count(*) FROM requests WHERE id = " + fmt.Sprint(before.Request.ID):                              1,
				"SELECT count(*) FROM requests WHERE id = " + fmt.Sprint(after.Request.ID):                               0,
			} {
				if got := number(t, db, query); got != want {
					t.Errorf("%s: %d, not %d", query, got, want)
				}
			}
			s := service.New(service.Config{Store: store.New(db, d.key, nil)})
			next, err := s.CreateRequest(ctx, d.caller, desk.NewRequest{Description: "the first after the restore"})
			must(t, err)
			if next.Request.ID <= after.Request.ID+1000 {
				t.Errorf("request %d was made after the backup, and the restored desk gives %d", after.Request.ID, next.Request.ID)
			}
			if got := number(t, db, "SELECT max(seq) FROM events"); got <= lastEvent+1000 {
				t.Errorf("event %d was made after the backup, and the restored desk gives %d", lastEvent, got)
			}
			if got := number(t, db, "SELECT max(id) FROM messages"); got <= 1000 {
				t.Errorf("the restored desk gives the message %d", got)
			}
		}
		other := emptyPostgres(t)
		must(t, backup.Load(ctx, other, path))
		t.Run("to PostgreSQL", func(t *testing.T) { check(t, other) })
		if err := backup.Load(ctx, other, path); !errors.Is(err, sqldb.ErrNotEmpty) {
			t.Errorf("to a database with rows: %v", err)
		}
		t.Run("to SQLite", func(t *testing.T) { check(t, dbtest.Open(t, sqldb.Config{URL: path})) })
	})
}

func number(t *testing.T, db *sqldb.DB, query string) (n int64) {
	t.Helper()
	must(t, db.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row(query).Scan(&n) }))
	return n
}

// A bucket is a place as a folder is.
func TestBackupToBucket(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	must(t, backend.CreateBucket("backups"))
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0), gofakes3.WithLogger(nil)).Server())
	t.Cleanup(server.Close)
	d := newDesk(t, dbtest.URL(t, sqldb.SQLite), nil)
	address := "s3://access:sec%2Fret@" + strings.TrimPrefix(server.URL, "http://") + "/backups/acme/desk?path_style=true&insecure=true&region=us-east-1"
	var err error
	d.place, err = backup.Open(ctx, address, seal.NewKey())
	must(t, err)
	must(t, d.request("in a bucket", "its file"))
	first := d.backUp()
	must(t, d.request("later"))
	d.backUp()
	if found := d.problems(); len(found) > 0 {
		t.Error(found)
	}
	m, err := d.place.At(ctx, first.At)
	must(t, err)
	db, _ := d.restore(m)
	if all := texts(t, db); len(all) != 1 {
		t.Errorf("the first backup has %q", all)
	}
	files := blobtest.New(t, filepath.Join(t.TempDir(), "attachments"))
	d.restoreFiles(m, files)
	d.verified("restored from a bucket", db, files)
	if _, err := d.place.At(ctx, first.At.Add(-time.Second)); err == nil || !strings.Contains(err.Error(), "the oldest backup is of") {
		t.Errorf("before the first: %v", err)
	}
	for _, bad := range []string{"s3://host/bucket", "ftp://x", address + "&speed=fast"} {
		if _, err := backup.Open(ctx, bad, nil); err == nil || strings.Contains(err.Error(), "ret@") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
