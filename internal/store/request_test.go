package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// addRequest inserts a request into a collection.
func addRequest(tx *store.Tx, col desk.CollectionID, change func(*desk.Request)) (desk.Request, error) {
	r := newRequest(tx, col)
	if change != nil {
		change(&r)
	}
	return r, tx.AddRequest(&r)
}

func newRequest(tx *store.Tx, col desk.CollectionID) desk.Request {
	open := desk.Open
	return desk.Request{
		Title: "Printer", TitleBy: desk.ByRules, State: &open, Priority: desk.Normal, PriorityBy: desk.ByRules,
		Author: desk.Requester{Name: "Jo", Email: "jo@acme.example"}, Collection: desk.CollectionRef{ID: col}, Source: desk.FromAPI,
		CreatedAt: tx.Now, UpdatedAt: tx.Now, LastMessageAt: tx.Now,
	}
}

func addAPICollection(tx *store.Tx, name string) (desk.CollectionID, error) {
	c := desk.Collection{Name: name, Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	err := tx.AddCollection(&c)
	return c.ID, err
}

// A request is read back as it was stored, and so are its changes.
func TestRequestIsKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var kept desk.Request
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			team, err := addDirectory(tx, "ACME")
			if err != nil {
				return err
			}
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			parent, err := addRequest(tx, col, nil)
			if err != nil {
				return err
			}
			kept, err = addRequest(tx, col, func(r *desk.Request) {
				moment := tx.Now.Add(time.Minute)
				r.Author = desk.Requester{User: "U_ACME", Name: "as they were called", Email: "User@acme.example"}
				r.Title, r.Customer, r.Assignee, r.Team, r.Parent = `<b>'; DROP TABLE requests; -- 漢字`, ptr(desk.CustomerID(7)), ptr("U_ACME"), &team, &parent.ID
				r.Channel = &desk.ChannelRef{ID: "C_ACME"}
				r.Thread = &desk.Thread{Workspace: "T1", Channel: "C_ACME", Message: "1.2", URL: "https://chat.example/1.2"}
				r.Triage = &desk.Thread{Workspace: "T1", Channel: "C_TRIAGE_ACME", Message: "3.4", URL: "https://chat.example/3.4"}
				r.Tags, r.Contributors = []string{"z", "a"}, []string{"U9", "U1"}
				r.Metadata, r.ExternalID = []byte(`{"n":1.0}`), "ext-1"
				r.FirstResponseAt, r.FirstSolvedAt, r.SolvedAt = &moment, &moment, &moment
			})
			if err != nil {
				return err
			}
			return tx.AddTicket(kept.ID, desk.Ticket{ID: 17, Type: desk.Native, Key: "ACME-17", URL: "https://desk.example/17", CreatedAt: tx.Now})
		})
		want := kept
		want.Author.Name, want.Author.Avatar = "U_ACME", "" // their current name
		want.Collection.Name, want.Channel = "API", &desk.ChannelRef{ID: "C_ACME", Name: "C_ACME"}
		want.Tickets = []desk.Ticket{{ID: 17, Type: desk.Native, Key: "ACME-17", URL: "https://desk.example/17", CreatedAt: want.CreatedAt}}
		same := func(what string) {
			t.Helper()
			read(t, s, a.ID, func(tx *store.Tx) error {
				got, err := tx.Request(kept.ID, desk.Everything)
				if g, w := show(got), show(want); g != w {
					t.Errorf("%s:\ngot  %s\nwant %s", what, g, w)
				}
				return err
			})
		}
		same("new")
		c.move(time.Hour)
		write(t, s, a.ID, func(tx *store.Tx) error {
			none, before := desk.Permanent, want.Clone()
			want.State, want.NotARequest, want.Title, want.Priority, want.Assignee, want.Team = nil, &none, "other", desk.Urgent, nil, nil
			want.Tags, want.Contributors, want.UpdatedAt, want.SolvedAt = []string{"new"}, nil, tx.Now, nil
			return tx.SaveRequest(before, &want)
		})
		same("changed without having been read")
		write(t, s, a.ID, func(tx *store.Tx) error {
			r, err := tx.Request(kept.ID, desk.Everything)
			if err != nil {
				return err
			}
			r.Title = "changed before anybody looked" // so comparing before and after does not show this change
			before := r.Clone()
			r.Priority = desk.Low
			if err := tx.SaveRequest(before, &r); err != nil {
				return err
			}
			r.Title, r.State = "changed twice", ptr(desk.Open)
			r.NotARequest = nil
			want.Title, want.Priority, want.State, want.NotARequest = r.Title, r.Priority, r.State, nil
			return tx.SaveRequest(before, &r)
		})
		same("changed")
	})
}

