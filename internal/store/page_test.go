package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// rowsOf is the expected list: the plain rows, from which pageOf computes any page
// in the simplest way.
type rowsOf []desk.Position

func (r rowsOf) pageOf(p desk.Page) desk.List[desk.Position] {
	order := func(a, b desk.Position) int {
		c := cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
		if !p.Ascending {
			c = -c
		}
		return c
	}
	var l desk.List[desk.Position]
	for _, row := range r {
		if (p.After == nil || row.At.After(*p.After)) && (p.Before == nil || row.At.Before(*p.Before)) && (p.From == nil || order(*p.From, row) < 0) {
			l.Items = append(l.Items, row)
		}
	}
	slices.SortFunc(l.Items, order)
	if len(l.Items) > p.Limit {
		l.Items = l.Items[:p.Limit]
		l.Next = &l.Items[p.Limit-1]
	}
	return l
}

func samePage(got, want desk.List[desk.Position]) error {
	if !slices.Equal(got.Items, want.Items) {
		return fmt.Errorf("items %v, want %v", got.Items, want.Items)
	}
	if (got.Next == nil) != (want.Next == nil) || got.Next != nil && *got.Next != *want.Next {
		return fmt.Errorf("next %v, want %v", got.Next, want.Next)
	}
	return nil
}

// positions reduces a list to the positions that pages are about.
func positions[T any](l desk.List[T], err error, at func(T) desk.Position) (desk.List[desk.Position], error) {
	short := desk.List[desk.Position]{Next: l.Next}
	for _, item := range l.Items {
		short.Items = append(short.Items, at(item))
	}
	return short, err
}

func members(tx *store.Tx, p desk.Page) (desk.List[desk.Position], error) {
	l, err := tx.Members(p)
	return positions(l, err, func(m desk.Member) desk.Position { return desk.Position{At: m.CreatedAt, ID: int64(m.ID)} })
}

// addRow adds a member created at a given time.
func addRow(tx *store.Tx, name string, at time.Time) (desk.Position, error) {
	m := desk.Member{Email: name + "@example.com", Name: name, Role: desk.Viewer, CreatedAt: at, UpdatedAt: at}
	err := tx.AddMember(&m)
	return desk.Position{At: at, ID: int64(m.ID)}, err
}

// Every row appears exactly once, for both orders and every limit, even though many
// have the same time.
func TestPages(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		other, _ := newAccount(t, s, "Other")
		var want rowsOf
		// The rows are not in the order of their ids, and another account's rows
		// are among them.
		for i, ms := range []int{3, 0, 1, 1, 1, 5, 1, 0, 3, 3, 2, 2, 0, 5, 5, 4, 1} {
			at := c.Now().Add(time.Duration(ms) * time.Millisecond)
			write(t, s, account.ID, func(tx *store.Tx) error {
				row, err := addRow(tx, fmt.Sprint("m", i), at)
				want = append(want, row)
				return err
			})
			write(t, s, other.ID, func(tx *store.Tx) error {
				_, err := addRow(tx, fmt.Sprint("m", i), at)
				return err
			})
		}
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.RemoveMember(admin.ID) })

		read(t, s, account.ID, func(tx *store.Tx) error {
			for _, ascending := range []bool{false, true} {
				for limit := 1; limit <= len(want)+1; limit++ {
					p := desk.Page{Limit: limit, Ascending: ascending}
					var walked []desk.Position
					for {
						got, err := members(tx, p)
						if err != nil {
							return err
						}
						if err := samePage(got, want.pageOf(p)); err != nil {
							t.Errorf("%+v: %v", p, err)
						}
						walked = append(walked, got.Items...)
						if got.Next == nil || t.Failed() {
							break
						}
						p.From = got.Next
					}
					if whole := want.pageOf(desk.Page{Limit: len(want), Ascending: ascending}).Items; !slices.Equal(walked, whole) {
						t.Errorf("walked with limit %d, ascending %v: %v, want %v", limit, ascending, walked, whole)
					}
				}
				// Strictly after and strictly before, at every time there is.
				for after := -1; after <= 6; after++ {
					for before := -1; before <= 6; before++ {
						a, b := c.Now().Add(time.Duration(after)*time.Millisecond), c.Now().Add(time.Duration(before)*time.Millisecond)
						p := desk.Page{Limit: 100, Ascending: ascending, After: &a, Before: &b}
						got, err := members(tx, p)
						if err != nil {
							return err
						}
						if err := samePage(got, want.pageOf(p)); err != nil {
							t.Errorf("after %d ms, before %d ms: %v", after, before, err)
						}
					}
				}
			}
			return nil
		})
	})
}

