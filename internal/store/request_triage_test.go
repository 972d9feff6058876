package store_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Whatever a list of unsolved requests is ordered and narrowed by, it holds exactly
// the requests that checking each of them finds, in pages of any length.
func TestTriage(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme")
		rnd := rand.New(rand.NewPCG(39, 83))
		var kept []desk.Request
		fields := []desk.CustomFieldID{0, 0}
		write(t, s, a.ID, func(tx *store.Tx) error {
			kept = nil
			for i := range fields {
				f := desk.CustomField{Entity: desk.EntityRequest, Name: string(rune('a' + i)), Type: desk.FieldSelect, Config: desk.FieldConfig{LastOption: 2, Options: []desk.FieldOption{{ID: 1, Value: "x"}, {ID: 2, Value: "y"}}}}
				if err := tx.AddCustomField(&f); err != nil {
					return err
				}
				fields[i] = f.ID
			}
			var cols [2]desk.CollectionID
			for i := range cols {
				var err error
				if cols[i], err = addAPICollection(tx, string(rune('A'+i))); err != nil {
					return err
				}
			}
			for range 90 {
				r, err := addRequest(tx, cols[rnd.IntN(2)], func(r *desk.Request) { drawTriaged(rnd, r, tx.Now, fields) })
				if err != nil {
					return err
				}
				if err := tx.SaveClocks(r.ID, nil, drawClocks(rnd, tx.Now)); err != nil {
					return err
				}
				if rnd.IntN(3) > 0 {
					ai := desk.AIFields{Category: &desk.Suggested[[]string]{Value: [][]string{{"bug"}, {"question", "a\"bug"}, {"a<b", "bug"}}[rnd.IntN(3)], By: desk.ByRules, At: tx.Now},
						Sentiment: &desk.Suggested[string]{Value: []string{"negative", "very_negative"}[rnd.IntN(2)], By: desk.ByRules, At: tx.Now}}
					if _, err := tx.SaveSuggested(r.ID, desk.AIFields{}, ai); err != nil {
						return err
					}
				}
				kept = append(kept, r)
			}
			return nil
		})
		read(t, s, a.ID, func(tx *store.Tx) (err error) {
			ids := desk.Each(kept, func(r desk.Request) desk.RequestID { return r.ID })
			if kept, err = tx.Rows(ids, desk.Everything, admin.ID); err != nil {
				return err
			}
			full := 0
			for range 300 {
				f := drawTriage(rnd, fields, kept[0].Collection.ID)
				p := desk.Page{Limit: 1 + rnd.IntN(40), Ascending: f.Order != desk.ByNextDue && rnd.IntN(2) == 0}
				if rnd.IntN(4) == 0 {
					p.After = ptr(kept[rnd.IntN(len(kept))].CreatedAt)
				}
				want := triaged(kept, f, p, tx.Now)
				if len(want) > 1 {
					full++
				}
				if err := checkCount(tx, desk.RequestList{RequestFilter: f, Page: p}, len(want)); err != nil {
					t.Fatalf("%+v: %v", f, err)
				}
				var got []desk.RequestID
				for q := p; ; {
					l, err := tx.Requests(f, q)
					if err != nil {
						return err
					}
					got = append(got, desk.Each(l.Items, func(r desk.Request) desk.RequestID { return r.ID })...)
					if q.From = l.Next; q.From == nil {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%+v %+v:\ngot  %v\nwant %v", f, p, got, want)
				}
			}
			if full < 100 {
				t.Errorf("only %d of the lists had several requests", full)
			}
			return nil
		})
	})
}

func drawTriaged(rnd *rand.Rand, r *desk.Request, now time.Time, fields []desk.CustomFieldID) {
	state := desk.States[rnd.IntN(len(desk.States))]
	r.State, r.Priority = &state, desk.Priorities[rnd.IntN(4)]
	r.Source = []desk.RequestSource{desk.FromChat, desk.FromAPI, desk.FromEmail}[rnd.IntN(3)]
	r.Assignee = []*string{nil, ptr("U1")}[rnd.IntN(2)]
	r.CreatedAt, r.UpdatedAt = now.Add(time.Duration(rnd.IntN(5))*time.Second), now.Add(time.Duration(rnd.IntN(5))*time.Second)
	r.LastMessageAt = now.Add(time.Duration(rnd.IntN(5)) * time.Second)
	r.Values = desk.FieldValues{}
	for _, id := range fields {
		if n := rnd.IntN(3); n > 0 {
			r.Values[id] = desk.FieldValue{Type: desk.FieldSelect, Options: []desk.OptionID{desk.OptionID(n)}}
		}
	}
}

func drawClocks(rnd *rand.Rand, now time.Time) (clocks []desk.SLA) {
	for _, kind := range []desk.SLAKind{desk.SLAFirstResponse, desk.SLAResolution} {
		c := desk.SLA{Kind: kind, Target: time.Hour, Start: now}
		switch rnd.IntN(4) {
		case 0:
			continue
		case 1: // it stands still
		case 2:
			c.End = &now
			fallthrough
		case 3:
			c.Due = ptr(now.Add(time.Duration(rnd.IntN(7)-3) * time.Minute)) // several at the same time
		}
		clocks = append(clocks, c)
	}
	return clocks
}

