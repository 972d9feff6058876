// Package privacy finds everything that an account has about a person or a customer,
// to hand it out or to erase it. It knows for every table where they are in it
// (tables.go); a test compares that with the schema.
//
// A person is known by addresses and by ids of chat users. Whoever has one of the
// addresses in the directory is the same person. Rows are the person's own, such as
// the messages they wrote, or they mention the person by address, user id or full
// name.
package privacy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Subject is what is looked for: a Person or a Customer.
type Subject interface {
	find(*store.Tx) (*found, error)
}

// Person says who is meant. One list may be empty.
type Person struct {
	Emails []string
	Users  []string // ids of the chat system
}

// ErrUnknown says that an account has nothing about a person.
var ErrUnknown = errors.New("the account has nothing about this person")

// found is a person in an account, or a customer with its people.
type found struct {
	account  desk.AccountID
	emails   []string // folded
	users    []string
	names    []string // full names, which no other known person has
	members  []int64  // former memberships
	isMember bool     // they are one now
	requests []int64  // that the person asked, or all of the customer
	messages []int64  // that the person wrote, or all in the customer's requests
	touched  []int64  // requests with anything of the subject
	customer *organisation
}

// find finds a person in an account.
func (p Person) find(tx *store.Tx) (*found, error) {
	f := &found{account: tx.Account, users: slices.Clone(p.Users)}
	for _, e := range p.Emails {
		f.emails = append(f.emails, desk.FoldEmail(strings.TrimSpace(e)))
	}
	names := map[string]bool{}
	for range 2 { // the second time with what the first has found
		if err := f.addUsers(tx, names); err != nil {
			return nil, err
		}
	}
	if err := f.addMembers(tx, names); err != nil {
		return nil, err
	}
	var err error
	if f.requests, err = f.collect(tx, names, "SELECT id, author_name FROM requests WHERE account_id = {account} AND (author_id IN {users} OR author_email_folded IN {emails})"); err != nil {
		return nil, err
	}
	// Somebody who asked through the API or a mail may write without a name. In their
	// own request this is theirs.
	if f.messages, err = f.collect(tx, names, `SELECT id, author_name FROM messages WHERE account_id = {account} AND (author_id IN {users} OR lower(author_email) IN {emails}
		OR request_id IN {requests} AND NOT is_responder AND NOT is_bot AND author_id IS NULL AND author_email = '')`); err != nil {
		return nil, err
	}
	touched, err := f.collect(tx, map[string]bool{}, `SELECT DISTINCT request_id, '' FROM messages WHERE account_id = {account} AND id IN {messages}`)
	if err != nil {
		return nil, err
	}
	slices.Sort(f.requests)
	slices.Sort(f.messages)
	f.touch(slices.Concat(touched, f.requests)...)
	if _, err := f.collect(tx, names, "SELECT request_id, name FROM participants WHERE account_id = {account} AND email_folded IN {emails}"); err != nil {
		return nil, err
	}
	return f, f.chooseNames(tx, names)
}

func (f *found) touch(requests ...int64) {
	for _, id := range requests {
		if at, known := slices.BinarySearch(f.touched, id); !known {
			f.touched = slices.Insert(f.touched, at, id)
		}
	}
}

func (f *found) addUsers(tx *store.Tx, names map[string]bool) error {
	q := f.fill("SELECT user_id, email_folded, name FROM users WHERE account_id = {account} AND (user_id IN {users} OR email_folded IN {emails})")
	return tx.Each(func(scan func(...any) error) error {
		var user, email, name string
		err := scan(&user, &email, &name)
		if !slices.Contains(f.users, user) {
			f.users = append(f.users, user)
		}
		if email != "" && !slices.Contains(f.emails, email) {
			f.emails = append(f.emails, email)
		}
		names[name] = true
		return err
	}, q.String(), q.Args()...)
}

func (f *found) addMembers(tx *store.Tx, names map[string]bool) error {
	q := f.fill("SELECT id, name, removed_at IS NULL FROM members WHERE account_id = {account} AND email_folded IN {emails}")
	return tx.Each(func(scan func(...any) error) error {
		var id int64
		var name string
		var is bool
		err := scan(&id, &name, &is)
		f.members, f.isMember, names[name] = append(f.members, id), f.isMember || is, true
		return err
	}, q.String(), q.Args()...)
}

// collect reads ids, and the names beside them.
func (f *found) collect(tx *store.Tx, names map[string]bool, query string) (ids []int64, err error) {
	q := f.fill(query)
	err = tx.Each(func(scan func(...any) error) error {
		var id int64
		var name string
		err := scan(&id, &name)
		ids, names[name] = append(ids, id), true
		return err
	}, q.String(), q.Args()...)
	return ids, err
}

