package store

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// RequestKeyed returns the request that people call by a key, or by the key of one of
// its native tickets, whether it was merged or not. The prefix counts if the key was
// given with it, or if it is the account's today. Without one, the number is enough.
// RequestKeyed returns 0 if there is none.
func (tx *Tx) RequestKeyed(k desk.Key) (desk.RequestID, error) {
	is := ""
	args := []any{tx.Account, k.Number}
	if k.Prefix != "" {
		is = " AND (key = $3 OR $4 = (SELECT a.key_prefix FROM accounts a WHERE a.id = $1))"
		args = append(args, k.String(), k.Prefix)
	}
	// Tickets come second: of an older version, one may have another number than its request.
	id, err := one[desk.RequestID](tx, `SELECT id FROM (SELECT id, 1 AS place FROM requests WHERE account_id = $1 AND number = $2`+is+`
		UNION ALL SELECT request_id, 2 FROM tickets WHERE account_id = $1 AND number = $2`+is+`) AS found ORDER BY place LIMIT 1`, args...)
	return id, wrap("find a request by its key", err)
}

// ownTicket is the first native ticket that was made for a request, wherever a merge
// moved it. The migration that began the numbers has the same condition.
const ownTicket = ` FROM tickets t WHERE t.account_id = requests.account_id AND t.request_id IN (requests.id, requests.merged_into)
	AND t.url LIKE '%/requests/' || requests.id`

// NumberRequests gives numbers to up to most requests that have none, because a node
// of the version before added them. A request with a native ticket takes over its
// number. NumberRequests returns how many there were.
func (tx *Tx) NumberRequests(most int) (int, error) {
	ids, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], "SELECT id FROM requests WHERE account_id = $1 AND number IS NULL ORDER BY id LIMIT $2", tx.Account, most)
	if err != nil || len(ids) == 0 {
		return 0, wrap("find requests without a number", err)
	}
	var q query
	q.Add(`UPDATE requests SET version = version + 1, number = (SELECT min(t.number)`+ownTicket+`),
		key = (SELECT t.key`+ownTicket+` AND t.number IS NOT NULL ORDER BY t.number LIMIT 1) WHERE account_id = ? AND id IN `, tx.Account)
	sqldb.In(&q, ids)
	if _, err := tx.Exec(q.String(), q.Args()...); err != nil {
		return 0, fmt.Errorf("number requests by their tickets: %w", err)
	}
	for _, id := range ids {
		tx.changedRow(id)
	}
	q = query{}
	q.Add("SELECT id FROM requests WHERE account_id = ? AND number IS NULL AND id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY id")
	left, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.String(), q.Args()...)
	if err != nil || len(left) == 0 {
		return len(ids), wrap("find requests without a ticket", err)
	}
	key, err := tx.NextKeys(len(left))
	if err != nil {
		return 0, err
	}
	var fresh query
	fresh.Add("WITH v (id, number, key) AS (VALUES ")
	for i, id := range left {
		if i > 0 {
			fresh.Add(", ")
		}
		fresh.Add("(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT))", id, key.Number, key.String())
		key.Number++
	}
	fresh.Add(") UPDATE requests SET number = v.number, key = v.key FROM v WHERE requests.account_id = ? AND requests.id = v.id", tx.Account)
	_, err = tx.Exec(fresh.String(), fresh.Args()...)
	return len(ids), wrap("number requests", err)
}

// WithoutNumbers returns the accounts that have requests without a number.
func (s *Store) WithoutNumbers(ctx context.Context) (all []desk.AccountID, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, scanID[desk.AccountID], "/* every account: one job for all */ SELECT DISTINCT account_id FROM requests WHERE number IS NULL ORDER BY account_id")
		return err
	})
	return all, err
}
