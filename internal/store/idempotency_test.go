package store_test

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// keyTest is an account with a token whose keys are tested.
type keyTest struct {
	*testing.T
	*store.Store
	account desk.AccountID
	token   desk.MadeToken
}

func newKeyTest(t *testing.T, s *store.Store) keyTest {
	t.Helper()
	a, m := newAccount(t, s, "Acme")
	k := keyTest{t, s, a.ID, desk.MadeToken{}}
	write(t, s, a.ID, func(tx *store.Tx) (err error) {
		k.token, err = addToken(tx, m)
		return err
	})
	return k
}

func (k keyTest) begin(name, owner string) (key desk.IdempotencyKey, err error) {
	err = k.Write(ctx, k.account, func(tx *store.Tx) (err error) {
		key, err = tx.BeginKey(k.token.ID, name, owner)
		return err
	})
	return key, err
}

// take begins a key that must be free.
func (k keyTest) take(name, owner string) desk.IdempotencyKey {
	k.Helper()
	key, err := k.begin(name, owner)
	if err != nil || key.Answer != nil || key.Fingerprint != nil || key.Name != name || key.Owner != owner || key.ID == 0 {
		k.Fatalf("the key is not free: %+v, %v", key, err)
	}
	return key
}

func (k keyTest) wantHeld(name string) {
	k.Helper()
	_, err := k.begin(name, "somebody else")
	wantKind(k, err, desk.Conflict)
	if e, ok := err.(*desk.Error); !ok || e.RetryAfter <= 0 {
		k.Errorf("%v does not say when to try again", err)
	}
}

func (k keyTest) wantAnswer(name string, fingerprint, body string) {
	k.Helper()
	key, err := k.begin(name, "somebody else")
	if err != nil || key.Answer == nil || string(key.Fingerprint) != fingerprint || key.Answer.Status != 201 || string(key.Answer.Body) != body {
		k.Errorf("got %+v, %v; want the answer %s", key, err, body)
	}
}

// finish makes a change under a key, as an operation does: it adds a member.
func (k keyTest) finish(key desk.IdempotencyKey, fingerprint, body string) error {
	key.Fingerprint = []byte(fingerprint)
	return k.Write(ctx, k.account, func(tx *store.Tx) error {
		if _, err := addMember(tx, body+"@acme.example", desk.Viewer); err != nil {
			return err
		}
		return tx.FinishKey(key, desk.Answer{Status: 201, Body: []byte(body)})
	})
}

func (k keyTest) wantMembers(want int) {
	k.Helper()
	read(k, k.Store, k.account, func(tx *store.Tx) error {
		l, err := tx.Members(desk.Page{Limit: 100})
		if got := len(l.Items) - 1; got != want { // without the admin
			k.Errorf("%d changes were made, want %d", got, want)
		}
		return err
	})
}

func eachKeyTest(t *testing.T, fn func(k keyTest, c *clock)) {
	t.Helper()
	each(t, func(t *testing.T, s *store.Store, c *clock) { fn(newKeyTest(t, s), c) })
}

func TestKeyIsAnsweredOnce(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		key := k.take("key", "a")
		k.wantHeld("key")
		k.take("another key", "b")
		must(k, k.finish(key, "print", "done"))
		k.wantAnswer("key", "print", "done")
		k.wantAnswer("key", "print", "done")
		wantKind(k, k.finish(key, "print", "again"), desk.Conflict) // an answer is final
		k.wantAnswer("key", "print", "done")
		k.wantMembers(1)
	})
}

// Keys belong to the token.
func TestKeysOfTokensAreApart(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		other := k
		write(k, k.Store, k.account, func(tx *store.Tx) error {
			m, err := tx.Member(k.token.Member)
			if err != nil {
				return err
			}
			other.token, err = addToken(tx, m)
			return err
		})
		must(k, k.finish(k.take("key", "a"), "print", "done"))
		key := other.take("key", "b")
		k.wantAnswer("key", "print", "done")
		must(k, other.finish(key, "other print", "also"))
		k.wantAnswer("key", "print", "done")
		other.wantAnswer("key", "other print", "also")
	})
}