// A reader pages through a list while rows are added and removed. Each page is what
// the plain model says, so every row that stays is seen exactly once.
func TestPagesOfAChangingList(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		rapid.Check(t, func(t *rapid.T) {
			var account desk.AccountID
			var now rowsOf
			n := 0
			moment := rapid.IntRange(0, 4)
			addSome := func(tx *store.Tx, t *rapid.T, most int) error {
				for range rapid.IntRange(0, most).Draw(t, "rows") {
					n++
					row, err := addRow(tx, fmt.Sprint("m", n), c.Now().Add(time.Duration(moment.Draw(t, "ms"))*time.Millisecond))
					if err != nil {
						return err
					}
					now = append(now, row)
				}
				return nil
			}
			// rapid's draws must not be part of a transaction that may run again.
			once := func(fn func(*store.Tx) error) func(*store.Tx) error {
				ran := false
				return func(tx *store.Tx) error {
					if ran {
						t.Fatal("a transaction without a rival ran again")
					}
					ran = true
					return fn(tx)
				}
			}
			add := once(func(tx *store.Tx) error { return addSome(tx, t, 12) })
			if err := s.AddAccount(ctx, "Acme", func(tx *store.Tx, a desk.Account) error { account = a.ID; return add(tx) }); err != nil {
				t.Fatal(err)
			}

			p := desk.Page{Limit: rapid.IntRange(1, 5).Draw(t, "limit"), Ascending: rapid.Bool().Draw(t, "ascending")}
			for _, bound := range []**time.Time{&p.After, &p.Before} {
				if rapid.IntRange(0, 3).Draw(t, "bounded") == 0 {
					at := c.Now().Add(time.Duration(moment.Draw(t, "bound")) * time.Millisecond)
					*bound = &at
				}
			}
			start := slices.Clone(now)
			seen := map[int64]int{}
			for pages := 0; ; pages++ {
				var got desk.List[desk.Position]
				if err := s.Read(ctx, account, func(tx *store.Tx) (err error) { got, err = members(tx, p); return err }); err != nil {
					t.Fatal(err)
				}
				if err := samePage(got, now.pageOf(p)); err != nil {
					t.Fatalf("page %d, %+v: %v", pages, p, err)
				}
				for _, row := range got.Items {
					seen[row.ID]++
				}
				if got.Next == nil {
					break
				}
				p.From = got.Next
				if pages > 8 {
					continue // no more changes, so that the walk ends
				}
				if err := s.Write(ctx, account, once(func(tx *store.Tx) error {
					if len(now) > 0 && rapid.Bool().Draw(t, "remove") {
						i := rapid.IntRange(0, len(now)-1).Draw(t, "which")
						if err := tx.RemoveMember(desk.MemberID(now[i].ID)); err != nil {
							return err
						}
						now = slices.Delete(now, i, i+1)
					}
					return addSome(tx, t, 2)
				})); err != nil {
					t.Fatal(err)
				}
			}
			p.From, p.Limit = nil, len(start)+1
			for _, row := range rowsOf(start).pageOf(p).Items {
				if slices.Contains(now, row) && seen[row.ID] != 1 {
					t.Fatalf("row %v was there all the time and seen %d times", row, seen[row.ID])
				}
			}
			for id, times := range seen {
				if times > 1 {
					t.Fatalf("row %d was seen %d times", id, times)
				}
			}
		})
	})
}