// A request that was just created need not be read to be known.
func TestMadeIsAsRead(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			team, err := addDirectory(tx, "ACME")
			must(t, err)
			_, err = tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U_ACME", Name: "Jo", Email: "user@acme.example", Avatar: "https://chat.example/jo.png"}, Revision: 2}}, time.Time{})
			must(t, err)
			_, err = tx.Exec("UPDATE channels SET name = 'help', owner = 'U_ACME' WHERE account_id = $1 AND channel_id = 'C_ACME'", tx.Account)
			must(t, err)
			col, err := addAPICollection(tx, "API")
			must(t, err)
			field := desk.CustomField{Entity: desk.EntityRequest, Name: "Amount", Type: desk.FieldNumber, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			must(t, tx.AddCustomField(&field))
			schedule, err := addSchedule(tx)
			must(t, err)
			policy, err := addPolicy(tx, &schedule.ID)
			must(t, err)
			for _, change := range []func(*desk.Request){
				func(r *desk.Request) {},
				func(r *desk.Request) {
					r.Author = desk.Requester{User: "U_ACME", Name: "as they were called", Email: "User@acme.example"}
					r.Assignee, r.Team, r.Channel = ptr("U_ACME"), &team, &desk.ChannelRef{ID: "C_ACME"}
					r.CreatedAt = tx.Now.Add(123456 * time.Nanosecond).In(time.FixedZone("", 3600))
					r.LastMessageAt = r.CreatedAt
					r.Tags, r.Contributors, r.Metadata = []string{"z", "a"}, []string{"U9", "U1"}, []byte(`{"n":1.0}`)
					r.Values = desk.FieldValues{field.ID: {Type: desk.FieldNumber, Text: "1.5e3"}}
				},
			} {
				made, err := addRequest(tx, col, func(r *desk.Request) { change(r); r.Collection.Name = "API" })
				must(t, err)
				if made.Team != nil {
					must(t, tx.SaveClocks(made.ID, nil, []desk.SLA{clockOf(policy, schedule, tx.Now)}))
				}
				read, err := tx.Request(made.ID, desk.Everything)
				must(t, err)
				made, err = tx.Made(made)
				must(t, err)
				if !reflect.DeepEqual(made, read) {
					t.Errorf("made %s\nread %s", show(made), show(read))
				}
				if made.Team != nil && (made.Author.Avatar == "" || made.Channel.Owner == "" || len(made.SLAs) != 1 || made.Values[field.ID].Text == "") {
					t.Errorf("made without something of it: %s", show(made))
				}
			}
			return nil
		})
	})
}

// show returns a request as text, including everything it points to.
func show(r desk.Request) string {
	for _, p := range []any{r.State, r.NotARequest, r.Assignee, r.Team, r.Customer, r.Parent, r.Channel, r.Thread, r.Triage, r.FirstResponseAt, r.FirstSolvedAt, r.SolvedAt} {
		r.Title += " | " + deref(p)
	}
	r.State, r.NotARequest, r.Assignee, r.Team, r.Customer, r.Parent, r.Channel, r.Thread, r.Triage = nil, nil, nil, nil, nil, nil, nil, nil, nil
	r.FirstResponseAt, r.FirstSolvedAt, r.SolvedAt = nil, nil, nil
	return fmt.Sprintf("%+v", r)
}

func deref(p any) string {
	switch v := p.(type) {
	case *desk.State:
		return pointed(v)
	case *desk.NotARequest:
		return pointed(v)
	case *string:
		return pointed(v)
	case *desk.TeamID:
		return pointed(v)
	case *int64:
		return pointed(v)
	case *desk.RequestID:
		return pointed(v)
	case *desk.ChannelRef:
		return pointed(v)
	case *desk.Thread:
		return pointed(v)
	case *time.Time:
		return pointed(v)
	}
	return "?"
}

func pointed[T any](v *T) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%+v", *v)
}

