package store

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// RequestAt returns the conversation that a message in the chat system belongs to.
// If the message starts a thread, this is the thread's conversation, the newest if
// there are several. Otherwise it is the conversation of the message itself. A
// merged conversation is replaced by the one it was merged into. RequestAt returns
// 0 if there is none.
func (tx *Tx) RequestAt(channel, message string) (desk.RequestID, error) {
	id, err := one[desk.RequestID](tx, "SELECT id FROM requests WHERE account_id = $1 AND channel_id = $2 AND thread_id = $3 ORDER BY id DESC LIMIT 1",
		tx.Account, channel, message)
	if err == nil && id == 0 {
		id, err = one[desk.RequestID](tx, "SELECT request_id FROM messages WHERE account_id = $1 AND channel_id = $2 AND external_id = $3", tx.Account, channel, message)
	}
	if err != nil || id == 0 {
		return 0, err
	}
	return tx.MergedInto(id)
}

// PublicRequestAt is RequestAt for what a requester can see. It ignores private
// notes and includes what we posted into the thread. A ts made here names a message
// of a request in the channel, whether or not that message is posted there.
func (tx *Tx) PublicRequestAt(channel, message string) (desk.RequestID, error) {
	if said, id, made := desk.MadeTS(message); made {
		return one[desk.RequestID](tx, `SELECT m.request_id FROM messages m JOIN requests r ON r.account_id = m.account_id AND r.id = m.request_id
			WHERE m.account_id = $1 AND m.id = $2 AND m.said_at = $3 AND NOT m.is_private AND m.removed_at IS NULL AND r.channel_id = $4`,
			tx.Account, id, Microseconds(said), channel)
	}
	for _, statement := range []string{
		"SELECT id FROM requests WHERE account_id = $1 AND channel_id = $2 AND thread_id = $3 ORDER BY id DESC LIMIT 1",
		`SELECT request_id FROM messages WHERE account_id = $1 AND channel_id = $2 AND external_id = $3
			AND NOT is_private AND removed_at IS NULL`,
		`SELECT p.request_id FROM posts p LEFT JOIN messages m ON m.account_id = p.account_id AND m.id = p.message_id
			WHERE p.account_id = $1 AND p.channel_id = $2 AND p.external_id = $3 AND p.place = 'thread'
			AND (m.id IS NULL OR NOT m.is_private AND m.removed_at IS NULL)`,
	} {
		id, err := one[desk.RequestID](tx, statement, tx.Account, channel, message)
		if err != nil {
			return 0, err
		}
		if id != 0 {
			return tx.MergedInto(id)
		}
	}
	return 0, nil
}

// HasMade reports whether a ts made here names a public message of a request. The
// request need not be in a channel.
func (tx *Tx) HasMade(id desk.RequestID, ts string) (bool, error) {
	said, message, made := desk.MadeTS(ts)
	if !made {
		return false, nil
	}
	found, err := one[desk.RequestID](tx, `SELECT request_id FROM messages WHERE account_id = $1 AND id = $2 AND request_id = $3 AND said_at = $4
		AND NOT is_private AND removed_at IS NULL`, tx.Account, message, id, Microseconds(said))
	return found != 0, err
}

// TriagedAt returns the request whose card is the given message in the chat system,
// or 0 if there is none.
func (tx *Tx) TriagedAt(channel, message string) (desk.RequestID, error) {
	id, err := one[desk.RequestID](tx, "SELECT id FROM requests WHERE account_id = $1 AND triage_channel_id = $2 AND triage_thread_id = $3 ORDER BY id DESC LIMIT 1",
		tx.Account, channel, message)
	if err != nil || id == 0 {
		return 0, err
	}
	return tx.MergedInto(id)
}

// MergedInto follows a request to the one it was merged into. It returns id if the
// request was not merged.
func (tx *Tx) MergedInto(id desk.RequestID) (desk.RequestID, error) {
	for range 100 { // a limit in case of a cycle, which should not exist
		next, err := one[desk.RequestID](tx, "SELECT merged_into FROM requests WHERE account_id = $1 AND id = $2 AND merged_into IS NOT NULL", tx.Account, id)
		if err != nil || next == 0 {
			return id, err
		}
		id = next
	}
	return id, nil
}

