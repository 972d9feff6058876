package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// recordMany records n changes of a member in one transaction, out of turn.
func recordMany(t testing.TB, s *store.Store, m desk.Member, account desk.AccountID, n int) {
	t.Helper()
	must(t, store.WriteOutOfTurn(ctx, s, account, func(tx *store.Tx) error {
		for range n {
			if err := recordUpdate(tx, m); err != nil {
				return err
			}
		}
		return nil
	}))
}

// wantNumbers checks that each account's events and audit log entries have the
// numbers 1, 2, 3… in the order of their ids, except for the last ones, which have
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
		if more, err := s.Sequence(ctx); more || err != nil {
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
		// More than two batches, with the accounts mixed.
		for i := range 1200 / 20 {
			recordMany(t, s, admins[i%3], accounts[i%3].ID, 20)
		}
		wantNumbers(t, s, 1200)
		for batch, unnumbered := range []int{700, 200, 0} {
			more, err := s.Sequence(ctx)
			if err != nil || more != (unnumbered > 0) {
				t.Errorf("batch %d: more %v, %v", batch, more, err)
			}
			wantNumbers(t, s, unnumbered)
		}
		recordMany(t, s, admins[1], accounts[1].ID, 1)
		sequence(t, s)
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
				events, more, err := tx.Events(want-3, 2, false)
				if len(events) != 2 || !more || events[0].Seq != want-2 || events[1].Seq != want-1 {
					t.Errorf("events %+v, more %v", events, more)
				}
				return err
			})
		}
	})
}

// A failing batch leaves everything as it was, and the next one continues.
func TestSequenceIsOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, m := newAccount(t, s, "Acme")
		recordMany(t, s, m, a.ID, 3)
		sequence(t, s)
		recordMany(t, s, m, a.ID, 3)
		sql(t, s, "UPDATE sequences SET event_seq = 1 WHERE account_id = $1", a.ID) // the next number is taken
		if _, err := s.Sequence(ctx); err == nil {
			t.Fatal("a number was given twice")
		}
		wantNumbers(t, s, 3)
		sql(t, s, "UPDATE sequences SET event_seq = 3 WHERE account_id = $1", a.ID)
		sequence(t, s)
		wantNumbers(t, s, 0)
	})
}

// sequencerDies is an environment variable. In a process that is to be killed in
// the middle of numbering, it holds the address of a database.
const sequencerDies = "STORE_TEST_SEQUENCER_DIES"

// A process that is killed while it numbers events holds up nobody. Another
// continues at once, without the clock moving.
func TestSequencerDies(t *testing.T) {
	if url := os.Getenv(sequencerDies); url != "" {
		s := store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, nil)
		store.OnNews(s, func(*store.Tx, store.News) error {
			fmt.Println("numbering")
			select {} // until it is killed
		})
		_, err := s.Sequence(ctx)
		t.Fatalf("it was not killed: %v", err)
	}
	dbtest.EachURL(t, func(t *testing.T, url string) {
		stands := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
		s := store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, func() time.Time { return stands })
		a, m := newAccount(t, s, "Acme")
		recordMany(t, s, m, a.ID, 1)
		sequence(t, s) // by a process that has done this before
		recordMany(t, s, m, a.ID, 2)

		child := exec.Command(os.Args[0], "-test.run=^TestSequencerDies$")
		child.Env = append(os.Environ(), sequencerDies+"="+url)
		out, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		if line != "numbering\n" {
			t.Errorf("the child said %q, %v", line, err)
		}
		must(t, child.Process.Kill())
		child.Wait() // killed, as intended

		// PostgreSQL may take a moment to notice; the clock stands still in the
		// meantime.
		for len(rows(t, s, "SELECT 1 FROM events WHERE seq IS NULL")) > 0 {
			sequence(t, s)
		}
		wantNumbers(t, s, 0)
	})
}

// Any process can continue after what another has numbered: nobody owns the work.
func TestSequencersTakeTurns(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		stands := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
		var all []*store.Store
		for i := range 3 { // their clocks differ
			now := stands.Add(time.Duration(i-1) * time.Hour)
			all = append(all, store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, func() time.Time { return now }))
		}
		a, m := newAccount(t, all[0], "Acme")
		for i := range 6 {
			recordMany(t, all[0], m, a.ID, 2)
			sequence(t, all[i%3])
			wantNumbers(t, all[0], 0)
		}
		if n, err := all[0].VerifyAuditLog(ctx, a.ID); err != nil {
			t.Errorf("the chain breaks behind %d: %v", n, err)
		}
	})
}

