package service

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// newRequests creates requests, each with a message that is its title.
func (w *mergeWorld) newRequests(titles ...string) (ids []desk.RequestID) {
	w.t.Helper()
	for _, title := range titles {
		r, err := w.CreateRequest(ctx, w.caller(), desk.NewRequest{Title: &title, Description: title})
		must(w.t, err)
		ids = append(ids, r.ID)
	}
	return ids
}

// said returns what was said in a request, and what it was merged into.
func (w *mergeWorld) said(id desk.RequestID) string {
	w.t.Helper()
	r, err := w.Request(ctx, w.caller(), id, RequestParts{Messages: true})
	must(w.t, err)
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
	}
	text := strings.Join(texts, " ")
	if r.MergedInto != nil {
		text += fmt.Sprint("→", *r.MergedInto)
	}
	return text
}

func (w *mergeWorld) wantSaid(want map[desk.RequestID]string) {
	w.t.Helper()
	for id, text := range want {
		if got := w.said(id); got != text {
			w.t.Errorf("%d: %q, want %q", id, got, text)
		}
	}
}

// If two merge the same requests into each other, one succeeds. If many undo it,
// one succeeds too.
func TestMergesAtOnce(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		w := newMergeWorld(t, url)
		processes := []*Service{w.Service, w.another().Service, w.another().Service}
		for round := range 6 {
			ids := w.newRequests("a", "b", "c")
			at := func(do func(i int, s *Service) error) (won []int) {
				var mu sync.Mutex
				var all sync.WaitGroup
				for i, s := range processes {
					all.Go(func() {
						err := do(i, s)
						if err != nil && desk.KindOf(err) != desk.Refused {
							t.Errorf("round %d: %v", round, err)
						}
						if err == nil {
							mu.Lock()
							defer mu.Unlock()
							won = append(won, i)
						}
					})
				}
				all.Wait()
				return won
			}
			// Each into the next: a ring of three can become a chain, but never a
			// ring.
			won := at(func(i int, s *Service) error {
				return errOf(s.MergeRequests(ctx, w.caller(), ids[(i+1)%3], desk.Merge{Requests: []desk.RequestID{ids[i]}}))
			})
			if len(won) == 0 || len(won) == 3 {
				t.Fatalf("round %d: %v have merged", round, won)
			}
			var left []desk.RequestID
			for _, id := range ids {
				if text := w.said(id); !strings.Contains(text, "→") {
					left = append(left, id)
				}
			}
			if len(left) != 3-len(won) {
				t.Errorf("round %d: %v are left after %d merges", round, left, len(won))
			}
			into := ids[(won[len(won)-1]+1)%3]
			if r, err := w.Request(ctx, w.caller(), into, RequestParts{}); err != nil || r.MergedInto != nil {
				into = left[0]
			}
			entry := w.latest(t, into)
			if won := at(func(i int, s *Service) error {
				return errOf(s.UndoRequest(ctx, w.caller(), into, desk.Undo{Entry: &entry}))
			}); len(won) != 1 {
				t.Errorf("round %d: %v have undone it", round, won)
			}
		}
	})
}