// The other lists page the same way, with their filters.
func TestPagesOfOtherLists(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		var second desk.Member
		var tokens, entries, ofAdmin, ofMember rowsOf
		for i := range 12 {
			if i%3 == 0 {
				c.move(time.Millisecond)
			}
			write(t, s, account.ID, func(tx *store.Tx) (err error) {
				if i == 0 {
					if second, err = addMember(tx, "second@acme.example", desk.Agent); err != nil {
						return err
					}
				}
				owner := []desk.Member{admin, second}[i%2]
				made, err := addToken(tx, owner)
				if err != nil {
					return err
				}
				if owner.ID == admin.ID {
					tokens = append(tokens, desk.Position{At: tx.Now, ID: int64(made.ID)})
				}
				return tx.Record(desk.Change{By: desk.Actor{ID: owner.ID, Name: "x"}, Action: "a", Resource: []string{"Member", "Token", "Member"}[i%3], ID: fmt.Sprint(i % 4), After: owner})
			})
		}
		read(t, s, account.ID, func(tx *store.Tx) error {
			l, err := tx.AuditLogs(desk.AuditLogFilter{}, desk.Page{Limit: 100, Ascending: true})
			for i, e := range l.Items {
				at := desk.Position{At: e.At, ID: int64(e.ID)}
				entries = append(entries, at)
				if i%2 == 0 {
					ofAdmin = append(ofAdmin, at)
				}
				if i%3 != 1 && i%4 == 2 {
					ofMember = append(ofMember, at)
				}
			}
			return err
		})
		if len(entries) != 12 {
			t.Fatalf("%d entries, want 12", len(entries))
		}
		audit := func(f desk.AuditLogFilter) func(*store.Tx, desk.Page) (desk.List[desk.Position], error) {
			return func(tx *store.Tx, p desk.Page) (desk.List[desk.Position], error) {
				l, err := tx.AuditLogs(f, p)
				return positions(l, err, func(e desk.AuditLog) desk.Position { return desk.Position{At: e.At, ID: int64(e.ID)} })
			}
		}
		for _, list := range []struct {
			name string
			want rowsOf
			get  func(*store.Tx, desk.Page) (desk.List[desk.Position], error)
		}{
			{"tokens", tokens, func(tx *store.Tx, p desk.Page) (desk.List[desk.Position], error) {
				l, err := tx.Tokens(admin.ID, p)
				return positions(l, err, func(t desk.Token) desk.Position { return desk.Position{At: t.CreatedAt, ID: int64(t.ID)} })
			}},
			{"audit log", entries, audit(desk.AuditLogFilter{})},
			{"audit log of an actor", ofAdmin, audit(desk.AuditLogFilter{Actor: admin.ID})},
			{"audit log of a resource", ofMember, audit(desk.AuditLogFilter{ResourceType: "Member", ResourceID: "2"})},
			{"audit log of nothing", nil, audit(desk.AuditLogFilter{ResourceType: "Member", ResourceID: "none"})},
		} {
			for _, ascending := range []bool{false, true} {
				for limit := 1; limit <= len(list.want)+1; limit++ {
					p := desk.Page{Limit: limit, Ascending: ascending}
					for {
						var got desk.List[desk.Position]
						read(t, s, account.ID, func(tx *store.Tx) (err error) { got, err = list.get(tx, p); return err })
						if err := samePage(got, list.want.pageOf(p)); err != nil {
							t.Fatalf("%s, %+v: %v", list.name, p, err)
						}
						if got.Next == nil {
							break
						}
						p.From = got.Next
					}
				}
			}
		}
	})
}

// A page without a limit gets the default.
func TestPageWithoutLimit(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			for i := range desk.DefaultLimit {
				if _, err := addRow(tx, fmt.Sprint("m", i), tx.Now); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, s, account.ID, func(tx *store.Tx) error {
			l, err := tx.Members(desk.Page{})
			if len(l.Items) != desk.DefaultLimit || l.Next == nil {
				t.Errorf("%d members, next %v; want %d and another page", len(l.Items), l.Next, desk.DefaultLimit)
			}
			return err
		})
	})
}
