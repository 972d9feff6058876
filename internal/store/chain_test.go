package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Someone who has the database but not the key cannot change the audit log
// unnoticed. Each attack is made on a chain of twelve entries.
func TestAuditChain(t *testing.T) {
	const n = 12
	type attack struct {
		name string
		do   func(t *testing.T, s *store.Store, account desk.AccountID)
		want string // in the error; empty for none
	}
	entry := func(seq int) string { return fmt.Sprintf("entry %d of the audit log", seq) }
	// set changes columns of one entry.
	set := func(seq int, assignment string) func(*testing.T, *store.Store, desk.AccountID) {
		return func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, fmt.Sprintf("UPDATE audit_logs SET %s WHERE account_id = $1 AND seq = %d", assignment, seq), account)
		}
	}
	remove := func(from, to int) func(*testing.T, *store.Store, desk.AccountID) {
		return func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, fmt.Sprintf("DELETE FROM audit_logs WHERE account_id = $1 AND seq BETWEEN %d AND %d", from, to), account)
		}
	}
	// rewind makes the counter say that the chain ends at seq, as well as someone
	// without the key can.
	rewind := func(t *testing.T, s *store.Store, account desk.AccountID, seq int) {
		if seq == 0 {
			sql(t, s, "UPDATE sequences SET audit_seq = 0, audit_mac = $1 WHERE account_id = $2", []byte{}, account)
			return
		}
		sql(t, s, "UPDATE sequences SET audit_seq = $1, audit_mac = (SELECT mac FROM audit_logs WHERE account_id = $2 AND seq = $1) WHERE account_id = $2", seq, account)
	}
	attacks := []attack{
		{"nothing", func(*testing.T, *store.Store, desk.AccountID) {}, ""},
		{"time changed", set(5, "at = at + 1"), entry(5)},
		{"actor changed", set(5, `actor = '{"id":null,"name":"nobody","email":null}'`), entry(5)},
		{"actor's id changed", set(5, "actor_id = actor_id + 1"), entry(5)},
		{"actor's id removed", set(5, "actor_id = NULL"), entry(5)},
		{"action changed", set(5, "action = 'member.created'"), entry(5)},
		{"resource type changed", set(5, "resource_type = 'Token'"), entry(5)},
		{"resource id changed", set(5, "resource_id = '0'"), entry(5)},
		{"text moved from one column to the next", set(5, "resource_type = 'Membe', resource_id = 'r' || resource_id"), entry(5)},
		{"source changed", set(5, "source = 'command'"), entry(5)},
		{"address changed", set(5, "ip = '192.0.2.9'"), entry(5)},
		{"before changed", set(5, `before = '{}'`), entry(5)},
		{"before removed", set(5, "before = NULL"), entry(5)},
		{"after changed", set(5, `after = '{"role":"viewer"}'`), entry(5)},
		{"id changed", set(5, "id = id + 100000"), entry(5)},
		{"mark changed", set(5, "mac = (SELECT b.mac FROM audit_logs b WHERE b.account_id = audit_logs.account_id AND b.seq = 6)"), entry(5)},
		{"mark removed", set(5, "mac = NULL"), entry(5)},
		{"the last changed", set(n, "action = 'x'"), entry(n)},
		{"the first changed", set(1, "action = 'x'"), entry(1)},
		{"one removed", remove(5, 5), "misses an entry behind entry 4"},
		{"the first removed", remove(1, 1), "misses an entry behind entry 0"},
		{"the last removed", remove(n, n), "cut behind entry 11 of 12"},
		{"all removed", remove(1, n), "cut behind entry 0 of 12"},
		{"the last removed, and the counter told so", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, n-2)
			remove(n-1, n)(t, s, account)
		}, "does not end where it should"},
		{"all removed, and the counter told so", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, 0)
			remove(1, n)(t, s, account)
		}, "does not end where it should"},
		{"the last removed, and the chain gone on since", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, n-2)
			remove(n-1, n)(t, s, account)
			recordOne(t, s, account)
			sequence(t, s)
		}, entry(n - 1)},
		{"the last changed and given to the sequencer again", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, n-1)
			set(n, "action = 'x', seq = NULL, mac = NULL")(t, s, account)
			sequence(t, s)
		}, entry(n)},
		{"two in each other's place", func(t *testing.T, s *store.Store, account desk.AccountID) {
			set(5, "seq = -1")(t, s, account)
			set(6, "seq = 5")(t, s, account)
			set(-1, "seq = 6")(t, s, account)
		}, entry(5)},
		{"two with each other's contents", func(t *testing.T, s *store.Store, account desk.AccountID) {
			set(5, "ip = 'x'")(t, s, account)
			set(6, "ip = (SELECT b.ip FROM audit_logs b WHERE b.account_id = audit_logs.account_id AND b.seq = 7)")(t, s, account)
		}, entry(5)},
		{"one more at the end", func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, fmt.Sprintf(`INSERT INTO audit_logs (account_id, seq, at, actor, action, resource_type, resource_id, source, ip, mac)
				SELECT account_id, %d, at, actor, action, resource_type, resource_id, source, ip, mac FROM audit_logs WHERE account_id = $1 AND seq = %d`, n+1, n), account)
		}, entry(n + 1)},
		{"one put in with the least of all numbers", func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, `INSERT INTO audit_logs (account_id, seq, at, actor, action, resource_type, resource_id, source, ip, mac)
				SELECT account_id, -9223372036854775807 - 1, at, actor, action, resource_type, resource_id, source, ip, mac FROM audit_logs WHERE account_id = $1 AND seq = 1`, account)
		}, "put in before entry 1 of the audit log"},
		{"one put in before the first", func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, `INSERT INTO audit_logs (account_id, seq, at, actor, action, resource_type, resource_id, source, ip, mac)
				SELECT account_id, 0, at, actor, action, resource_type, resource_id, source, ip, mac FROM audit_logs WHERE account_id = $1 AND seq = 1`, account)
		}, "put in before entry 1 of the audit log"},
		{"one put in the middle", func(t *testing.T, s *store.Store, account desk.AccountID) {
			for seq := n; seq > 5; seq-- {
				set(seq, "seq = seq + 1")(t, s, account)
			}
			sql(t, s, `INSERT INTO audit_logs (account_id, seq, at, actor, action, resource_type, resource_id, source, ip, mac)
				SELECT account_id, 6, at, actor, action, resource_type, resource_id, source, ip, mac FROM audit_logs WHERE account_id = $1 AND seq = 5`, account)
		}, entry(6)},
		{"one put in to be chained", func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, `INSERT INTO audit_logs (account_id, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac)
				SELECT account_id, at, actor_id, actor, 'token.created', resource_type, resource_id, source, ip, before, after, mac FROM audit_logs WHERE account_id = $1 AND seq = 5`, account)
			sequence(t, s)
			recordOne(t, s, account)
			sequence(t, s)
		}, entry(n + 1)},
		{"one changed before it was chained", func(t *testing.T, s *store.Store, account desk.AccountID) {
			recordOne(t, s, account)
			sql(t, s, "UPDATE audit_logs SET action = 'x' WHERE account_id = $1 AND seq IS NULL", account)
			sequence(t, s)
		}, "or changed before it was chained"},
		{"one changed that is not chained yet", func(t *testing.T, s *store.Store, account desk.AccountID) {
			recordOne(t, s, account)
			sql(t, s, "UPDATE audit_logs SET action = 'x' WHERE account_id = $1 AND seq IS NULL", account)
		}, "not chained yet"},
		{"the end removed", func(t *testing.T, s *store.Store, account desk.AccountID) {
			sql(t, s, "DELETE FROM sequences WHERE account_id = $1", account)
		}, "removed from the table sequences"},
		{"all removed together with the end", func(t *testing.T, s *store.Store, account desk.AccountID) {
			remove(1, n)(t, s, account)
			sql(t, s, "DELETE FROM sequences WHERE account_id = $1", account)
		}, "removed from the table sequences"},
		{"all removed, with another account's beginning", func(t *testing.T, s *store.Store, account desk.AccountID) {
			other, _ := newAccount(t, s, "Fresh")
			remove(1, n)(t, s, account)
			sql(t, s, "UPDATE sequences SET audit_seq = 0, audit_mac = (SELECT o.audit_mac FROM sequences o WHERE o.account_id = $2) WHERE account_id = $1", account, other.ID)
		}, "does not end where it should, at entry 0"},
		{"signed with another key", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, n-1)
			set(n, "seq = NULL, mac = NULL")(t, s, account)
			sequence(t, store.New(s.DB(), seal.NewKey(), nil))
		}, entry(n)},
		{"all signed with another key", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, 0)
			sql(t, s, "UPDATE audit_logs SET seq = NULL, mac = NULL WHERE account_id = $1", account)
			sequence(t, store.New(s.DB(), seal.NewKey(), nil))
		}, entry(1)},
		{"taken from another account", func(t *testing.T, s *store.Store, account desk.AccountID) {
			other, _ := chained(t, s, n)
			remove(1, n)(t, s, account)
			sql(t, s, "UPDATE audit_logs SET account_id = $1 WHERE account_id = $2", account, other)
		}, entry(1)},
	}
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		for _, a := range attacks {
			t.Run(a.name, func(t *testing.T) {
				account, _ := chained(t, s, n)
				a.do(t, s, account)
				got, err := s.VerifyAuditLog(ctx, account)
				if a.want == "" && (err != nil || got != n) {
					t.Errorf("%d entries, %v", got, err)
				}
				if a.want != "" && (err == nil || !strings.Contains(err.Error(), a.want)) {
					t.Errorf("%d entries, %v; want %q", got, err, a.want)
				}
			})
		}
	})
}