func TestReleasedKeyIsFree(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		key := k.take("key", "a")
		release := func(key desk.IdempotencyKey) {
			write(k, k.Store, k.account, func(tx *store.Tx) error { return tx.ReleaseKey(key) })
		}
		stranger := key
		stranger.Owner = "somebody else"
		release(stranger) // not theirs to release
		k.wantHeld("key")
		release(key)
		key = k.take("key", "b")
		must(k, k.finish(key, "print", "done"))
		release(key) // an answered key cannot be released
		k.wantAnswer("key", "print", "done")
	})
}

func TestAnswerIsKeptForADay(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		must(k, k.finish(k.take("key", "a"), "print", "done"))
		c.move(desk.AnswerKept - time.Millisecond)
		k.wantAnswer("key", "print", "done")
		c.move(time.Millisecond)
		key := k.take("key", "b") // a new call
		k.wantHeld("key")
		must(k, k.finish(key, "new print", "anew"))
		k.wantAnswer("key", "new print", "anew")
		// After the clock is set back, the answer stays.
		c.move(-5 * time.Hour)
		k.wantAnswer("key", "new print", "anew")
	})
}

// A holder that does not renew its lease loses the key, and its change is undone.
func TestDeadHolderLosesTheKey(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		old := k.take("key", "a")
		c.move(desk.KeyLease - time.Millisecond)
		k.wantHeld("key")
		c.move(time.Millisecond)
		key := k.take("key", "b")
		if key.ID != old.ID {
			k.Errorf("the key's row changed from %d to %d", old.ID, key.ID)
		}
		k.wantHeld("key")

		wantKind(k, k.finish(old, "print", "late"), desk.Conflict)
		k.wantMembers(0)
		k.wantHeld("key")
		write(k, k.Store, k.account, func(tx *store.Tx) error { return tx.ReleaseKey(old) })
		k.wantHeld("key")
		c.move(desk.KeyLease / 2)
		write(k, k.Store, k.account, func(tx *store.Tx) error { return tx.RenewKey(old) })
		c.move(desk.KeyLease / 2)
		third := k.take("key", "c") // the renewal was not by the holder and did not count

		must(k, k.finish(third, "print", "done"))
		wantKind(k, k.finish(key, "print", "late"), desk.Conflict)
		k.wantAnswer("key", "print", "done")
		k.wantMembers(1)
	})
}

func TestRenewedKeyStaysHeld(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		key := k.take("key", "a")
		for range 10 {
			c.move(desk.KeyLease - time.Millisecond)
			k.wantHeld("key")
			write(k, k.Store, k.account, func(tx *store.Tx) error { return tx.RenewKey(key) })
		}
		must(k, k.finish(key, "print", "done"))
		// A late renewal does not bring the lease back.
		write(k, k.Store, k.account, func(tx *store.Tx) error { return tx.RenewKey(key) })
		k.wantAnswer("key", "print", "done")
		k.wantMembers(1)
	})
}

// A lease from a clock that was hours ahead does not hold a key for hours. A lease
// from a machine whose clock is only slightly ahead is respected.
func TestKeyLeaseFromAWrongClock(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		c.move(5 * time.Hour)
		old := k.take("key", "a")
		c.move(-5 * time.Hour)
		key := k.take("key", "b")
		wantKind(k, k.finish(old, "print", "late"), desk.Conflict)
		must(k, k.finish(key, "print", "done"))
		k.wantMembers(1)

		for i, ahead := range []time.Duration{time.Millisecond, 2 * time.Second, 30 * time.Second} {
			name := fmt.Sprint("key ", i)
			c.move(ahead)
			key := k.take(name, "a")
			c.move(-ahead)
			k.wantHeld(name)
			must(k, k.finish(key, "print", fmt.Sprint("done", i)))
		}
	})
}

