package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// books are audit logs as an attacker sees them who has the database but not the key.
type books struct {
	t  *testing.T
	in *installation
	db *sqldb.DB
	s  *store.Store
}

func openBooks(t *testing.T, url string) *books {
	in := install(t, url)
	in.mustRun("migrate")
	key, err := seal.LoadKey(in.dir + "/key")
	must(t, err)
	db := dbtest.Open(t, sqldb.Config{URL: url})
	return &books{t, in, db, store.New(db, key, nil)}
}

// account creates an account with some entries.
func (b *books) account(name string, entries int) (id desk.AccountID) {
	b.t.Helper()
	must(b.t, b.s.AddAccount(b.t.Context(), name, func(tx *store.Tx, a desk.Account) error {
		id = a.ID
		return b.entries(tx, entries)
	}))
	b.chain()
	return id
}

func (b *books) entries(tx *store.Tx, n int) error {
	for i := range n {
		by := desk.Actor{ID: 7, Name: "Mira", Email: "mira@acme.test", Source: desk.SourceAPI, IP: fmt.Sprint("192.0.2.", i)}
		if err := tx.Record(desk.Change{By: by, Action: "token.deleted", Resource: "Token", ID: fmt.Sprint(i), Before: desk.Token{Name: fmt.Sprint("token ", i)}}); err != nil {
			return err
		}
	}
	return nil
}

func (b *books) add(id desk.AccountID, n int) {
	b.t.Helper()
	must(b.t, b.s.Write(b.t.Context(), id, func(tx *store.Tx) error { return b.entries(tx, n) }))
}

// addUnchained adds entries that are not chained. It removes the row with the end of
// the log while they are written, and then puts it back.
func (b *books) addUnchained(id desk.AccountID, n int) {
	b.t.Helper()
	var events, entries int64
	var mark []byte
	must(b.t, b.db.Read(b.t.Context(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT event_seq, audit_seq, audit_mac FROM sequences WHERE account_id = $1", id).Scan(&events, &entries, &mark)
	}))
	b.sql("DELETE FROM sequences WHERE account_id = $1", id)
	b.add(id, n)
	b.sql("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES ($1, $2, $3, $4)", id, events, entries, mark)
}

func (b *books) chain() {
	b.t.Helper()
	for more := true; more; {
		var err error
		more, err = b.s.Sequence(b.t.Context())
		must(b.t, err)
	}
}

func (b *books) sql(statement string, args ...any) {
	b.t.Helper()
	must(b.t, b.db.Write(b.t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	}))
}

var receiptShape = regexp.MustCompile(`(?m)^Receipt: (\d+:\d+:[0-9a-f]{64})$`)

