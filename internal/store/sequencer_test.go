package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// recordMany records n changes of a member in one transaction.
func recordMany(t testing.TB, s *store.Store, m desk.Member, account desk.AccountID, n int) {
	t.Helper()
	write(t, s, account, func(tx *store.Tx) error {
		for range n {
			if err := recordUpdate(tx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantNumbers checks that each account's events and audit log entries have the
// numbers 1, 2, 3… in the order of their ids, but for the last of them that have
// none yet.
func wantNumbers(t testing.TB, s *store.Store, unnumbered int) {
	t.Helper()
	for _, table := range []string{"events", "audit_logs"} {
		type row struct{ account, id, seq int64 }
		var all []row
		must(t, s.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
			all, err = sqldb.Collect(tx, func(scan func(...any) error) (r row, err error) {
				err = scan(&r.account, &r.id, &r.seq)
				return r, err
			}, "SELECT account_id, id, coalesce(seq, 0) FROM "+table+" ORDER BY id")
			return err
		}))
		last := map[int64]int64{}
		missing := 0
		for _, r := range all {
			if r.seq == 0 {
				missing++
				continue
			}
			if r.seq != last[r.account]+1 {
				t.Errorf("%s: row %d of account %d has number %d behind %d", table, r.id, r.account, r.seq, last[r.account])
			}
			last[r.account] = r.seq
		}
		if missing != unnumbered {
			t.Errorf("%s: %d rows have no number, want %d", table, missing, unnumbered)
		}
	}
}

func TestSequence(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		if more, err := s.Sequence(ctx, "a"); more || err != nil {
			t.Fatalf("with nothing to do: %v, %v", more, err)
		}
		if n := rows(t, s, "SELECT * FROM leases"); len(n) > 0 {
			t.Errorf("an idle sequencer wrote %v", n)
		}
		var accounts []desk.Account
		var admins []desk.Member
		for i := range 3 {
			a, m := newAccount(t, s, fmt.Sprint("Account", i))
			accounts, admins = append(accounts, a), append(admins, m)
		}
		// More than two batches, the accounts mixed.
		for i := range 1200 / 20 {
			recordMany(t, s, admins[i%3], accounts[i%3].ID, 20)
		}
		wantNumbers(t, s, 1200)
		for batch, unnumbered := range []int{700, 200, 0} {
			more, err := s.Sequence(ctx, "a")
			if err != nil || more != (unnumbered > 0) {
				t.Errorf("batch %d: more %v, %v", batch, more, err)
			}
			wantNumbers(t, s, unnumbered)
		}
		recordMany(t, s, admins[1], accounts[1].ID, 1)
		sequence(t, s, "a")
		wantNumbers(t, s, 0)
		for i, a := range accounts {
			want := int64(400)
			if i == 1 {
				want++
			}
			if n, err := s.VerifyAuditLog(ctx, a.ID); n != want || err != nil {
				t.Errorf("account %d: the chain has %d entries, %v; want %d", i, n, err, want)
			}
			read(t, s, a.ID, func(tx *store.Tx) error {
				events, more, err := tx.Events(want-3, 2)
				if len(events) != 2 || !more || events[0].Seq != want-2 || events[1].Seq != want-1 {
					t.Errorf("events %+v, more %v", events, more)
				}
				return err
			})
		}
	})
}

// A failing batch leaves everything as it was, and the next one goes on.
func TestSequenceIsOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, m := newAccount(t, s, "Acme")
		recordMany(t, s, m, a.ID, 3)
		sequence(t, s, "a")
		recordMany(t, s, m, a.ID, 3)
		sql(t, s, "UPDATE sequences SET event_seq = 1 WHERE account_id = $1", a.ID) // the next number is taken
		if _, err := s.Sequence(ctx, "a"); err == nil {
			t.Fatal("a number was given twice")
		}
		wantNumbers(t, s, 3)
		sql(t, s, "UPDATE sequences SET event_seq = 3 WHERE account_id = $1", a.ID)
		sequence(t, s, "a")
		wantNumbers(t, s, 0)
	})
}

func TestSequencerLease(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, m := newAccount(t, s, "Acme")
		unnumbered := 0
		// turn records a change and lets owner try; numbers says whether it may.
		turn := func(owner string, numbers bool) {
			t.Helper()
			recordMany(t, s, m, a.ID, 1)
			if unnumbered++; numbers {
				unnumbered = 0
			}
			sequence(t, s, owner)
			wantNumbers(t, s, unnumbered)
		}
		turn("a", true)
		turn("b", false)
		c.move(4 * time.Second)
		turn("b", false)
		turn("a", true) // which also renews
		c.move(4 * time.Second)
		turn("b", false)
		c.move(time.Second)
		turn("b", true)  // the five seconds are over
		turn("a", false) // and the first is out
		c.move(4 * time.Second)
		turn("a", false)
		c.move(time.Second)
		turn("a", true)
	})
}

