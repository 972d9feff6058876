package privacy

import (
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// The people of a customer are those who asked only in its requests. They are erased
// with it, as persons. So are people who only wrote or took part in them, its portal
// users, and whoever has an address in its domains, unless another customer's requests
// or portal know them as well. Members of the account, and people of the chat system
// who do not come from outside, are never a customer's people.
//
// Everybody else stays a person, with their address, and loses only what they said in
// the customer's requests.

// acquaintance is somebody whom the account knows.
type acquaintance struct {
	users  []string
	email  string // folded
	names  map[string]bool
	ours   bool // a member, a colleague in the chat system, a bot
	here   bool // has to do with the customer
	asked  bool // in the customer's requests
	inSome bool // has an address in the customer's domains

	askedElsewhere  bool
	knownElsewhere  bool // wrote in a request of somebody else
	listedElsewhere bool // takes part in one, or may use another's portal
}

// isTheirs reports whether somebody is one of the customer's people.
func (a *acquaintance) isTheirs() bool {
	switch {
	case a.ours || a.askedElsewhere || !a.here && !a.inSome:
		return false
	case a.asked:
		return true
	}
	return !a.knownElsewhere && (a.inSome || !a.listedElsewhere)
}

// acquaintances are the people who may be a customer's.
type acquaintances struct {
	*found
	byUser  map[string]*acquaintance
	byEmail map[string]*acquaintance
}

// findPeople finds the customer's people.
func (f *found) findPeople(tx *store.Tx) error {
	all := acquaintances{f, map[string]*acquaintance{}, map[string]*acquaintance{}}
	for _, read := range []func(*store.Tx) error{all.directory, all.members, all.requesters, all.authors, all.listed, all.recipients} {
		if err := read(tx); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	others := map[string]bool{}
	seen := map[*acquaintance]bool{}
	take := func(a *acquaintance) {
		if seen[a] {
			return
		}
		seen[a] = true
		to := others
		if a.isTheirs() {
			to = names
			f.customer.people++
			f.users = append(f.users, a.users...)
			if a.email != "" {
				f.emails = append(f.emails, a.email)
			}
		} else if a.inSome {
			f.customer.keep[a.email] = true
		}
		for n := range a.names {
			to[n] = true
		}
	}
	for _, a := range all.byUser {
		take(a)
	}
	for _, a := range all.byEmail {
		take(a)
	}
	slices.Sort(f.users)
	slices.Sort(f.emails)
	for n := range others {
		delete(names, n)
	}
	return f.chooseNames(tx, names)
}

// who returns somebody by what is known of them, or nil if that is nothing.
func (all acquaintances) who(user, email, name string) *acquaintance {
	email = desk.FoldEmail(strings.TrimSpace(email))
	a := all.byUser[user]
	if a == nil && email != "" {
		a = all.byEmail[email]
	}
	if user == "" && email == "" {
		return nil
	}
	if a == nil {
		a = &acquaintance{names: map[string]bool{}}
	}
	if user != "" && all.byUser[user] == nil {
		all.byUser[user] = a
		a.users = append(a.users, user)
	}
	if email != "" && all.byEmail[email] == nil && (a.email == "" || a.email == email) {
		all.byEmail[email], a.email = a, email
		a.inSome = slices.Contains(all.customer.domains, desk.EmailDomain(email))
	}
	if name = strings.TrimSpace(name); name != "" {
		a.names[name] = true
	}
	return a
}

// each reads a user, an address, a name and whether it is about the customer.
func (all acquaintances) each(tx *store.Tx, query string, take func(a *acquaintance, here bool)) error {
	q := all.fill(query)
	return tx.Each(func(scan func(...any) error) error {
		var user, email, name string
		var here bool
		err := scan(&user, &email, &name, &here)
		if a := all.who(user, email, name); err == nil && a != nil {
			take(a, here)
		}
		return err
	}, q.String(), q.Args()...)
}

func (all acquaintances) directory(tx *store.Tx) error {
	return all.each(tx, "SELECT user_id, email, name, NOT is_external OR is_bot FROM users WHERE account_id = {account} ORDER BY id",
		func(a *acquaintance, ours bool) { a.ours = a.ours || ours })
}

func (all acquaintances) members(tx *store.Tx) error {
	err := all.each(tx, "SELECT '', email, name, TRUE FROM members WHERE account_id = {account} ORDER BY id", func(a *acquaintance, _ bool) { a.ours = true })
	if err != nil {
		return err
	}
	return all.each(tx, "SELECT '', address, '', TRUE FROM email_addresses WHERE account_id = {account}", func(a *acquaintance, _ bool) { a.ours = true })
}

func (all acquaintances) requesters(tx *store.Tx) error {
	return all.each(tx, "SELECT DISTINCT coalesce(author_id, ''), author_email, author_name, coalesce(customer_id IN {customers}, FALSE) FROM requests WHERE account_id = {account}",
		func(a *acquaintance, here bool) {
			a.here, a.asked, a.askedElsewhere = a.here || here, a.asked || here, a.askedElsewhere || !here
		})
}

func (all acquaintances) authors(tx *store.Tx) error {
	err := all.each(tx, "SELECT DISTINCT coalesce(author_id, ''), author_email, author_name, is_responder FROM messages WHERE account_id = {account} AND (is_responder OR is_bot)",
		func(a *acquaintance, _ bool) { a.ours = true })
	if err != nil {
		return err
	}
	return all.each(tx, `SELECT DISTINCT coalesce(m.author_id, ''), m.author_email, m.author_name, coalesce(r.customer_id IN {customers}, FALSE)
		FROM messages m JOIN requests r ON r.account_id = m.account_id AND r.id = m.request_id WHERE m.account_id = {account} AND NOT m.is_responder AND NOT m.is_bot`,
		func(a *acquaintance, here bool) { a.here, a.knownElsewhere = a.here || here, a.knownElsewhere || !here })
}

// listed reads who takes part in requests by mail, and who may use portals.
func (all acquaintances) listed(tx *store.Tx) error {
	list := func(a *acquaintance, here bool) {
		a.here, a.listedElsewhere = a.here || here, a.listedElsewhere || !here
	}
	err := all.each(tx, `SELECT DISTINCT '', p.email, p.name, coalesce(r.customer_id IN {customers}, FALSE)
		FROM participants p JOIN requests r ON r.account_id = p.account_id AND r.id = p.request_id WHERE p.account_id = {account}`, list)
	if err != nil {
		return err
	}
	return all.each(tx, "SELECT '', email, '', customer_id IN {customers} FROM customer_portal_users WHERE account_id = {account}", list)
}

// recipients reads who got mails. Being in the customer's domain makes them its people.
func (all acquaintances) recipients(tx *store.Tx) error {
	err := all.each(tx, "SELECT DISTINCT '', email, '', FALSE FROM mail_copies WHERE account_id = {account}", func(*acquaintance, bool) {})
	if err != nil {
		return err
	}
	return all.each(tx, "SELECT '', email_folded, '', FALSE FROM auto_replies WHERE account_id = {account}", func(*acquaintance, bool) {})
}