// verify finds every change of a log in the database, and prints a sentence that names
// the account and the entry.
func TestAuditVerifyFindsWhatWasDone(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		b := openBooks(t, url)
		whole := b.account("Whole", 6)
		row := "account_id, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac"
		attacks := []struct {
			name string
			do   func(id desk.AccountID)
			want string
		}{
			{"changed", func(id desk.AccountID) {
				b.sql("UPDATE audit_logs SET action = 'token.created' WHERE account_id = $1 AND seq = 3", id)
			}, `entry 3 of the audit log \(id \d+\) was changed, or one before it taken out. It is sound up to entry 2,`},
			{"another actor", func(id desk.AccountID) {
				b.sql("UPDATE audit_logs SET actor_id = 8 WHERE account_id = $1 AND seq = 3", id)
			}, `entry 3 of the audit log \(id \d+\) was changed`},
			{"removed", func(id desk.AccountID) {
				b.sql("DELETE FROM audit_logs WHERE account_id = $1 AND seq = 3", id)
			}, `the audit log misses an entry behind entry 2 \(id \d+\)`},
			{"removed, and the others moved up", func(id desk.AccountID) {
				b.sql("DELETE FROM audit_logs WHERE account_id = $1 AND seq = 3", id)
				for seq := 4; seq <= 6; seq++ {
					b.sql("UPDATE audit_logs SET seq = seq - 1 WHERE account_id = $1 AND seq = $2", id, seq)
				}
			}, `entry 3 of the audit log \(id \d+\) was changed, or one before it taken out`},
			{"cut", func(id desk.AccountID) {
				b.sql("DELETE FROM audit_logs WHERE account_id = $1 AND seq > 4", id)
			}, `the audit log was cut behind entry 4 of 6`},
			{"cut, and the end set back", func(id desk.AccountID) {
				b.sql("UPDATE sequences SET audit_seq = 4, audit_mac = (SELECT mac FROM audit_logs WHERE account_id = $1 AND seq = 4) WHERE account_id = $1", id)
				b.sql("DELETE FROM audit_logs WHERE account_id = $1 AND seq > 4", id)
			}, `the audit log does not end where it should, at entry 4`},
			{"put in the middle", func(id desk.AccountID) {
				for seq := 6; seq >= 4; seq-- {
					b.sql("UPDATE audit_logs SET seq = seq + 1 WHERE account_id = $1 AND seq = $2", id, seq)
				}
				b.sql("INSERT INTO audit_logs ("+row+", seq) SELECT "+row+", 4 FROM audit_logs WHERE account_id = $1 AND seq = 3", id)
			}, `entry 4 of the audit log \(id \d+\) was changed`},
			{"put in front", func(id desk.AccountID) {
				b.sql("INSERT INTO audit_logs ("+row+", seq) SELECT "+row+", 0 FROM audit_logs WHERE account_id = $1 AND seq = 3", id)
			}, `an entry was put in before entry 1 of the audit log`},
			{"put in to be chained", func(id desk.AccountID) {
				b.sql("INSERT INTO audit_logs ("+row+") SELECT "+row+" FROM audit_logs WHERE account_id = $1 AND seq = 3", id)
				b.chain()
			}, `entry 7 of the audit log \(id \d+\) was put in by somebody else, or changed before it was chained`},
			{"two swapped", func(id desk.AccountID) {
				for _, step := range [][2]int{{3, -1}, {4, 3}, {-1, 4}} {
					b.sql("UPDATE audit_logs SET seq = $2 WHERE account_id = $1 AND seq = $3", id, step[1], step[0])
				}
			}, `entry 3 of the audit log \(id \d+\) was changed`},
			{"all gone, with the end", func(id desk.AccountID) {
				b.sql("DELETE FROM audit_logs WHERE account_id = $1", id)
				b.sql("DELETE FROM sequences WHERE account_id = $1", id)
			}, `the row that says where the audit log ends was removed from the table sequences. No entry is chained yet`},
			// This one must be last: the next attack would chain its entry.
			{"changed before it was chained", func(id desk.AccountID) {
				b.addUnchained(id, 1)
				b.sql("UPDATE audit_logs SET ip = '192.0.2.99' WHERE account_id = $1 AND seq IS NULL", id)
			}, `an entry that is not chained yet \(id \d+\) was put in by somebody else, or changed. It is sound up to entry 6,`},
		}
		sentences := []string{}
		for _, a := range attacks {
			id := b.account(a.name, 6)
			a.do(id)
			out, errs, code := b.in.run("audit", "verify", "--account", fmt.Sprint(id))
			sentence := fmt.Sprintf(`(?m)^account %d \(%s\): %s`, id, regexp.QuoteMeta(a.name), a.want)
			if code != 1 || out != "" || !regexp.MustCompile(sentence).MatchString(errs) {
				t.Errorf("%s: exit %d, %q, %q; want %s", a.name, code, out, errs, sentence)
			}
			sentences = append(sentences, sentence)
		}
		out, errs, code := b.in.run("audit", "verify")
		if want := fmt.Sprintf("account %d (Whole): It is sound up to entry 6, written %d-", whole, time.Now().UTC().Year()); code != 1 || !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 2 {
			t.Errorf("exit %d, %q; want %q", code, out, want)
		}
		for _, sentence := range sentences {
			if !regexp.MustCompile(sentence).MatchString(errs) {
				t.Errorf("%q is not said in %q", sentence, errs)
			}
		}
		if want := fmt.Sprintf("audit logs that were changed: %d of %d", len(attacks), len(attacks)+1); !strings.Contains(errs, want) {
			t.Errorf("%q, want %q", errs, want)
		}
	})
}