// Every combination of filters returns what a plain check of all requests returns,
// in pages and in any order.
func TestRequestLists(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		rnd := rand.New(rand.NewPCG(1, 2))
		var cols []desk.CollectionID
		write(t, s, a.ID, func(tx *store.Tx) error {
			cols = nil
			for i := range 12 {
				col, err := addAPICollection(tx, fmt.Sprint("c", i))
				if err != nil {
					return err
				}
				cols = append(cols, col)
			}
			return nil
		})
		var all []desk.Request
		for range 10 {
			var some []desk.Request
			write(t, s, a.ID, func(tx *store.Tx) error {
				some = nil
				for range 30 {
					r, err := addRequest(tx, cols[rnd.IntN(len(cols))], func(r *desk.Request) {
						switch n := rnd.IntN(8); n {
						case 6:
							r.State, r.NotARequest = nil, ptr(desk.Temporary)
						case 7:
							r.State = nil
						default:
							r.State = ptr(desk.States[n])
						}
						r.Author.Email = []string{"jo@acme.example", "Ines@harbor.example", ""}[rnd.IntN(3)]
						if rnd.IntN(2) == 0 {
							r.Channel = &desk.ChannelRef{ID: []string{"C1", "C2"}[rnd.IntN(2)]}
						}
						r.CreatedAt = tx.Now.Add(-time.Duration(rnd.IntN(5)) * time.Millisecond) // many share a time
						r.UpdatedAt = tx.Now.Add(time.Duration(rnd.IntN(5)) * time.Millisecond)
					})
					if err != nil {
						return err
					}
					some = append(some, r)
				}
				return nil
			})
			all = append(all, some...)
			c.move(3 * time.Millisecond)
		}
		reaches := []desk.Reach{desk.Everything, {}, {IDs: cols[:1]}, {IDs: cols[:3]}, {IDs: cols}}
		states := [][]desk.State{nil, {desk.Open}, {desk.Solved, desk.Open, desk.Open}, desk.States}
		for n := range 400 {
			f := desk.RequestFilter{Reach: reaches[rnd.IntN(len(reaches))], States: states[rnd.IntN(len(states))], None: rnd.IntN(4) == 0, ByUpdate: rnd.IntN(2) == 0}
			if rnd.IntN(3) == 0 {
				f.Collection = cols[rnd.IntN(2)]
			}
			if rnd.IntN(4) == 0 {
				f.Channel = "C1"
			}
			if rnd.IntN(4) == 0 {
				f.AuthorEmails = [][]string{{"JO@acme.example"}, {"jo@acme.example", "ines@HARBOR.example"}, {"jo@acme.example", "Jo@acme.example"}}[rnd.IntN(3)]
			}
			p := desk.Page{Limit: 1 + rnd.IntN(40), Ascending: rnd.IntN(2) == 0}
			if rnd.IntN(3) == 0 {
				p.After = ptr(all[rnd.IntN(len(all))].CreatedAt)
			}
			if rnd.IntN(3) == 0 {
				p.Before = ptr(all[rnd.IntN(len(all))].CreatedAt)
			}
			want := obvious(all, f, p)
			read(t, s, a.ID, func(tx *store.Tx) error {
				return checkCount(tx, desk.RequestList{RequestFilter: f, Page: p}, len(want))
			})
			var got []desk.RequestID
			q := p
			for pages := 0; pages < 400; pages++ {
				var l desk.List[desk.Request]
				read(t, s, a.ID, func(tx *store.Tx) (err error) {
					l, err = tx.Requests(f, q)
					return err
				})
				for _, r := range l.Items {
					got = append(got, r.ID)
				}
				if len(l.Items) > p.Limit || l.Next != nil && len(l.Items) < p.Limit {
					t.Fatalf("%d: a page of %d, want %d unless it is the last", n, len(l.Items), p.Limit)
				}
				if q.From = l.Next; l.Next == nil {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d: %+v %+v:\ngot  %v\nwant %v", n, f, p, got, want)
			}
		}
	})
}

