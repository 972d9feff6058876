package privacy_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// twoCustomers is an account with two customers: Lakeside is to be erased.
type twoCustomers struct {
	privacy.Desk
	t        *testing.T
	account  desk.AccountID
	col      desk.CollectionID
	lakeside desk.CustomerID
	pinehill desk.CustomerID
}

func newTwoCustomers(t *testing.T, db *sqldb.DB) *twoCustomers {
	t.Helper()
	_, err := db.Migrate(ctx, schema.Files)
	must(t, err)
	key := seal.NewKey()
	w := &twoCustomers{Desk: privacy.Desk{Store: store.New(db, key, nil), Blobs: blobtest.New(t, t.TempDir()), Key: key}, t: t}
	must(t, w.Store.AddAccount(ctx, "Acme", func(tx *store.Tx, a desk.Account) error {
		w.account = a.ID
		c := desk.Collection{Name: "API", Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		must(t, tx.AddCollection(&c))
		w.col = c.ID
		for _, one := range []struct {
			name, domain string
			id           *desk.CustomerID
		}{{"Lakeside Boats", "lakeside.example", &w.lakeside}, {"Pinehill", "pinehill.example", &w.pinehill}} {
			cust := desk.Customer{Name: one.name, Domains: []string{one.domain, "gmail.com"}, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			must(t, tx.AddCustomer(&cust))
			*one.id = cust.ID
		}
		return nil
	}))
	return w
}

// asks adds a request of a customer with one message by its requester, and a private
// note by an agent.
func (w *twoCustomers) asks(of desk.CustomerID, email, name, text, note string) (id int64) {
	w.t.Helper()
	must(w.t, w.Store.Write(ctx, w.account, func(tx *store.Tx) error {
		if err := tx.Row(`INSERT INTO requests (account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, author_name, author_email, author_email_folded, customer_id, workspace,
				thread_url, triage_url, source, created_at, updated_at, last_message_at)
			VALUES ($1, $2, $3, 'rules', 'open', TRUE, 'normal', 'rules', $4, $5, $5, $6, '', '', '', 'api', 1, 1, 1) RETURNING id`, w.account, w.col, text, name, email, of).Scan(&id); err != nil {
			return err
		}
		for _, m := range []struct {
			name, email, text string
			by                bool
		}{{name, email, text, false}, {"Mira Agent", "mira@team.example", note, true}} {
			if err := tx.Do(`INSERT INTO messages (account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at)
				VALUES ($1, $2, $3, $4, $5, $5, $6, $6, FALSE, FALSE, 'api', 1)`, w.account, id, m.name, m.email, m.text, m.by); err != nil {
				return err
			}
		}
		return nil
	}))
	return id
}

// said returns who said what in a request.
func (w *twoCustomers) said(id int64) string {
	w.t.Helper()
	var all []string
	must(w.t, w.Store.Read(ctx, w.account, func(tx *store.Tx) error {
		all = nil
		return tx.Each(func(scan func(...any) error) error {
			var name, email, text string
			err := scan(&name, &email, &text)
			all = append(all, fmt.Sprintf("%s <%s>: %s", name, email, text))
			return err
		}, "SELECT author_name, author_email, text FROM messages WHERE account_id = $1 AND request_id = $2 ORDER BY id", w.account, id)
	}))
	return strings.Join(all, "\n")
}

func (w *twoCustomers) sql(statement string, args ...any) {
	w.t.Helper()
	must(w.t, w.Store.Write(ctx, w.account, func(tx *store.Tx) error { return tx.Do(statement, args...) }))
}

const gone = privacy.ErasedText

// Who asked only for the customer is erased as a person, in the requests of others too.
// Whoever others know stays, with the address, and loses what they said for the customer.
// An agent stays the author of erased answers.
func TestErasePeopleOfCustomer(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newTwoCustomers(t, db)
		only := w.asks(w.lakeside, "anna@gmail.com", "Anna Quist", "A secret.", "Anna Quist is rude.")
		shared := w.asks(w.lakeside, "bob@lakeside.example", "Bob Stone", "Another secret.", "Call him.")
		bobs := w.asks(w.pinehill, "bob@lakeside.example", "Bob Stone", "Mine.", "bob@lakeside.example, cy@lakeside.example and Anna Quist of Lakeside Boats, see www.lakeside.example. joe@gmail.com too.")
		w.sql("INSERT INTO messages (account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at) VALUES ($1, $2, 'Anna Quist', 'anna@gmail.com', 'me', 'me', FALSE, FALSE, FALSE, FALSE, 'api', 1)", w.account, bobs)
		done, err := w.Erase(ctx, w.account, privacy.Customer{ID: w.lakeside}, func([]privacy.Listed) error { return nil })
		must(t, err)
		if done.People != 1 || done.Requests != 2 || done.Messages != 5 {
			t.Errorf("%+v", done)
		}
		for id, want := range map[int64]string{
			only:   "Erased person <>: " + gone + "\nMira Agent <mira@team.example>: " + gone,
			shared: "Bob Stone <bob@lakeside.example>: " + gone + "\nMira Agent <mira@team.example>: " + gone,
			bobs: "Bob Stone <bob@lakeside.example>: Mine.\nMira Agent <mira@team.example>: bob@lakeside.example, " + privacy.ErasedEmail + " and Erased person of Erased customer, see www.erased.invalid. joe@gmail.com too.\n" +
				"Erased person <>: " + gone,
		} {
			if got := w.said(id); got != want {
				t.Errorf("request %d has\n%s\nand not\n%s", id, got, want)
			}
		}
		must(t, w.Store.Read(ctx, w.account, func(tx *store.Tx) error {
			c, err := tx.Customer(w.lakeside)
			if c.Name != privacy.ErasedCustomer || len(c.Domains) > 0 || c.Version != 2 {
				t.Errorf("%+v", c)
			}
			return err
		}))
	})
}