// chained creates an account with n entries in its audit log, numbered and chained.
func chained(t *testing.T, s *store.Store, n int) (desk.AccountID, desk.Member) {
	t.Helper()
	a, m := newAccount(t, s, "Acme")
	write(t, s, a.ID, func(tx *store.Tx) error {
		for i := range n {
			actor := desk.Actor{ID: m.ID, Name: m.Name, Email: m.Email, Source: desk.SourceAPI, IP: fmt.Sprint("192.0.2.", i)}
			before, after := m, m
			after.Name = fmt.Sprint("name ", i)
			if err := tx.Record(desk.Change{By: actor, Action: "member.updated", Resource: "Member", ID: fmt.Sprint(m.ID), Before: before, After: after}); err != nil {
				return err
			}
		}
		return nil
	})
	sequence(t, s)
	return a.ID, m
}

// recordOne adds an entry that is not chained yet.
func recordOne(t *testing.T, s *store.Store, account desk.AccountID) {
	t.Helper()
	must(t, store.WriteOutOfTurn(ctx, s, account, func(tx *store.Tx) error {
		return tx.Record(desk.Change{By: by, Action: "a", Resource: "R", ID: "1"})
	}))
}

// An entry that was forged or changed before it was chained is distinguished from
// one that was changed later. Entries after it are chained nonetheless.
func TestStrayAuditEntry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, _ := chained(t, s, 3)
		recordOne(t, s, account)
		sql(t, s, "UPDATE audit_logs SET ip = '192.0.2.9' WHERE account_id = $1 AND seq IS NULL", account)
		sequence(t, s)
		recordOne(t, s, account)
		sequence(t, s)
		if left := rows(t, s, "SELECT id FROM audit_logs WHERE seq IS NULL"); len(left) != 0 {
			t.Errorf("%d entries wait behind the stray", len(left))
		}
		st, err := s.FollowAuditLog(ctx, account, nil, nil)
		if st.Entries != 3 || err == nil || !strings.Contains(err.Error(), "was put in by somebody else, or changed before it was chained") {
			t.Errorf("%+v, %v", st, err)
		}
	})
}

