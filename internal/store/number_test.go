package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// What is recorded in a turn has its numbers at the commit and is announced then.
// Nobody waits for the sequencer.
func TestNumbersAreThereWithTheCommit(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		var told []string
		store.OnNews(s, func(tx *store.Tx, news store.News) error {
			told = append(told, fmt.Sprint(tx.Account, len(news)))
			return nil
		})
		a, m := newAccount(t, s, "Acme")
		b, other := newAccount(t, s, "Globex")
		write(t, s, a.ID, func(tx *store.Tx) error {
			return tx.AddWebhook(&desk.Webhook{URL: "https://acme.example", Enabled: true, CreatedAt: tx.Now}, "secret")
		})
		write(t, s, b.ID, func(tx *store.Tx) error { return recordUpdate(tx, other) }) // has no followers
		const n = 250                                                                  // more than are written at once
		write(t, s, a.ID, func(tx *store.Tx) error {
			for range n {
				if err := recordUpdate(tx, m); err != nil {
					return err
				}
			}
			return nil
		})
		wantNumbers(t, s, 0)
		if want := fmt.Sprint([]string{fmt.Sprint(a.ID, 1)}); fmt.Sprint(told) != want {
			t.Errorf("who follows was told %v, not %v", told, want)
		}
		if entries, err := s.VerifyAuditLog(ctx, a.ID); entries != n || err != nil {
			t.Errorf("the chain has %d entries, %v", entries, err)
		}
		if more, err := s.Sequence(ctx); more || err != nil {
			t.Errorf("the sequencer has something to do: %v, %v", more, err)
		}

		// A rolled-back change takes no number.
		wantErr := fmt.Errorf("on second thoughts")
		if err := s.Write(ctx, a.ID, func(tx *store.Tx) error {
			if err := recordUpdate(tx, m); err != nil {
				return err
			}
			return wantErr
		}); err != wantErr {
			t.Errorf("%v", err)
		}
		write(t, s, a.ID, func(tx *store.Tx) error { return recordUpdate(tx, m) })
		wantNumbers(t, s, 0)
		read(t, s, b.ID, func(tx *store.Tx) error {
			events, _, err := tx.Events(0, 10, false)
			if len(events) != 1 {
				t.Errorf("another account has %d events", len(events))
			}
			return err
		})
	})
}

// A reader of the feed sees every number in order while several processes write, in
// turn and out of turn.
func TestNobodyIsPassedBy(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		one := store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, nil)
		two := store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, nil)
		a, m := newAccount(t, one, "Acme")
		const writers, writes = 6, 15
		var recorded atomic.Int64
		var writing sync.WaitGroup
		for w := range writers {
			s := []*store.Store{one, two}[w%2]
			writing.Go(func() {
				for i := range writes {
					n := 1 + (w+i)%3
					record := func(tx *store.Tx) error {
						for range n {
							if err := recordUpdate(tx, m); err != nil {
								return err
							}
						}
						return nil
					}
					var err error
					if w == 0 {
						err = store.WriteOutOfTurn(ctx, s, a.ID, record)
					} else {
						err = s.Write(ctx, a.ID, record)
					}
					if err == nil && w < 2 {
						_, err = s.Sequence(ctx)
					}
					if err != nil {
						t.Error(err)
						return
					}
					recorded.Add(int64(n))
				}
			})
		}
		ended := make(chan struct{})
		go func() { writing.Wait(); close(ended) }()
		last, over := int64(0), false
		for {
			select {
			case <-ended:
				sequence(t, one) // for rows that no writer has numbered
				over = true
			default:
			}
			var events []desk.Event
			read(t, one, a.ID, func(tx *store.Tx) (err error) {
				events, _, err = tx.Events(last, 100, false)
				return err
			})
			for _, e := range events {
				if e.Seq != last+1 {
					t.Fatalf("behind event %d comes %d", last, e.Seq)
				}
				last = e.Seq
			}
			if over && len(events) == 0 {
				break
			}
		}
		entries, err := one.VerifyAuditLog(ctx, a.ID)
		must(t, err)
		if want := recorded.Load(); last != want || entries != want {
			t.Errorf("%d events and %d entries of %d", last, entries, want)
		}
	})
}
