package privacy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// What a whole account looks like after an erasure is tested in cmd/frontdesk.

var ctx = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// former is an account with a former member whose data is to be erased: entries 2, 4
// and 5 of the audit log are about her or by her.
type former struct {
	privacy.Desk
	t       *testing.T
	db      *sqldb.DB
	account desk.AccountID
}

func newFormer(t *testing.T, db *sqldb.DB) *former {
	t.Helper()
	_, err := db.Migrate(ctx, schema.Files)
	must(t, err)
	key := seal.NewKey()
	f := &former{Desk: privacy.Desk{Store: store.New(db, key, nil), Blobs: blobtest.New(t, t.TempDir()), Key: key}, t: t, db: db}
	must(t, f.Store.AddAccount(ctx, "Acme", func(tx *store.Tx, a desk.Account) error {
		f.account = a.ID
		admin := f.member(tx, "admin@acme.test", "Ada Admin")
		eva := f.member(tx, "eva@acme.test", "Éva Former")
		by, herself := desk.Actor{ID: admin.ID, Name: admin.Name, Email: admin.Email, Source: desk.SourceAPI}, desk.Actor{ID: eva.ID, Name: eva.Name, Email: eva.Email, Source: desk.SourceAPI, IP: "192.0.2.7"}
		for _, ch := range []desk.Change{{By: by, Action: "member.created", After: admin}, {By: by, Action: "member.created", After: eva}, {By: by, Action: "member.updated", Before: admin, After: admin},
			{By: herself, Action: "member.updated", Before: admin, After: admin}, {By: by, Action: "member.deleted", Before: eva}, {By: by, Action: "member.updated", Before: admin, After: admin}} {
			must(t, tx.Record(ch))
		}
		return nil
	}))
	f.sql("UPDATE members SET removed_at = 1 WHERE account_id = $1 AND name = 'Éva Former'", f.account)
	f.sql("INSERT INTO quick_replies (account_id, member_id, name, html, is_shared, created_at, updated_at) SELECT account_id, id, 'Ask', '<p>Ask ÉVA FORMER.</p>', TRUE, 0, 0 FROM members WHERE account_id = $1 AND removed_at IS NULL", f.account)
	for more := true; more; {
		more, err = f.Store.Sequence(ctx)
		must(t, err)
	}
	return f
}

func (f *former) member(tx *store.Tx, email, name string) desk.Member {
	role := desk.Admin
	m, err := desk.NewMember{Email: email, Name: &name, Role: &role}.Member(tx.Now)
	must(f.t, err)
	must(f.t, tx.AddMember(&m))
	return m
}

func (f *former) sql(statement string, args ...any) {
	f.t.Helper()
	must(f.t, f.db.Write(ctx, func(tx *sqldb.Tx) error { return tx.Do(statement, args...) }))
}

func (f *former) erase() privacy.Erased {
	f.t.Helper()
	done, err := f.Erase(ctx, f.account, privacy.Person{Emails: []string{"Eva@acme.test"}}, func([]privacy.Listed) error { return nil })
	must(f.t, err)
	return done
}

func (f *former) verify() (chain.State, error) {
	return f.Store.FollowAuditLog(ctx, f.account, nil, nil)
}

// An erased audit log stays sound, says how much was erased, and fits the receipts
// that were given before.
func TestErasedAuditLogIsSound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFormer(t, db)
		before, err := f.verify()
		must(t, err)
		if before.Entries != 6 || before.Erased != 0 {
			t.Fatalf("%+v", before)
		}
		if would, err := f.Preview(ctx, f.account, privacy.Person{Emails: []string{"eva@acme.test"}}); err != nil || would.Rows["audit_logs"] != 3 || would.Rows["members"] != 1 || would.Rows["quick_replies"] != 1 {
			t.Errorf("%+v %v", would, err)
		}
		if st, err := f.verify(); err != nil || st.Erased != 0 || st.Entries != 6 {
			t.Errorf("a preview changed something: %+v %v", st, err)
		}
		if done := f.erase(); done.Rows["audit_logs"] != 3 {
			t.Errorf("%+v", done)
		}
		st, err := f.Store.FollowAuditLog(ctx, f.account, []chain.Receipt{before.Receipt}, nil)
		if err != nil || st.Entries != 7 || st.Erased != 3 {
			t.Errorf("%+v %v", st, err)
		}
		must(t, f.Store.Read(ctx, f.account, func(tx *store.Tx) error {
			l, err := tx.AuditLogs(desk.AuditLogFilter{}, desk.Page{Limit: 50})
			for _, e := range l.Items {
				if all := fmt.Sprintf("%+v %s %s", e, e.Before, e.After); strings.Contains(strings.ToLower(all), "eva") || strings.Contains(all, "192.0.2.7") {
					t.Errorf("an entry says %s", all)
				}
			}
			return err
		}))
		if _, err := f.Erase(ctx, f.account, privacy.Person{Emails: []string{"eva@acme.test"}}, nil); !errors.Is(err, privacy.ErrUnknown) {
			t.Errorf("erased twice: %v", err)
		}
	})
}