// If somebody removed the end of one log, other logs are not held up.
func TestAuditEndRemoved(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		broken, _ := chained(t, s, 2)
		other, _ := chained(t, s, 2)
		sql(t, s, "DELETE FROM sequences WHERE account_id = $1", broken)
		recordOne(t, s, broken)
		recordOne(t, s, other)
		sequence(t, s)
		if n, err := s.VerifyAuditLog(ctx, other); n != 3 || err != nil {
			t.Errorf("%d entries, %v", n, err)
		}
	})
}

// A receipt proves what the chain cannot show from within: that an older database
// was restored, in whole or in part, and that an account was removed.
func TestAuditReceipts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		follow := func(account desk.AccountID, receipts ...chain.Receipt) (chain.State, error) {
			return s.FollowAuditLog(ctx, account, receipts, nil)
		}
		wantBreak := func(what, want string, err error) {
			t.Helper()
			if b := chain.Broken(""); !errors.As(err, &b) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", what, err, want)
			}
		}
		account, m := chained(t, s, 5)
		early, err := follow(account)
		must(t, err)
		if early.Entries != 5 || early.Receipt.Entry != 5 || early.Receipt.Account != account || !early.Until.Equal(newClock().Now()) {
			t.Errorf("%+v", early)
		}
		sql(t, s, "CREATE TABLE old_end AS SELECT * FROM sequences WHERE account_id = "+fmt.Sprint(account))
		recordMany(t, s, m, account, 4)
		sequence(t, s)
		late, err := follow(account, early.Receipt)
		must(t, err)
		if late.Entries != 9 || late.Receipt.Entry != 9 {
			t.Errorf("%+v", late)
		}
		read, err := chain.ParseReceipt(late.Receipt.String())
		must(t, err)
		if _, err := follow(account, early.Receipt, read); err != nil {
			t.Error(err)
		}

		// The newest entries are deleted and the old end is restored. From within,
		// all looks well.
		sql(t, s, "DELETE FROM audit_logs WHERE account_id = $1 AND seq > 5", account)
		sql(t, s, "UPDATE sequences SET audit_seq = (SELECT audit_seq FROM old_end), audit_mac = (SELECT audit_mac FROM old_end) WHERE account_id = $1", account)
		if st, err := follow(account, early.Receipt); err != nil || st.Entries != 5 {
			t.Errorf("%+v, %v", st, err)
		}
		_, err = follow(account, late.Receipt)
		wantBreak("an older log was put back", "ends at entry 5, and the receipt "+late.Receipt.String()+" says that it had 9", err)
		// Then the log grows past where it was.
		recordMany(t, s, m, account, 7)
		sequence(t, s)
		if _, err := follow(account, early.Receipt); err != nil {
			t.Error(err)
		}
		_, err = follow(account, early.Receipt, late.Receipt)
		wantBreak("an older log was put back and went on", "entry 9 of the audit log", err)

		for _, table := range []string{"audit_logs", "events", "sequences", "tokens", "members"} {
			sql(t, s, "DELETE FROM "+table+" WHERE account_id = $1", account)
		}
		sql(t, s, "DELETE FROM accounts WHERE id = $1", account)
		if _, err := follow(account); desk.KindOf(err) != desk.NotFound {
			t.Errorf("an account that is not there: %v", err)
		}
		_, err = follow(account, early.Receipt)
		wantBreak("an account was removed", "its audit log had 5 entries: the account was removed", err)
	})
}

