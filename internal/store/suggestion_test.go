package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// conversation adds an account with one request.
func conversation(t *testing.T, s *store.Store) (account desk.AccountID, request desk.RequestID) {
	t.Helper()
	a, _ := newAccount(t, s, "Acme")
	write(t, s, a.ID, func(tx *store.Tx) error {
		col, err := addAPICollection(tx, "API")
		if err != nil {
			return err
		}
		r, err := addRequest(tx, col, nil)
		request = r.ID
		return err
	})
	return a.ID, request
}

// Suggestions are read back with their requests, one by one and in lists, and a run
// that ends late changes nothing.
func TestSuggestionsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, id := conversation(t, s)
		begin := func() (run store.SuggestionRun) {
			write(t, s, account, func(tx *store.Tx) (err error) {
				run, err = tx.BeginSuggestion(id)
				return err
			})
			return run
		}
		save := func(run store.SuggestionRun, f desk.AIFields, want bool) {
			t.Helper()
			write(t, s, account, func(tx *store.Tx) error {
				kept, err := tx.FinishSuggestion(id, run)
				if err != nil || !kept {
					return all(err, same("kept", kept, want))
				}
				r, err := tx.Request(id, desk.Everything)
				if err != nil {
					return err
				}
				_, err = tx.SaveSuggested(id, r.AI, f)
				return all(err, same("kept", kept, want))
			})
		}
		is := func(category []string, sentiment, emotion string) {
			t.Helper()
			read(t, s, account, func(tx *store.Tx) error {
				r, err := tx.Request(id, desk.Everything)
				if err != nil {
					return err
				}
				l, err := tx.Requests(desk.RequestFilter{Reach: desk.Everything}, desk.Page{Limit: 10})
				for _, r := range append(l.Items, r) {
					if r.AI.Category == nil || !slices.Equal(r.AI.Category.Value, category) || r.AI.Sentiment.Value != sentiment || r.AI.Emotion.Value != emotion {
						t.Errorf("it is %+v, want %q, %s, %s", r.AI, category, sentiment, emotion)
					}
				}
				return all(err, same("listed", len(l.Items), 1))
			})
		}
		word := func(v string, by desk.Origin) *desk.Suggested[string] {
			return &desk.Suggested[string]{Value: v, By: by, Reason: "over budget", At: c.Now()}
		}
		read(t, s, account, func(tx *store.Tx) error {
			r, err := tx.Request(id, desk.Everything)
			return all(err, same("fields before", r.AI, desk.AIFields{}))
		})
		first, second := begin(), begin()
		if first.Number >= second.Number || first.Heard != 0 {
			t.Errorf("the readings are %+v and %+v", first, second)
		}
		var heard desk.Message
		write(t, s, account, func(tx *store.Tx) error {
			heard = desk.Message{Request: id, Source: desk.SourceAPI, CreatedAt: tx.Now}
			return tx.AddMessage(&heard)
		})
		edited := c.Now()
		second.Heard, second.HeardEditedAt = heard.ID, &edited
		save(second, desk.AIFields{Category: &desk.Suggested[[]string]{Value: []string{"bug", "ÄÖ \"x\""}, By: desk.ByModel, At: c.Now()},
			Sentiment: word("negative", desk.ByRules), Emotion: word("negative", desk.ByRules)}, true)
		is([]string{"bug", "ÄÖ \"x\""}, "negative", "negative")
		save(first, desk.AIFields{Emotion: word("positive", desk.ByModel)}, false)
		save(second, desk.AIFields{Emotion: word("positive", desk.ByModel)}, false) // a second time
		is([]string{"bug", "ÄÖ \"x\""}, "negative", "negative")
		third := begin()
		if third.Heard != heard.ID || third.HeardEditedAt == nil || !third.HeardEditedAt.Equal(edited.Truncate(time.Millisecond)) {
			t.Errorf("it remembers %+v", third)
		}
		save(third, desk.AIFields{Category: &desk.Suggested[[]string]{Value: []string{}, By: desk.ByRules, At: c.Now()}, Emotion: word("neutral", desk.ByModel)}, true)
		is([]string{}, "negative", "neutral")
		got := rows(t, s, "SELECT field, decided_by, reason FROM request_suggestions WHERE account_id = $1 ORDER BY field", account)
		if want := []string{`field="category" decided_by="rules" reason="" `, `field="emotion" decided_by="model" reason="over budget" `,
			`field="sentiment" decided_by="rules" reason="over budget" `}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("where they come from: %q, want %q", got, want)
		}
	})
}

