package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

func addCollection(tx *store.Tx, name string, kind desk.CollectionKind) (desk.Collection, error) {
	c, err := desk.NewCollection{Name: name, Kind: kind}.Collection(tx.Now)
	if err != nil {
		return c, err
	}
	err = tx.AddCollection(&c)
	return c, err
}

// A collection is stored as given, in its order. A change replaces it as a whole.
func TestCollectionsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var team desk.TeamID
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			team, err = addDirectory(tx, "ACME")
			return err
		})
		full := desk.Collection{
			Name: "Website", Kind: desk.APICollection, Owner: ptr("U_ACME"), CreatedBy: ptr("U_ACME"),
			RequestChannel: ptr("C_REQUEST_ACME"), TriageChannel: ptr("C_TRIAGE_ACME"), CreatedAt: c.Now(), UpdatedAt: c.Now(),
			Responders: []desk.Responder{{EmailDomain: "z.example"}, {UserID: "U_ACME"}, {TeamID: team}, {EmailDomain: "a.example"}},
			AutoAssign: desk.AssignRoundRobin, AssignTeam: &team, GroupingMinutes: 1440, AllowBots: true, Notify: desk.NotifyDirect,
			Emoji: desk.EmojiRules{Take: []string{"b", "a"}, Solve: []string{"c"}, Urgent: []string{"+1"}, Ticket: []string{"it's"}, Request: []string{}},
		}
		empty, err := desk.NewCollection{Name: "Chat", Kind: desk.ChatCollection}.Collection(c.Now())
		must(t, err)
		empty.Responders = nil
		write(t, s, account.ID, func(tx *store.Tx) error {
			full.ID, empty.ID = 0, 0
			if err := tx.AddCollection(&full); err != nil {
				return err
			}
			return tx.AddCollection(&empty)
		})
		same := func(want ...desk.Collection) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) error {
				l, err := tx.Collections(desk.Everything, desk.Page{Ascending: true})
				if err != nil || !reflect.DeepEqual(l.Items, want) {
					t.Errorf("listed %+v, %v\nwant %+v", l.Items, err, want)
				}
				for _, w := range want {
					if got, err := tx.Collection(w.ID); err != nil || !reflect.DeepEqual(got, w) {
						t.Errorf("got %+v, %v\nwant %+v", got, err, w)
					}
				}
				return nil
			})
		}
		same(full, empty)

		full.Name, full.Owner, full.RequestChannel, full.TriageChannel, full.UpdatedAt = "Web", nil, nil, ptr("C_ACME"), c.Now().Add(time.Minute)
		full.Responders = []desk.Responder{{TeamID: team}}
		full.AutoAssign, full.AssignTeam, full.GroupingMinutes, full.AllowBots, full.Notify = desk.AssignNobody, nil, 0, false, desk.NotifyNobody
		full.Emoji.Take, full.Emoji.Request = []string{}, []string{"語"}
		empty.Responders = []desk.Responder{{UserID: "U_ACME"}, {EmailDomain: "b.example"}}
		write(t, s, account.ID, func(tx *store.Tx) error {
			if err := tx.SaveCollection(full); err != nil {
				return err
			}
			return tx.SaveCollection(empty)
		})
		same(full, empty)
		full.Responders = nil
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.SaveCollection(full) })
		same(full, empty)

		write(t, s, account.ID, func(tx *store.Tx) error {
			if err := tx.RemoveCollection(full.ID); err != nil {
				return err
			}
			return tx.SaveCollection(full) // a removed collection is not saved again
		})
		same(empty)
	})
}

// A collection from before there were settings has the defaults.
func TestOlderCollectionsHaveTheDefaults(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		want, err := desk.NewCollection{Name: "Old", Kind: desk.ChatCollection}.Collection(c.Now())
		must(t, err)
		write(t, s, account.ID, func(tx *store.Tx) error {
			return tx.Row("INSERT INTO collections (account_id, name, kind, created_at, updated_at) VALUES ($1, 'Old', 'chat', $2, $2) RETURNING id",
				tx.Account, c.Now().UnixMilli()).Scan(&want.ID)
		})
		read(t, s, account.ID, func(tx *store.Tx) error {
			if got, err := tx.Collection(want.ID); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
			return nil
		})
	})
}

