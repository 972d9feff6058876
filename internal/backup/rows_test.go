package backup_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/backup"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// says fails the test unless verify says everything of want about the desk.
func (d *aDesk) says(want ...string) {
	d.t.Helper()
	found, err := backup.VerifyDesk(ctx, d.db, d.files, d.key, quiet)
	must(d.t, err)
	all := strings.Join(found, "\n")
	for _, text := range want {
		if !strings.Contains(all, text) {
			d.t.Errorf("verify does not say %q:\n%s", text, all)
		}
	}
}

// verify finds a broken value of each kind, and says where it is.
func TestVerifyReadsEveryValue(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d := newDesk(t, url, nil)
		must(t, d.request("a request"))
		place := seal.Place{Account: int64(d.caller.Account), Column: "webhooks.secret"}
		set := func(statement string, args ...any) {
			t.Helper()
			must(t, d.db.Write(ctx, func(tx *sqldb.Tx) error { return tx.Do(statement, args...) }))
		}
		set(`INSERT INTO webhooks (account_id, url, event_types, is_enabled, secret, taken_to, disabled_reason, created_at, updated_at)
			VALUES ($1, 'https://hook.test/', '[]', FALSE, $2, 0, '', 0, 0)`, d.caller.Account, d.key.Seal(place, []byte("secret")))
		d.verified("a sound desk", d.db, d.files)

		set("UPDATE collections SET emoji = '[1]'")
		set("UPDATE requests SET source = 'pigeon', metadata = '{}', title_by = ''")
		set("UPDATE webhooks SET previous_secret = $1", seal.NewKey().Seal(place, []byte("secret")))
		d.says("emoji of row 1 of collections: read a collection's emoji", `source of row 1 of requests: "pigeon" is none of ["chat"`, `title_by of row 1 of requests: "" is none of`,
			"previous_secret of row 1 of webhooks")
		if d.db.Engine() == sqldb.Postgres {
			return // which refuses the rest
		}
		set("UPDATE events SET data = '{' WHERE id = 1")
		set("UPDATE requests SET title = CAST(x'ff' AS TEXT)")
		set("UPDATE collections SET name = 'a' || char(0)")
		set("UPDATE messages SET is_private = 'perhaps', created_at = 'soon'")
		d.says("data of row 1 of events: it is not JSON", "title of row 1 of requests: it is not text in UTF-8", "name of row 1 of collections: it is not text in UTF-8",
			"created_at of row 1 of messages: it is not a number", "is_private of row 1 of messages: it is not a number")

		raw, err := sql.Open("sqlite", url+"?_pragma=ignore_check_constraints(1)") // which does not check references either
		must(t, err)
		defer raw.Close()
		for _, statement := range []string{"UPDATE requests SET priority = 'dire'", "UPDATE messages SET request_id = 99"} {
			_, err := raw.Exec(statement)
			must(t, err)
		}
		d.says("CHECK constraint failed in requests", "rows of messages that name a missing row of requests: 1")
	})
}

// verify knows what every column of JSON or bytes holds.
func TestEveryColumnHasAForm(t *testing.T) {
	t.Parallel()
	// Any bytes can stand there: hashes, words to compare, and mail as it came. The chain
	// follows those of the audit log, and sums are compared with their files.
	plain := strings.Fields(`audit_logs.erased_mac audit_logs.mac sequences.audit_mac attachments.sum waiting_files.sum erasures.digest
		idempotency_keys.fingerprint member_credentials.invitation postmaster_mails.raw tags.folded tokens.digest user_words.word`)
	var columns []string
	must(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}).Read(ctx, func(tx *sqldb.Tx) (err error) {
		columns, err = sqldb.Collect(tx, func(scan func(...any) error) (name string, err error) {
			err = scan(&name)
			return name, err
		}, "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() AND data_type IN ('json', 'bytea') AND table_name NOT LIKE 'search%' ORDER BY 1")
		return err
	}))
	for _, c := range columns {
		if backup.HasForm(c) == slices.Contains(plain, c) {
			t.Errorf("%s: say in forms what it holds, or here that it has no form", c)
		}
	}
	if len(columns) < 40 {
		t.Errorf("only %d columns were looked at", len(columns))
	}
}