// A message that is added during a merge ends up in one request, once.
func TestMessagesDuringAMerge(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		w := newMergeWorld(t, url)
		ids := w.newRequests("a", "b")
		var all sync.WaitGroup
		for n := range 6 { // few enough that none of them gives up
			all.Go(func() {
				err := w.store.Write(ctx, w.account.ID, func(tx *store.Tx) error {
					r, err := tx.Request(ids[0], desk.Everything)
					if err == nil && r.MergedInto != nil {
						r, err = tx.Request(*r.MergedInto, desk.Everything)
					}
					if err != nil {
						return err
					}
					before := r.Clone()
					m := desk.Message{Request: r.ID, Text: fmt.Sprint("m", n), Source: desk.SourceAPI, CreatedAt: tx.Now}
					if err := tx.AddMessage(&m); err != nil {
						return err
					}
					r.Hear(m, false, tx.Now)
					return w.change.SaveRequest(tx, w.caller().Actor, before, &r)
				})
				if err != nil {
					t.Error(err)
				}
			})
			if n == 3 {
				all.Go(func() {
					if _, err := w.MergeRequests(ctx, w.caller(), ids[1], desk.Merge{Requests: ids[:1]}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		if got := len(strings.Fields(w.said(ids[1]))); got != 8 || w.said(ids[0]) != fmt.Sprint("→", ids[1]) {
			t.Errorf("%d messages: %q, and %q", got, w.said(ids[1]), w.said(ids[0]))
		}
	})
}

// Merges of merges are undone in reverse order.
func TestUndoOfSeveralMerges(t *testing.T) {
	w := newMergeWorld(t, dbtest.URL(t, sqldb.SQLite))
	ids := w.newRequests("a", "b", "c", "d")
	a, b, c, d := ids[0], ids[1], ids[2], ids[3]
	for _, step := range [][2]desk.RequestID{{b, a}, {c, b}, {c, d}} {
		w.clock.move(time.Minute)
		must(t, errOf(w.MergeRequests(ctx, w.caller(), step[0], desk.Merge{Requests: step[1:]})))
	}
	w.wantSaid(map[desk.RequestID]string{a: fmt.Sprint("→", b), b: fmt.Sprint("→", c), c: "a b c d", d: fmt.Sprint("→", c)})

	// The first of two merges into c can be undone only after the second.
	l, err := w.History(ctx, w.caller(), c, desk.Page{})
	must(t, err)
	_, err = w.UndoRequest(ctx, w.caller(), c, desk.Undo{Entry: &l.Items[1].ID})
	wantKind(t, err, desk.Refused)
	_, err = w.UndoRequest(ctx, w.caller(), b, desk.Undo{})
	wantKind(t, err, desk.Refused) // b itself is merged

	must(t, errOf(w.UndoRequest(ctx, w.caller(), c, desk.Undo{})))
	w.wantSaid(map[desk.RequestID]string{c: "a b c", d: "d"})
	must(t, errOf(w.UndoRequest(ctx, w.caller(), c, desk.Undo{})))
	w.wantSaid(map[desk.RequestID]string{b: "a b", c: "c"})
	must(t, errOf(w.UndoRequest(ctx, w.caller(), b, desk.Undo{})))
	w.wantSaid(map[desk.RequestID]string{a: "a", b: "b"})
	_, err = w.UndoRequest(ctx, w.caller(), b, desk.Undo{})
	wantKind(t, err, desk.Refused)
}

// Undoing a split brings the messages back, along with what was said there since.
func TestUndoOfASplitWithNewMessages(t *testing.T) {
	w := newMergeWorld(t, dbtest.URL(t, sqldb.SQLite))
	one := w.newRequests("a")[0]
	for _, m := range []desk.Message{{Text: "b"}, {Text: "c", Responder: true}} {
		w.clock.move(time.Minute)
		m.Source = desk.SourceAPI
		w.say(t, one, m)
	}
	r, err := w.Request(ctx, w.caller(), one, RequestParts{Messages: true})
	must(t, err)
	made, err := w.SplitRequest(ctx, w.caller(), one, desk.Split{Messages: []desk.MessageID{r.Messages[1].ID, r.Messages[2].ID}})
	must(t, err)
	if made.FirstResponseAt == nil || !made.FirstResponseAt.Equal(r.Messages[2].CreatedAt) {
		t.Errorf("it was first answered at %v", made.FirstResponseAt)
	}
	w.wantSaid(map[desk.RequestID]string{one: "a", made.ID: "b c"})
	w.clock.move(time.Minute)
	w.say(t, made.ID, desk.Message{Text: "d", Source: desk.SourceAPI})
	last := w.clock.Now()
	w.clock.move(time.Minute)
	back, err := w.UndoRequest(ctx, w.caller(), one, desk.Undo{})
	must(t, err)
	w.wantSaid(map[desk.RequestID]string{one: "a b c d", made.ID: fmt.Sprint("→", one)})
	if !back.LastMessageAt.Equal(last) || back.FirstResponseAt == nil || !back.FirstResponseAt.Equal(r.Messages[2].CreatedAt) {
		t.Errorf("first %v, last %v", back.FirstResponseAt, back.LastMessageAt)
	}
}

// A change that came in another way is recorded and undone like any other, and so
// are the values of custom fields.
func TestHistoryOfEveryEdge(t *testing.T) {
	w := newMergeWorld(t, dbtest.URL(t, sqldb.SQLite))
	one := w.newRequests("a")[0]
	w.say(t, one, desk.Message{Text: "b", Responder: true, Source: desk.SourceAPI}) // this sets it in progress
	w.clock.move(time.Minute)
	must(t, errOf(w.UpdateRequest(ctx, w.caller(), one, desk.RequestChange{Values: desk.FieldInput{
		fmt.Sprint(w.note): "x", fmt.Sprint(w.choices): []string{"2", "1"}}})))
	l, err := w.History(ctx, w.caller(), one, desk.Page{})
	must(t, err)
	var told []string
	for _, e := range l.Items {
		for _, ch := range e.Changes() {
			told = append(told, fmt.Sprint(e.Action, " ", ch.Field, " ", ch.From, " ", ch.To))
		}
		if e.By.IP != "" {
			t.Error("the history contains network addresses")
		}
	}
	want := []string{fmt.Sprint("request.updated custom_field_values.", w.note, " <nil> x"), fmt.Sprint("request.updated custom_field_values.", w.choices, " <nil> [2 1]"),
		"request.updated state open in_progress"}
	if !slices.Equal(told, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	r, err := w.UndoRequest(ctx, w.caller(), one, desk.Undo{})
	if err != nil || len(r.Values) != 0 || *r.State != desk.InProgress {
		t.Errorf("undone once: %+v, %v", r, err)
	}
	r, err = w.UndoRequest(ctx, w.caller(), one, desk.Undo{})
	if err != nil || *r.State != desk.Open || r.FirstResponseAt == nil {
		t.Errorf("undone twice: %+v, %v", r, err) // the answer itself stays
	}
}
