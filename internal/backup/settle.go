package backup

import (
	"context"
	"time"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

// A database that comes back is older than the world. After its moment, the desk may
// have posted, mailed, given out ids and ended sessions, and the rows do not know.
// Settle brings them to a state in which nothing is done twice and nobody is mistaken
// for somebody else:
//
//  1. What waits to be shown elsewhere counts as tried at the moment. A post is then
//     looked for by its mark before it is posted, and a mail becomes "perhaps sent",
//     which a person decides about: the same as after a crash. A notification that
//     waited to go out may have gone out, so it stays in the web app. A report that
//     was due counts as written, and is sent at its next time.
//  2. Jobs that would write something new, and were due, are set aside: frontdesk
//     jobs lists, retries and discards them. Other jobs count as tried.
//  3. New ids and event numbers start far behind the last. A link, a reply address or
//     a cursor that was given out after the moment must not lead to something else.
//  4. Sessions end, and holds of processes that no longer run.

// skipped is how many ids and event numbers are left out. No desk writes a million
// rows of a kind between two backups.
const skipped = 1_000_000

// skippedTickets is how many ticket numbers are left out. People read those.
const skippedTickets = 1000

// heldError is the last error of a job that was set aside.
const heldError = "held by a restore: it was due, and may have been done after the backup"

// Settled says what Settle found.
type Settled struct {
	Posts    int64 // that will be looked for before they are posted
	Mails    int64 // that were perhaps sent
	Held     int64 // jobs that were set aside
	Sessions int64 // that were ended
}

// Settle prepares a restored database file for a server. at is the moment of the
// backup. With release, jobs that were due are not set aside and mails are sent.
func Settle(ctx context.Context, path string, at, now time.Time, release bool) (s Settled, err error) {
	db, err := sqldb.Open(ctx, sqldb.Config{URL: path, WriteTimeout: time.Hour})
	if err != nil {
		return s, err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx, schema.Files); err != nil {
		return s, err
	}
	err = db.Write(ctx, func(tx *sqldb.Tx) error {
		s = Settled{}
		return s.settle(tx, at.UnixMilli(), now.UnixMilli(), release)
	})
	return s, err
}

func (s *Settled) settle(tx *sqldb.Tx, at, now int64, release bool) error {
	var none int64
	steps := []struct {
		count     *int64
		skip      bool
		statement string
		args      []any
	}{
		{&s.Posts, false, "/* every account: all is restored */ UPDATE posts SET tried_at = $1 WHERE wanted > shown AND tried_at IS NULL", []any{at}},
		{&s.Posts, false, "/* every account: all is restored */ UPDATE announcement_recipients SET tried_at = $1 WHERE wanted > shown AND tried_at IS NULL", []any{at}},
		{&s.Posts, false, "/* every account: all is restored */ UPDATE link_comments SET tried_at = $1 WHERE wanted > shown AND tried_at IS NULL", []any{at}},
		{&s.Posts, false, "/* every account: all is restored */ UPDATE report_copies SET tried_at = $1 WHERE wanted > shown AND tried_at IS NULL AND (email IS NULL OR $2)", []any{at, !release}},
		{&none, release, `/* every account: all is restored */ INSERT INTO report_letters (account_id, report_id, mark, subject, html, created_at)
			SELECT account_id, id, 'report ' || id || ' ' || next_at, '', '', $1 FROM reports WHERE next_at <= $1 AND stopped = '' ON CONFLICT DO NOTHING`, []any{now}},
		{&s.Mails, release, "/* every account: all is restored */ UPDATE mail_copies SET tried_at = $1 WHERE wanted > shown AND tried_at IS NULL", []any{at}},
		{&s.Posts, false, "/* every account: all is restored */ UPDATE notices SET tried_at = $1 WHERE wanted > shown AND tried_at IS NULL AND (way = 'chat' OR $2)", []any{at, !release}},
		{&none, release, "/* every account: all is restored */ UPDATE notifications SET told_at = $1 WHERE goes_out AND told_at IS NULL", []any{now}},
		{&s.Held, release, "UPDATE jobs SET dead_at = $1, owner = '', last_error = $2 WHERE dead_at IS NULL AND run_at <= $1 AND kind IN ('message.send', 'survey.send', 'report.now')", []any{now, heldError}},
		{&none, false, "UPDATE jobs SET owner = '', attempt = attempt + 1 WHERE dead_at IS NULL AND (unique_key IS NULL OR owner = '')", nil},
		{&none, false, "/* every account: all is restored */ DELETE FROM lanes", nil},
		{&none, false, "DELETE FROM leases", nil},
		{&s.Sessions, false, "/* every account: all is restored */ UPDATE tokens SET revoked_at = $1 WHERE session AND revoked_at IS NULL AND expires_at > $1", []any{now}},
		// An index that had followed every event has still done so. Any other is built again.
		{&none, false, `/* every account: all is restored */ UPDATE search_progress SET seq = search_progress.seq + $1, version = CASE WHEN search_progress.seq = s.event_seq THEN version ELSE 0 END
			FROM sequences s WHERE s.account_id = search_progress.account_id`, []any{skipped}},
		{&none, false, "/* every account: all is restored */ UPDATE sequences SET event_seq = event_seq + $1", []any{skipped}},
		{&none, false, "/* every account: all is restored */ UPDATE ticket_numbers SET next = next + $1", []any{skippedTickets}},
		{&none, false, `INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_schema s
			WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence q WHERE q.name = s.name)`, nil},
		{&none, false, "UPDATE sqlite_sequence SET seq = seq + $1", []any{skipped}},
	}
	for _, step := range steps {
		if step.skip {
			continue
		}
		n, err := tx.Exec(step.statement, step.args...)
		if err != nil {
			return err
		}
		*step.count += n
	}
	return nil
}
