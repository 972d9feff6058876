package index_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/seal"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

var (
	ctx   = context.Background()
	key   = seal.NewKey()
	quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
)

// each runs fn once per engine with an empty store and a function that moves its
// clock.
func each(t *testing.T, fn func(t *testing.T, s *store.Store, move func(time.Duration))) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
		fn(t, store.New(db, key, func() time.Time { return now }), func(d time.Duration) { now = now.Add(d) })
	})
}

// library is an account whose requests are searched.
type library struct {
	*store.Store
	t       *testing.T
	account desk.AccountID
	col     desk.CollectionID
}

func newLibrary(t *testing.T, s *store.Store) library {
	t.Helper()
	l := library{Store: s, t: t}
	must(t, s.AddAccount(ctx, "Acme", func(tx *store.Tx, a desk.Account) (err error) {
		l.account = a.ID
		l.col, err = addCollection(tx, "API")
		return err
	}))
	return l
}

func addCollection(tx *store.Tx, name string) (desk.CollectionID, error) {
	c := desk.Collection{Name: name, Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	err := tx.AddCollection(&c)
	return c.ID, err
}

// write runs fn in a transaction of the account.
func (l library) write(fn func(*store.Tx) error) {
	l.t.Helper()
	must(l.t, l.Write(ctx, l.account, fn))
}

// exec runs a statement directly on the database.
func (l library) exec(statement string, args ...any) {
	l.t.Helper()
	must(l.t, l.DB().Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	}))
}

// read returns what a query finds, each row as a line of text.
func (l library) read(query string, columns int) (lines []string) {
	l.t.Helper()
	must(l.t, l.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
		lines, err = sqldb.Collect(tx, func(scan func(...any) error) (string, error) {
			values, places := make([]any, columns), make([]any, columns)
			for i := range values {
				places[i] = &values[i]
			}
			err := scan(places...)
			return fmt.Sprintf("%q", values), err
		}, query, l.account)
		return err
	}))
	return lines
}

// documents returns the account's documents that meet a condition.
func (l library) documents(and string) []string {
	l.t.Helper()
	return l.read("SELECT id, document_id, at, revision, digest, title, public, private FROM search_documents WHERE account_id = $1"+and+" ORDER BY id", 8)
}

// make inserts a request, with the event that operations record.
func (l library) make(title string, change func(*desk.Request)) (r desk.Request) {
	l.t.Helper()
	l.write(func(tx *store.Tx) (err error) {
		r, err = l.makeIn(tx, title, change)
		return err
	})
	return r
}

func (l library) makeIn(tx *store.Tx, title string, change func(*desk.Request)) (desk.Request, error) {
	r, err := l.add(tx, func(r *desk.Request) {
		r.Title = title
		if change != nil {
			change(r)
		}
	})
	if err != nil {
		return r, err
	}
	return r, record(tx, desk.RequestCreated, r)
}

// add inserts a request without an event.
func (l library) add(tx *store.Tx, change func(*desk.Request)) (desk.Request, error) {
	open := desk.Open
	r := desk.Request{
		TitleBy: desk.ByRules, State: &open, Priority: desk.Normal, PriorityBy: desk.ByRules,
		Author: desk.Requester{Name: "Jo", Email: "jo@acme.example"}, Collection: desk.CollectionRef{ID: l.col}, Source: desk.FromAPI,
		CreatedAt: tx.Now, UpdatedAt: tx.Now, LastMessageAt: tx.Now,
	}
	change(&r)
	return r, tx.AddRequest(&r)
}

func record(tx *store.Tx, e desk.EventType, r desk.Request) error {
	return tx.Record(desk.Change{By: desk.Actor{Source: desk.SourceAPI}, Action: string(e), Event: e, Resource: "Request", ID: fmt.Sprint(r.ID), After: r})
}

// say adds a message to a request, with its event.
func (l library) say(r desk.Request, text string, private bool) (m desk.Message) {
	l.t.Helper()
	l.write(func(tx *store.Tx) error {
		m = desk.Message{Request: r.ID, Text: text, Private: private, Source: desk.SourceAPI, CreatedAt: tx.Now}
		if err := tx.AddMessage(&m); err != nil {
			return err
		}
		return l.tell(tx, desk.MessageCreated, fmt.Sprintf(`{"message": {"id": %d, "request_id": %d, "text": "as it was"}}`, m.ID, r.ID))
	})
	return m
}