func TestParseReceipt(t *testing.T) {
	mark := strings.Repeat("0a", 32)
	for text, ok := range map[string]bool{
		"1:5:" + mark: true, "9223372036854775807:9223372036854775807:" + strings.ToUpper(mark): true,
		"": false, "1:5": false, "1:5:": false, "1:5:" + mark + "0a": false, "1:5:" + mark[2:]: false, "0:5:" + mark: false, "1:0:" + mark: false,
		"-1:5:" + mark: false, "1:x:" + mark: false, "1:5:" + mark + ":1": false, "1:9223372036854775808:" + mark: false, "1:5:" + mark[1:] + "g": false,
	} {
		r, err := chain.ParseReceipt(text)
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil && !strings.EqualFold(r.String(), text) {
			t.Errorf("%q is read as %s", text, r)
		}
	}
}

// Entries that wait to be chained are counted, and the time of the oldest is
// reported.
func TestWaitingAuditEntries(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, m := chained(t, s, 2)
		other, m2 := chained(t, s, 2)
		c.move(time.Minute)
		since := c.Now()
		recordMany(t, s, m, account, 1)
		c.move(time.Minute)
		recordMany(t, s, m, account, 450) // more than are read at once
		recordMany(t, s, m2, other, 1)
		st, err := s.FollowAuditLog(ctx, account, nil, nil)
		must(t, err)
		if st.Entries != 2 || st.Waiting != 451 || !st.Since.Equal(since) {
			t.Errorf("%+v", st)
		}
	})
}

