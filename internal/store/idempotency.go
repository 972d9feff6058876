package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// clockSkew is how much the clocks of machines on one database may differ before
// one counts as wrong.
const clockSkew = time.Minute

// KeySession returns the session whose key of this name a session continues with.
// This is a session of the same member that has used the key, or else the session
// itself. A member who was signed out while the answer was on its way signs in
// again and repeats the call.
func (tx *Tx) KeySession(session desk.TokenID, name string) (desk.TokenID, error) {
	used, err := one[desk.TokenID](tx, `SELECT k.token_id FROM idempotency_keys k
		JOIN tokens t ON t.account_id = k.account_id AND t.id = k.token_id AND t.session
		JOIN tokens own ON own.account_id = k.account_id AND own.id = $3 AND own.session AND own.member_id = t.member_id
		WHERE k.account_id = $1 AND k.name = $2 ORDER BY k.id LIMIT 1`, tx.Account, name, session)
	return cmp.Or(used, session), err
}

// BeginKey takes an idempotency key of a token for owner, or finds that it is
// already answered. It returns Conflict while another owner holds it. A holder that
// has not renewed for desk.KeyLease is dead, and its key is free.
func (tx *Tx) BeginKey(token desk.TokenID, name, owner string) (desk.IdempotencyKey, error) {
	k := desk.IdempotencyKey{Name: name, Owner: owner}
	lease := ms(tx.Now.Add(desk.KeyLease))
	var heldUntil, created int64
	var sealed []byte
	err := tx.Row(`SELECT id, lease_until, created_at, fingerprint, answer FROM idempotency_keys
		WHERE account_id = $1 AND token_id = $2 AND name = $3`, tx.Account, token, name).
		Scan(&k.ID, &heldUntil, &created, &k.Fingerprint, &sealed)
	if errors.Is(err, sqldb.ErrNoRows) {
		err := tx.Row(`INSERT INTO idempotency_keys (account_id, token_id, name, owner, lease_until, created_at)
			VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`, tx.Account, token, name, owner, lease, ms(tx.Now)).Scan(&k.ID)
		return k, err
	}
	if err != nil {
		return k, err
	}
	fresh := tx.Now.Sub(FromMS(created)) < desk.AnswerKept
	// A lease that ends later than any correct lease was written by a wrong clock.
	// The skew allows for two machines whose clocks differ slightly, and for
	// transactions that overlap and so have different times.
	held := heldUntil > ms(tx.Now) && heldUntil <= lease+clockSkew.Milliseconds()
	switch {
	case sealed != nil && fresh:
		k.Answer, err = tx.openAnswer(sealed)
		return k, err
	case sealed == nil && held:
		return k, &desk.Error{Kind: desk.Conflict, RetryAfter: time.Second,
			Message: "A call with this Idempotency-Key is in progress. Try again shortly."}
	}
	k.Fingerprint = nil
	_, err = tx.Exec(`UPDATE idempotency_keys SET owner = $1, lease_until = $2, created_at = $3, fingerprint = NULL, answer = NULL
		WHERE account_id = $4 AND id = $5`, owner, lease, ms(tx.Now), tx.Account, k.ID)
	return k, err
}

// FinishKey saves the answer in the transaction of the change it answers. If
// another owner took the key, it returns Conflict, which undoes that change.
func (tx *Tx) FinishKey(k desk.IdempotencyKey, a desk.Answer) error {
	sealed, err := tx.sealAnswer(a)
	if err != nil {
		return err
	}
	n, err := tx.Exec(`UPDATE idempotency_keys SET answer = $1, fingerprint = $2 WHERE account_id = $3 AND id = $4 AND owner = $5 AND answer IS NULL`,
		sealed, k.Fingerprint, tx.Account, k.ID, k.Owner)
	if err != nil || n == 1 {
		return err
	}
	return &desk.Error{Kind: desk.Conflict, RetryAfter: time.Second,
		Message: "Another call with this Idempotency-Key took over. Nothing was changed; try again shortly."}
}

// ReleaseKey gives up a key without an answer, so that the call can be tried again.
func (tx *Tx) ReleaseKey(k desk.IdempotencyKey) error {
	return tx.Do("DELETE FROM idempotency_keys WHERE account_id = $1 AND id = $2 AND owner = $3 AND answer IS NULL", tx.Account, k.ID, k.Owner)
}

// RenewKey extends the holder's lease.
func (tx *Tx) RenewKey(k desk.IdempotencyKey) error {
	return tx.Do("UPDATE idempotency_keys SET lease_until = $1 WHERE account_id = $2 AND id = $3 AND owner = $4 AND answer IS NULL",
		ms(tx.Now.Add(desk.KeyLease)), tx.Account, k.ID, k.Owner)
}

// SweepKeys deletes the account's answers that are too old to be repeated.
func (s *Store) SweepKeys(ctx context.Context, account desk.AccountID) error {
	const piece = 500
	return fit(s.db.Pieces(ctx, func(tx *sqldb.Tx) (more bool, err error) {
		n, err := tx.Exec(`DELETE FROM idempotency_keys WHERE account_id = $1 AND id IN
			(SELECT id FROM idempotency_keys WHERE account_id = $1 AND created_at < $2 ORDER BY created_at LIMIT $3)`,
			account, ms(s.Now().Add(-desk.AnswerKept)), piece)
		return n == piece, err
	}))
}

func (tx *Tx) answerPlace() seal.Place {
	return seal.Place{Account: int64(tx.Account), Column: "idempotency_keys.answer"}
}

// sealAnswer encrypts the answer, because it may hold a secret that is shown once.
func (tx *Tx) sealAnswer(a desk.Answer) ([]byte, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("keep the answer: %w", err)
	}
	return tx.store.key.Seal(tx.answerPlace(), b), nil
}

func (tx *Tx) openAnswer(sealed []byte) (*desk.Answer, error) {
	b, err := tx.store.key.Open(tx.answerPlace(), sealed)
	if err != nil {
		return nil, err
	}
	var a desk.Answer
	return &a, json.Unmarshal(b, &a)
}