// Someone who has the database but not the key cannot pass off a change as an
// erasure, and an erasure does not make a changed entry sound.
func TestErasureHidesNoChange(t *testing.T) {
	set := func(seq int, assignment string) func(*former) {
		return func(f *former) {
			f.sql(fmt.Sprintf("UPDATE audit_logs SET %s WHERE account_id = $1 AND seq = %d", assignment, seq), f.account)
		}
	}
	from := func(seq int, column string) string {
		return fmt.Sprintf("(SELECT b.%s FROM audit_logs b WHERE b.account_id = audit_logs.account_id AND b.seq = %d)", column, seq)
	}
	for _, attack := range []struct {
		name          string
		before, after func(*former) // the erasure
		entry         int           // that is found
	}{
		{"a change that claims to be an erasure", nil, set(3, "after = NULL, erased_at = 1"), 3},
		{"a change with the mark of another erasure", nil, set(3, "after = NULL, erased_at = "+from(2, "erased_at")+", erased_mac = "+from(2, "erased_mac")), 3},
		{"a change with everything of another erasure", nil, set(3, "actor = "+from(2, "actor")+", before = "+from(2, "before")+", after = "+from(2, "after")+", action = "+from(2, "action")+
			", erased_at = "+from(2, "erased_at")+", erased_mac = "+from(2, "erased_mac")), 3},
		{"an intact entry that claims to be erased", nil, set(3, "erased_at = 1"), 3},
		{"an erased entry changed", nil, set(2, "after = NULL"), 2},
		{"the action of an erased entry changed", nil, set(2, "action = 'x'"), 2},
		{"the time of an erasure changed", nil, set(2, "erased_at = erased_at + 1"), 2},
		{"an erasure denied", nil, set(2, "erased_at = NULL, erased_mac = NULL"), 2},
		{"the mark of an erased entry changed", nil, set(2, "mac = "+from(3, "mac")), 2},
		{"an erased entry removed", nil, func(f *former) { f.sql("DELETE FROM audit_logs WHERE account_id = $1 AND seq = 4", f.account) }, 3},
		{"an entry changed before it is erased", set(2, "action = 'x'"), nil, 2},
		{"an entry that claims to be erased before it is", set(4, "erased_at = 1, action = 'x'"), nil, 4},
	} {
		t.Run(attack.name, func(t *testing.T) {
			f := newFormer(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
			if attack.before != nil {
				attack.before(f)
			}
			f.erase()
			if attack.after != nil {
				attack.after(f)
			}
			_, err := f.verify()
			if b := chain.Broken(""); !errors.As(err, &b) || !strings.Contains(err.Error(), fmt.Sprintf("entry %d ", attack.entry)) {
				t.Errorf("it was not found: %v", err)
			}
		})
	}
}

// A second erasure rewrites entries from which somebody was erased before.
func TestTwoPeopleInOneEntry(t *testing.T) {
	f := newFormer(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	f.erase()
	f.sql("UPDATE members SET removed_at = 1 WHERE account_id = $1", f.account)
	if _, err := f.Erase(ctx, f.account, privacy.Person{Emails: []string{"admin@acme.test"}}, func([]privacy.Listed) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if st, err := f.verify(); err != nil || st.Erased != 6 || st.Entries != 8 {
		t.Errorf("%+v %v", st, err)
	}
}

// Nobody is erased without being on the list.
func TestNobodyIsErasedWithoutTheList(t *testing.T) {
	f := newFormer(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	people := []privacy.Listed{}
	_, err := f.Erase(ctx, f.account, privacy.Person{Emails: []string{"eva@acme.test"}}, func(l []privacy.Listed) error {
		people = l
		return errors.New("the disk is full")
	})
	if err == nil || !strings.Contains(err.Error(), "the disk is full") || len(people) != 1 {
		t.Fatalf("erased without the list: %v %v", err, people)
	}
	if st, err := f.verify(); err != nil || st.Erased != 0 {
		t.Errorf("%+v %v", st, err)
	}
}

// The list names nobody, is read as it was written, and a line that was cut off is
// noticed.
func TestList(t *testing.T) {
	f := newFormer(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	var b bytes.Buffer
	_, err := f.Erase(ctx, f.account, privacy.Person{Emails: []string{"eva@acme.test"}, Users: []string{"U1"}}, func(l []privacy.Listed) error { return privacy.WriteList(&b, l) })
	must(t, err)
	text := b.String()
	all, err := privacy.ReadList(strings.NewReader(text))
	if err != nil || len(all) != 2 || all[0].Account != f.account || time.Since(all[0].At) > time.Hour || strings.Contains(text, "eva") || strings.Contains(text, "U1") {
		t.Errorf("%s %+v %v", text, all, err)
	}
	if _, err := privacy.ReadList(strings.NewReader(text[:len(text)-20])); err == nil {
		t.Error("a list that was cut off was read")
	}
	if n, err := f.EraseAgain(ctx, all); n.People != 0 || err != nil {
		t.Errorf("%d people were erased although they were before: %v", n, err)
	}
}