// obvious returns what a list should hold, by checking every request.
func obvious(all []desk.Request, f desk.RequestFilter, p desk.Page) (ids []desk.RequestID) {
	at := func(r desk.Request) time.Time {
		if f.ByUpdate {
			return r.UpdatedAt
		}
		return r.CreatedAt
	}
	var kept []desk.Request
	for _, r := range all {
		stated := len(f.States) > 0 || f.None
		wanted := r.State != nil && slices.Contains(f.States, *r.State) || r.State == nil && f.None ||
			!stated && (r.State != nil || r.NotARequest != nil)
		mail := len(f.AuthorEmails) == 0 || slices.ContainsFunc(f.AuthorEmails, func(e string) bool { return strings.EqualFold(e, r.Author.Email) })
		channel := f.Channel == "" || r.Channel != nil && r.Channel.ID == f.Channel
		if wanted && mail && channel && (f.Collection == 0 || r.Collection.ID == f.Collection) && f.Reach.Has(r.Collection.ID) &&
			(p.After == nil || at(r).After(*p.After)) && (p.Before == nil || at(r).Before(*p.Before)) {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(kept, func(a, b desk.Request) int {
		n := at(a).Compare(at(b))
		if n == 0 {
			n = int(a.ID - b.ID)
		}
		if !p.Ascending {
			n = -n
		}
		return n
	})
	for _, r := range kept {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestMessagesOfRequests(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			var requests []desk.Request
			for range 3 {
				r, err := addRequest(tx, col, nil)
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
			say := func(r desk.RequestID, text string, minute int) error {
				return tx.AddMessage(&desk.Message{Request: r, HTML: text, Text: text, Source: desk.SourceAPI, Private: minute == 2, CreatedAt: tx.Now.Add(time.Duration(minute) * time.Minute)})
			}
			err = all(say(requests[0].ID, "second", 2), say(requests[0].ID, "first", 1), say(requests[1].ID, "only", 1))
			if err != nil {
				return err
			}
			if err := tx.AddMessages(requests); err != nil {
				return err
			}
			got := ""
			for _, r := range requests {
				for _, m := range r.Messages {
					got += fmt.Sprintf("%s %t, ", m.Text, m.Private)
				}
				got += "; "
			}
			if want := "first false, second true, ; only false, ; ; "; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			return nil
		})
	})
}

// Each number is used once, even if several take numbers at the same time, and none
// is lost with a transaction that failed.
func TestTicketNumbers(t *testing.T) {
	eachWithAnother(t, func(t *testing.T, s, elsewhere *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		b, _ := newAccount(t, s, "Other")
		numbers := make(chan int64)
		for i := range 8 {
			go func() {
				var key desk.Key
				nothing := errors.New("it comes to nothing")
				err := []*store.Store{s, elsewhere}[i%2].Write(ctx, a.ID, func(tx *store.Tx) (err error) {
					if key, err = tx.NextKeys(1); err == nil && i < 2 {
						err = nothing
					}
					return err
				})
				if err != nil {
					key.Number = 0
				}
				if err != nil && !errors.Is(err, nothing) {
					t.Error(err)
				}
				numbers <- key.Number
			}()
		}
		var got []int64
		for range 8 {
			got = append(got, <-numbers)
		}
		slices.Sort(got)
		if want := []int64{0, 0, 1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		write(t, s, b.ID, func(tx *store.Tx) error {
			if first, err := tx.NextKeys(1); err != nil || first.String() != "OTHER-1" {
				t.Errorf("another account begins with %v, %v", first, err)
			}
			return nil
		})
	})
}

// No list reads more of an index than its page, however many other rows there are.
func TestRequestListsUseIndexes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		if s.DB().Engine() != sqldb.SQLite {
			return // PostgreSQL plans by size: see TestListReadsNoTable and make bench
		}
		for _, f := range []desk.RequestFilter{
			{Reach: desk.Everything}, {Reach: desk.Everything, ByUpdate: true},
			{Reach: desk.Everything, States: []desk.State{desk.Open, desk.Solved}}, {Reach: desk.Everything, None: true, ByUpdate: true},
			{Reach: desk.Everything, Collection: 1}, {Reach: desk.Reach{IDs: []desk.CollectionID{1, 2}}, States: []desk.State{desk.Open}},
			{Reach: desk.Everything, Channel: "C1"}, {Reach: desk.Everything, AuthorEmails: []string{"a@b.example"}},
			{Reach: desk.Everything, Assignees: []string{"U1"}, States: []desk.State{desk.Open}}, {Reach: desk.Everything, Unassigned: true, ByUpdate: true, States: []desk.State{desk.Open}},
			{Reach: desk.Everything, NoTeam: true, States: []desk.State{desk.Open}}, {Reach: desk.Everything, Customers: []desk.CustomerID{1}, ByUpdate: true, States: []desk.State{desk.Open}},
			{Reach: desk.Everything, Priorities: []desk.Priority{desk.Urgent}, States: []desk.State{desk.Open}}, {Reach: desk.Everything, Tags: []string{"a"}},
			{Reach: desk.Everything, Snoozed: desk.IsSnoozed}, {Reach: desk.Everything, Snoozed: desk.CameBack, Assignees: []string{"U1"}, States: []desk.State{desk.Open}, Collection: 1, ByUpdate: true},
			{Reach: desk.Everything, Snoozed: desk.NotSnoozed, States: []desk.State{desk.Open}}, {Reach: desk.Everything, Following: true, States: []desk.State{desk.Open}},
			{Reach: desk.Everything, Assignees: []string{"U1"}, Collection: 1, Teams: []desk.TeamID{1}, Tags: []string{"a"}, States: []desk.State{desk.Open}},
		} {
			a, _ := newAccount(t, s, "Acme")
			read(t, s, a.ID, func(tx *store.Tx) error {
				plan, err := store.SQLitePlan(tx, f, desk.Page{Limit: 50})
				for _, step := range plan {
					if strings.Contains(step, "SCAN requests") || strings.Contains(step, "SEARCH requests") && !strings.Contains(step, "USING COVERING INDEX") && !strings.Contains(step, "USING INDEX") && !strings.Contains(step, "USING INTEGER PRIMARY KEY") {
						t.Errorf("%+v: %s", f, step)
					}
					if strings.Contains(step, "USE TEMP B-TREE FOR ORDER BY") && len(plan) < 4 {
						t.Errorf("%+v is sorted: %v", f, plan)
					}
				}
				return err
			})
		}
	})
}

