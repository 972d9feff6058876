package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Two admins demote each other at the same moment. Each sees that there is
// another admin; were both allowed, nobody would be left. On PostgreSQL the
// transactions truly overlap: each waits until the other has looked, too.
func TestAnAdminIsLeft(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, first := newAccount(t, s, "Acme")
		var second desk.Member
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			second, err = addMember(tx, "second@acme.example", desk.Admin)
			return err
		})
		demoted := 0
		for round := range 30 {
			var meet *meeting
			if s.DB().Engine() == sqldb.Postgres {
				meet = newMeeting(2)
			}
			errs := make(chan error, 2)
			var both sync.WaitGroup
			for _, m := range []desk.Member{first, second} {
				both.Go(func() {
					errs <- s.Write(ctx, a.ID, func(tx *store.Tx) error {
						other, err := tx.HasOtherAdmin(m.ID)
						if err != nil {
							return err
						}
						meet.wait() // only the first time: a second try comes alone
						if !other {
							return desk.ErrLastAdmin
						}
						m.Role = desk.Viewer
						return tx.SaveMember(m)
					})
				})
			}
			both.Wait()
			for range 2 {
				if err := <-errs; err == nil {
					demoted++
				} else if !errors.Is(err, desk.ErrLastAdmin) {
					t.Fatal(err)
				}
			}
			var admins int
			read(t, s, a.ID, func(tx *store.Tx) error {
				admins = 0
				l, err := tx.Members(desk.Page{Limit: 10})
				for _, m := range l.Items {
					if m.Role == desk.Admin {
						admins++
					}
				}
				return err
			})
			if admins != 1 {
				t.Fatalf("round %d leaves %d admins", round, admins)
			}
			write(t, s, a.ID, func(tx *store.Tx) error {
				return errors.Join(tx.SaveMember(first), tx.SaveMember(second))
			})
		}
		if demoted != 30 {
			t.Errorf("%d were demoted in 30 rounds", demoted)
		}
	})
}

// meeting is a place where n wait for each other, once. A nil meeting keeps
// nobody waiting.
type meeting struct {
	mu      sync.Mutex
	missing int
	all     chan struct{}
}

func newMeeting(n int) *meeting { return &meeting{missing: n, all: make(chan struct{})} }

func (m *meeting) wait() {
	if m == nil {
		return
	}
	m.mu.Lock()
	if m.missing--; m.missing == 0 {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
	case <-time.After(5 * time.Second): // the other was held up by the database
	}
}
