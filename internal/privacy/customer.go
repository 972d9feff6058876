package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Customer says which customer is meant. With it goes everything that its requests
// say, and its people: see people.go.
type Customer struct{ ID desk.CustomerID }

// ErrErased says that a customer was erased before and has nothing new since.
var ErrErased = errors.New("the customer was erased already")

// organisation is a customer in an account.
type organisation struct {
	id        int64
	name      string
	createdAt int64
	domains   []string        // of nobody else, where not everybody can get an address
	called    []string        // the name, unless it is another's too
	keep      map[string]bool // folded addresses in the domains that stay
	elsewhere []int64         // messages of its people in requests of others
	people    int             // who go with it
	related   []int64         // requests that exchanged messages with its requests
}

// CustomerCalled returns the customer with an id or an exact name. An id wins over
// a name.
func (d Desk) CustomerCalled(ctx context.Context, account desk.AccountID, called string) (c Customer, err error) {
	var ids []int64
	err = d.Store.Read(ctx, account, func(tx *store.Tx) (err error) {
		if id, notNumber := strconv.ParseInt(called, 10, 64); notNumber == nil {
			if ids, err = idsOf(tx, "SELECT id FROM customers WHERE account_id = $1 AND id = $2", tx.Account, id); err != nil || len(ids) > 0 {
				return err
			}
		}
		if !desk.Storable(called) {
			return nil
		}
		ids, err = idsOf(tx, "SELECT id FROM customers WHERE account_id = $1 AND name = $2 ORDER BY id", tx.Account, called)
		return err
	})
	switch {
	case err != nil:
		return c, err
	case len(ids) == 0:
		return c, fmt.Errorf("the account has no customer with the id or name %q", called)
	case len(ids) > 1:
		return c, fmt.Errorf("%d customers have the name %q: say which one by its id, %s", len(ids), called, strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]"))
	}
	return Customer{desk.CustomerID(ids[0])}, nil
}

func idsOf(tx *store.Tx, query string, args ...any) ([]int64, error) {
	return sqldb.Collect(tx.Tx, func(scan func(...any) error) (id int64, err error) {
		err = scan(&id)
		return id, err
	}, query, args...)
}

// find finds a customer in an account, with its requests and its people.
func (c Customer) find(tx *store.Tx) (*found, error) {
	o := &organisation{id: int64(c.ID), keep: map[string]bool{}}
	f := &found{account: tx.Account, customer: o}
	err := tx.Row("SELECT name, created_at FROM customers WHERE account_id = $1 AND id = $2", tx.Account, o.id).Scan(&o.name, &o.createdAt)
	if errors.Is(err, sqldb.ErrNoRows) {
		return nil, fmt.Errorf("the account has no customer %d", c.ID)
	}
	if err != nil {
		return nil, err
	}
	if err := o.findNames(tx); err != nil {
		return nil, err
	}
	if f.requests, err = idsOf(tx, "SELECT id FROM requests WHERE account_id = $1 AND customer_id = $2 ORDER BY id", tx.Account, o.id); err != nil {
		return nil, err
	}
	if err := f.findPeople(tx); err != nil {
		return nil, err
	}
	if err := f.findMessages(tx); err != nil {
		return nil, err
	}
	return f, o.findRelated(tx, f.requests)
}

// findNames finds by which names and domains others know the customer.
func (o *organisation) findNames(tx *store.Tx) error {
	if len([]rune(o.name)) > 2 && o.name != ErasedCustomer {
		o.called = []string{o.name}
	}
	err := tx.Each(func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		if lower(name) == lower(o.name) {
			o.called = nil
		}
		return err
	}, "SELECT name FROM customers WHERE account_id = $1 AND id <> $2", tx.Account, o.id)
	if err != nil {
		return err
	}
	return tx.Each(func(scan func(...any) error) error {
		var domain string
		err := scan(&domain)
		if !desk.IsFreeMail(domain) {
			o.domains = append(o.domains, lower(domain))
		}
		return err
	}, `SELECT domain FROM customer_domains WHERE account_id = $1 AND customer_id = $2 AND NOT EXISTS
		(SELECT 1 FROM customer_domains d WHERE d.account_id = $1 AND d.domain = customer_domains.domain AND d.customer_id <> $2) ORDER BY domain`, tx.Account, o.id)
}