// tell writes an event with the given data.
func (l library) tell(tx *store.Tx, e desk.EventType, data string) error {
	_, err := tx.Exec("INSERT INTO events (account_id, type, source, at, data) VALUES ($1, $2, 'api', 1, $3)", l.account, e, data)
	return err
}

// index numbers everything and updates the index.
func (l library) index() {
	l.t.Helper()
	l.number()
	must(l.t, index.Update(ctx, l.Store, l.account))
}

// number gives everything its number that was recorded outside turns.
func (l library) number() {
	l.t.Helper()
	for more := true; more; {
		var err error
		more, err = l.Sequence(ctx)
		must(l.t, err)
	}
}

func (l library) search(s desk.RequestSearch, p desk.Page) (found desk.List[desk.FoundRequest]) {
	l.t.Helper()
	must(l.t, l.Read(ctx, l.account, func(tx *store.Tx) (err error) {
		found, err = index.Search(tx, s, p)
		return err
	}))
	return found
}

// find returns what someone with every collection finds.
func (l library) find(query string) (titles []string) {
	l.t.Helper()
	s := desk.RequestSearch{Query: query, RequestFilter: desk.RequestFilter{Reach: desk.Everything}}
	for _, f := range l.search(s, desk.Page{Limit: 100}).Items {
		titles = append(titles, f.Title)
	}
	return titles
}

func (l library) finds(query string, titles ...string) {
	l.t.Helper()
	if got := l.find(query); !slices.Equal(got, titles) {
		l.t.Errorf("%q finds %q, want %q", query, got, titles)
	}
}

func (l library) progress() string {
	l.t.Helper()
	return fmt.Sprint(l.read("SELECT version, seq, walk_listed, walk_at, walk_id FROM search_progress WHERE account_id = $1", 5))
}

// said is what the messages of a request say.
type said struct{ public, private string }

func (s said) of(onlyPublic bool) string {
	if onlyPublic {
		return strings.ToLower(s.public)
	}
	return strings.ToLower(s.public + s.private)
}

