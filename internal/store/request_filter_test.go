package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Whatever a list is narrowed by, in any order and page length, it holds exactly
// the requests that checking each of them finds.
func TestRequestFilters(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		rnd := rand.New(rand.NewPCG(19, 25))
		var team desk.TeamID
		var kept []desk.Request
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			if team, err = addDirectory(tx, "ACME"); err != nil {
				return err
			}
			var cols [2]desk.CollectionID
			for i := range cols {
				if cols[i], err = addAPICollection(tx, string(rune('A'+i))); err != nil {
					return err
				}
			}
			for range 120 {
				r, err := addRequest(tx, cols[rnd.IntN(2)], func(r *desk.Request) {
					state := desk.States[rnd.IntN(len(desk.States))]
					r.State, r.Priority = &state, desk.Priorities[rnd.IntN(4)]
					r.Assignee = []*string{nil, ptr("U_ACME"), ptr("U2")}[rnd.IntN(3)]
					r.Team = []*desk.TeamID{nil, &team}[rnd.IntN(2)]
					r.Customer = []*desk.CustomerID{nil, ptr(desk.CustomerID(1)), ptr(desk.CustomerID(2))}[rnd.IntN(3)]
					r.Tags = [][]string{nil, {"a"}, {"a", "b"}, {"b", "'; --"}}[rnd.IntN(4)]
					r.CreatedAt = tx.Now.Add(time.Duration(rnd.IntN(5)) * time.Second) // several at the same time
					r.Snooze = []*desk.Snooze{nil, {At: tx.Now}, {At: tx.Now, Back: &desk.Back{At: tx.Now, Reason: desk.BackByTime}}}[rnd.IntN(3)]
					r.UpdatedAt = tx.Now.Add(time.Duration(rnd.IntN(5)) * time.Minute)
				})
				if err != nil {
					return err
				}
				if rnd.IntN(2) == 0 {
					by := desk.Requester{Name: "x", Email: []string{"jo@acme.example", admin.Email}[rnd.IntN(2)]}
					m := desk.Message{Request: r.ID, Author: by, HTML: "<p>x</p>", Text: "x", Source: desk.SourceAPI, CreatedAt: tx.Now}
					if err := tx.AddMessage(&m); err != nil {
						return err
					}
				}
				if n := rnd.IntN(3); n < 2 {
					if err := tx.SetRead(admin.ID, r.ID, n == 0); err != nil {
						return err
					}
				}
				if rnd.IntN(4) == 0 {
					if err := tx.SetFollow(admin.ID, r.ID, true); err != nil {
						return err
					}
				}
				kept = append(kept, r)
			}
			return nil
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			reader, err := tx.Reader(admin.ID)
			if err != nil {
				return err
			}
			for i, r := range kept {
				rows, err := tx.Rows([]desk.RequestID{r.ID}, desk.Everything, admin.ID)
				if err != nil {
					return err
				}
				kept[i].Row = rows[0].Row
			}
			for range 400 {
				f := drawFilter(rnd, kept, team, reader)
				p := desk.Page{Limit: 1 + rnd.IntN(60), Ascending: rnd.IntN(2) == 0}
				want := wantedOf(kept, f, p)
				if err := checkCount(tx, desk.RequestList{RequestFilter: f}, len(want)); err != nil {
					t.Fatalf("%+v: %v", f, err)
				}
				var got []desk.RequestID
				for {
					l, err := tx.Requests(f, p)
					if err != nil {
						return err
					}
					for _, r := range l.Items {
						got = append(got, r.ID)
					}
					if p.From = l.Next; p.From == nil {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%+v %+v:\ngot  %v\nwant %v", f, p, got, want)
				}
			}
			return nil
		})
	})
}

// checkCount checks how many requests a list has, if no more are looked at than a
// count may.
func checkCount(tx *store.Tx, l desk.RequestList, want int) error {
	counts, err := tx.CountRequests([]desk.RequestList{l})
	if err != nil {
		return err
	}
	return same("count", counts[0], desk.RequestCount{Count: min(want, desk.MostInCount), More: want > desk.MostInCount})
}

// drawFilter draws a random filter for a list.
func drawFilter(rnd *rand.Rand, kept []desk.Request, team desk.TeamID, reader desk.Reader) desk.RequestFilter {
	f := desk.RequestFilter{Reach: desk.Everything, Reader: reader, ByUpdate: rnd.IntN(2) == 0}
	one := func() bool { return rnd.IntN(4) == 0 }
	if one() {
		f.Reach = desk.Reach{IDs: []desk.CollectionID{kept[0].Collection.ID}}
	}
	if one() {
		f.Collection = kept[1].Collection.ID
	}
	if one() {
		f.States = [][]desk.State{{desk.Open}, {desk.Open, desk.Closed}, {desk.Pending, desk.InProgress}}[rnd.IntN(3)]
	}
	if one() {
		f.Assignees, f.Unassigned = [][]string{nil, {"U_ACME"}, {"U_ACME", "U2"}}[rnd.IntN(3)], rnd.IntN(2) == 0
	}
	if one() {
		f.Teams, f.NoTeam = [][]desk.TeamID{nil, {team}}[rnd.IntN(2)], rnd.IntN(2) == 0
	}
	if one() {
		f.Customers, f.NoCustomer = [][]desk.CustomerID{nil, {1}, {2, 1}}[rnd.IntN(3)], rnd.IntN(2) == 0
	}
	if one() {
		f.Priorities = [][]desk.Priority{{desk.Urgent}, {desk.Low, desk.High}}[rnd.IntN(2)]
	}
	if one() {
		f.Tags = [][]string{{"a"}, {"a", "b"}, {"'; --"}, {"none has it"}}[rnd.IntN(4)]
	}
	f.Unread, f.Following = one(), one()
	if one() {
		f.Snoozed = []desk.Snoozed{desk.IsSnoozed, desk.NotSnoozed, desk.CameBack}[rnd.IntN(3)]
	}
	return f
}

