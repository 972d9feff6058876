package insights

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// keeping is columns with a clock that stands still, and accounts with requests.
type keeping struct {
	*Columns
	t        *testing.T
	db       *sqldb.DB
	now      time.Time
	accounts []desk.AccountID
}

func newKeeping(t *testing.T, db *sqldb.DB, accounts, requests int, most int64) *keeping {
	t.Helper()
	k := &keeping{t: t, db: db, now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}
	k.Columns = NewColumns(ColumnsConfig{MostBytes: most, Now: func() time.Time { return k.now }})
	r := rand.New(rand.NewPCG(3, 3))
	for i := range accounts {
		account, collections := newAccount(t, db)
		write(t, db, account, randomFacts(r, requests, int64(1+i*100_000), collections, k.now))
		k.accounts = append(k.accounts, desk.AccountID(account))
	}
	return k
}

func (k *keeping) question(i int) Question {
	return Question{Account: k.accounts[i], Reach: desk.Everything, Now: k.now, Zone: time.UTC, Query: desk.InsightsQuery{
		Measures: []string{"Requests.count", "Requests.response_times_p50"}, Dimensions: []string{"Requests.state"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}}}
}

// ask asks, and reports whether columns have answered. Their answer must be the
// same as SQL's.
func (k *keeping) ask(i int) (fromColumns bool) {
	k.t.Helper()
	before, _ := k.Answered()
	got, err := k.Answer(ctx, k.db, k.question(i))
	if err != nil {
		k.t.Fatal(err)
	}
	want, err := SQL{}.Answer(ctx, k.db, k.question(i))
	if err != nil {
		k.t.Fatal(err)
	}
	both{k.t, k.db, k.Columns}.same(k.question(i), got, want)
	after, _ := k.Answered()
	return after > before
}

// loads does what is due, as Run does, and reports whether anything was.
func (k *keeping) loads() bool { return k.loadNext(ctx, slog.New(slog.DiscardHandler)) }

func (k *keeping) expect(what string, got, want bool) {
	k.t.Helper()
	if got != want {
		k.t.Fatalf("%s: %v", what, got)
	}
}

// An account is loaded when it has asked twice within a while, and dropped when it
// has not asked for long. An old table is reloaded.
func TestColumnsOfWhoAsksOften(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		k := newKeeping(t, db, 2, 50, 0)
		k.expect("the first question is answered from columns", k.ask(0), false)
		k.expect("one question is a reason to load", k.loads(), false)
		k.now = k.now.Add(often + time.Second)
		k.expect("one long after it is answered from columns", k.ask(0), false)
		k.expect("two questions far apart are a reason to load", k.loads(), false)
		k.now = k.now.Add(often)
		k.expect("while nobody loads, columns answer", k.ask(0), false)
		k.expect("there is something to load", k.loads(), true)
		k.expect("there is more to load", k.loads(), false)
		k.expect("columns answer then", k.ask(0), true)
		k.expect("columns answer for another account", k.ask(1), false)

		k.now = k.now.Add(idle - time.Second)
		k.sweep()
		if k.Bytes() == 0 {
			t.Fatal("they are dropped too soon")
		}
		k.now = k.now.Add(time.Second)
		k.sweep()
		if k.Bytes() != 0 || len(k.Columns.accounts) != 0 {
			t.Fatalf("%d bytes of %d accounts are left", k.Bytes(), len(k.Columns.accounts))
		}

		k.ask(0)
		k.ask(0)
		k.expect("they are loaded again", k.loads(), true)
		k.expect("columns answer again", k.ask(0), true)
		for range 5 {
			k.now = k.now.Add(mostAge / 6)
			k.expect("columns go on answering", k.ask(0), true)
		}
		k.now = k.now.Add(mostAge / 6)
		k.ask(0)
		k.expect("old ones are made anew", k.loads(), true)
		k.expect("columns answer then", k.ask(0), true)
	})
}