// Every combination of words, filters, orders and pages returns those requests of the
// list with the same filters that have the words. So both engines give the same
// results.
func TestRequestSearches(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		rnd := rand.New(rand.NewPCG(3, 4))
		cols := []desk.CollectionID{l.col}
		l.write(func(tx *store.Tx) error {
			cols = cols[:1]
			for i := range 70 {
				col, err := addCollection(tx, fmt.Sprint("c", i))
				if err != nil {
					return err
				}
				cols = append(cols, col)
			}
			return nil
		})
		words := []string{"common", "common", "common", "Straße", "請求書", "ошибка", "LINE-17", "rare"}
		some := func(n int) string {
			text := ""
			for range rnd.IntN(n + 1) {
				text += words[rnd.IntN(len(words))] + " "
			}
			return text
		}
		texts := map[desk.RequestID]said{}
		var all []desk.Request
		for range 300 {
			move(time.Duration(rnd.IntN(3)) * time.Millisecond) // many share a time
			r := l.make("t "+some(2), func(r *desk.Request) {
				r.Collection.ID = cols[rnd.IntN(4)]
				switch n := rnd.IntN(8); n {
				case 6:
					r.State, r.NotARequest = nil, new(desk.Temporary)
				case 7:
					r.State = nil
				default:
					r.State = new(desk.States[n])
				}
				r.Author.Email = []string{"jo@acme.example", "Ines@harbor.example", ""}[rnd.IntN(3)]
				if rnd.IntN(2) == 0 {
					r.Channel, r.Customer = &desk.ChannelRef{ID: []string{"C1", "c1"}[rnd.IntN(2)]}, new(desk.CustomerID(rnd.IntN(2)+1))
				}
			})
			k := said{some(3), some(1)}
			if k.public != "" {
				l.say(r, k.public, false)
			}
			if k.private != "" {
				l.say(r, k.private, true)
			}
			k.public = r.Title + k.public
			all, texts[r.ID] = append(all, r), k
		}
		l.index()
		reaches := []desk.Reach{desk.Everything, {}, {IDs: cols[:1]}, {IDs: cols[:3]}, {IDs: cols}} // the last is too long for labels
		states := [][]desk.State{nil, nil, {desk.Open}, {desk.Solved, desk.Open, desk.Open}, desk.States}
		queries := map[string][]string{"common ": {"common"}, "comm": {"common"}, "STRASSE common ": {"straße", "common"}, "請求": {"請求書"}, "ошиб": {"ошибка"},
			"line-17 ": {"line-17"}, "rare line": {"rare", "line-17"}, "nowhere ": {"nowhere"}}
		asked := slices.Sorted(func(yield func(string) bool) {
			for q := range queries {
				if !yield(q) {
					return
				}
			}
		})
		found := 0
		for n := range 150 {
			q := desk.RequestSearch{Query: asked[rnd.IntN(len(asked))], OnlyPublic: rnd.IntN(2) == 0, Rank: rnd.IntN(4) == 0}
			q.Reach, q.States, q.None = reaches[rnd.IntN(len(reaches))], states[rnd.IntN(len(states))], rnd.IntN(4) == 0
			if rnd.IntN(4) == 0 {
				q.Collection = cols[rnd.IntN(2)]
			}
			if rnd.IntN(4) == 0 {
				q.Channel = "C1"
			}
			if rnd.IntN(4) == 0 {
				q.Customers = []desk.CustomerID{1}
			}
			if rnd.IntN(4) == 0 {
				q.AuthorEmails = [][]string{{"JO@acme.example"}, {"jo@acme.example", "ines@HARBOR.example"}}[rnd.IntN(2)]
			}
			p := desk.Page{Limit: 3 + rnd.IntN(40), Ascending: rnd.IntN(2) == 0 && !q.Rank}
			if rnd.IntN(3) == 0 {
				p.After = new(all[rnd.IntN(len(all))].CreatedAt)
			}
			if rnd.IntN(3) == 0 {
				p.Before = new(all[rnd.IntN(len(all))].CreatedAt)
			}
			var listed desk.List[desk.Request]
			must(t, s.Read(ctx, l.account, func(tx *store.Tx) (err error) {
				listed, err = tx.Requests(q.RequestFilter, desk.Page{Limit: len(all), Ascending: p.Ascending, After: p.After, Before: p.Before})
				return err
			}))
			var want []desk.RequestID
			for _, r := range listed.Items {
				if !slices.ContainsFunc(queries[q.Query], func(word string) bool { return !strings.Contains(texts[r.ID].of(q.OnlyPublic), word) }) {
					want = append(want, r.ID)
				}
			}
			var got []desk.RequestID
			for page := p; ; {
				l := l.search(q, page)
				for _, f := range l.Items {
					got = append(got, f.ID)
					if f.Highlights.Title == nil && f.Highlights.Messages == nil {
						t.Errorf("%d: %+v: nothing shows why %d is found", n, q, f.ID)
					}
				}
				if len(l.Items) > p.Limit || l.Next != nil && len(l.Items) < p.Limit {
					t.Fatalf("%d: a page of %d, at most %d", n, len(l.Items), p.Limit)
				}
				if page.From = l.Next; l.Next == nil {
					break
				}
			}
			if q.Rank { // search alone decides the order
				slices.SortFunc(got, func(a, b desk.RequestID) int { return cmp.Compare(a, b) })
				slices.SortFunc(want, func(a, b desk.RequestID) int { return cmp.Compare(a, b) })
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d: %+v %+v:\ngot  %v\nwant %v", n, q, p, got, want)
			}
			found += len(got)
		}
		if found < 1000 {
			t.Errorf("only %d were to be found", found)
		}
	})
}

// The current reach applies: an index that lags behind reveals nothing.
func TestSearchKnowsWhatTheIndexDoesNot(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		r := l.make("planted", nil)
		l.index()
		var other desk.CollectionID
		l.write(func(tx *store.Tx) (err error) {
			if other, err = addCollection(tx, "Other"); err != nil {
				return err
			}
			moved := r
			moved.Collection.ID = other
			return tx.SaveRequest(r, &moved) // and no event has been followed
		})
		in := func(col desk.CollectionID) int {
			q := desk.RequestSearch{Query: "planted", RequestFilter: desk.RequestFilter{Reach: desk.Reach{IDs: []desk.CollectionID{col}}}}
			return len(l.search(q, desk.Page{}).Items)
		}
		if n := in(l.col); n != 0 {
			t.Errorf("%d found in the collection that it was in", n)
		}
		l.write(func(tx *store.Tx) error { return record(tx, desk.RequestUpdated, r) })
		l.index()
		if in(l.col) != 0 || in(other) != 1 {
			t.Errorf("%d found where it was, %d where it is", in(l.col), in(other))
		}
	})
}

