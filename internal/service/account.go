package service

import (
	"context"
	"strconv"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// NewAccount creates an account with its first admin. It is for the command line.
func (s *Service) NewAccount(ctx context.Context, name string, admin desk.NewMember) (a desk.Account, m desk.Member, err error) {
	err = s.store.AddAccount(ctx, name, func(tx *store.Tx, added desk.Account) (err error) {
		a = s.withURL(added)
		m, err = addOwner(tx, byCommand, a, admin)
		return err
	})
	return a, m, err
}

// addOwner adds the first admin of a new account.
func addOwner(tx *store.Tx, by desk.Actor, a desk.Account, admin desk.NewMember) (desk.Member, error) {
	role := desk.Admin
	admin.Role = &role // whatever was asked for, because nobody else could add members
	m, err := admin.Member(tx.Now)
	if err != nil {
		return m, err
	}
	if err := tx.AddMember(&m); err != nil {
		return m, err
	}
	if err := tx.Record(desk.Change{By: by, Action: "account.created", Resource: "Account", ID: accountID(a), After: a}); err != nil {
		return m, err
	}
	return m, tx.Record(change.MemberChange(by, desk.MemberCreated, nil, &m))
}

// Account returns the caller's account.
func (s *Service) Account(ctx context.Context, c Caller) (desk.Account, error) {
	if err := c.may(desk.GetAccount); err != nil {
		return desk.Account{}, err
	}
	return look(ctx, s, c, func(tx *store.Tx) (desk.Account, error) {
		a, err := tx.ThisAccount()
		return s.withURL(a), err
	})
}

// UpdateAccount changes the caller's account.
func (s *Service) UpdateAccount(ctx context.Context, c Caller, ch desk.AccountChange) (desk.Account, error) {
	if err := c.may(desk.UpdateAccount); err != nil {
		return desk.Account{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (a desk.Account, err error) {
		if a, err = tx.ThisAccount(); err != nil {
			return a, err
		}
		a = s.withURL(a)
		before := a
		if err := a.Apply(ch, tx.Now); err != nil {
			return a, err
		}
		if err := checkAPICollection(tx, before, a); err != nil {
			return a, err
		}
		if err := tx.SaveAccount(a); err != nil {
			return a, err
		}
		return a, tx.Record(accountChange(c.Actor, before, a))
	})
}

// checkAPICollection returns Invalid if the account's new API collection is not
// one.
func checkAPICollection(tx *store.Tx, before, after desk.Account) error {
	if after.APICollection == before.APICollection {
		return nil
	}
	col, err := tx.Collection(after.APICollection)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return err
	}
	var p desk.Problems
	if err != nil || col.Kind != desk.APICollection {
		p.Add("api_collection_id", "must be the id of an API collection")
	}
	return p.Err()
}

func accountChange(by desk.Actor, before, after desk.Account) desk.Change {
	return desk.Change{By: by, Action: string(desk.AccountUpdated), Event: desk.AccountUpdated,
		Resource: "Account", ID: accountID(after), Before: before, After: after}
}

func (s *Service) withURL(a desk.Account) desk.Account {
	a.PublicURL = s.change.PublicURL
	return a
}

func accountID(a desk.Account) string { return strconv.FormatInt(int64(a.ID), 10) }
