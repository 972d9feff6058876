package store

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

// AddAccount inserts a new account and lets fn fill it in the same transaction.
func (s *Store) AddAccount(ctx context.Context, name string, fn func(*Tx, desk.Account) error) error {
	return s.addAccount(ctx, name, func(*Tx) error { return nil }, fn)
}

func (s *Store) addAccount(ctx context.Context, name string, may func(*Tx) error, fn func(*Tx, desk.Account) error) error {
	return fit(s.db.Write(ctx, func(sqlTx *sqldb.Tx) error {
		tx := s.tx(sqlTx, 0)
		tx.inTurn = true // nobody else can see the account before the commit
		if err := may(tx); err != nil {
			return err
		}
		a, err := desk.NewAccount(name, tx.Now)
		if err != nil {
			return err
		}
		err = tx.Row(`INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, categories, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
			a.Name, a.KeyPrefix, a.TimeZone, a.OnHoldAllowed, stored.Categories(&a.Categories), ms(a.CreatedAt), ms(a.UpdatedAt)).Scan(&a.ID)
		if err != nil {
			return fmt.Errorf("add account: %w", err)
		}
		if err := s.journal.Begin(tx.Tx, a.ID); err != nil {
			return fmt.Errorf("add account: %w", err)
		}
		tx.Account = a.ID
		if err := fn(tx, a); err != nil {
			return err
		}
		return tx.finish()
	}))
}

// AddFirstAccount is AddAccount for a server without accounts. It returns NotFound
// when there is one already. If several callers race to be first, exactly one
// succeeds.
func (s *Store) AddFirstAccount(ctx context.Context, name string, fn func(*Tx, desk.Account) error) error {
	return s.addAccount(ctx, name, func(tx *Tx) error {
		first, err := one[desk.AccountID](tx, "SELECT id FROM accounts ORDER BY id LIMIT 1")
		if err == nil && first != 0 {
			err = errFirstRunOver
		}
		return err
	}, fn)
}

var errFirstRunOver = desk.Errorf(desk.NotFound, "This server already has an account. Sign in, or ask an admin to invite you.")

// HasAccounts reports whether the server has any account.
func (s *Store) HasAccounts(ctx context.Context) (has bool, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) error {
		found, err := sqldb.Collect(tx, scanID[desk.AccountID], "SELECT id FROM accounts ORDER BY id LIMIT 1")
		has = len(found) > 0
		return err
	})
	return has, fit(err)
}

// ThisAccount returns the account of the transaction. It reads the account once per
// transaction.
func (tx *Tx) ThisAccount() (a desk.Account, err error) {
	if tx.account == nil {
		if a, err = settled(tx, theAccount{}, tx.readAccount); err != nil {
			return a, err
		}
		a.Categories = slices.Clone(a.Categories)
		tx.account = &a
	}
	return *tx.account, nil
}

// readAccount reads the account and its epoch of names.
func (tx *Tx) readAccount() (desk.Account, error) {
	a := desk.Account{ID: tx.Account}
	var names int64
	var created, updated int64
	var collection *desk.CollectionID
	err := tx.Row(`SELECT name, key_prefix, time_zone, on_hold_allowed, api_collection_id, email_collection_id, categories, created_at, updated_at,
			coalesce((SELECT names FROM sequences WHERE account_id = $1), -1)
		FROM accounts WHERE id = $1`, tx.Account).
		Scan(&a.Name, &a.KeyPrefix, &a.TimeZone, &a.OnHoldAllowed, &collection, &a.EmailCollection, stored.Categories(&a.Categories), &created, &updated, &names)
	if err != nil {
		return a, Missing(err, "Account")
	}
	tx.names = &names
	a.APICollection = value(collection)
	a.CreatedAt, a.UpdatedAt = FromMS(created), FromMS(updated)
	return a, nil
}

// SaveAccount saves a changed account.
func (tx *Tx) SaveAccount(a desk.Account) error {
	tx.account = nil
	return tx.Do(`UPDATE accounts SET name = $1, key_prefix = $2, time_zone = $3, on_hold_allowed = $4, api_collection_id = $5, email_collection_id = $6,
			categories = $7, updated_at = $8
		WHERE id = $9`, a.Name, a.KeyPrefix, a.TimeZone, a.OnHoldAllowed, unlessZero(a.APICollection), a.EmailCollection, stored.Categories(&a.Categories), ms(a.UpdatedAt), tx.Account)
}

// Accounts returns the ids of all accounts, for work that visits them one by one.
func (s *Store) Accounts(ctx context.Context) (ids []desk.AccountID, err error) {
	err = s.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		ids, err = sqldb.Collect(tx, scanID[desk.AccountID], "SELECT id FROM accounts ORDER BY id")
		return err
	})
	return ids, fit(err)
}
