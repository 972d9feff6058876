package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// changed returns an entry that says how a request became what it is.
func changed(r desk.Request, before func(*desk.Request), now time.Time) desk.HistoryEntry {
	was := r.Clone()
	before(&was)
	return desk.NewHistoryEntry(by, string(desk.RequestUpdated), was, r, now)
}

// Every part of a change is stored and read back.
func TestHistoryIsKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		var kept []desk.HistoryEntry
		var r desk.Request
		write(t, s, a.ID, func(tx *store.Tx) error {
			kept = nil
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			if r, err = addRequest(tx, col, nil); err != nil {
				return err
			}
			full := desk.NewHistoryEntry(desk.Actor{ID: admin.ID, Name: "Ada <&>", Email: "ada@acme.example", Source: desk.SourceAPI, IP: "203.0.113.7"},
				desk.RequestMerged, r, everyMember(r, tx.Now), tx.Now)
			full.Links = []desk.FieldChange{{Field: "merged_requests", From: []desk.RequestID{}, To: []desk.RequestID{7, 9}}}
			full.Moved = &desk.Moved{Last: 17, Entries: []desk.HistoryEntryID{3, 4}, Children: []desk.MovedChild{{Request: 5, Parent: 7}},
				Requests: []desk.MovedRequest{{Request: 7, Messages: []desk.MessageID{1, 2}, Tickets: []int64{8}}, {Request: 9}}}
			for _, e := range []desk.HistoryEntry{full, changed(r, func(r *desk.Request) { r.Title = "漢字" }, tx.Now)} {
				if err := tx.AddHistory(&e); err != nil {
					return err
				}
				kept = append(kept, e)
			}
			undoing := changed(r, func(r *desk.Request) { r.Title = "x" }, tx.Now)
			undoing.Undoes, undoing.Action = kept[0].ID, desk.RequestUndone
			if err := tx.AddHistory(&undoing); err != nil {
				return err
			}
			kept = append(kept, undoing)
			return tx.SetUndone([]desk.HistoryEntryID{kept[0].ID, kept[1].ID})
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			l, err := tx.History(r.ID, desk.Page{Ascending: true})
			if err != nil {
				return err
			}
			for i, want := range kept {
				want.By.IP = ""
				if want.Undoes == 0 {
					want.UndoneAt = ptr(tx.Now)
				}
				if got, want := describe(t, l.Items[i]), describe(t, want); got != want {
					t.Errorf("entry %d:\ngot  %s\nwant %s", i, got, want)
				}
			}
			latest, err := tx.LatestHistory(r.ID, 2)
			if len(latest) != 2 || latest[0].ID != kept[1].ID || latest[1].ID != kept[0].ID {
				t.Errorf("the latest are %+v", latest)
			}
			return err
		})
	})
}

// everyMember returns a request in which everything that a history stores has a
// different value.
func everyMember(r desk.Request, now time.Time) desk.Request {
	r.Title, r.TitleBy, r.State, r.NotARequest, r.Priority, r.PriorityBy = "other", desk.ByPerson, nil, ptr(desk.Permanent), desk.Urgent, desk.ByPerson
	r.Customer, r.Assignee, r.Team, r.Parent, r.MergedInto = ptr(desk.CustomerID(1)), ptr("U1"), ptr(desk.TeamID(2)), ptr(desk.RequestID(3)), ptr(desk.RequestID(4))
	r.Tags, r.Contributors, r.Collection.ID = []string{"<a>"}, []string{"U9"}, 99
	r.Values = desk.FieldValues{1: {Type: desk.FieldText, Text: "x"}, 2: {Type: desk.FieldMultiSelect, Options: []desk.OptionID{3, 1}}, 3: {Type: desk.FieldNumber, Text: "2.0"}}
	later := now.Add(time.Minute)
	r.LastMessageAt, r.FirstResponseAt, r.FirstSolvedAt, r.SolvedAt = later, &later, &later, &later
	return r
}

// describe returns everything in an entry as text.
func describe(t *testing.T, e desk.HistoryEntry) string {
	t.Helper()
	b, err := json.Marshal(e)
	must(t, err)
	return string(b)
}

// A merged request is on no list, whatever is asked for, and not among its parent's
// children.
func TestMergedRequestsAreOnNoList(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			var want []desk.RequestID
			var parent *desk.RequestID
			for i := range 16 {
				r, err := addRequest(tx, col, func(r *desk.Request) {
					r.Channel, r.Parent = &desk.ChannelRef{ID: "C1"}, parent
					if i%4 == 3 {
						r.State = nil
					}
				})
				if err != nil {
					return err
				}
				if parent == nil {
					parent = &r.ID
				}
				if i%2 == 0 {
					want = append(want, r.ID)
					continue
				}
				after := r
				after.MergedInto = &want[0]
				if err := tx.SaveRequest(r, &after); err != nil {
					return err
				}
			}
			for _, f := range []desk.RequestFilter{{}, {ByUpdate: true}, {Collection: col}, {Channel: "C1"}, {AuthorEmails: []string{"jo@acme.example"}},
				{States: desk.States}, {States: desk.States, None: true}} {
				f.Reach = desk.Everything
				l, err := tx.Requests(f, desk.Page{Ascending: true, Limit: 100})
				var got []desk.RequestID
				for _, r := range l.Items {
					got = append(got, r.ID)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%+v: %v, %v; want %v", f, got, err, want)
				}
			}
			children, err := tx.Children(*parent, desk.Everything)
			if !slices.Equal(children, want[1:]) {
				t.Errorf("the children are %v, want %v", children, want[1:])
			}
			return err
		})
	})
}

