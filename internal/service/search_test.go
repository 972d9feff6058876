package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// newAPIDesk is a company with an API collection.
func newAPIDesk(t *testing.T, url string) *company {
	t.Helper()
	c := companyAt(t, url)
	_, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection})
	must(t, err)
	return c
}

func (c *company) request(title, text string) desk.Request {
	c.t.Helper()
	made, err := c.CreateRequest(ctx, c.caller(), desk.NewRequest{Title: &title, Description: text})
	must(c.t, err)
	return made.Request
}

func (c *company) search(q desk.RequestSearch) []desk.FoundRequest {
	c.t.Helper()
	l, err := c.SearchRequests(ctx, c.caller(), q, desk.Page{Limit: 100}, true)
	must(c.t, err)
	return l.Items
}

// run runs the background work of a process until the test ends.
func run(t *testing.T, s process) {
	t.Helper()
	running, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { s.Run(running) })
	t.Cleanup(func() {
		stop()
		ended.Wait()
	})
}

// New text is found soon and by itself, without waiting for a tick.
func TestFoundSoon(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newAPIDesk(t, url)
		c.clock.goes = time.Now()
		run(t, c.process)
		var longest time.Duration
		for n := range 20 {
			word := fmt.Sprint("word", n)
			c.request(word, "x")
			began := time.Now()
			eventually(t, "to be found", func() bool { return len(c.search(desk.RequestSearch{Query: word + " "})) == 1 })
			longest = max(longest, time.Since(began))
		}
		t.Logf("found after %v at most", longest.Round(time.Millisecond))
	})
}

// With two processes and many writers, everything is found in the end, and never
// does more than one worker of a process work on an account.
func TestFoundWhateverHappensAtOnce(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newAPIDesk(t, url)
		c.clock.goes = time.Now()
		run(t, c.process)
		run(t, c.another())
		const writers, each = 8, 15
		var writing sync.WaitGroup
		for range writers {
			writing.Go(func() {
				for range each {
					c.request("crowd", "x")
				}
			})
		}
		writing.Wait()
		eventually(t, "to be found", func() bool {
			found := 0
			for from := (*desk.Position)(nil); ; {
				l, err := c.SearchRequests(ctx, c.caller(), desk.RequestSearch{Query: "crowd"}, desk.Page{Limit: 100, From: from}, false)
				must(t, err)
				if found += len(l.Items); l.Next == nil {
					return found == writers*each
				}
				from = l.Next
			}
		})
	})
}

// A private marker is found, highlighted and included for callers who ask for
// private text. Otherwise it is nowhere in the answer.
func TestSearchPrivateNotes(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newAPIDesk(t, url)
		r := c.request("Printer", "The printer is on fire")
		say := func(text string, private bool) {
			t.Helper()
			c.clock.move(time.Minute)
			_, err := c.AddMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: &text, Private: private})
			must(t, err)
			c.events()
			must(t, index.Update(ctx, c.store, c.account.ID))
		}
		say("we will look at the printer", false)
		say("planted marker: do not tell, the printer was ours", true)
		for _, e := range c.events() {
			if e.Type == desk.NoteCreated || strings.Contains(string(e.Data), "planted") {
				t.Errorf("the feed reports a private note: %s %s", e.Type, e.Data)
			}
		}
		for _, rank := range []bool{false, true} {
			for _, query := range []string{"planted", "printer marker", `"planted marker"`, "mark"} {
				if found := c.search(desk.RequestSearch{Query: query, Rank: rank, OnlyPublic: true}); len(found) > 0 {
					t.Errorf("%q finds %+v in public", query, found)
				}
				found := c.search(desk.RequestSearch{Query: query, Rank: rank})
				if len(found) != 1 || !strings.Contains(fmt.Sprint(found[0].Highlights), "planted") {
					t.Errorf("%q finds %+v", query, found)
				}
			}
			public := c.search(desk.RequestSearch{Query: "printer", Rank: rank, OnlyPublic: true})
			if len(public) != 1 || len(public[0].Messages) != 2 || len(public[0].Highlights.Messages) != 2 || strings.Contains(fmt.Sprintf("%+v", public), "planted") {
				t.Errorf("the answer without private text is %+v", public)
			}
			all := c.search(desk.RequestSearch{Query: "printer", Rank: rank})
			if len(all) != 1 || len(all[0].Messages) != 3 || len(all[0].Highlights.Messages) != 3 {
				t.Errorf("the answer with private text is %+v", all)
			}
		}
	})
}

// A merged request's text is found in the request that it was merged into. After an
// undo it is found where it was before.
func TestSearchFollowsMerges(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newAPIDesk(t, url)
		into, other := c.request("Into", "a kettle"), c.request("Other", "a teapot")
		found := func(query string, want ...string) {
			t.Helper()
			c.events()
			must(t, index.Update(ctx, c.store, c.account.ID))
			var titles []string
			for _, f := range c.search(desk.RequestSearch{Query: query}) {
				titles = append(titles, f.Title)
			}
			if !slices.Equal(titles, want) {
				t.Errorf("%q finds %q, want %q", query, titles, want)
			}
		}
		found("teapot", "Other")
		_, err := c.MergeRequests(ctx, c.caller(), into.ID, desk.Merge{Requests: []desk.RequestID{other.ID}})
		must(t, err)
		if titles := c.search(desk.RequestSearch{Query: "teapot"}); len(titles) > 0 {
			t.Errorf("before the index is updated, %+v is found, although it is in no list", titles)
		}
		found("teapot", "Into")
		found("kettle teapot", "Into")
		found("other")
		_, err = c.UndoRequest(ctx, c.caller(), into.ID, desk.Undo{})
		must(t, err)
		found("teapot", "Other")
		found("kettle", "Into")
	})
}

// An operator has every index rebuilt, and the service does it in the background.
func TestReindex(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newAPIDesk(t, url)
		c.clock.goes = time.Now()
		c.request("lost", "x")
		c.events()
		must(t, index.Update(ctx, c.store, c.account.ID))
		c.forgetDocuments()
		if len(c.search(desk.RequestSearch{Query: "lost"})) != 0 {
			t.Fatal("the search finds text that is not in the index")
		}
		found := func() bool { return len(c.search(desk.RequestSearch{Query: "lost"})) == 1 }
		must(t, index.Forget(ctx, c.store.DB()))
		run(t, c.process)
		eventually(t, "to be found", found)
		c.forgetDocuments()
		must(t, index.Forget(ctx, c.store.DB()))
		eventually(t, "to be found again", found)
	})
}

// forgetDocuments empties the index of the account.
func (c *company) forgetDocuments() {
	c.t.Helper()
	must(c.t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
		if _, err := tx.Exec("DELETE FROM search_index"); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM search_documents WHERE account_id = $1", c.account.ID)
		return err
	}))
}
