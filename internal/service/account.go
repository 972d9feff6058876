package service

import (
	"context"

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
	if err := change.Record(tx, by, "account.created", nil, a); err != nil {
		return m, err
	}
	return m, change.Record(tx, by, desk.MemberCreated, nil, m)
}

// Account returns the caller's account.
func (s *Service) Account(ctx context.Context, c Caller) (desk.Account, error) {
	return look(ctx, s, c, desk.GetAccount, func(tx *store.Tx) (desk.Account, error) {
		a, err := tx.ThisAccount()
		return s.withURL(a), err
	})
}

// UpdateAccount changes the caller's account.
func (s *Service) UpdateAccount(ctx context.Context, c Caller, ch desk.AccountChange) (desk.Account, error) {
	return write(ctx, s, c, desk.UpdateAccount, func(tx *store.Tx) (a desk.Account, err error) {
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
		if err := checkEmailCollection(tx, before, a); err != nil {
			return a, err
		}
		if err := tx.SaveAccount(a); err != nil {
			return a, err
		}
		if a.TimeZone != before.TimeZone {
			if err := moveReports(tx, c.Actor.ID, a.TimeZone); err != nil {
				return a, err
			}
		}
		return a, change.Record(tx, c.Actor, desk.AccountUpdated, before, a)
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

// checkEmailCollection returns Invalid if the account's new email collection has no
// mail.
func checkEmailCollection(tx *store.Tx, before, after desk.Account) error {
	if after.EmailCollection == nil || desk.Same(before.EmailCollection, after.EmailCollection) {
		return nil
	}
	col, err := tx.Collection(*after.EmailCollection)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return err
	}
	if col.Email == nil {
		return desk.Wrong("email_collection_id", "must be the id of an email collection with an email_config, or null")
	}
	return nil
}

func (s *Service) withURL(a desk.Account) desk.Account {
	a.PublicURL = s.change.PublicURL
	return a
}