func TestAncestors(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			var line []desk.Request
			for range 4 {
				r, err := addRequest(tx, col, func(r *desk.Request) {
					if len(line) > 0 {
						r.Parent = &line[len(line)-1].ID
					}
				})
				if err != nil {
					return err
				}
				line = append(line, r)
			}
			above, err := tx.Ancestors(line[3].ID)
			if err != nil {
				return err
			}
			if len(above) != 3 || above[line[0].ID] != nil || *above[line[1].ID] != line[0].ID || *above[line[2].ID] != line[1].ID {
				t.Errorf("ancestors: %v", above)
			}
			if above, err := tx.Ancestors(line[0].ID); err != nil || len(above) != 0 {
				t.Errorf("ancestors of the first: %v, %v", above, err)
			}
			// A cycle, which nothing can create, does not loop forever.
			ring := line[0]
			ring.Parent = &line[3].ID
			if err := tx.SaveRequest(line[0], &ring); err != nil {
				return err
			}
			if above, err := tx.Ancestors(line[1].ID); err != nil || len(above) != 4 {
				t.Errorf("in a ring: %v, %v", above, err)
			}
			return nil
		})
	})
}

// Messages are moved with their files, and either everything is moved or nothing.
func TestMove(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var from, to desk.Request
		var all []desk.MovedRequest
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			if from, err = addRequest(tx, col, nil); err != nil {
				return err
			}
			if to, err = addRequest(tx, col, nil); err != nil {
				return err
			}
			for i := range 3 {
				m := desk.Message{Request: from.ID, Text: fmt.Sprint(i), Source: desk.SourceAPI, CreatedAt: tx.Now}
				if err := tx.AddMessage(&m); err != nil {
					return err
				}
				if err := tx.AddAttachment(m, desk.NewFile{Key: fmt.Sprint("k", i), Name: "f", Sum: []byte("s")}); err != nil {
					return err
				}
			}
			if _, err := tx.Exec("UPDATE messages SET removed_at = 1 WHERE account_id = $1 AND text = '1'", tx.Account); err != nil {
				return err
			}
			if err := tx.AddTicket(from.ID, desk.Ticket{ID: 1, Type: desk.Native, Key: "A-1", CreatedAt: tx.Now}); err != nil {
				return err
			}
			all, err = tx.Belongings([]desk.RequestID{to.ID, from.ID})
			return err
		})
		if len(all[0].Messages) != 0 || len(all[1].Messages) != 3 || len(all[1].Tickets) != 1 {
			t.Fatalf("belongings: %+v", all)
		}
		places := func() (got []string) {
			for _, table := range []string{"messages", "attachments", "tickets"} {
				for _, line := range rows(t, s, "SELECT request_id FROM "+table+" WHERE account_id = $1 ORDER BY id", a.ID) {
					got = append(got, table+" "+line)
				}
			}
			return got
		}
		before := places()
		// One of them has moved already.
		err := s.Write(ctx, a.ID, func(tx *store.Tx) error {
			if err := tx.Move(desk.MovedRequest{Messages: all[1].Messages[:1]}, from.ID, to.ID); err != nil {
				return err
			}
			return tx.Move(all[1], from.ID, to.ID)
		})
		if desk.KindOf(err) != desk.Refused || !slices.Equal(places(), before) {
			t.Errorf("got %v, and %v is %v", err, before, places())
		}
		write(t, s, a.ID, func(tx *store.Tx) error { return tx.Move(all[1], from.ID, to.ID) })
		for _, line := range places() {
			if !strings.Contains(line, fmt.Sprintf("%q", fmt.Sprint(to.ID))) {
				t.Errorf("left behind: %s", line)
			}
		}
	})
}

// A history is read in the order of its index.
func TestHistoryUsesItsIndex(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		if s.DB().Engine() != sqldb.SQLite {
			return
		}
		plan := strings.Join(rows(t, s, `EXPLAIN QUERY PLAN SELECT id FROM request_changes
			WHERE account_id = 1 AND request_id = 2 AND undoes IS NULL ORDER BY at DESC, id DESC LIMIT 20`), "\n")
		if !strings.Contains(plan, "request_changes_request (account_id=? AND request_id=?)") || strings.Contains(plan, "TEMP B-TREE") {
			t.Error(plan)
		}
	})
}
