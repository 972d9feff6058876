package store

import (
	"context"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const auditColumns = "id, at, actor, action, resource_type, resource_id, source, ip, before, after"

func scanAuditLog(scan scanner) (e desk.AuditLog, err error) {
	err = scan(&e.ID, inMS(&e.At), stored.Actor(&e.Actor), &e.Action, &e.ResourceType, &e.ResourceID, &e.Actor.Source, &e.Actor.IP, &e.Before, &e.After)
	return e, err
}

// AuditLogs returns a page of the audit log.
func (tx *Tx) AuditLogs(f desk.AuditLogFilter, p desk.Page) (desk.List[desk.AuditLog], error) {
	var q query
	q.Add("SELECT "+auditColumns+" FROM audit_logs WHERE account_id = ?", tx.Account)
	if f.Action != "" {
		q.Add(" AND action = ?", f.Action)
	}
	if f.ResourceType != "" {
		q.Add(" AND resource_type = ?", f.ResourceType)
	}
	if f.ResourceID != "" {
		q.Add(" AND resource_id = ?", f.ResourceID)
	}
	if f.Actor != 0 {
		q.Add(" AND actor_id = ?", f.Actor)
	}
	if f.UpTo != 0 {
		q.Add(" AND id <= ?", f.UpTo)
	}
	return page(tx, &q, "at", p, scanAuditLog, func(e desk.AuditLog) desk.Position { return positionAt(e.At, e.ID) })
}

// AuditLogEnd returns an id that separates the account's present entries from later
// ones: present entries have ids up to it, later ones have higher ids. This holds
// only in a transaction that writes. An account has one such transaction at a time,
// so no other can have taken a lower id that is not committed yet. The ids are
// shared by all accounts. Finding the largest of all is fast.
func (tx *Tx) AuditLogEnd() (end desk.AuditLogID, err error) {
	err = tx.Row("/* every account: see above */ SELECT coalesce(max(id), 0) FROM audit_logs").Scan(&end)
	return end, err
}

// VerifyAuditLog follows the account's chain from its beginning and returns the
// number of entries, or the first place where it breaks. It leaves out entries that
// have not been chained yet.
func (s *Store) VerifyAuditLog(ctx context.Context, account desk.AccountID) (entries int64, err error) {
	st, err := s.FollowAuditLog(ctx, account, nil, nil)
	return st.Entries, err
}

// FollowAuditLog is chain.Follow.
func (s *Store) FollowAuditLog(ctx context.Context, account desk.AccountID, receipts []chain.Receipt, progress func(done, of int64)) (chain.State, error) {
	st, err := s.chain.Follow(ctx, s.db, account, receipts, progress)
	return st, fit(err)
}

// AuditedAccounts returns the ids of all accounts that have or should have an audit
// log. This includes an account whose other rows were removed.
func (s *Store) AuditedAccounts(ctx context.Context) (ids []desk.AccountID, err error) {
	err = s.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		// Skip from one account to the next, because the log has millions of
		// entries of few accounts.
		ids, err = sqldb.Collect(tx, scanID[desk.AccountID], `/* every account: each of them is verified */
			WITH RECURSIVE logged (id) AS (
				SELECT min(account_id) FROM audit_logs
				UNION ALL SELECT (SELECT min(account_id) FROM audit_logs WHERE account_id > logged.id) FROM logged WHERE logged.id IS NOT NULL
			)
			SELECT id FROM accounts UNION SELECT account_id FROM sequences UNION SELECT id FROM logged WHERE id IS NOT NULL ORDER BY 1`)
		return err
	})
	return ids, fit(err)
}