// A domain or a name that another customer has too is not taken out of texts.
func TestEraseCustomerOfSharedNames(t *testing.T) {
	w := newTwoCustomers(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	w.sql("UPDATE customers SET name = 'Lakeside Boats' WHERE account_id = $1", w.account)
	w.sql("INSERT INTO customer_domains (account_id, customer_id, n, domain) VALUES ($1, $2, 9, 'lakeside.example')", w.account, w.pinehill)
	text := "Lakeside Boats, zoe@lakeside.example"
	id := w.asks(w.pinehill, "dora@pinehill.example", "Dora", "Hello.", text)
	if _, err := w.CustomerCalled(ctx, w.account, "Lakeside Boats"); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d, %d", w.lakeside, w.pinehill)) {
		t.Errorf("two of one name: %v", err)
	}
	for _, unknown := range []string{"lakeside boats", "0", "99999", "-1", "", "\x00"} {
		if _, err := w.CustomerCalled(ctx, w.account, unknown); err == nil || !strings.Contains(err.Error(), "no customer") {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	c, err := w.CustomerCalled(ctx, w.account, desk.FormatID(w.lakeside))
	must(t, err)
	_, err = w.Erase(ctx, w.account, c, func([]privacy.Listed) error { return nil })
	must(t, err)
	if got := w.said(id); !strings.HasSuffix(got, text) {
		t.Error(got)
	}
	if c, err := w.CustomerCalled(ctx, w.account, "Lakeside Boats"); err != nil || c.ID != w.pinehill {
		t.Errorf("%v %v", c, err)
	}
}

// More people than a database looks for, and than a statement may have arguments. What
// a customer says again after it was erased can be erased again.
func TestEraseCustomerWithManyPeople(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newTwoCustomers(t, db)
		var last int64
		for i := range privacy.MostNeedles + 5 {
			last = w.asks(w.lakeside, fmt.Sprintf(`o'neil\?%d@gmail.com`, i), fmt.Sprintf("Ann O'Neil %d", i), "secret", "note")
		}
		pine := w.asks(w.pinehill, "dora@pinehill.example", "Dora", "Hello.", `<o'neil\?7@gmail.com> and Ann O'Neil 8 or xo'neil\?7@gmail.com`)
		erase := func() (privacy.Erased, error) {
			return w.Erase(ctx, w.account, privacy.Customer{ID: w.lakeside}, func([]privacy.Listed) error { return nil })
		}
		if done, err := erase(); err != nil || done.People != privacy.MostNeedles+5 {
			t.Fatalf("%+v %v", done, err)
		}
		if got := w.said(pine); !strings.HasSuffix(got, "<"+privacy.ErasedEmail+`> and Erased person or xo'neil\?7@gmail.com`) {
			t.Error(got)
		}
		w.sql("UPDATE requests SET title = 'again', updated_at = $1 WHERE account_id = $2 AND id = $3", int64(1)<<50, w.account, last)
		if done, err := erase(); err != nil || done.Requests != privacy.MostNeedles+5 {
			t.Errorf("%+v %v", done, err)
		}
	})
}