func drawTriage(rnd *rand.Rand, fields []desk.CustomFieldID, in desk.CollectionID) desk.RequestFilter {
	f := desk.RequestFilter{Reach: desk.Everything, States: [][]desk.State{desk.Unsolved, {desk.Open, desk.Pending}}[rnd.IntN(2)]}
	f.Order = []desk.RequestOrder{"", desk.ByPriority, desk.ByNextDue}[rnd.IntN(3)]
	one := func() bool { return rnd.IntN(5) == 0 }
	switch rnd.IntN(3) {
	case 0:
		f.ByUpdate = true
	case 1:
		f.ByMessage = true
	}
	if one() {
		f.DueWithin = ptr(time.Duration(rnd.IntN(3)) * time.Minute)
	}
	if one() {
		f.Sources = []desk.RequestSource{desk.FromAPI, desk.FromEmail}
	}
	if one() {
		f.Categories = [][]string{{"bug"}, {"a<b"}, {"a\"bug", "none"}}[rnd.IntN(3)]
	}
	if one() {
		f.Sentiments = [][]string{{"negative"}, {"very_negative", "neutral"}}[rnd.IntN(2)]
	}
	if one() {
		f.Choices = []desk.FieldChoice{{Field: fields[0], Options: []desk.OptionID{1}}}
		if one() {
			f.Choices = append(f.Choices, desk.FieldChoice{Field: fields[1], Options: []desk.OptionID{1, 2}})
		}
	}
	if one() {
		f.Priorities = []desk.Priority{desk.Urgent, desk.Low}
	}
	if one() {
		f.Assignees = []string{"U1"}
	}
	if one() {
		f.AuthorEmails = []string{"jo@acme.example"}
	}
	if one() {
		f.Reach = desk.Reach{IDs: []desk.CollectionID{in}}
	}
	return f
}

// triaged finds the requests by checking each of them.
func triaged(kept []desk.Request, f desk.RequestFilter, p desk.Page, now time.Time) []desk.RequestID {
	at := func(r desk.Request) time.Time {
		switch {
		case f.ByUpdate:
			return r.UpdatedAt
		case f.ByMessage:
			return r.LastMessageAt
		}
		return r.CreatedAt
	}
	var found []desk.Request
	for _, r := range kept {
		due := r.Row.Due
		suits := f.Reach.Has(r.Collection.ID) && slices.Contains(f.States, *r.State) && fits(f.Assignees, false, r.Assignee) && fits(f.Priorities, false, &r.Priority) &&
			fits(f.Sources, false, &r.Source) && (f.DueWithin == nil || due != nil && due.At.Before(now.Add(*f.DueWithin))) && (p.After == nil || at(r).After(*p.After)) &&
			(f.Categories == nil || r.AI.Category != nil && slices.ContainsFunc(r.AI.Category.Value, func(v string) bool { return slices.Contains(f.Categories, v) })) &&
			(f.Sentiments == nil || r.AI.Sentiment != nil && slices.Contains(f.Sentiments, r.AI.Sentiment.Value)) &&
			!slices.ContainsFunc(f.Choices, func(c desk.FieldChoice) bool {
				v, has := r.Values[c.Field]
				return !has || !slices.Contains(c.Options, v.Options[0])
			})
		if suits {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b desk.Request) int {
		byTime := cmp.Or(at(a).Compare(at(b)), cmp.Compare(a.ID, b.ID))
		if !p.Ascending {
			byTime = -byTime
		}
		switch f.Order {
		case desk.ByPriority:
			return cmp.Or(slices.Index(desk.Priorities, b.Priority)-slices.Index(desk.Priorities, a.Priority), byTime)
		case desk.ByNextDue:
			x, y := a.Row.Due, b.Row.Due
			switch {
			case x != nil && y != nil:
				return cmp.Or(x.At.Compare(y.At), cmp.Compare(a.ID, b.ID))
			case x != nil || y != nil:
				return map[bool]int{true: -1, false: 1}[x != nil]
			}
			return cmp.Or(at(a).Compare(at(b)), cmp.Compare(a.ID, b.ID))
		}
		return byTime
	})
	return desk.Each(found, func(r desk.Request) desk.RequestID { return r.ID })
}

// What is due next is read in the order of its index, and what is overdue from its
// beginning. Nothing reads more than the requests that are not solved.
func TestTriageUsesIndexes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		if s.DB().Engine() != sqldb.SQLite {
			return // PostgreSQL plans by size
		}
		a, _ := newAccount(t, s, "Acme")
		yes := true
		for name, triage := range map[string]desk.Triage{
			"order": {Order: desk.ByNextDue, Promised: &yes}, "filter": {DueWithin: new(time.Duration)},
		} {
			for _, f := range []desk.RequestFilter{{}, {Assignees: []string{"U1"}}, {Collection: 1}, {Tags: []string{"a"}}} {
				f.Reach, f.States, f.Triage = desk.Everything, desk.Unsolved, triage
				read(t, s, a.ID, func(tx *store.Tx) error {
					plan, err := store.SQLitePlan(tx, f, desk.Page{Limit: 50, Ascending: true})
					all := strings.Join(plan, "\n")
					if !strings.Contains(all, "SEARCH s USING COVERING INDEX request_slas_due") && !strings.Contains(all, "SEARCH s USING INDEX request_slas_due") {
						t.Errorf("%s %+v reads no clocks in order:\n%s", name, f, all)
					}
					if strings.Contains(all, "SCAN requests") || strings.Contains(all, "SCAN s ") || strings.Count(all, "SEARCH requests USING INTEGER PRIMARY KEY") != 1 {
						t.Errorf("%s %+v:\n%s", name, f, all)
					}
					if name == "order" && strings.Contains(all, "TEMP B-TREE FOR ORDER BY") && strings.Index(all, "TEMP B-TREE FOR ORDER BY") < strings.Index(all, "SEARCH s") {
						t.Errorf("%+v is sorted:\n%s", f, all)
					}
					return err
				})
			}
		}
	})
}