// Beside returns the last conversation that author began in a channel up to a time,
// and the first after it. 0 means none.
func (tx *Tx) Beside(channel, author string, at time.Time) (before, after desk.RequestID, err error) {
	const begun = "SELECT id FROM requests WHERE account_id = $1 AND channel_id = $2 AND author_id = $3 AND merged_into IS NULL "
	if before, err = one[desk.RequestID](tx, begun+"AND created_at <= $4 ORDER BY created_at DESC, id DESC LIMIT 1", tx.Account, channel, author, ms(at)); err != nil {
		return 0, 0, err
	}
	after, err = one[desk.RequestID](tx, begun+"AND created_at > $4 ORDER BY created_at, id LIMIT 1", tx.Account, channel, author, ms(at))
	return before, after, err
}

// Answered reports whether anyone but the author had said something in public in a
// conversation before a time.
func (tx *Tx) Answered(r desk.Request, before time.Time) (bool, error) {
	id, err := one[desk.RequestID](tx, `SELECT request_id FROM messages WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL AND NOT is_private
		AND (author_id IS NULL OR author_id <> $3) AND said_at < $4 LIMIT 1`, tx.Account, r.ID, r.Author.User, Microseconds(before))
	return id != 0, err
}

// AnsweredLater reports whether the other side (responders or requesters) has said
// something since a message that is more than thanks. In the same statement it reports
// whether the message concerns a member: whether one follows the request or is its
// assignee, who may be nil.
func (tx *Tx) AnsweredLater(m desk.Message, assignee *string) (answered, concerns bool, err error) {
	err = tx.Row(`SELECT EXISTS (SELECT 1 FROM messages WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL AND NOT is_private
			AND NOT is_idle AND is_responder <> $3 AND said_at > $4),
		EXISTS (SELECT 1 FROM request_reads WHERE account_id = $1 AND request_id = $2 AND followed_at IS NOT NULL)
			OR EXISTS (SELECT 1 FROM users u JOIN members t ON t.account_id = u.account_id AND t.email_folded = u.email_folded AND t.removed_at IS NULL
				WHERE u.account_id = $1 AND u.user_id = $5 AND u.email_folded <> '')`,
		tx.Account, m.Request, m.Responder, Microseconds(m.CreatedAt), value(assignee)).Scan(&answered, &concerns)
	return answered, concerns, err
}

// BackdateRequest moves the start of a conversation back, because an earlier
// message arrived late.
func (tx *Tx) BackdateRequest(id desk.RequestID, to time.Time) error {
	tx.touch(id)
	return tx.Do("UPDATE requests SET created_at = $1 WHERE account_id = $2 AND id = $3 AND created_at > $1", ms(to), tx.Account, id)
}

// ForgetMessage records that a message we do not have was removed in the chat
// system.
func (tx *Tx) ForgetMessage(channel, message string) error {
	return tx.Do(`INSERT INTO removed_messages (account_id, channel_id, external_id, removed_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id, channel_id, external_id) DO NOTHING`, tx.Account, channel, message, ms(tx.Now))
}

// Forgotten reports whether a message was removed before we received it.
func (tx *Tx) Forgotten(channel, message string) (bool, error) {
	at, err := one[*int64](tx, "SELECT removed_at FROM removed_messages WHERE account_id = $1 AND channel_id = $2 AND external_id = $3", tx.Account, channel, message)
	return at != nil, err
}

// Microseconds converts a time with the precision that chat systems use; 0 for the
// zero time.
func Microseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Responding returns what decides whether a chat user is a responder. For a user
// whom the directory does not know, it holds only the id.
func (tx *Tx) Responding(user string) (desk.Responding, desk.User, error) {
	r := desk.Responding{ID: user}
	found, err := tx.Users(desk.UserQuery{IDs: []string{user}})
	if err != nil || len(found.Items) == 0 {
		return r, desk.User{}, err
	}
	u := found.Items[0]
	r.Email, r.Deleted, r.IsBot, r.External = u.Email, u.Deleted, u.IsBot, u.External
	r.Teams, err = sqldb.Collect(tx.Tx, scanID[desk.TeamID], `SELECT t.id FROM team_members m JOIN teams t ON t.account_id = m.account_id AND t.id = m.team_id
		WHERE m.account_id = $1 AND m.user_id = $2 AND t.is_active`, tx.Account, user)
	return r, u, err
}

// SaidAt returns when a message of the chat system was posted, by a person or by
// us. It returns zero for a message that we do not have.
func (tx *Tx) SaidAt(channel, message string) (time.Time, error) {
	at, err := one[*int64](tx, `SELECT created_at FROM messages WHERE account_id = $1 AND channel_id = $2 AND external_id = $3
		UNION ALL SELECT tried_at FROM posts WHERE account_id = $1 AND channel_id = $2 AND external_id = $3 AND tried_at IS NOT NULL LIMIT 1`,
		tx.Account, channel, message)
	return value(FromOptionalMS(at)), err
}