// chooseNames keeps the names that identify a person in somebody else's text: with a
// first and a last name, and of nobody else in the directory.
func (f *found) chooseNames(tx *store.Tx, names map[string]bool) error {
	full := map[string]bool{}
	for name := range names {
		if name = strings.TrimSpace(name); len(strings.Fields(name)) > 1 && name != ErasedName {
			full[name] = true
		}
	}
	theirs := map[string]bool{}
	for _, u := range f.users {
		theirs[u] = true
	}
	err := tx.Each(func(scan func(...any) error) error {
		var user, name string
		err := scan(&user, &name)
		if !theirs[user] {
			delete(full, name)
		}
		return err
	}, "SELECT user_id, name FROM users WHERE account_id = $1", tx.Account)
	f.names = slices.Sorted(maps.Keys(full))
	return err
}

// check returns an error if there is nothing about the person.
func (f *found) check(counted map[string]int) error {
	if f.customer == nil && len(f.users)+len(f.members)+len(f.touched)+len(counted) == 0 {
		return ErrUnknown
	}
	return nil
}

// fill turns a statement with lists in braces into one with arguments. Ids are part
// of the text, because a person may have more of them than a statement may have
// arguments.
func (f *found) fill(text string) *sqldb.Query {
	q := &sqldb.Query{}
	f.add(q, text)
	return q
}

// add adds such a text to a statement.
func (f *found) add(q *sqldb.Query, text string) {
	for {
		before, rest, some := strings.Cut(text, "{")
		q.Add(before)
		if !some {
			return
		}
		name, after, _ := strings.Cut(rest, "}")
		text = after
		switch name {
		case "account":
			q.Add("?", f.account)
		case "users":
			texts(q, f.users)
		case "emails":
			texts(q, f.emails)
		case "members":
			q.Add(list(f.members, "", ""))
		case "requests":
			q.Add(list(f.requests, "", ""))
		case "messages":
			f.addMessages(q)
		case "touched":
			q.Add(list(f.touched, "", ""))
		case "touched as text":
			q.Add(list(f.touched, "'", "'"))
		case "subjects":
			q.Add(list(f.touched, "'"+desk.RequestSubject, "'"))
		case "customers", "customers as text", "whole", "subjects of customers", "subjects of related", "is customer":
			f.customer.add(q, name, f.requests)
		default:
			panic(fmt.Sprintf("privacy: there is no list {%s}", name))
		}
	}
}

// addMessages adds the list of messages. A customer may have so many that a condition
// stands for them.
func (f *found) addMessages(q *sqldb.Query) {
	if f.customer == nil {
		q.Add(list(f.messages, "", ""))
		return
	}
	f.add(q, "(SELECT id FROM messages WHERE account_id = {account} AND (request_id IN {requests} OR id IN "+list(f.customer.elsewhere, "", "")+"))")
}

func list(ids []int64, before, after string) string {
	if len(ids) == 0 {
		return "(NULL)"
	}
	var b strings.Builder
	for i, id := range ids {
		b.WriteByte("(,"[min(i, 1)])
		b.WriteString(before)
		b.WriteString(strconv.FormatInt(id, 10))
		b.WriteString(after)
	}
	b.WriteByte(')')
	return b.String()
}

// texts adds a list of texts as part of the statement, because there may be more of
// them than a statement may have arguments. A text with a backslash is an argument: a
// server may be set up to read one in a literal as an escape.
func texts(q *sqldb.Query, all []string) {
	q.Add("(NULL")
	for _, text := range all {
		if strings.Contains(text, `\`) {
			q.Add(", ?", text)
		} else {
			q.Add(", '" + strings.ReplaceAll(text, "'", "''") + "'")
		}
	}
	q.Add(")")
}

var likeEscape = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// mostNeedles is for how many words a database looks. If there are more, all rows are
// read and looked through here.
const mostNeedles = 20

// needles are the texts that a row with a mention has one of.
func (f *found) needles() []string {
	all := slices.Concat(f.emails, f.users, f.names)
	if f.customer != nil {
		all = append(append(all, f.customer.domains...), f.customer.called...)
	}
	return all
}

// addRows adds the condition on a table's rows that are the subject's own, may mention
// it or fulfil another condition.
func (f *found) addRows(q *sqldb.Query, t table, also string) {
	f.add(q, "account_id = {account} AND ("+own(t))
	if also != "" {
		f.add(q, " OR "+also)
	}
	needles := f.needles()
	columns := slices.Concat(strings.Fields(t.text), jsonColumns(t))
	if len(needles) > mostNeedles && len(columns) > 0 {
		q.Add(" OR TRUE)")
		return
	}
	for _, column := range columns {
		for _, needle := range needles {
			q.Add(" OR lower("+column+") LIKE ? ESCAPE '!'", "%"+likeEscape.Replace(strings.ToLower(needle))+"%")
			if lower(needle) != strings.ToLower(needle) { // SQLite folds ASCII only
				q.Add(" OR "+column+" LIKE ? ESCAPE '!'", "%"+likeEscape.Replace(needle)+"%")
			}
		}
	}
	q.Add(")")
}

func own(t table) string {
	if t.own == "" {
		return "FALSE"
	}
	return "(" + t.own + ")"
}

// jsonColumns returns a table's columns of JSON as texts.
func jsonColumns(t table) (as []string) {
	for _, c := range strings.Fields(t.json) {
		as = append(as, "CAST("+c+" AS TEXT)")
	}
	return as
}