// findMessages finds the messages in the customer's requests, and those of its people
// elsewhere.
func (f *found) findMessages(tx *store.Tx) (err error) {
	q := f.fill("SELECT id FROM messages WHERE account_id = {account} AND request_id IN {requests}")
	if f.messages, err = idsOf(tx, q.String(), q.Args()...); err != nil {
		return err
	}
	q = f.fill("SELECT id, request_id FROM messages WHERE account_id = {account} AND (author_id IN {users} OR lower(author_email) IN {emails}) AND request_id NOT IN (SELECT id FROM requests WHERE account_id = {account} AND id IN {requests}) ORDER BY id")
	var touched []int64
	err = tx.Each(func(scan func(...any) error) error {
		var id, request int64
		err := scan(&id, &request)
		f.customer.elsewhere, touched = append(f.customer.elsewhere, id), append(touched, request)
		return err
	}, q.String(), q.Args()...)
	f.messages = append(f.messages, f.customer.elsewhere...)
	slices.Sort(f.messages)
	f.touch(f.requests...)
	f.touch(touched...)
	return err
}

// findRelated finds the requests that messages came from or went to when requests were
// merged or split, over any number of steps. Their events still say what those
// messages said.
func (o *organisation) findRelated(tx *store.Tx, requests []int64) error {
	beside := map[int64][]int64{}
	err := tx.Each(func(scan func(...any) error) error {
		var request int64
		var moved, links string
		err := scan(&request, &moved, &links)
		var m struct{ Requests []struct{ Request int64 } }
		var l []struct{ From, To any }
		if err == nil && json.Unmarshal([]byte(moved), &m) == nil && json.Unmarshal([]byte(links), &l) == nil {
			var others []int64
			for _, r := range m.Requests {
				others = append(others, r.Request)
			}
			for _, c := range l {
				others = append(append(others, numbersIn(c.From)...), numbersIn(c.To)...)
			}
			for _, other := range others {
				beside[request], beside[other] = append(beside[request], other), append(beside[other], request)
			}
		}
		return err
	}, "SELECT request_id, CAST(moved AS TEXT), CAST(links AS TEXT) FROM request_changes WHERE account_id = $1 AND moved IS NOT NULL ORDER BY id", tx.Account)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	for next := slices.Clone(requests); len(next) > 0; {
		request := next[len(next)-1]
		next = next[:len(next)-1]
		for _, other := range beside[request] {
			if !seen[other] && !has(requests, other) {
				seen[other] = true
				o.related, next = append(o.related, other), append(next, other)
			}
		}
	}
	slices.Sort(o.related)
	return nil
}

// numbersIn returns the ids in a link: one, or a list.
func numbersIn(v any) (ids []int64) {
	switch v := v.(type) {
	case float64:
		ids = append(ids, int64(v))
	case []any:
		for _, one := range v {
			ids = append(ids, numbersIn(one)...)
		}
	}
	return ids
}

// calledWord is how the scrubber finds the name. A name of one word is often a word of
// the language, too, so it counts only as it is written.
func (o *organisation) calledWord() (w word) {
	if len(o.called) == 0 {
		return w
	}
	w = word{text: lower(o.name), with: ErasedCustomer, before: "._%+-@/", after: "-_@", isHost: true}
	if len(strings.Fields(o.name)) == 1 {
		w.exact = o.name
	}
	return w
}

// add adds one of the lists that only a customer has. For a person they are empty.
func (o *organisation) add(q *sqldb.Query, name string, requests []int64) {
	var one, related []int64
	if o == nil {
		requests = nil
	} else {
		one, related = []int64{o.id}, o.related
	}
	switch name {
	case "customers":
		q.Add(list(one, "", ""))
	case "customers as text":
		q.Add(list(one, "'", "'"))
	case "whole":
		q.Add(list(requests, "", ""))
	case "subjects of customers":
		q.Add(list(one, "'customer ", "'"))
	case "subjects of related":
		q.Add(list(related, "'"+desk.RequestSubject, "'"))
	case "is customer":
		q.Add(strconv.FormatBool(o != nil))
	}
}