// An earlier receipt reveals what the log itself cannot show.
func TestAuditVerifyWithReceipts(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		b := openBooks(t, url)
		one, two := b.account("One", 4), b.account("Two", 3)
		b.sql("CREATE TABLE old_ends AS SELECT * FROM sequences")
		b.add(one, 2)
		b.chain()
		printed := b.in.mustRun("audit", "verify")
		receipts := receiptShape.FindAllStringSubmatch(printed, -1)
		if len(receipts) != 2 || !strings.HasPrefix(receipts[0][1], fmt.Sprintf("%d:6:", one)) || !strings.HasPrefix(receipts[1][1], fmt.Sprintf("%d:3:", two)) {
			t.Fatalf("printed %s", printed)
		}
		kept := filepath.Join(t.TempDir(), "kept.txt")
		must(t, os.WriteFile(kept, []byte(printed), 0o600))
		b.add(one, 3)
		b.chain()
		if out := b.in.mustRun("audit", "verify", "--receipts", kept); strings.Count(out, "Receipts found in the log: 1.") != 2 {
			t.Errorf("printed %s", out)
		}
		wrong := func(want string, args ...string) {
			t.Helper()
			_, errs, code := b.in.run(append([]string{"audit", "verify"}, args...)...)
			if code != 1 || !strings.Contains(errs, want) {
				t.Errorf("%v: exit %d, %q; want %q", args, code, errs, want)
			}
		}
		wrong("is no receipt", "--receipt", "1:2:3")
		wrong(fmt.Sprintf("belongs to account %d, not to %d", two, one), "--account", fmt.Sprint(one), "--receipt", receipts[1][1])
		wrong(`has no line that begins with "Receipt: "`, "--receipts", filepath.Join(b.in.dir, "key"))
		wrong("no such file", "--receipts", kept+"x")

		// Someone restores an older log.
		b.sql("DELETE FROM audit_logs WHERE account_id = $1 AND seq > 4", one)
		b.sql("UPDATE sequences SET audit_seq = o.audit_seq, audit_mac = o.audit_mac FROM old_ends o WHERE o.account_id = sequences.account_id AND sequences.account_id = $1", one)
		b.in.mustRun("audit", "verify") // without a receipt, nothing is wrong
		wrong("the audit log ends at entry 4, and the receipt "+receipts[0][1]+" says that it had 6: it was cut, or an older one was put back", "--receipts", kept)
		b.add(one, 4)
		b.chain()
		b.in.mustRun("audit", "verify")
		wrong("is another than the receipt "+receipts[0][1]+" was given for", "--account", fmt.Sprint(one), "--receipts", kept)

		// Someone removes an account.
		for _, table := range []string{"audit_logs", "sequences"} {
			b.sql("DELETE FROM "+table+" WHERE account_id = $1", two)
		}
		b.sql("DELETE FROM accounts WHERE id = $1", two)
		b.in.mustRun("audit", "verify")
		wrong(fmt.Sprintf("account %d: there is no such account, and the receipt %s says that its audit log had 3 entries: the account was removed", two, receipts[1][1]), "--receipts", kept)
		wrong(fmt.Sprintf("there is no account %d", two), "--account", fmt.Sprint(two))
	})
}

