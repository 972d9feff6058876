package privacy

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// A backup still has what was erased after it was made. So whoever restores one needs
// a list from outside the backup. The list has keyed digests of addresses and user ids,
// and of customers: it names nobody, and only a server with the same key can find in a
// database who is meant.

// Listed is a line of the list: one address or chat user of an erased person, or an
// erased customer.
type Listed struct {
	Account desk.AccountID `json:"account"`
	Digest  string         `json:"digest"` // in hexadecimal
	At      time.Time      `json:"at"`
}

// WriteList appends to a list.
func WriteList(w io.Writer, all []Listed) error {
	e := json.NewEncoder(w)
	for _, l := range all {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// ReadList reads a list. A last line that was cut off while it was written is an
// error, because somebody is missing then.
func ReadList(r io.Reader) (all []Listed, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		var l Listed
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || l.Account < 1 || len(l.Digest) != 64 {
			return nil, fmt.Errorf("line %d of the list of erased people cannot be read", n)
		}
		all = append(all, l)
	}
	return all, lines.Err()
}

// digest returns the digest of an address or a chat user.
func (d Desk) digest(account desk.AccountID, kind, value string) []byte {
	return d.Key.Signer("erased person").Sign([]byte(desk.FormatID(account)), []byte(kind), []byte(value))
}

// customerDigest returns the digest of a customer. A backup knows it by its id. A server
// that was restored from an older backup gives the id to another customer, which was
// created at another time.
func (d Desk) customerDigest(account desk.AccountID, id, createdAt int64) []byte {
	return d.digest(account, "customer", fmt.Sprintf("%d %d", id, createdAt))
}

// listed returns the lines for a person, or for a customer with its people.
func (d Desk) listed(f *found, at time.Time) (all []Listed) {
	if c := f.customer; c != nil {
		all = append(all, Listed{f.account, hex.EncodeToString(d.customerDigest(f.account, c.id, c.createdAt)), at})
	}
	for _, e := range f.emails {
		all = append(all, Listed{f.account, hex.EncodeToString(d.digest(f.account, "email", e)), at})
	}
	for _, u := range f.users {
		all = append(all, Listed{f.account, hex.EncodeToString(d.digest(f.account, "user", u)), at})
	}
	return all
}

// enlist adds the subject to the list in the database.
func (e *eraser) enlist() error {
	for _, l := range e.desk.listed(e.is.found, e.Now) {
		digest, err := hex.DecodeString(l.Digest)
		if err != nil {
			return err
		}
		if err := e.Do(`INSERT INTO erasures (account_id, digest, at) VALUES ($1, $2, $3)
			ON CONFLICT (account_id, digest) DO UPDATE SET at = excluded.at`, e.Account, digest, l.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// Again says who was erased again.
type Again struct{ People, Customers int }

// EraseAgain erases from a restored database everybody who is on a list and was
// erased after the backup was made. It knows that by the database's own list. Nobody
// else may use the database yet. People who went with their customer do not count.
func (d Desk) EraseAgain(ctx context.Context, all []Listed) (n Again, err error) {
	byAccount := map[desk.AccountID][]Listed{}
	for _, l := range all {
		byAccount[l.Account] = append(byAccount[l.Account], l)
	}
	accounts, err := d.Store.Accounts(ctx)
	if err != nil {
		return n, err
	}
	for _, account := range accounts {
		if err := d.eraseListed(ctx, account, byAccount[account], &n); err != nil {
			return n, fmt.Errorf("account %d: %w", account, err)
		}
	}
	return n, nil
}

func (d Desk) eraseListed(ctx context.Context, account desk.AccountID, all []Listed, n *Again) error {
	if len(all) == 0 {
		return nil
	}
	var missing []Subject
	err := d.Store.Read(ctx, account, func(tx *store.Tx) (err error) {
		missing, err = d.missing(tx, all)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range missing {
		_, err := d.Erase(ctx, account, s, func([]Listed) error { return nil })
		if errors.Is(err, ErrUnknown) || errors.Is(err, ErrErased) {
			continue // the backup has nothing new, or they went with an earlier one: it was the same person, or their customer
		}
		if err != nil {
			return err
		}
		if _, isCustomer := s.(Customer); isCustomer {
			n.Customers++
		} else {
			n.People++
		}
	}
	return nil
}

// missing returns the customers and people of a list who are in the database and are
// not on the database's own list with the same time or a later one. Customers come
// first, because they take their people along.
func (d Desk) missing(tx *store.Tx, all []Listed) (subjects []Subject, err error) {
	wanted := map[string]int64{}
	for _, l := range all {
		wanted[l.Digest] = max(wanted[l.Digest], l.At.UnixMilli())
	}
	err = tx.Each(func(scan func(...any) error) error {
		var digest []byte
		var at int64
		err := scan(&digest, &at)
		if wanted[hex.EncodeToString(digest)] <= at {
			delete(wanted, hex.EncodeToString(digest))
		}
		return err
	}, "SELECT digest, at FROM erasures WHERE account_id = $1", tx.Account)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	err = tx.Each(func(scan func(...any) error) error {
		var id, createdAt int64
		err := scan(&id, &createdAt)
		if _, is := wanted[hex.EncodeToString(d.customerDigest(tx.Account, id, createdAt))]; is {
			subjects = append(subjects, Customer{desk.CustomerID(id)})
		}
		return err
	}, "SELECT id, created_at FROM customers WHERE account_id = $1 ORDER BY id", tx.Account)
	if err != nil {
		return nil, err
	}
	emails, users, err := everybody(tx)
	if err != nil {
		return nil, err
	}
	for _, e := range emails {
		if _, is := wanted[hex.EncodeToString(d.digest(tx.Account, "email", e))]; is {
			subjects = append(subjects, Person{Emails: []string{e}})
		}
	}
	for _, u := range users {
		if _, is := wanted[hex.EncodeToString(d.digest(tx.Account, "user", u))]; is {
			subjects = append(subjects, Person{Users: []string{u}})
		}
	}
	return subjects, nil
}

// address recognises addresses in a text.
var address = regexp.MustCompile(`[\pL\pN._%+'-]+@[\pL\pN-]+(\.[\pL\pN-]+)+`)

// everybody returns all addresses and chat users that an account knows, wherever they
// stand.
func everybody(tx *store.Tx) (emails, users []string, err error) {
	seen := map[string]bool{}
	for _, t := range tables {
		columns := slices.Concat(strings.Fields(t.text), jsonColumns(t))
		if len(columns) == 0 {
			continue
		}
		values := make([]*string, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		err := tx.Each(func(scan func(...any) error) error {
			err := scan(to...)
			for _, v := range values {
				if v == nil || !strings.Contains(*v, "@") {
					continue
				}
				for _, e := range address.FindAllString(*v, -1) {
					seen[desk.FoldEmail(e)] = true
				}
			}
			return err
		}, "SELECT "+strings.Join(columns, ", ")+" FROM "+t.name+" WHERE account_id = $1", tx.Account)
		if err != nil {
			return nil, nil, err
		}
	}
	for e := range seen {
		emails = append(emails, e)
	}
	slices.Sort(emails)
	users, err = sqldb.Collect(tx.Tx, func(scan func(...any) error) (u string, err error) {
		err = scan(&u)
		return u, err
	}, `SELECT user_id FROM users WHERE account_id = $1 UNION SELECT author_id FROM messages WHERE account_id = $1 AND author_id IS NOT NULL
		UNION SELECT author_id FROM requests WHERE account_id = $1 AND author_id IS NOT NULL UNION SELECT user_id FROM reactions WHERE account_id = $1 ORDER BY 1`, tx.Account)
	return emails, users, err
}