// All columns together stay within their limit. The least recently used account
// makes room, and an account that is too large is left to SQL.
func TestColumnsAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		k := newKeeping(t, db, 3, 200, 0)
		if err := k.Load(ctx, db, k.question(0)); err != nil {
			t.Fatal(err)
		}
		one := k.Bytes()
		least := int64(200 * leastRow)
		if one < least || one > 4*least {
			t.Fatalf("200 requests take %d bytes", one)
		}
		load := func(i int) {
			t.Helper()
			k.now = k.now.Add(time.Second)
			k.ask(i)
			k.ask(i)
			k.loads()
			k.now = k.now.Add(time.Second)
		}
		k = newKeeping(t, db, 0, 0, 2*one+one/2) // two fit
		k.accounts = accountsOf(t, db)
		load(0)
		load(1)
		k.expect("the first is there", k.ask(0), true)
		k.now = k.now.Add(time.Second)
		k.expect("the second is there", k.ask(1), true)
		load(2)
		k.expect("the first, which has not asked for the longest, is there", k.ask(0), false)
		k.expect("the second is there", k.ask(1), true)
		k.expect("the third is there", k.ask(2), true)
		k.ask(0)
		k.expect("who made room is loaded again at once", k.loads(), false)
		if n := k.Bytes(); n > 2*one+one/2 {
			t.Errorf("%d bytes are kept", n)
		}

		k.most = one / 2 // none fits
		k.dropAll()
		load(0)
		k.expect("one that is too large is there", k.ask(0), false)
		k.expect("it is loaded again at once", k.loads(), false)
		if n := k.Bytes(); n != 0 {
			t.Errorf("%d bytes are kept", n)
		}
		k.most = one // exactly
		k.dropAll()
		load(0)
		k.expect("one that just fits is there", k.ask(0), true)
	})
}

func accountsOf(t *testing.T, db *sqldb.DB) (all []desk.AccountID) {
	t.Helper()
	err := db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (id desk.AccountID, err error) { return id, scan(&id) }, "SELECT id FROM accounts ORDER BY id")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Changes while a table is loaded, after it, or in large numbers are in the next
// answer, from either engine. While an event waits for its number, SQL answers.
func TestColumnsFollow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		k := newKeeping(t, db, 1, 100, 0)
		seq := 0
		// solve solves requests as the store would report it: with an event, or
		// without one.
		solve := func(state string, told bool, ids ...int) {
			t.Helper()
			err := db.Write(ctx, func(tx *sqldb.Tx) error {
				for _, id := range ids {
					if _, err := tx.Exec("UPDATE request_facts SET state = $1 WHERE account_id = $2 AND request_id = $3", state, k.accounts[0], id); err != nil {
						return err
					}
					if !told {
						if _, err := tx.Exec("UPDATE requests SET untold = (SELECT coalesce(max(untold), 0) + 1 FROM requests WHERE account_id = $1) WHERE account_id = $1 AND id = $2", k.accounts[0], id); err != nil {
							return err
						}
						continue
					}
					seq++
					if _, err := tx.Exec("INSERT INTO events (account_id, seq, type, source, at, subject, data) VALUES ($1, $2, 'request.updated', 'api', 0, $3, '{}')", k.accounts[0], seq, fmt.Sprint("request ", id)); err != nil {
						return err
					}
				}
				_, err := tx.Exec("UPDATE sequences SET event_seq = $1 WHERE account_id = $2", seq, k.accounts[0])
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		account := &account{db: db}
		k.Columns.accounts[k.accounts[0]] = account
		pieces := 0
		loaded, err := load(ctx, db, k.accounts[0], nil, func(int64) error {
			if pieces++; pieces == 2 { // the first piece is read
				solve("on_hold", true, 1, 2)
				solve("on_hold", false, 3)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		account.table, account.loaded = loaded, k.now
		k.expect("columns answer after a change while they were loaded", k.ask(0), true)
		solve("on_hold", true, 4)
		k.expect("columns answer after a change", k.ask(0), true)
		solve("on_hold", false, 5, 6)
		k.expect("columns answer after a change that nothing tells of", k.ask(0), true)
		solve("gone", true, 1, 2, 3, 4, 5, 6)
		if err := db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec("DELETE FROM request_facts WHERE account_id = $1 AND state = 'gone'", k.accounts[0])
			return err
		}); err != nil {
			t.Fatal(err)
		}
		k.expect("columns answer after some do not count any more", k.ask(0), true)

		statement := func(sql string) {
			t.Helper()
			if err := db.Write(ctx, func(tx *sqldb.Tx) error { _, err := tx.Exec(sql, k.accounts[0]); return err }); err != nil {
				t.Fatal(err)
			}
		}
		statement("INSERT INTO events (account_id, type, source, at, subject, data) VALUES ($1, 'request.updated', 'api', 0, 'request 7', '{}')")
		k.expect("columns answer while an event has no number", k.ask(0), false)
		statement("DELETE FROM events WHERE account_id = $1 AND seq IS NULL")
		k.expect("columns answer when none waits any more", k.ask(0), true)
		statement("UPDATE sequences SET event_seq = event_seq - 1 WHERE account_id = $1")
		k.expect("columns answer when numbers have gone back", k.ask(0), false)
		k.expect("they are made anew", k.loads(), true)
		k.expect("columns answer then", k.ask(0), true)
		statement("UPDATE sequences SET event_seq = event_seq + 5001 WHERE account_id = $1")
		k.expect("columns answer when they are far behind", k.ask(0), false)
		k.expect("they are made anew", k.loads(), true)
		k.expect("columns answer then", k.ask(0), true)
	})
}

// A member who sees some collections gets only their numbers from columns, too, and
// nobody gets those of another account.
func TestColumnsWithinReach(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		k := newKeeping(t, db, 2, 80, 0)
		for i := range k.accounts {
			if err := k.Load(ctx, db, k.question(i)); err != nil {
				t.Fatal(err)
			}
			var collections []desk.CollectionID
			err := db.Read(ctx, func(tx *sqldb.Tx) (err error) {
				collections, err = sqldb.Collect(tx, func(scan func(...any) error) (id desk.CollectionID, err error) { return id, scan(&id) }, "SELECT id FROM collections WHERE account_id = $1", k.accounts[i])
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, reach := range []desk.Reach{desk.Everything, {}, {IDs: collections[:1]}, {IDs: collections}, {IDs: []desk.CollectionID{404}}} {
				q := k.question(i)
				q.Reach = reach
				both{t, db, k.Columns}.answer(q)
			}
		}
	})
}

// Run loads while several ask questions, ends with its context, and leaves nothing
// behind.
func TestColumnsRun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		k := newKeeping(t, db, 2, 60, 0)
		running, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			k.Run(running, slog.New(slog.DiscardHandler))
		}()
		patience, over := context.WithTimeout(ctx, time.Minute)
		defer over()
		asked := make(chan bool, 4)
		for n := range 4 {
			go func() {
				fromColumns := false
				for !fromColumns && patience.Err() == nil {
					_, err := k.Answer(ctx, db, k.question(n%2)) // SQL answers until it is loaded
					if err == nil {
						_, fromColumns, err = k.Try(ctx, db, k.question(n%2))
					}
					if err != nil {
						t.Error(err)
						break
					}
				}
				asked <- fromColumns
			}()
		}
		for range 4 {
			if !<-asked {
				t.Error("columns never answer")
			}
		}
		stop()
		<-ended
		if k.Bytes() != 0 {
			t.Errorf("%d bytes are left", k.Bytes())
		}
	})
}

