package heard

import (
	"errors"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// PutReaction records a reaction unless something newer is known. It reports
// whether this is news. A reaction that an event or a history repeats is not.
func PutReaction(tx *store.Tx, r desk.Reaction) (news bool, err error) {
	var was bool
	var at int64
	err = tx.Row(`SELECT is_on, at FROM reactions WHERE account_id = $1 AND channel_id = $2 AND external_id = $3 AND user_id = $4 AND emoji = $5`,
		tx.Account, r.Channel, r.Message, r.User, r.Emoji).Scan(&was, &at)
	known := !errors.Is(err, sqldb.ErrNoRows)
	if known && (err != nil || was == r.On || at >= store.Microseconds(r.At)) {
		return false, err
	}
	_, err = tx.Exec(`INSERT INTO reactions (account_id, channel_id, external_id, user_id, emoji, is_on, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account_id, channel_id, external_id, user_id, emoji) DO UPDATE SET is_on = excluded.is_on, at = excluded.at
		WHERE reactions.account_id = excluded.account_id`,
		tx.Account, r.Channel, r.Message, r.User, r.Emoji, r.On, store.Microseconds(r.At))
	return true, err
}

// ReactionsAt returns the reactions to a message, oldest first.
func ReactionsAt(tx *store.Tx, channel, message string) ([]desk.Reaction, error) {
	return sqldb.Collect(tx.Tx, func(scan func(...any) error) (desk.Reaction, error) {
		r := desk.Reaction{Channel: channel, Message: message, On: true}
		var at int64
		err := scan(&r.User, &r.Emoji, &at)
		if at != 0 {
			r.At = time.UnixMicro(at).UTC()
		}
		return r, err
	}, `SELECT user_id, emoji, at FROM reactions WHERE account_id = $1 AND channel_id = $2 AND external_id = $3 AND is_on
		ORDER BY at, user_id, emoji`, tx.Account, channel, message)
}
