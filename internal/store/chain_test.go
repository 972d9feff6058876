package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/store"
)

// Whoever has the database but not the key can change nothing in the audit log
// unnoticed. Each attack is done to a chain of twelve entries.
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
			write(t, s, account, func(tx *store.Tx) error { return tx.Record(desk.Change{By: by, Action: "a", Resource: "R", ID: "1"}) })
			sequence(t, s, "a")
		}, entry(n - 1)},
		{"the last changed and given to the sequencer again", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, n-1)
			set(n, "action = 'x', seq = NULL, mac = NULL")(t, s, account)
			sequence(t, s, "a")
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
		{"signed with another key", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, n-1)
			set(n, "seq = NULL, mac = NULL")(t, s, account)
			sequence(t, store.New(s.DB(), seal.NewKey(), nil), "a")
		}, entry(n)},
		{"all signed with another key", func(t *testing.T, s *store.Store, account desk.AccountID) {
			rewind(t, s, account, 0)
			sql(t, s, "UPDATE audit_logs SET seq = NULL, mac = NULL WHERE account_id = $1", account)
			sequence(t, store.New(s.DB(), seal.NewKey(), nil), "a")
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

// chained makes an account with n entries in its audit log, numbered and chained.
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
	sequence(t, s, "a")
	return a.ID, m
}

// Many more entries than are read at once, and one wrong far behind.
func TestLongAuditChain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, _ := chained(t, s, 1500) // three times what is read at once
		if n, err := s.VerifyAuditLog(ctx, account); n != 1500 || err != nil {
			t.Errorf("%d entries, %v", n, err)
		}
		sql(t, s, "UPDATE audit_logs SET action = 'x' WHERE account_id = $1 AND seq = 1001", account)
		if n, err := s.VerifyAuditLog(ctx, account); n != 1000 || err == nil || !strings.Contains(err.Error(), "entry 1001") {
			t.Errorf("%d entries, %v", n, err)
		}
	})
}

// Looking at the chain while it grows raises no false alarm.
func TestVerifyWhileItGrows(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, m := chained(t, s, 3)
		growing, stop := context.WithCancel(ctx)
		var work sync.WaitGroup
		work.Go(func() {
			for growing.Err() == nil {
				recordMany(t, s, m, account, 1)
				sequence(t, s, "a")
			}
		})
		first := int64(0)
		for last, looks := int64(0), 0; (looks < 200 || last < first+20) && !t.Failed(); looks++ {
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
		stop()
		work.Wait()
	})
}

// An account without entries has a chain too: it is known to be empty.
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
