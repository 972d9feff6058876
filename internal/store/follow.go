package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// following narrows a query to requests that a reader follows, row by row.
func (q *query) following(tx *Tx, r desk.Reader) {
	q.Add(" AND EXISTS (SELECT 1 FROM request_reads rr WHERE rr.account_id = ? AND rr.member_id = ? AND rr.request_id = requests.id AND rr.followed_at IS NOT NULL)",
		tx.Account, r.Member)
}

// Follows reports whether a member follows a request.
func (tx *Tx) Follows(member desk.MemberID, id desk.RequestID) (bool, error) {
	return one[bool](tx, "SELECT followed_at IS NOT NULL FROM request_reads WHERE account_id = $1 AND member_id = $2 AND request_id = $3", tx.Account, member, id)
}

// SetFollow records that a member follows a request from now on, or no longer.
func (tx *Tx) SetFollow(member desk.MemberID, id desk.RequestID, follow bool) error {
	if !follow {
		return tx.Do("UPDATE request_reads SET followed_at = NULL WHERE account_id = $1 AND member_id = $2 AND request_id = $3", tx.Account, member, id)
	}
	return wrap("keep who follows", tx.Do(`INSERT INTO request_reads (account_id, member_id, request_id, message_id, followed_at)
		SELECT r.account_id, m.id, r.id, 0, $4 FROM requests r JOIN members m ON m.account_id = r.account_id WHERE r.account_id = $1 AND m.id = $2 AND r.id = $3
		ON CONFLICT (account_id, member_id, request_id) DO UPDATE SET followed_at = excluded.followed_at`, tx.Account, member, id, ms(tx.Now)))
}

// Followers returns the members who follow a request, without those who were removed.
// Whether they may still see it is for the caller to check.
func (tx *Tx) Followers(id desk.RequestID) ([]desk.MemberID, error) {
	return sqldb.Collect(tx.Tx, scanID[desk.MemberID], `SELECT f.member_id FROM request_reads f JOIN members m ON m.account_id = f.account_id AND m.id = f.member_id
		WHERE f.account_id = $1 AND f.request_id = $2 AND f.followed_at IS NOT NULL AND m.removed_at IS NULL ORDER BY f.member_id`, tx.Account, id)
}