// Lists page within reach: rows out of reach are left out before a page is cut.
func TestPagesWithinReach(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var all []desk.Collection
		var collections, some rowsOf
		var reach desk.Reach
		for i := range 14 {
			if i%3 == 0 {
				c.move(time.Millisecond)
			}
			write(t, s, account.ID, func(tx *store.Tx) error {
				col, err := addCollection(tx, fmt.Sprint("no. ", i), desk.ChatCollection)
				if err != nil {
					return err
				}
				all = append(all, col)
				if i == 5 {
					return tx.RemoveCollection(col.ID)
				}
				at := desk.Position{At: tx.Now, ID: int64(col.ID)}
				collections = append(collections, at)
				if i%2 == 0 {
					some = append(some, at)
				}
				return nil
			})
			if i%2 == 0 || i == 5 {
				reach.IDs = append(reach.IDs, all[i].ID)
			}
		}
		var channels, ofReach, ofOne rowsOf
		for i := range 14 {
			if i%4 == 0 {
				c.move(time.Millisecond)
			}
			write(t, s, account.ID, func(tx *store.Tx) error {
				id := fmt.Sprint("C", i)
				if err := addChannel(tx, id); err != nil {
					return err
				}
				var row int64
				if err := tx.Row("SELECT id FROM channels WHERE account_id = $1 AND channel_id = $2", account.ID, id).Scan(&row); err != nil {
					return err
				}
				if i%7 == 3 { // gone, and in no collection
					_, err := tx.Exec("UPDATE channels SET is_gone = TRUE WHERE account_id = $1 AND id = $2", account.ID, row)
					return err
				}
				at := desk.Position{At: tx.Now, ID: row}
				channels = append(channels, at)
				if i%5 == 4 {
					return nil // in no collection
				}
				in := all[i%3]
				if reach.Has(in.ID) {
					ofReach = append(ofReach, at)
				}
				if in.ID == all[1].ID {
					ofOne = append(ofOne, at)
				}
				if i%6 == 0 {
					if _, err := tx.Exec("UPDATE channels SET is_gone = TRUE WHERE account_id = $1 AND id = $2", account.ID, row); err != nil {
						return err
					}
				}
				return tx.SaveChannel(desk.Channel{ID: id, Collection: &in.ID, Active: i%2 == 0})
			})
		}
		rowOf := func(tx *store.Tx, id string) (row int64, err error) {
			err = tx.Row("SELECT id FROM channels WHERE account_id = $1 AND channel_id = $2", account.ID, id).Scan(&row)
			return row, err
		}
		ofCollections := func(r desk.Reach) func(*store.Tx, desk.Page) (desk.List[desk.Position], error) {
			return func(tx *store.Tx, p desk.Page) (desk.List[desk.Position], error) {
				l, err := tx.Collections(r, p)
				return positions(l, err, func(c desk.Collection) desk.Position { return desk.Position{At: c.CreatedAt, ID: int64(c.ID)} })
			}
		}
		ofChannels := func(f desk.ChannelFilter) func(*store.Tx, desk.Page) (desk.List[desk.Position], error) {
			return func(tx *store.Tx, p desk.Page) (desk.List[desk.Position], error) {
				l, err := tx.Channels(f, p)
				return positions(l, err, func(ch desk.Channel) desk.Position {
					row, e := rowOf(tx, ch.ID)
					must(t, e)
					return desk.Position{At: ch.CreatedAt, ID: row}
				})
			}
		}
		for _, list := range []struct {
			name string
			want rowsOf
			get  func(*store.Tx, desk.Page) (desk.List[desk.Position], error)
		}{
			{"collections", collections, ofCollections(desk.Everything)},
			{"collections within reach", some, ofCollections(reach)},
			{"collections within no reach", nil, ofCollections(desk.Reach{})},
			{"channels", channels, ofChannels(desk.ChannelFilter{Reach: desk.Everything})},
			{"channels within reach", ofReach, ofChannels(desk.ChannelFilter{Reach: reach})},
			{"channels within no reach", nil, ofChannels(desk.ChannelFilter{})},
			{"channels of a collection", ofOne, ofChannels(desk.ChannelFilter{Reach: desk.Everything, Collection: all[1].ID})},
			{"channels of a collection out of reach", nil, ofChannels(desk.ChannelFilter{Reach: reach, Collection: all[1].ID})},
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

// A list of any length is stored and read back, ordered by id.
func TestMembersCollections(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		var ids []desk.CollectionID
		write(t, s, account.ID, func(tx *store.Tx) error {
			ids = nil
			for i := range 40 {
				col, err := addCollection(tx, fmt.Sprint(i), desk.EmailCollection)
				if err != nil {
					return err
				}
				ids = append(ids, col.ID)
			}
			return nil
		})
		if !admin.Collections.All {
			t.Errorf("the admin has %+v", admin.Collections)
		}
		var m desk.Member
		var token desk.MadeToken
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			if m, err = addMember(tx, "jo@acme.example", desk.Agent); err != nil {
				return err
			}
			token, err = addToken(tx, m)
			return err
		})
		for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 32, 33, 40, 2, -1, 1, -1} {
			list := desk.Everything
			if n >= 0 {
				list = desk.Reach{IDs: append([]desk.CollectionID(nil), ids[len(ids)-n:]...)}
			}
			m.Collections = list
			write(t, s, account.ID, func(tx *store.Tx) error { return tx.SaveMember(m) })
			read(t, s, account.ID, func(tx *store.Tx) error {
				one, err := tx.Member(m.ID)
				if err != nil || !reflect.DeepEqual(one.Collections, list) {
					t.Errorf("of %d: %+v, %v", n, one.Collections, err)
				}
				l, err := tx.Members(desk.Page{Ascending: true})
				if err != nil || len(l.Items) != 2 || !reflect.DeepEqual(l.Items[1].Collections, list) || !l.Items[0].Collections.All {
					t.Errorf("of %d: listed %+v, %v", n, l.Items, err)
				}
				return nil
			})
			b, ok, err := s.Bearer(ctx, token.Prefix)
			if err != nil || !ok || !reflect.DeepEqual(b.Member.Collections, list) {
				t.Errorf("of %d: the bearer has %+v, %v", n, b.Member.Collections, err)
			}
		}
		found, err := s.MembersByEmail(ctx, "jo@acme.example")
		if err != nil || len(found) != 1 || !reflect.DeepEqual(found[0].Member, m) {
			t.Errorf("found %+v, %v; want %+v", found, err, m)
		}

		m.Collections = desk.Reach{IDs: ids[:3]}
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.SaveMember(m) })
		write(t, s, account.ID, func(tx *store.Tx) error {
			with, err := tx.MembersWith(ids[1])
			if err != nil || len(with) != 1 || !reflect.DeepEqual(with[0], m) {
				t.Errorf("with it: %+v, %v", with, err)
			}
			if err := tx.RemoveCollection(ids[1]); err != nil {
				return err
			}
			got, err := tx.Member(m.ID)
			if want := (desk.Reach{IDs: []desk.CollectionID{ids[0], ids[2]}}); err != nil || !reflect.DeepEqual(got.Collections, want) {
				t.Errorf("after a removal %+v, %v; want %+v", got.Collections, err, want)
			}
			return nil
		})
	})
}

