package store_test

import (
	"errors"
	"sync"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Two admins demote each other at the same moment. Each sees that there is another
// admin. If both were allowed, none would be left. On PostgreSQL each uses its own
// node.
func TestAnAdminIsLeft(t *testing.T) {
	eachWithAnother(t, func(t *testing.T, s, elsewhere *store.Store, c *clock) {
		a, first := newAccount(t, s, "Acme")
		var second desk.Member
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			second, err = addMember(tx, "second@acme.example", desk.Admin)
			return err
		})
		demoted := 0
		for round := range 30 {
			errs := make(chan error, 2)
			var both sync.WaitGroup
			for i, m := range []desk.Member{first, second} {
				s := []*store.Store{s, elsewhere}[i]
				both.Go(func() {
					errs <- s.Write(ctx, a.ID, func(tx *store.Tx) error {
						other, err := tx.HasOtherAdmin(m.ID)
						if err != nil {
							return err
						}
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
