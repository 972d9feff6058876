package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Mute returns whether a member has muted a collection.
func (tx *Tx) Mute(collection desk.CollectionID, member desk.MemberID) (desk.Mute, error) {
	found, err := one[desk.MemberID](tx, "SELECT member_id FROM collection_mutes WHERE account_id = $1 AND collection_id = $2 AND member_id = $3",
		tx.Account, collection, member)
	return desk.Mute{Muted: found != 0}, err
}

// SaveMute saves whether a member has muted a collection.
func (tx *Tx) SaveMute(collection desk.CollectionID, member desk.MemberID, m desk.Mute) error {
	if !m.Muted {
		return tx.Do("DELETE FROM collection_mutes WHERE account_id = $1 AND collection_id = $2 AND member_id = $3", tx.Account, collection, member)
	}
	return wrap("mute a collection", tx.Do(`INSERT INTO collection_mutes (account_id, collection_id, member_id)
		SELECT c.account_id, c.id, m.id FROM collections c JOIN members m ON m.account_id = c.account_id
		WHERE c.account_id = $1 AND c.id = $2 AND m.id = $3 ON CONFLICT DO NOTHING`, tx.Account, collection, member))
}

// MutedUsers returns the chat users who have the email of a member who muted a
// collection.
func (tx *Tx) MutedUsers(collection desk.CollectionID) (map[string]bool, error) {
	ids, err := sqldb.Collect(tx.Tx, scanText, `SELECT user_id FROM users
		WHERE account_id = $1 AND NOT deleted AND NOT is_bot AND email_folded IN (
			SELECT m.email_folded FROM collection_mutes cm JOIN members m ON m.account_id = cm.account_id AND m.id = cm.member_id
			WHERE cm.account_id = $1 AND cm.collection_id = $2 AND m.removed_at IS NULL)`, tx.Account, collection)
	return setOf(ids), err
}