// The discussion is the first message and the latest ones, without private or
// removed messages.
func TestDiscussion(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, id := conversation(t, s)
		texts := func() (all []string) {
			read(t, s, account, func(tx *store.Tx) error {
				said, err := tx.Discussion(id)
				for _, m := range said {
					all = append(all, m.HTML)
				}
				return err
			})
			return all
		}
		say := func(html string, change func(*desk.Message)) (m desk.Message) {
			c.move(time.Second)
			write(t, s, account, func(tx *store.Tx) error {
				m = desk.Message{Request: id, HTML: html, Source: desk.SourceAPI, CreatedAt: tx.Now}
				if change != nil {
					change(&m)
				}
				return tx.AddMessage(&m)
			})
			return m
		}
		if got := texts(); len(got) != 0 {
			t.Errorf("there is %q", got)
		}
		say("note", func(m *desk.Message) { m.Private = true })
		say("first", nil)
		gone := say("gone", nil)
		say("late", func(m *desk.Message) { m.CreatedAt = m.CreatedAt.Add(time.Hour) })
		say("second", nil)
		write(t, s, account, func(tx *store.Tx) error { return tx.RemoveMessage(gone.ID) })
		if got := texts(); !slices.Equal(got, []string{"first", "second", "late"}) {
			t.Errorf("it is %q", got)
		}
		for i := range store.MostShown + 5 {
			say(fmt.Sprint(i), func(m *desk.Message) { m.CreatedAt = m.CreatedAt.Add(2 * time.Hour) })
		}
		got := texts()
		if len(got) != store.MostShown+1 || got[0] != "first" || got[1] != "5" || got[store.MostShown] != fmt.Sprint(store.MostShown+4) {
			t.Errorf("it is %q", got)
		}
	})
}

// A budget is per day and per account, and concurrent callers never overspend it.
func TestBudget(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := conversation(t, s)
		other, _ := newAccount(t, s, "Globex")
		b := s.Budget(1000)
		reserve := func(account desk.AccountID, tokens int, want bool) {
			t.Helper()
			granted, err := b.Reserve(ctx, account, tokens)
			must(t, all(err, same(fmt.Sprint(tokens, " are granted"), granted, want)))
		}
		spent := func(want ...string) {
			t.Helper()
			if got := rows(t, s, "SELECT tokens FROM suggestion_costs WHERE account_id = $1 ORDER BY day", account); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("spent are %s, want %s", got, want)
			}
		}
		reserve(account, 1001, false)
		spent()
		reserve(account, 700, true)
		reserve(account, 301, false)
		spent(`tokens="700" `)
		must(t, b.Settle(ctx, account, 700, 100))
		spent(`tokens="100" `)
		reserve(account, 900, true)
		reserve(account, 1, false)
		reserve(other.ID, 1000, true)
		must(t, b.Settle(ctx, account, 900, 5000)) // it cost more than expected
		reserve(account, 1, false)
		spent(`tokens="5100" `)

		c.move(24 * time.Hour)
		reserve(account, 1000, true)
		c.move(24 * time.Hour)
		must(t, b.Settle(ctx, account, 1000, 10)) // after midnight
		spent(`tokens="5100" `, `tokens="10" `)

		var granted sync.Map
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if ok, err := b.Reserve(ctx, account, 100); err != nil {
					t.Error(err)
				} else if ok {
					granted.Store(i, true)
				}
			})
		}
		all.Wait()
		n := 0
		granted.Range(func(any, any) bool { n++; return true })
		if n != 10 {
			t.Errorf("%d of 20 callers were granted 100 of 1000 tokens", n)
		}
		spent(`tokens="5100" `, `tokens="10" `, `tokens="1000" `)
	})
}