func TestChannelUses(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var want []desk.ChannelUse
		write(t, s, account.ID, func(tx *store.Tx) error {
			want = nil
			if _, err := addDirectory(tx, "ACME"); err != nil {
				return err
			}
			for i, col := range []desk.Collection{
				{Name: "api", Kind: desk.APICollection, RequestChannel: ptr("C_REQUEST_ACME"), TriageChannel: ptr("C_TRIAGE_ACME")},
				{Name: "chat", Kind: desk.ChatCollection, TriageChannel: ptr("C_TRIAGE_ACME")},
				{Name: "removed", Kind: desk.APICollection, RequestChannel: ptr("C_ACME"), TriageChannel: ptr("C_TRIAGE_ACME")},
			} {
				if err := tx.AddCollection(&col); err != nil {
					return err
				}
				switch i {
				case 0:
					want = append(want, desk.ChannelUse{Channel: "C_REQUEST_ACME", Purpose: desk.ForRequests, Collection: col.ID, Name: "api"},
						desk.ChannelUse{Channel: "C_TRIAGE_ACME", Purpose: desk.ForTriage, Collection: col.ID, Name: "api"})
				case 1:
					want = append(want, desk.ChannelUse{Channel: "C_ACME", Purpose: desk.ForMessages, Collection: col.ID, Name: "chat"},
						desk.ChannelUse{Channel: "C_TRIAGE_ACME", Purpose: desk.ForTriage, Collection: col.ID, Name: "chat"})
					if err := tx.SaveChannel(desk.Channel{ID: "C_ACME", Collection: &col.ID, Active: true}); err != nil {
						return err
					}
				case 2:
					if err := tx.RemoveCollection(col.ID); err != nil {
						return err
					}
				}
			}
			return nil
		})
		uses := func(ids ...string) (got []desk.ChannelUse) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) (err error) { got, err = tx.ChannelUses(ids); return err })
			return got
		}
		if got := uses("C_ACME", "C_REQUEST_ACME", "C_TRIAGE_ACME", "C_NOWHERE"); !slices.Equal(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		if got := uses("C_ACME"); !slices.Equal(got, want[2:3]) {
			t.Errorf("got %+v\nwant %+v", got, want[2:3])
		}
		if got := uses(); got != nil {
			t.Errorf("of none: %+v", got)
		}
		write(t, s, account.ID, func(tx *store.Tx) error {
			return tx.SaveChannel(desk.Channel{ID: "C_ACME", Collection: &want[2].Collection})
		})
		if got := uses("C_ACME"); len(got) != 0 {
			t.Errorf("an inactive channel is used for %+v", got)
		}
	})
}