// A clock that jumps, its own or that of another process, stops nothing.
func TestSequencerClockJumps(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, m := newAccount(t, s, "Acme")
		for i, jump := range []time.Duration{0, 5 * time.Hour, -5 * time.Hour, -9 * time.Hour, time.Minute, -time.Minute, 48 * time.Hour, -30 * 24 * time.Hour} {
			c.move(jump)
			for range 3 {
				recordMany(t, s, m, a.ID, 2)
				sequence(t, s, "stays")
				wantNumbers(t, s, 0)
			}
			if jump == 0 {
				continue
			}
			// Another, whose clock jumps back again: it sees a lease from another time.
			c.move(-jump)
			recordMany(t, s, m, a.ID, 2)
			sequence(t, s, fmt.Sprint("other ", i))
			wantNumbers(t, s, 0)
			c.move(jump + 6*time.Second)
		}
		if n, err := s.VerifyAuditLog(ctx, a.ID); err != nil {
			t.Errorf("the chain breaks behind %d: %v", n, err)
		}
	})
}

// A sequencer that holds its transaction open while its lease runs out is not
// overtaken: the other waits for it and goes on where it ended.
func TestSequencerWaitsForTheOneAtWork(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key, nil)
	a, m := newAccount(t, s, "Acme")
	recordMany(t, s, m, a.ID, 1)
	sequence(t, s, "slow")
	recordMany(t, s, m, a.ID, 2)

	holds, wait, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	release := sync.OnceFunc(func() { close(wait) })
	defer release()
	go func() {
		done <- s.DB().Claim(ctx, func(tx *sqldb.Tx) error {
			// As Sequence does: the lease first, a clock that says it has run out, then the work.
			if _, err := tx.Exec("UPDATE leases SET owner = 'slow', until = 0 WHERE name = 'sequencer'"); err != nil {
				return err
			}
			close(holds)
			<-wait
			if _, err := tx.Exec("UPDATE events SET seq = 2 WHERE id = (SELECT min(id) FROM events WHERE seq IS NULL)"); err != nil {
				return err
			}
			_, err := tx.Exec("UPDATE sequences SET event_seq = 2 WHERE account_id = $1", a.ID)
			return err
		})
	}()
	<-holds
	go func() {
		_, err := s.Sequence(ctx, "quick")
		done <- err
	}()
	waitForLock(t, s)
	release()
	must(t, <-done)
	must(t, <-done)
	wantNumbers(t, s, 0)
	if got, want := rows(t, s, "SELECT seq FROM events ORDER BY id"), []string{`seq="1" `, `seq="2" `, `seq="3" `}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
	}
}

// waitForLock returns once a connection to this PostgreSQL database waits for a lock.
func waitForLock(t testing.TB, s *store.Store) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		if n := rows(t, s, "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"); len(n) > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("nobody waits for a lock")
		}
		time.Sleep(time.Millisecond)
	}
}

// Two sequencers at once, each in a process of its own, while others write.
func TestTwoSequencers(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		one := store.New(dbtest.Open(t, sqldb.Config{URL: url, Log: quiet}), key, nil)
		two := store.New(dbtest.Open(t, sqldb.Config{URL: url, Log: quiet}), key, nil)
		var accounts []desk.Account
		var admins []desk.Member
		for i := range 2 {
			a, m := newAccount(t, one, fmt.Sprint("Account", i))
			accounts, admins = append(accounts, a), append(admins, m)
		}
		const writers, rounds, perRound = 4, 25, 3
		var writing, sequencing sync.WaitGroup
		over, stop := context.WithCancel(ctx)
		for i, s := range []*store.Store{one, two, one, two} {
			sequencing.Go(func() {
				for over.Err() == nil {
					// As if it held the lease, which would keep the others idle.
					if _, err := s.Sequence(ctx, "same"); err != nil && desk.KindOf(err) == desk.Internal {
						t.Errorf("sequencer %d: %v", i, err)
						return
					}
				}
			})
		}
		for i := range writers {
			writing.Go(func() {
				s := []*store.Store{one, two}[i%2]
				for j := range rounds {
					n := (i + j) % 2
					recordMany(t, s, admins[n], accounts[n].ID, perRound)
				}
			})
		}
		writing.Wait()
		stop()
		sequencing.Wait()
		sequence(t, one, "same")
		// Not in the order of ids: what commits late gets a late number.
		for _, a := range accounts {
			for _, table := range []string{"events", "audit_logs"} {
				var n, least, most, different int64
				must(t, one.DB().Read(ctx, func(tx *sqldb.Tx) error {
					return tx.Row("SELECT count(*), min(seq), max(seq), count(DISTINCT seq) FROM "+table+" WHERE account_id = $1", a.ID).Scan(&n, &least, &most, &different)
				}))
				if want := int64(writers * rounds * perRound / 2); n != want || least != 1 || most != want || different != want {
					t.Errorf("%s: %d rows, %d numbers from %d to %d; want %d", table, n, different, least, most, want)
				}
			}
			if _, err := one.VerifyAuditLog(ctx, a.ID); err != nil {
				t.Error(err)
			}
		}
	})
}

// RunSequencer wakes up by itself and ends when it is told to.
func TestRunSequencer(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, m := newAccount(t, s, "Acme")
		feed, silence := s.DB().Listen(store.TopicFeed)
		defer silence()
		running, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.RunSequencer(running, "a", quiet)
		}()
		for range 3 {
			recordMany(t, s, m, a.ID, 2)
			// A bell is a hint: it may ring for nothing, but not fail to ring.
			for late := time.After(10 * time.Second); len(rows(t, s, "SELECT 1 FROM events WHERE seq IS NULL")) > 0; {
				select {
				case <-feed:
				case <-late:
					t.Fatal("nobody was told of the new events")
				}
			}
			wantNumbers(t, s, 0)
		}
		stop()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("it does not end")
		}
	})
}