// Columns can answer every measure, and every dimension or filter except those
// whose values are stored elsewhere.
func TestWhatColumnsAnswer(t *testing.T) {
	fields := map[desk.CustomFieldID]desk.CustomField{}
	for i, kind := range desk.FieldTypes {
		id := desk.CustomFieldID(i + 1)
		fields[id] = desk.CustomField{ID: id, Type: kind}
	}
	q := Question{Account: 1, Fields: fields, Reach: desk.Everything, Zone: time.UTC, Query: desk.InsightsQuery{Measures: measureNames()}}
	for _, m := range TimeDimensions {
		q.Query.TimeDimensions = append(q.Query.TimeDimensions, desk.TimeDimension{Dimension: m.Name})
	}
	answers := func(q Question) bool {
		t.Helper()
		p, err := q.plan()
		if err != nil {
			t.Fatal(err)
		}
		fields, ok := p.inColumns()
		if ok {
			// Even a table without rows has every column.
			a := &answering{plan: p, rows: map[string]*row{}}
			if err := a.scan(ctx, newTable(marks{}, 0, fields)); err != nil {
				t.Errorf("%+v: %v", q.Query, err)
			}
		}
		return ok
	}
	if !answers(q) {
		t.Error("columns do not answer for all measures")
	}
	var not []string
	for _, name := range q.members(groups) {
		by := q
		if by.Query.Dimensions = []string{name}; !answers(by) {
			not = append(not, name)
		}
	}
	for _, name := range q.members(filters) {
		by := q
		if by.Query.Filters = []desk.InsightsFilter{{Member: name, Operator: "set"}}; !answers(by) {
			not = append(not, name)
		}
	}
	text := slices.Index(desk.FieldTypes, desk.FieldText) + 1
	if want := []string{"Requests.customer_owner", "Requests.chat_channel_name", FieldMember(fields[desk.CustomFieldID(text)]).Name}; !slices.Equal(not, want) {
		t.Errorf("columns do not answer by %q, and should not by %q", not, want)
	}
}