// The index holds what the events say, in whatever way they come.
func TestIndexFollowsEvents(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		l.index() // nothing there yet
		first := l.make("first", nil)
		l.finds("first")
		l.index()
		l.finds("first", "first")

		said := l.say(first, "hello there", false)
		l.say(first, "between us", true)
		l.index()
		l.finds("hello", "first")
		l.finds("between", "first")
		l.finds(`"there between"`) // not within one message
		l.finds(`"us hello"`)

		l.exec("UPDATE messages SET removed_at = 1 WHERE account_id = $1 AND id = $2", l.account, said.ID)
		l.write(func(tx *store.Tx) error { return record(tx, desk.RequestUpdated, first) })
		l.index()
		l.finds("hello")
		l.finds("first", "first")

		// Events of others, events without a request, and events that cannot be
		// read.
		l.write(func(tx *store.Tx) error {
			return errors.Join(l.tell(tx, desk.RequestUpdated, `{"request": {"id": 99999999}}`), l.tell(tx, desk.RequestUpdated, `{"request": "odd"}`),
				l.tell(tx, desk.MessageCreated, `{"message": {}}`), l.tell(tx, desk.MemberUpdated, `{"member": {"id": 1}}`))
		})
		// Many events of one request, with the one that created it after those that
		// changed it.
		var second desk.Request
		l.write(func(tx *store.Tx) (err error) {
			if second, err = l.add(tx, func(r *desk.Request) { r.Title = "second" }); err != nil {
				return err
			}
			for range 500 {
				if err := record(tx, desk.RequestUpdated, second); err != nil {
					return err
				}
			}
			return record(tx, desk.RequestCreated, second)
		})
		l.index()
		l.finds("second", "second")
		if n := l.documents(fmt.Sprint(" AND revision = 1 AND document_id = ", second.ID)); len(n) != 1 {
			t.Errorf("after many events of one request: %v", n)
		}

		// Following all of them again changes nothing.
		before := l.documents("")
		l.exec("UPDATE search_progress SET seq = 0 WHERE account_id = $1", l.account)
		l.index()
		if after := l.documents(""); !slices.Equal(before, after) {
			t.Errorf("followed twice:\n%q\n%q", before, after)
		}

		l.exec("DELETE FROM requests WHERE account_id = $1 AND id = $2", l.account, second.ID)
		l.write(func(tx *store.Tx) error { return record(tx, desk.RequestUpdated, second) })
		l.index()
		l.finds("second")
		if n := l.documents(""); len(n) != 1 {
			t.Errorf("%d documents are left", len(n))
		}
	})
}

// A word goes with the last document that has it, also with one that was removed
// outside of the indexer.
func TestIndexLosesWords(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		words := func(want ...string) {
			t.Helper()
			l.index()
			if behind, err := index.Behind(ctx, s.DB()); err != nil || slices.Contains(behind, l.account) {
				t.Errorf("behind are %v, %v", behind, err)
			}
			if got := l.read("SELECT CAST(word AS TEXT) FROM search_words WHERE account_id = $1 ORDER BY word", 1); len(got) != len(want) {
				t.Errorf("words are %q, want %q", got, want)
			}
		}
		first := l.make("quokka marmot", nil)
		l.make("marmot", nil)
		words("=marmot", "=quokka")
		l.exec("UPDATE requests SET title = 'marmot zebra' WHERE account_id = $1 AND id = $2", l.account, first.ID)
		l.write(func(tx *store.Tx) error { return record(tx, desk.RequestUpdated, first) })
		words("=marmot", "=zebra")
		l.write(func(tx *store.Tx) error { return search.Remove(tx.Tx, int64(l.account), int64(first.ID)) })
		if behind, err := index.Behind(ctx, s.DB()); err != nil || !slices.Contains(behind, l.account) {
			t.Errorf("nobody sees that words are lost: %v, %v", behind, err)
		}
		words("=marmot")
	})
}

// Whatever ends a transaction midway, nothing is half done. The next process starts
// at the last commit.
func TestIndexGoesOnAfterAFailure(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		l.index()
		l.make("one", nil)
		l.make("two", nil)
		l.number()
		before := l.progress()
		l.exec("ALTER TABLE search_index RENAME TO away") // a document's row is written before its terms
		if err := index.Update(ctx, l.Store, l.account); err == nil {
			t.Fatal("an index that is not there was written to")
		}
		l.exec("ALTER TABLE away RENAME TO search_index")
		if after := l.progress(); after != before || len(l.documents("")) > 0 {
			t.Errorf("something stays of what failed: %s, was %s", after, before)
		}
		next := store.New(s.DB(), key, nil)
		must(t, index.Update(ctx, next, l.account))
		l.finds("one", "one")
		l.finds("two", "two")
	})
}