// PostgreSQL finds the rows of a page by their ids, though reading the whole of a
// table with a few thousand requests would be one scan.
func TestListReadsNoTable(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key, nil)
	a, _ := newAccount(t, s, "Acme")
	write(t, s, a.ID, func(tx *store.Tx) error {
		col, err := addAPICollection(tx, "API")
		if err != nil {
			return err
		}
		if _, err := addRequest(tx, col, nil); err != nil {
			return err
		}
		var columns string
		err = tx.Row(`SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = 'requests' AND column_name NOT IN ('id', 'number')`).Scan(&columns)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO requests ("+columns+") SELECT "+columns+" FROM requests, generate_series(1, 2000) WHERE account_id = $1", a.ID); err != nil {
			return err
		}
		_, err = tx.Exec("ANALYZE requests")
		return err
	})
	for _, f := range []desk.RequestFilter{{Reach: desk.Everything}, {Reach: desk.Everything, ByUpdate: true}, {Reach: desk.Everything, States: []desk.State{desk.Open}}} {
		read(t, s, a.ID, func(tx *store.Tx) error {
			plan, err := store.PostgresPlan(tx, f, desk.Page{Limit: 50})
			if text := strings.Join(plan, "\n"); strings.Contains(text, "Seq Scan on requests") || !strings.Contains(text, "requests_pkey") {
				t.Errorf("%+v:\n%s", f, text)
			}
			return err
		})
	}
}

// The first message of a new request changes no indexed column. So PostgreSQL
// writes it as a heap-only update and leaves all indexes alone.
func TestFirstMessageLeavesIndexesAlone(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key, nil)
	a, _ := newAccount(t, s, "Acme")
	var updates, heapOnly int
	write(t, s, a.ID, func(tx *store.Tx) error {
		col, err := addAPICollection(tx, "API")
		if err != nil {
			return err
		}
		r, err := addRequest(tx, col, nil)
		if err != nil {
			return err
		}
		m := desk.Message{Request: r.ID, Author: r.Author, HTML: "<p>Hello</p>", Text: "Hello", Source: desk.SourceAPI, CreatedAt: tx.Now}
		if err := tx.AddMessage(&m); err != nil {
			return err
		}
		return tx.Row("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'requests'").Scan(&updates, &heapOnly)
	})
	if updates != 1 || heapOnly != 1 {
		t.Errorf("%d updates of the request, %d of them heap-only; want 1 and 1", updates, heapOnly)
	}
}

// A message moves its request's time in the statement that makes it the newest, so
// that saving the request afterwards has nothing left to write.
func TestMessageSavesTheTimeOfItsRequest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var id desk.RequestID
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			r, err := addRequest(tx, col, nil)
			id = r.ID
			return err
		})
		for _, moved := range []time.Duration{0, time.Minute} { // what the caller saves beside now
			c.move(time.Hour)
			var want time.Time
			write(t, s, a.ID, func(tx *store.Tx) error {
				r, err := tx.Request(id, desk.Everything)
				if err != nil {
					return err
				}
				m := desk.Message{Request: id, Author: r.Author, HTML: "<p>Hello</p>", Text: "Hello", Source: desk.SourceAPI, CreatedAt: tx.Now}
				if err := tx.AddMessage(&m); err != nil {
					return err
				}
				was, before := r, s.DB().Stats().Statements
				want = tx.Now.Add(moved)
				r.UpdatedAt = want
				if err := tx.SaveRequest(was, &r); err != nil {
					return err
				}
				if n, saved := s.DB().Stats().Statements-before, moved != 0; (n == 1) != saved || n > 1 {
					t.Errorf("saving a time %s after now took %d statements", moved, n)
				}
				return nil
			})
			read(t, s, a.ID, func(tx *store.Tx) error {
				r, err := tx.Request(id, desk.Everything)
				if err == nil && !r.UpdatedAt.Equal(want) {
					t.Errorf("it was updated at %s, want %s", r.UpdatedAt, want)
				}
				return err
			})
		}
	})
}