// A sequencer at work is not overtaken. Another waits for it and continues where it
// ended.
func TestSequencerWaitsForTheOneAtWork(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key, nil)
	a, m := newAccount(t, s, "Acme")
	recordMany(t, s, m, a.ID, 1)
	sequence(t, s)
	recordMany(t, s, m, a.ID, 2)

	holds, wait, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	release := sync.OnceFunc(func() { close(wait) })
	defer release()
	slow := store.New(s.DB(), key, nil)
	store.OnNews(slow, func(*store.Tx, store.News) error {
		close(holds)
		<-wait
		return nil
	})
	for _, one := range []*store.Store{slow, s} {
		go func() {
			_, err := one.Sequence(ctx)
			done <- err
		}()
		if one == slow {
			<-holds
			recordMany(t, s, m, a.ID, 1)
		}
	}
	waitForLock(t, s)
	wantNumbers(t, s, 3)
	release()
	must(t, <-done)
	must(t, <-done)
	wantNumbers(t, s, 0)
}

// The process at work is frozen, or its machine has lost power. It holds up every
// account, until the server has waited long enough. How long the oldest record waits
// can be seen.
func TestFrozenSequencerIsReplaced(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	c := newClock()
	s := store.New(dbtest.Open(t, sqldb.Config{URL: url, Log: quiet}), key, c.Now)
	a, m := newAccount(t, s, "Acme")
	recordMany(t, s, m, a.ID, 1)
	sequence(t, s)
	frozen := dbtest.Open(t, sqldb.Config{URL: url, Log: quiet, WriteTimeout: 2 * time.Second})
	locked, frost, thawed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(thawed)
		_ = frozen.Claim(ctx, func(tx *sqldb.Tx) error {
			if err := tx.Do("UPDATE leases SET until = 0 WHERE name = 'sequencer'"); err != nil {
				return err
			}
			select {
			case <-frost: // it runs again when it has thawed
			default:
				close(locked)
				<-frost
			}
			return nil
		})
	}()
	defer func() {
		close(frost)
		<-thawed
	}()
	<-locked
	recordMany(t, s, m, a.ID, 3)
	done := make(chan error, 1)
	go func() {
		_, err := s.Sequence(ctx)
		done <- err
	}()
	waitForLock(t, s)
	c.move(time.Hour)
	if waited := s.Unnumbered(); waited != time.Hour {
		t.Errorf("the oldest record has waited for %v, want an hour", waited)
	}
	must(t, <-done)
	wantNumbers(t, s, 0)
	if waited := s.Unnumbered(); waited != 0 {
		t.Errorf("the oldest record still waits for %v", waited)
	}
}

// waitForLock returns once a connection to this PostgreSQL database waits for a lock.
func waitForLock(t testing.TB, s *store.Store) {
	t.Helper()
	for len(rows(t, s, "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")) == 0 {
		time.Sleep(time.Millisecond) // between two checks on another process
	}
}

// Two sequencers run at once, each in its own process, while others write.
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
					if _, err := s.Sequence(ctx); err != nil && desk.KindOf(err) == desk.Internal {
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
		sequence(t, one)
		// Numbers are not in the order of ids, because a late commit gets a late
		// number.
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

// RunSequencer numbers new events as they come and ends when told to.
func TestRunSequencer(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, m := newAccount(t, s, "Acme")
		feed, silence := s.DB().Listen(store.TopicFeed)
		defer silence()
		running, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.RunSequencer(running, quiet)
		}()
		for range 3 {
			recordMany(t, s, m, a.ID, 2)
			// A bell is a hint: it may ring for nothing, but it must not fail to
			// ring.
			for late := time.After(5 * time.Minute); len(rows(t, s, "SELECT 1 FROM events WHERE seq IS NULL")) > 0; {
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
		case <-time.After(5 * time.Minute):
			t.Fatal("it does not end")
		}
	})
}