// wantedOf finds the requests by checking each of them.
func wantedOf(kept []desk.Request, f desk.RequestFilter, p desk.Page) (ids []desk.RequestID) {
	at := func(r desk.Request) time.Time {
		if f.ByUpdate {
			return r.UpdatedAt
		}
		return r.CreatedAt
	}
	var found []desk.Request
	for _, r := range kept {
		if f.Reach.Has(r.Collection.ID) && (f.Collection == 0 || r.Collection.ID == f.Collection) &&
			(len(f.States) == 0 || slices.Contains(f.States, *r.State)) &&
			fits(f.Assignees, f.Unassigned, r.Assignee) && fits(f.Teams, f.NoTeam, r.Team) && fits(f.Customers, f.NoCustomer, r.Customer) &&
			fits(f.Priorities, false, &r.Priority) && (!f.Unread || r.Row.Unread) && (!f.Following || r.Row.Following) && sleeps(f.Snoozed, r) &&
			(len(f.Tags) == 0 || slices.ContainsFunc(f.Tags, func(tag string) bool { return slices.Contains(r.Tags, tag) })) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b desk.Request) int {
		n := at(a).Compare(at(b))
		if n == 0 {
			n = int(a.ID - b.ID)
		}
		if !p.Ascending {
			n = -n
		}
		return n
	})
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return ids
}

func sleeps(wanted desk.Snoozed, r desk.Request) bool {
	switch wanted {
	case desk.IsSnoozed:
		return r.Asleep()
	case desk.NotSnoozed:
		return !r.Asleep()
	case desk.CameBack:
		return r.Snooze != nil && r.Snooze.Back != nil
	}
	return true
}

func fits[T comparable](wanted []T, orNone bool, has *T) bool {
	return len(wanted) == 0 && !orNone || has == nil && orNone || has != nil && slices.Contains(wanted, *has)
}

// Whether a request is unread depends on what others have said since it was read,
// wherever messages move.
func TestUnread(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		var one, two desk.Request
		say := func(tx *store.Tx, in desk.RequestID, email string, source desk.Source) (desk.Message, error) {
			m := desk.Message{Request: in, Author: desk.Requester{Email: email}, HTML: "<p>x</p>", Text: "\n first \nsecond", Source: source, CreatedAt: tx.Now}
			return m, tx.AddMessage(&m)
		}
		check := func(step string, wantOne, wantTwo bool) {
			t.Helper()
			read(t, s, a.ID, func(tx *store.Tx) error {
				both, err := tx.Rows([]desk.RequestID{one.ID, two.ID}, desk.Everything, admin.ID)
				if err != nil {
					return err
				}
				return all(err, same(step+": one", both[0].Row.Unread, wantOne), same(step+": two", both[1].Row.Unread, wantTwo))
			})
		}
		var last desk.Message
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			if one, err = addRequest(tx, col, nil); err != nil {
				return err
			}
			if two, err = addRequest(tx, col, nil); err != nil {
				return err
			}
			last, err = say(tx, one.ID, "jo@acme.example", desk.SourceAPI)
			_, e := say(tx, two.ID, "jo@acme.example", desk.SourceImport)
			return all(err, e)
		})
		check("said, and imported", true, false)
		write(t, s, a.ID, func(tx *store.Tx) error { return tx.SetRead(admin.ID, one.ID, true) })
		check("read", false, false)
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			last, err = say(tx, one.ID, "jo@acme.example", desk.SourceChat)
			return err
		})
		check("said again", true, false)
		write(t, s, a.ID, func(tx *store.Tx) error { return tx.RemoveMessage(last.ID) })
		check("taken back", false, false)
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			last, err = say(tx, one.ID, "jo@acme.example", desk.SourceChat)
			return all(err, tx.Move(desk.MovedRequest{Request: one.ID, Messages: []desk.MessageID{last.ID}}, one.ID, two.ID))
		})
		check("moved", false, true)
		write(t, s, a.ID, func(tx *store.Tx) error {
			_, err := say(tx, two.ID, "ADMIN@acme.example", desk.SourceAPI)
			return err
		})
		check("answered", false, false)
	})
}