// A request whose transaction is open while the index is updated is not skipped.
func TestIndexSeesLateCommits(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key, nil)
	l := newLibrary(t, s)
	l.index()
	written, wait, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	release := sync.OnceFunc(func() { close(wait) })
	defer release()
	go func() {
		var once sync.Once
		done <- s.Write(ctx, l.account, func(tx *store.Tx) error {
			_, err := l.makeIn(tx, "late", nil)
			once.Do(func() { close(written) })
			<-wait
			return err
		})
	}()
	<-written
	l.index()
	l.finds("late")
	release()
	must(t, <-done)
	l.index()
	l.finds("late", "late")
}

// Many write, and several processes index, each at its own pace. In the end
// everything is found, in its latest state.
func TestIndexByMany(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		open := func() *store.Store { return store.New(dbtest.Open(t, sqldb.Config{URL: url, Log: quiet}), key, nil) }
		l := newLibrary(t, open())
		const writers, rounds = 4, 20
		var writing, indexing sync.WaitGroup
		written := make(chan struct{})
		for range 3 {
			s := open()
			indexing.Go(func() {
				for ended := false; !ended; {
					select {
					case <-written:
						ended = true
					default:
					}
					_, err := s.Sequence(ctx)
					if err == nil {
						err = index.Update(ctx, s, l.account)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		for w := range writers {
			writing.Go(func() {
				for n := range rounds {
					title := fmt.Sprintf("w%dn%d", w, n)
					r := l.make(title+" before", nil)
					before := r
					if r.Title = title + " after"; n%2 == 0 {
						l.write(func(tx *store.Tx) error {
							return errors.Join(tx.SaveRequest(before, &r), record(tx, desk.RequestUpdated, r))
						})
					}
				}
			})
		}
		writing.Wait()
		close(written)
		indexing.Wait()
		l.index()
		if before, after := len(l.find("before ")), len(l.find("after ")); before != writers*rounds/2 || after != writers*rounds/2 {
			t.Errorf("%d as they were and %d as they are now, want %d of each", before, after, writers*rounds/2)
		}
	})
}

// When the version changes, or somebody asks for it, every request is indexed
// again, in short transactions that any process can continue. Meanwhile searches
// find what was there before, and events are followed.
func TestIndexIsPutAnew(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		const requests = 80
		l.write(func(tx *store.Tx) error {
			for i := range requests {
				if _, err := l.add(tx, func(r *desk.Request) {
					r.Title, r.CreatedAt = fmt.Sprint("old", i), tx.Now.Add(-time.Duration(i%7)*time.Hour)
					if i%3 == 0 {
						r.State = nil // on no list
					}
				}); err != nil { // without an event, as from before there was an index
					return err
				}
			}
			return nil
		})
		unindexed := func(want bool) {
			t.Helper()
			if ids, err := index.Behind(ctx, s.DB()); err != nil || slices.Contains(ids, l.account) != want {
				t.Errorf("unindexed are %v, %v; want %v", ids, err, want)
			}
		}
		documents := func(where string) int {
			t.Helper()
			return len(l.documents(where))
		}
		unindexed(true)
		must(t, index.Update(ctx, l.Store, l.account))
		unindexed(false)
		if n := documents(""); n != requests {
			t.Fatalf("%d requests are indexed, want %d", n, requests)
		}
		revised := l.progress()

		must(t, index.Forget(ctx, s.DB()))
		unindexed(true)
		l.exec("UPDATE search_documents SET digest = '' WHERE account_id = $1", l.account) // like those of another version
		l.exec("DELETE FROM search_words WHERE account_id = $1", l.account)
		pieces := 0
		for more := true; more; pieces++ {
			var err error
			more, err = index.UpdatePiece(ctx, store.New(s.DB(), key, nil), l.account)
			must(t, err)
			if pieces == requests/index.RequestsAtOnce/2 {
				unindexed(true)
				l.make("meanwhile", nil)
				l.number()
				if n := documents(" AND revision = 1"); n == 0 || n == requests {
					t.Errorf("half way, %d are as they were", n)
				}
				l.finds("old1 ", "old1")
				l.finds("old11", "old11")
			}
		}
		l.finds("meanwhil", "meanwhile")
		l.finds("old11", "old11")
		unindexed(false)
		if n := documents(" AND revision = 2"); n != requests || pieces < requests/index.RequestsAtOnce {
			t.Errorf("%d were put anew in %d pieces, want %d", n, pieces, requests)
		}
		if l.progress() == revised {
			t.Error("no event was followed")
		}
	})
}

// The process that wrote updates the index, one account after the other. An account
// with much to do does not keep others waiting.
func TestIndexerTakesTurns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		x := index.New(s)
		work := func() bool {
			t.Helper()
			some, err := x.Index(ctx, time.Hour)
			must(t, err)
			return some
		}
		large, small := newLibrary(t, s), newLibrary(t, s)
		large.index()
		const events = 450 // more than one transaction follows
		large.write(func(tx *store.Tx) error {
			r, err := large.makeIn(tx, "large", nil)
			for range events {
				if err == nil {
					err = record(tx, desk.RequestUpdated, r)
				}
			}
			return err
		})
		small.make("small", nil)
		work()
		work()
		small.finds("small", "small")
		if ids, err := index.Behind(ctx, s.DB()); err != nil || !slices.Contains(ids, large.account) {
			t.Fatalf("unindexed are %v, %v: the large one was done in one piece", ids, err)
		}
		for work() {
		}
		large.finds("large", "large")
		if ids, err := index.Behind(ctx, s.DB()); err != nil || slices.Contains(ids, large.account) || slices.Contains(ids, small.account) {
			t.Errorf("unindexed are %v, %v", ids, err)
		}
	})
}