// While a server writes, verify reports no false break. Without a server, it reports
// entries that are not chained.
func TestAuditVerifyBesideTheServer(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		token := in.account()
		p := in.start()
		writing, stop := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(writing)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				c := call{method: "POST", path: "/members", token: token, body: map[string]string{"email": fmt.Sprintf("m%d@acme.test", i)}}
				if status, body, _, err := c.do(t.Context(), http.DefaultClient, p.url); err != nil || status != 201 {
					t.Errorf("%d %s %v", status, body, err)
					return
				}
			}
		}()
		for range 5 {
			if out, errs, code := in.run("audit", "verify"); code != 0 || strings.Contains(errs, "Warning") {
				t.Errorf("exit %d, %s%s", code, out, errs)
			}
		}
		close(stop)
		<-writing
		for late := time.Now().Add(5 * time.Minute); ; time.Sleep(2 * time.Millisecond) { // polls another process
			out, _, _ := in.run("audit", "verify")
			if receiptShape.MatchString(out) && !strings.Contains(out, "not chained") {
				break
			}
			if time.Now().After(late) {
				t.Fatalf("the server chains nothing: %s", out)
			}
		}
		must(t, p.Process.Kill())
		p.Wait()

		key, err := seal.LoadKey(in.dir + "/key")
		must(t, err)
		b := &books{t, in, dbtest.Open(t, sqldb.Config{URL: url}), nil}
		b.s = store.New(b.db, key, nil)
		b.addUnchained(1, 3)
		if out, errs, code := in.run("audit", "verify"); code != 0 || !strings.Contains(out, "Entries that are not chained yet: 3.") || errs != "" {
			t.Errorf("exit %d, %s%s", code, out, errs)
		}
		b.s = store.New(b.db, key, func() time.Time { return time.Now().Add(-2 * time.Minute) })
		b.addUnchained(1, 1)
		if out, errs, code := in.run("audit", "verify"); code != 0 || !strings.Contains(out, "Entries that are not chained yet: 4.") || !strings.Contains(errs, "Warning: account 1 (Acme): an entry has not been chained since ") {
			t.Errorf("exit %d, %s%s", code, out, errs)
		}
		must(t, os.Rename(in.dir+"/key", in.dir+"/other"))
		for _, args := range [][]string{{"audit", "verify"}, {"audit", "export", "--account", "1"}} {
			if _, errs, code := in.run(args...); code != 1 || !strings.Contains(errs, "there is no key at") {
				t.Errorf("without the key: exit %d, %s", code, errs)
			}
		}
		in.env = append(in.env, "FRONTDESK_KEY="+strings.Repeat("A", 43)+"=")
		if _, errs, code := in.run("audit", "verify"); code != 1 || !strings.Contains(errs, "or it was made with another key") {
			t.Errorf("with another key: exit %d, %s", code, errs)
		}
	})
}

func TestAuditExportCommand(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		b := openBooks(t, url)
		id := b.account("Acme", 250)
		account := fmt.Sprint(id)
		lines := b.in.mustRun("audit", "export", "--account", account)
		if strings.Count(lines, "\n") != 250 || !strings.HasPrefix(lines, `{"id":`) {
			t.Errorf("%d lines: %.300s", strings.Count(lines, "\n"), lines)
		}
		path := filepath.Join(t.TempDir(), "log.csv")
		out := b.in.mustRun("audit", "export", "--account", account, "--format", "csv", "--resource-type", "Token", "--resource-id", "3", "--actor", "7",
			"--after", "2020-01-01", "--before", "2100-01-01T00:00:00Z", "--output", path)
		text, err := os.ReadFile(path)
		must(t, err)
		if out != "Wrote "+path+". Entries: 1.\n" || strings.Count(string(text), "\r\n") != 2 || !strings.Contains(string(text), "token.deleted,Token,3,api,192.0.2.3,") {
			t.Errorf("%s%s", out, text)
		}
		if last := b.in.mustRun("audit", "export", "--account", account, "--resource-type", "AuditLog"); strings.Count(last, "\n") != 2 ||
			!strings.Contains(last, `"actor":{"id":null,"name":"command line","email":null},"action":"audit.exported"`) || !strings.Contains(last, `"source":"command"`) {
			t.Errorf("the exports before are told as %s", last)
		}
		folder := t.TempDir()
		// If the log cannot be read to its end, no file remains.
		b.sql("UPDATE audit_logs SET actor = '[]' WHERE account_id = $1 AND seq = 240", id)
		for want, args := range map[string][]string{
			"choose another name": {"--account", account, "--output", path},
			"no account 99":       {"--account", "99", "--output", filepath.Join(folder, "a")},
			"no such file":        {"--account", account, "--output", filepath.Join(folder, "none", "a")},
			"--after must be":     {"--account", account, "--after", "yesterday"},
			"write the audit log": {"--account", account, "--output", filepath.Join(folder, "half")},
		} {
			if _, errs, code := b.in.run(append([]string{"audit", "export"}, args...)...); code != 1 || !strings.Contains(errs, want) {
				t.Errorf("%v: exit %d, %s; want %s", args, code, errs, want)
			}
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left over: %v, %v", left, err)
		}
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := &progress{w: &b, what: "account 1"}
	p.print(200, 1500)
	p.next = time.Now().Add(time.Hour)
	p.print(400, 1500) // too soon
	p.clear()
	if want := "\raccount 1: 200 of 1500 entries\x1b[K\r\x1b[K"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	nobody := &progress{}
	nobody.print(1, 2)
	nobody.clear()
}
