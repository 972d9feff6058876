package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/preference"
	"frontdesk/internal/stored"
)

// Preferences returns what a member likes, which is as usual if they have changed
// nothing.
func (tx *Tx) Preferences(member desk.MemberID) (preference.Preferences, error) {
	p := preference.Usual()
	_, _, err := IfAny(p, tx.Row("SELECT preferences FROM member_preferences WHERE account_id = $1 AND member_id = $2", tx.Account, member).Scan(stored.Preferences(&p)))
	return p, err
}

// SavePreferences saves what a member likes.
func (tx *Tx) SavePreferences(member desk.MemberID, p preference.Preferences) error {
	return wrap("save preferences", tx.Do(`INSERT INTO member_preferences (account_id, member_id, preferences, updated_at)
		SELECT account_id, id, $3, $4 FROM members WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, member_id) DO UPDATE SET preferences = excluded.preferences, updated_at = excluded.updated_at`,
		tx.Account, member, stored.Preferences(&p), ms(tx.Now)))
}