// Work that a process left unfinished when it died is found by another.
func TestIndexerFindsWhatWasLeft(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, move func(time.Duration)) {
		l := newLibrary(t, s)
		l.make("left", nil)
		other := index.New(store.New(s.DB(), key, nil))
		if some, err := other.Index(ctx, time.Hour); err != nil || some {
			t.Fatalf("it knows of what another has written: %v, %v", some, err)
		}
		index.FindBehind(ctx, other)
		for some := true; some; {
			var err error
			some, err = other.Index(ctx, time.Hour)
			must(t, err)
		}
		l.finds("left", "left")
	})
}

// The indexer merges the index when it has nothing else to do, and after some rounds
// even if there is always something.
func TestIndexerMerges(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}), key, nil)
	l := newLibrary(t, s)
	for i := range 30 { // each in a transaction of its own
		l.make(fmt.Sprint("no", i), nil)
		l.index()
	}
	segments := func() (n int) {
		t.Helper()
		must(t, s.DB().Look(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT count(DISTINCT segid) FROM search_index_idx").Scan(&n) }))
		return n
	}
	running, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { index.New(s).Run(running, quiet) })
	defer func() { stop(); ended.Wait() }()
	until := func(what string, fn func() bool) {
		t.Helper()
		for late := time.Now().Add(5 * time.Minute); !fn(); time.Sleep(time.Millisecond) { // polls what another goroutine does
			if time.Now().After(late) {
				t.Fatalf("%s; there are %d segments", what, segments())
			}
		}
	}
	before := segments()
	until("it was not merged at rest", func() bool { return segments() < before })
	for round, last := 0, 0; segments() >= last; round++ {
		if last = segments(); round == 100 {
			t.Fatalf("it was not merged in %d rounds; there are %d segments", round, last)
		}
		l.make(fmt.Sprint("busy", round), nil)
		until("it does not follow", func() bool {
			behind, err := index.Behind(ctx, s.DB())
			must(t, err)
			return len(behind) == 0
		})
	}
	l.finds("no7 ", "no7")
}

// A node whose changes another node has indexed writes nothing for them.
func TestIndexedByAnotherNode(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		s := store.New(db, key, nil)
		other := s // SQLite has one process
		if db.Engine() == sqldb.Postgres {
			other = store.New(dbtest.Open(t, sqldb.Config{URL: url}), key, nil)
		}
		l := newLibrary(t, s)
		l.make("Printer", nil)
		for more := true; more; {
			var err error
			more, err = index.UpdatePiece(ctx, other, l.account)
			must(t, err)
		}
		before := s.DB().Stats().Statements
		more, err := index.UpdatePiece(ctx, s, l.account)
		must(t, err)
		if n := s.DB().Stats().Statements - before; more || n != 1 {
			t.Errorf("%d statements for an index that is up to date, more: %v", n, more)
		}
		l.make("Scanner", nil)
		before = s.DB().Stats().Statements
		_, err = index.UpdatePiece(ctx, s, l.account)
		must(t, err)
		if n := s.DB().Stats().Statements - before; n < 3 {
			t.Errorf("%d statements for an index that is behind", n)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
