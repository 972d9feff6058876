package store

import (
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// customerColumns are columns of the customers table only. A removed collection
// reads as none. It may have had any number of customers, so removing it does not
// update them all.
const customerColumns = `id, name, owner, revisit, portal_enabled, portal_for_all,
	(SELECT c.id FROM collections c WHERE c.account_id = customers.account_id AND c.id = customers.collection_id AND c.removed_at IS NULL) AS collection,
	external_system, external_entity_id, external_deal_id, version, created_at, updated_at`

func scanCustomer(scan scanner) (c desk.Customer, err error) {
	err = scan(&c.ID, &c.Name, &c.Owner, &c.Revisit, &c.PortalEnabled, &c.PortalForAll, &c.Collection,
		&c.ExternalSystem, &c.ExternalEntity, &c.ExternalDeal, &c.Version, inMS(&c.CreatedAt), inMS(&c.UpdatedAt))
	return c, err
}

// Customer returns one customer.
func (tx *Tx) Customer(id desk.CustomerID) (desk.Customer, error) {
	c, err := scanCustomer(tx.Row("SELECT "+customerColumns+" FROM customers WHERE account_id = $1 AND id = $2", tx.Account, id).Scan)
	if err != nil {
		return c, Missing(err, "Customer")
	}
	one := []desk.Customer{c}
	err = tx.addCustomerLists(one)
	return one[0], err
}

// CustomersNamed returns the customers with these ids, by id. Unknown ids are left
// out.
func (tx *Tx) CustomersNamed(ids []desk.CustomerID) (map[desk.CustomerID]desk.Customer, error) {
	all, err := lookUp(tx, ids, scanCustomer, "SELECT "+customerColumns+" FROM customers WHERE account_id = ? AND id IN ")
	if err == nil {
		err = tx.addCustomerLists(all)
	}
	return byKey(all, func(c desk.Customer) desk.CustomerID { return c.ID }), err
}

// Customers returns a page of the customers within reach that match every filter.
func (tx *Tx) Customers(w desk.CustomerQuery) (desk.List[desk.Customer], error) {
	var q query
	q.Add("SELECT "+customerColumns+" FROM customers WHERE account_id = ?", tx.Account)
	q.within("collection_id", w.Reach)
	if w.IDs != nil {
		if len(w.IDs) == 0 {
			return desk.List[desk.Customer]{}, nil
		}
		q.Add(" AND id IN ")
		sqldb.In(&q, w.IDs)
		w.Limit = len(w.IDs) // ids that are asked for by name are never cut off by a limit
	}
	for _, f := range w.Filters {
		tx.filterCustomers(&q, f)
	}
	l, err := page(tx, &q, "created_at", w.Page, scanCustomer, func(c desk.Customer) desk.Position { return positionAt(c.CreatedAt, c.ID) })
	if err != nil {
		return l, err
	}
	return l, tx.addCustomerLists(l.Items)
}

func (tx *Tx) filterCustomers(q *query, f desk.CustomerFilter) {
	if f.Field != desk.ByDomains {
		q.Add(" AND external_system = ? AND external_entity_id = ?", f.System, f.Entity)
		return
	}
	domains := slices.Clone(f.Values)
	slices.Sort(domains)
	domains = slices.Compact(domains)
	q.Add(" AND id IN (SELECT customer_id FROM customer_domains WHERE account_id = ? AND domain IN ", tx.Account)
	sqldb.In(q, domains)
	if f.Operator == desk.ContainsAll {
		q.Add(" GROUP BY customer_id HAVING count(*) = ?", len(domains)) // a customer has each domain once
	}
	q.Add(")")
}

// addCustomerLists reads the lists of all given customers, with one query per kind
// of list.
func (tx *Tx) addCustomerLists(all []desk.Customer) error {
	if len(all) == 0 {
		return nil
	}
	ids, at := placesOf(all, func(c *desk.Customer) desk.CustomerID { return c.ID })
	const inOrder = " ORDER BY customer_id, n"
	err := lookUpOf(tx, ids, "SELECT customer_id, domain FROM customer_domains WHERE account_id = ? AND customer_id IN ", inOrder, scanText,
		func(id desk.CustomerID, domain string) { at[id].Domains = append(at[id].Domains, domain) })
	if err != nil {
		return err
	}
	err = lookUpOf(tx, ids, "SELECT customer_id, channel_id FROM customer_channels WHERE account_id = ? AND customer_id IN ", inOrder, scanText,
		func(id desk.CustomerID, channel string) { at[id].Channels = append(at[id].Channels, channel) })
	if err != nil {
		return err
	}
	err = lookUpOf(tx, ids, "SELECT customer_id, email, role FROM customer_portal_users WHERE account_id = ? AND customer_id IN ", inOrder,
		func(scan scanner) (u desk.PortalUser, err error) {
			err = scan(&u.Email, &u.Role)
			return u, err
		}, func(id desk.CustomerID, u desk.PortalUser) { at[id].PortalUsers = append(at[id].PortalUsers, u) })
	if err != nil {
		return err
	}
	values, err := fieldValues(tx, desk.EntityCustomer, ids)
	for id, v := range values {
		at[id].Values = v
	}
	return err
}

// AddCustomer inserts a new customer and sets its id. The caller has checked that
// no other customer has its channels.
func (tx *Tx) AddCustomer(c *desk.Customer) error {
	err := tx.Row(`INSERT INTO customers (account_id, name, owner, revisit, portal_enabled, portal_for_all, collection_id,
			external_system, external_entity_id, external_deal_id, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
		tx.Account, c.Name, c.Owner, c.Revisit, c.PortalEnabled, c.PortalForAll, c.Collection,
		c.ExternalSystem, c.ExternalEntity, c.ExternalDeal, c.Version, ms(c.CreatedAt), ms(c.UpdatedAt)).Scan(&c.ID)
	if err != nil {
		return fmt.Errorf("add customer: %w", err)
	}
	return tx.saveCustomerLists(desk.Customer{}, *c)
}

// SaveCustomer saves a customer that has changed since before. It returns NotFound
// if the account has no customer with this id and version.
func (tx *Tx) SaveCustomer(before, after desk.Customer) error {
	n, err := tx.Exec(`UPDATE customers SET name = $1, owner = $2, revisit = $3, portal_enabled = $4, portal_for_all = $5, collection_id = $6,
			external_system = $7, external_entity_id = $8, external_deal_id = $9, version = $10, updated_at = $11
		WHERE account_id = $12 AND id = $13 AND version = $14`,
		after.Name, after.Owner, after.Revisit, after.PortalEnabled, after.PortalForAll, after.Collection,
		after.ExternalSystem, after.ExternalEntity, after.ExternalDeal, after.Version, ms(after.UpdatedAt), tx.Account, before.ID, before.Version)
	if err != nil {
		return fmt.Errorf("save customer: %w", err)
	}
	if n == 0 {
		return desk.Missing("Customer")
	}
	return tx.saveCustomerLists(before, after)
}

// saveCustomerLists saves those lists of a customer that have changed.
func (tx *Tx) saveCustomerLists(before, after desk.Customer) error {
	if !slices.Equal(before.Domains, after.Domains) {
		if err := putList(tx, after.ID, "DELETE FROM customer_domains WHERE account_id = $1 AND customer_id = $2",
			"INSERT INTO customer_domains (account_id, customer_id, n, domain) VALUES ", after.Domains,
			func(domain string) []any { return []any{domain} }); err != nil {
			return err
		}
	}
	if !slices.Equal(before.Channels, after.Channels) {
		if err := putList(tx, after.ID, "DELETE FROM customer_channels WHERE account_id = $1 AND customer_id = $2",
			"INSERT INTO customer_channels (account_id, customer_id, n, channel_id) VALUES ", after.Channels,
			func(channel string) []any { return []any{channel} }); err != nil {
			return err
		}
	}
	if !slices.Equal(before.PortalUsers, after.PortalUsers) {
		if err := putList(tx, after.ID, "DELETE FROM customer_portal_users WHERE account_id = $1 AND customer_id = $2",
			"INSERT INTO customer_portal_users (account_id, customer_id, n, email, email_folded, role) VALUES ", after.PortalUsers,
			func(u desk.PortalUser) []any { return []any{u.Email, desk.FoldEmail(u.Email), u.Role} }); err != nil {
			return err
		}
	}
	return tx.saveFieldValues(desk.EntityCustomer, int64(after.ID), before.Values, after.Values)
}

// putList replaces a list of a customer.
func putList[T any](tx *Tx, id desk.CustomerID, remove, insert string, list []T, columns func(T) []any) error {
	if err := tx.Do(remove, tx.Account, id); err != nil {
		return err
	}
	all := tx.insert(insert)
	for n, one := range list {
		all.Add(append([]any{tx.Account, id, n}, columns(one)...)...)
	}
	return all.Flush()
}

// CustomersOf returns the customers that own these channels, by channel.
func (tx *Tx) CustomersOf(channels []string) (map[string]desk.CustomerID, error) {
	return lookUpBy[string, desk.CustomerID](tx, channels, "SELECT channel_id, customer_id FROM customer_channels WHERE account_id = ? AND channel_id IN ")
}

// CustomerFor returns the customer that a new request belongs to. This is the
// customer who owns the channel it was written in, or else the oldest customer with
// the domain of its author's email. It returns 0 if there is none. Either argument
// may be empty. Free mail domains, where anyone can get an address, do not count.
func (tx *Tx) CustomerFor(channel, email string) (desk.CustomerID, error) {
	if channel != "" && desk.Storable(channel) {
		of, err := tx.CustomersOf([]string{channel})
		if err != nil || of[channel] != 0 {
			return of[channel], err
		}
	}
	found, err := tx.CustomersFor([]string{email})
	return found[email], err
}

// CustomersFor returns the customers of several authors, by the authors' emails.
func (tx *Tx) CustomersFor(emails []string) (map[string]desk.CustomerID, error) {
	domains := map[string]desk.CustomerID{}
	for _, email := range emails {
		if d := desk.EmailDomain(email); d != "" && desk.Storable(d) && !desk.IsFreeMail(d) {
			domains[d] = 0
		}
	}
	found := make(map[string]desk.CustomerID, len(domains))
	if len(domains) == 0 {
		return found, nil
	}
	var q query
	q.Add(`SELECT d.domain, c.id FROM customer_domains d JOIN customers c ON c.account_id = d.account_id AND c.id = d.customer_id
		WHERE d.account_id = ? AND d.domain IN `, tx.Account)
	sqldb.In(&q, slices.Sorted(maps.Keys(domains)))
	q.Add(" ORDER BY c.created_at, c.id")
	err := tx.Each(func(scan scanner) error {
		var domain string
		var id desk.CustomerID
		err := scan(&domain, &id)
		if err == nil && domains[domain] == 0 {
			domains[domain] = id // the oldest
		}
		return err
	}, q.String(), q.Args()...)
	if err != nil {
		return nil, err
	}
	for _, email := range emails {
		if id := domains[desk.EmailDomain(email)]; id != 0 {
			found[email] = id
		}
	}
	return found, nil
}