// What was said in a request before it was merged into the customer's is also in events
// of that other request.
func TestEraseCustomerAfterMerge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newTwoCustomers(t, db)
		from := w.asks(w.pinehill, "dora@pinehill.example", "Dora", "Hello.", "zanzibar")
		middle := w.asks(w.pinehill, "dora@pinehill.example", "Dora", "Hello.", "stays")
		into := w.asks(w.lakeside, "anna@gmail.com", "Anna Quist", "A secret.", "note")
		must(t, w.Store.Write(ctx, w.account, func(tx *store.Tx) error {
			var id desk.MessageID
			must(t, tx.Row("SELECT id FROM messages WHERE account_id = $1 AND text = 'zanzibar'", w.account).Scan(&id))
			return tx.Record(desk.Change{By: desk.Actor{Name: "Mira", Source: desk.SourceAPI}, Event: desk.MessageCreated, After: desk.Message{ID: id, Request: desk.RequestID(from), Text: "zanzibar", HTML: "zanzibar", Responder: true}})
		}))
		w.sql("UPDATE messages SET request_id = $1 WHERE account_id = $2 AND text = 'zanzibar'", into, w.account)
		for _, step := range [][2]int64{{middle, from}, {into, middle}} {
			w.sql("INSERT INTO request_changes (account_id, request_id, at, actor, source, action, before, after, links, moved) VALUES ($1, $2, 1, '{}', 'api', 'request.merged', '{}', '{}', $3, $4)", w.account, step[0],
				fmt.Sprintf(`[{"field":"merged_requests","from":[],"to":[%d]}]`, step[1]), fmt.Sprintf(`{"requests":[{"request":%d}],"last_message":0}`, step[1]))
		}
		_, err := w.Erase(ctx, w.account, privacy.Customer{ID: w.lakeside}, func([]privacy.Listed) error { return nil })
		must(t, err)
		must(t, w.Store.Read(ctx, w.account, func(tx *store.Tx) error {
			return tx.Each(func(scan func(...any) error) error {
				var data string
				err := scan(&data)
				if strings.Contains(data, "zanzibar") {
					t.Errorf("an event still says %s", data)
				}
				return err
			}, "SELECT CAST(data AS TEXT) FROM events WHERE account_id = $1", w.account)
		}))
		if got := w.said(middle); !strings.HasSuffix(got, "stays") {
			t.Error(got)
		}
	})
}

// A restored backup is rid of the customer by the list. The id of a customer that was
// created at another time is another one's.
func TestEraseCustomerAgain(t *testing.T) {
	w := newTwoCustomers(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	id := w.asks(w.lakeside, "anna@gmail.com", "Anna Quist", "A secret.", "note")
	var list []privacy.Listed
	if _, err := w.Erase(ctx, w.account, privacy.Customer{ID: w.lakeside}, func(l []privacy.Listed) error {
		list = l
		return fmt.Errorf("stop")
	}); err == nil || len(list) != 2 {
		t.Fatalf("%v %v", list, err)
	}
	w.sql("UPDATE customers SET created_at = created_at + 1 WHERE account_id = $1 AND id = $2", w.account, w.lakeside)
	if n, err := w.EraseAgain(ctx, list[:1]); err != nil || n != (privacy.Again{}) {
		t.Fatalf("another customer was erased: %+v %v", n, err)
	}
	w.sql("UPDATE customers SET created_at = created_at - 1 WHERE account_id = $1 AND id = $2", w.account, w.lakeside)
	if n, err := w.EraseAgain(ctx, list); err != nil || n != (privacy.Again{Customers: 1}) {
		t.Fatalf("%+v %v", n, err)
	}
	if got := w.said(id); !strings.HasPrefix(got, "Erased person <>: "+gone) {
		t.Error(got)
	}
	if n, err := w.EraseAgain(ctx, list); err != nil || n != (privacy.Again{}) {
		t.Errorf("erased a second time: %+v %v", n, err)
	}
}
