package store_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// A count goes no further than it has to, and looks at no more than so many
// requests, whatever it does not find among them.
func TestCountsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var col desk.CollectionID
		add := func(n int) {
			write(t, s, a.ID, func(tx *store.Tx) (err error) {
				if col == 0 {
					if col, err = addAPICollection(tx, "API"); err != nil {
						return err
					}
				}
				var some []*desk.Request
				for range n {
					r := newRequest(tx, col)
					r.Tags = []string{"a"}
					some = append(some, &r)
				}
				return tx.AddRequests(some)
			})
		}
		check := func(f desk.RequestFilter, want desk.RequestCount) {
			t.Helper()
			f.Reach = desk.Everything
			read(t, s, a.ID, func(tx *store.Tx) error {
				counts, err := tx.CountRequests([]desk.RequestList{{RequestFilter: f}})
				return all(err, same("count", counts[0], want))
			})
		}
		open, rare := desk.RequestFilter{States: []desk.State{desk.Open}}, desk.RequestFilter{Tags: []string{"a"}, Priorities: []desk.Priority{desk.Urgent}}
		add(99)
		check(open, desk.RequestCount{Count: 99})
		add(1)
		check(open, desk.RequestCount{Count: 99, More: true})
		add(store.MostLooked - 100)
		check(rare, desk.RequestCount{})
		add(1)
		check(rare, desk.RequestCount{More: true})
	})
}

// A count reads indexes as the list does, and sorts nothing.
func TestCountsUseIndexes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		if s.DB().Engine() != sqldb.SQLite {
			return // PostgreSQL plans by size
		}
		a, _ := newAccount(t, s, "Acme")
		open := []desk.State{desk.Open, desk.InProgress}
		for _, f := range []desk.RequestFilter{
			{}, {States: open}, {None: true}, {Collection: 1, States: open}, {Channel: "C1"}, {AuthorEmails: []string{"a@b.example"}}, {Assignees: []string{"U1"}, States: open},
			{Unassigned: true, States: open}, {Customers: []desk.CustomerID{1}}, {Priorities: []desk.Priority{desk.Urgent}, States: open}, {Tags: []string{"a", "b"}}, {Unread: true},
			{Following: true}, {Snoozed: desk.IsSnoozed}, {States: open, Triage: desk.Triage{DueWithin: ptr(time.Hour)}},
		} {
			f.Reach = desk.Everything
			read(t, s, a.ID, func(tx *store.Tx) error {
				plan, err := store.PlanOfCount(tx, f)
				for _, step := range plan {
					byOne := strings.Contains(step, "request_id=?") || strings.Contains(step, "PRIMARY KEY")
					switch {
					case strings.HasPrefix(step, "SEARCH requests "):
						// A run of another table looks up its few requests one by one.
						if few := f.Following || f.DueWithin != nil || len(f.Tags) > 0; few && !byOne || !few && !byOne && !strings.Contains(step, "INDEX") {
							t.Errorf("%+v: %v", f, plan)
						}
					case strings.HasPrefix(step, "SEARCH rr "), strings.HasPrefix(step, "SEARCH e "), strings.HasPrefix(step, "SEARCH t "):
						if !byOne {
							t.Errorf("%+v: %v", f, plan)
						}
					case strings.Contains(step, "FOR ORDER BY"), strings.Contains(step, "SCAN requests") && strings.Contains(step, "INDEX"):
						t.Errorf("%+v: %v", f, plan) // what is left to scan is the rows that were looked at
					}
				}
				if f.Unread && strings.Count(strings.Join(plan, "\n"), "SEARCH requests USING INDEX") != 1 {
					t.Errorf("those that somebody marked are not looked up: %v", plan)
				}
				return err
			})
		}
	})
}
