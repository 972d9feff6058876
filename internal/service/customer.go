package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Customers returns a page of the customers that the caller may see: those of their
// collections. Callers with all collections also see customers that are in none.
func (s *Service) Customers(ctx context.Context, c Caller, q desk.CustomerQuery) (desk.List[desk.Customer], error) {
	return s.customers(ctx, c, desk.ListCustomers, q)
}

// SearchCustomers returns a page of the customers that the caller may see and that
// every filter matches.
func (s *Service) SearchCustomers(ctx context.Context, c Caller, q desk.CustomerQuery) (desk.List[desk.Customer], error) {
	return s.customers(ctx, c, desk.SearchCustomers, q)
}

func (s *Service) customers(ctx context.Context, c Caller, op desk.Operation, q desk.CustomerQuery) (desk.List[desk.Customer], error) {
	q.Reach = c.reach(op)
	return read(ctx, s, c, op, func(tx *store.Tx) (desk.List[desk.Customer], error) {
		if err := q.Check(); err != nil {
			return desk.List[desk.Customer]{}, err
		}
		return tx.Customers(q)
	})
}

// Customer returns a customer that the caller may see, otherwise NotFound.
func (s *Service) Customer(ctx context.Context, c Caller, id desk.CustomerID) (desk.Customer, error) {
	return read(ctx, s, c, desk.GetCustomer, func(tx *store.Tx) (desk.Customer, error) {
		return change.CustomerInReach(tx, c.reach(desk.GetCustomer), id)
	})
}

// CreateCustomer adds a customer and moves its channels into its collection. If no
// collection is given, it takes that of its channels.
func (s *Service) CreateCustomer(ctx context.Context, c Caller, n desk.NewCustomer) (desk.Customer, error) {
	reach := c.reach(desk.CreateCustomer)
	return write(ctx, s, c, desk.CreateCustomer, func(tx *store.Tx) (cust desk.Customer, err error) {
		if err := change.CheckCustomerCollection(reach, n.Collection.Value); err != nil {
			return cust, err
		}
		if n.Fields, err = change.CustomFieldsIn(tx, n.Values); err != nil {
			return cust, err
		}
		if cust, err = n.Customer(tx.Now); err != nil {
			return cust, err
		}
		moved, err := change.CheckCustomer(tx, reach, desk.Customer{}, &cust, n.Collection.Given)
		if err != nil {
			return cust, err
		}
		if err := tx.AddCustomer(&cust); err != nil {
			return cust, err
		}
		if err := change.PlaceChannels(tx, c.Actor, moved); err != nil {
			return cust, err
		}
		return cust, change.Record(tx, c.Actor, desk.CustomerCreated, nil, cust)
	})
}

// UpdateCustomer changes a customer. It returns Stale if the caller has not seen
// the current version. If the collection is given, the customer's channels move
// there, even if it is the current one. A customer without a collection takes that
// of the channels it gets.
func (s *Service) UpdateCustomer(ctx context.Context, c Caller, id desk.CustomerID, ch desk.CustomerChange) (desk.Customer, error) {
	reach := c.reach(desk.UpdateCustomer)
	find := func(tx *store.Tx, id desk.CustomerID) (desk.Customer, error) {
		if ch.Collection.Given {
			if err := change.CheckCustomerCollection(reach, ch.Collection.Value); err != nil {
				return desk.Customer{}, err
			}
		}
		return change.CustomerInReach(tx, reach, id)
	}
	return update(ctx, s, c, desk.UpdateCustomer, desk.CustomerUpdated, id, find, func(tx *store.Tx, before desk.Customer, cust *desk.Customer) (err error) {
		if ch.Fields, err = change.CustomFieldsIn(tx, ch.Values); err != nil {
			return err
		}
		if err := cust.Apply(ch, tx.Now); err != nil {
			return err
		}
		moved, err := change.CheckCustomer(tx, reach, before, cust, ch.Collection.Given)
		if err != nil {
			return err
		}
		if err := tx.SaveCustomer(before, *cust); err != nil {
			return err
		}
		return change.PlaceChannels(tx, c.Actor, moved)
	})
}