// An answer may hold a secret that is shown once. It must not be on the disk in
// plain form.
func TestAnswersAreSealed(t *testing.T) {
	const secret = "fd_0123456789abcdefghijklmnopqrstuvwxyz"
	dbtest.EachURL(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		s := store.New(db, key, nil)
		k := newKeyTest(t, s)
		write(t, s, k.account, func(tx *store.Tx) error {
			key, err := tx.BeginKey(k.token.ID, "key", "a")
			if err != nil {
				return err
			}
			key.Fingerprint = []byte("print")
			return tx.FinishKey(key, desk.Answer{Status: 201, Body: []byte(`{"token":{"secret":"` + secret + `"}}`)})
		})
		k.wantAnswer("key", "print", `{"token":{"secret":"`+secret+`"}}`)

		// Nor may a part of it be there, in hex or with its bytes turned into text.
		needles := []string{secret, secret[:12], fmt.Sprintf("%x", secret[:12]), k.token.Secret, k.token.Secret[11:]}
		var disk []byte
		if db.Engine() == sqldb.SQLite {
			for _, file := range []string{url, url + "-wal"} {
				b, err := os.ReadFile(file)
				must(t, err)
				disk = append(disk, b...)
			}
		} else {
			for _, table := range append(accountTables(t), "accounts", "leases", "jobs") {
				for _, line := range rows(t, s, "SELECT * FROM "+table) {
					disk = append(disk, line...)
				}
			}
		}
		if !bytes.Contains(disk, []byte(k.token.Prefix)) {
			t.Fatal("what was read is not the database: the token's prefix is not in it")
		}
		for _, needle := range needles {
			if bytes.Contains(disk, []byte(needle)) {
				t.Errorf("%q lies open in the database", needle)
			}
		}

		// Another key does not open it, and neither does another account.
		other := keyTest{t, store.New(db, seal.NewKey(), nil), k.account, k.token}
		if got, err := other.begin("key", "b"); err == nil {
			t.Errorf("another key opens the answer: %+v", got)
		}
		b, _ := newAccount(t, s, "Other")
		sql(t, s, "UPDATE idempotency_keys SET account_id = $1", b.ID)
		k.account = b.ID
		if got, err := k.begin("key", "b"); err == nil {
			t.Errorf("another account opens the answer: %+v", got)
		}
	})
}

func TestSweepKeys(t *testing.T) {
	eachKeyTest(t, func(k keyTest, c *clock) {
		const old = 1100 // more than two pieces
		write(k, k.Store, k.account, func(tx *store.Tx) error {
			for i := range old {
				if _, err := tx.BeginKey(k.token.ID, fmt.Sprint("old ", i), "a"); err != nil {
					return err
				}
			}
			return nil
		})
		c.move(time.Millisecond)
		must(k, k.finish(k.take("young", "a"), "print", "done"))
		must(k, k.SweepKeys(ctx, k.account))
		count := func(want int) {
			k.Helper()
			if got := len(rows(k, k.Store, "SELECT 1 FROM idempotency_keys")); got != want {
				k.Errorf("%d keys, want %d", got, want)
			}
		}
		count(old + 1)
		c.move(desk.AnswerKept)
		must(k, k.SweepKeys(ctx, k.account))
		count(1) // exactly a day old: no longer repeated, swept a moment later
		c.move(time.Millisecond)
		must(k, k.SweepKeys(ctx, k.account))
		count(0)
	})
}

// Many take one key at once and exactly one gets it. This includes PostgreSQL,
// where they truly run in parallel. Nobody fails for another reason.
func TestKeyIsTakenByOne(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		s = store.New(s.DB(), key, nil) // with a real clock
		k := newKeyTest(t, s)
		for round := range 20 {
			name := fmt.Sprint("key ", round)
			var got, held, other int
			var mu sync.Mutex
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range 16 {
				all.Go(func() {
					<-start
					_, err := k.begin(name, fmt.Sprint("owner ", i))
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						got++
					case desk.KindOf(err) == desk.Conflict:
						held++
					default:
						other++
						t.Error(err)
					}
				})
			}
			close(start)
			all.Wait()
			if got != 1 || held != 15 {
				t.Fatalf("round %d: %d took the key, %d found it held, %d failed", round, got, held, other)
			}
		}
	})
}