// Every account is found that has a log, has a place for one, or should have one.
func TestAuditedAccounts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		var want []desk.AccountID
		for i := range 4 {
			a, _ := newAccount(t, s, fmt.Sprint("Account", i))
			want = append(want, a.ID)
		}
		recordOne(t, s, want[1])
		recordOne(t, s, want[3])
		sql(t, s, "DELETE FROM sequences WHERE account_id = $1", want[0])
		got, err := s.AuditedAccounts(ctx)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// There are many more entries than are read at once, and one far back is wrong.
func TestLongAuditChain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, _ := chained(t, s, 1500) // many times what is read at once
		var told []string
		st, err := s.FollowAuditLog(ctx, account, nil, func(done, of int64) { told = append(told, fmt.Sprint(done, " of ", of)) })
		if st.Entries != 1500 || err != nil {
			t.Errorf("%d entries, %v", st.Entries, err)
		}
		if len(told) != 8 || told[0] != "200 of 1500" || told[7] != "1500 of 1500" {
			t.Errorf("the progress was %v", told)
		}
		sql(t, s, "UPDATE audit_logs SET action = 'x' WHERE account_id = $1 AND seq = 1001", account)
		if n, err := s.VerifyAuditLog(ctx, account); n != 1000 || err == nil || !strings.Contains(err.Error(), "entry 1001") {
			t.Errorf("%d entries, %v", n, err)
		}
	})
}

// Verifying the chain while it grows raises no false alarm. It grows during each look, by a
// few entries at most: a look follows the whole chain, so a long one only takes longer.
func TestVerifyWhileItGrows(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, m := chained(t, s, 3)
		grow := make(chan struct{}, 3)
		var work sync.WaitGroup
		work.Go(func() {
			for range grow {
				recordMany(t, s, m, account, 1)
				sequence(t, s)
			}
		})
		first := int64(0)
		for last, looks := int64(0), 0; (looks < 200 || last < first+20) && !t.Failed(); looks++ {
			select {
			case grow <- struct{}{}:
			default:
			}
			n, err := s.VerifyAuditLog(ctx, account)
			if err != nil {
				t.Errorf("look %d: %v", looks, err)
				break
			}
			if first == 0 {
				first = n
			}
			last = n
		}
		close(grow)
		work.Wait()
	})
}

// An account without entries has a chain too, which is known to be empty.
func TestEmptyAuditChain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		a, _ := newAccount(t, s, "Acme")
		if n, err := s.VerifyAuditLog(ctx, a.ID); n != 0 || err != nil {
			t.Errorf("%d entries, %v", n, err)
		}
		if _, err := s.VerifyAuditLog(ctx, a.ID+1); err == nil {
			t.Error("the chain of an account that is not there is fine")
		}
	})
}

// Unchained entries are found without walking the chained ones. A change in an
// account with a long history costs the same as in a new one.
func TestChainingUsesItsIndex(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		if s.DB().Engine() != sqldb.SQLite {
			return
		}
		for _, statement := range []string{strings.Replace(store.Unchained, "$1", "1", 1), store.OldestUnnumbered} {
			plan := strings.Join(rows(t, s, "EXPLAIN QUERY PLAN "+statement), "\n")
			if !strings.Contains(plan, "audit_logs_unnumbered") || strings.Contains(plan, "TEMP B-TREE") {
				t.Error(plan)
			}
		}
	})
}
