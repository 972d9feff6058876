package heard

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// IsCopy reports whether a message in the chat system is a copy of an announcement.
func IsCopy(tx *store.Tx, channel, message string) (bool, error) {
	var id int64
	_, found, err := store.IfAny(id, tx.Row("SELECT id FROM announcement_recipients WHERE account_id = $1 AND channel_id = $2 AND external_id = $3", tx.Account, channel, message).Scan(&id))
	return found, err
}

// PutReply records a reply in the thread of a copy. A removed reply stays removed.
func PutReply(tx *store.Tx, channel, thread, message string, at time.Time) error {
	return tx.Do(`INSERT INTO announcement_replies (account_id, channel_id, thread_id, external_id, said_at, is_removed) VALUES ($1, $2, $3, $4, $5, FALSE)
		ON CONFLICT (account_id, channel_id, thread_id, external_id) DO NOTHING`, tx.Account, channel, thread, message, store.Microseconds(at))
}

// RemoveReply records that a reply was removed, even if it has not arrived here
// yet.
func RemoveReply(tx *store.Tx, channel, thread, message string) error {
	return tx.Do(`INSERT INTO announcement_replies (account_id, channel_id, thread_id, external_id, said_at, is_removed) VALUES ($1, $2, $3, $4, 0, TRUE)
		ON CONFLICT (account_id, channel_id, thread_id, external_id) DO UPDATE SET is_removed = TRUE WHERE announcement_replies.account_id = excluded.account_id`,
		tx.Account, channel, thread, message)
}

// RepliesAt returns the replies in the thread of a copy that were posted before a
// time, oldest first.
func RepliesAt(tx *store.Tx, channel, thread string, before time.Time) ([]string, error) {
	return sqldb.Collect(tx.Tx, text, `SELECT external_id FROM announcement_replies
		WHERE account_id = $1 AND channel_id = $2 AND thread_id = $3 AND NOT is_removed AND said_at < $4 ORDER BY said_at, external_id`,
		tx.Account, channel, thread, store.Microseconds(before))
}

// Engagement returns the reactions, replies and request of each recipient of an
// announcement, in the order of the recipients.
func Engagement(tx *store.Tx, a desk.Announcement) (desk.Engagement, error) {
	e := desk.Engagement{Announcement: a.ID, Channels: make([]desk.ChannelEngagement, len(a.Recipients))}
	at := make(map[string]*desk.ChannelEngagement, len(a.Recipients))
	for i, r := range a.Recipients {
		e.Channels[i].Recipient = r
		at[r.Channel] = &e.Channels[i]
	}
	err := eachOfCopies(tx, a.ID, `SELECT c.channel_id, x.user_id, x.emoji, '', 0, FALSE FROM announcement_recipients c
		JOIN reactions x ON x.account_id = c.account_id AND x.channel_id = c.channel_id AND x.external_id = c.external_id
		WHERE c.account_id = $1 AND c.announcement_id = $2 AND x.is_on ORDER BY x.at, x.user_id, x.emoji`, func(c copyRow) {
		at[c.channel].Reactions = append(at[c.channel].Reactions, desk.Reaction{Channel: c.channel, User: c.user, Emoji: c.emoji, On: true})
	})
	if err != nil {
		return e, err
	}
	err = eachOfCopies(tx, a.ID, `SELECT c.channel_id, '', '', x.external_id, 0, FALSE FROM announcement_recipients c
		JOIN announcement_replies x ON x.account_id = c.account_id AND x.channel_id = c.channel_id AND x.thread_id = c.external_id
		WHERE c.account_id = $1 AND c.announcement_id = $2 AND NOT x.is_removed ORDER BY x.said_at, x.external_id`, func(c copyRow) {
		at[c.channel].Replies = append(at[c.channel].Replies, c.reply)
	})
	if err != nil {
		return e, err
	}
	// If several requests share a thread, the newest counts, as elsewhere.
	merged := map[string]bool{}
	err = eachOfCopies(tx, a.ID, `SELECT c.channel_id, '', '', '', x.id, x.merged_into IS NOT NULL FROM announcement_recipients c
		JOIN requests x ON x.account_id = c.account_id AND x.channel_id = c.channel_id AND x.thread_id = c.external_id
		WHERE c.account_id = $1 AND c.announcement_id = $2 AND x.is_listed ORDER BY x.id`, func(c copyRow) {
		if at[c.channel].Request = c.request; c.merged {
			merged[c.channel] = true
		} else {
			delete(merged, c.channel)
		}
	})
	if err != nil {
		return e, err
	}
	for channel := range merged {
		if at[channel].Request, err = tx.MergedInto(at[channel].Request); err != nil {
			return e, err
		}
	}
	return e, nil
}

// copyRow is one reaction, reply or request that a copy led to.
type copyRow struct {
	channel, user, emoji, reply string
	request                     desk.RequestID
	merged                      bool
}

func eachOfCopies(tx *store.Tx, id desk.AnnouncementID, statement string, take func(copyRow)) error {
	return tx.Each(func(scan func(...any) error) error {
		var c copyRow
		err := scan(&c.channel, &c.user, &c.emoji, &c.reply, &c.request, &c.merged)
		if err == nil {
			take(c)
		}
		return err
	}, statement, tx.Account, id)
}

// SentAnnouncement holds when an announcement was sent and when its copies were
// last read.
type SentAnnouncement struct {
	ID           desk.AnnouncementID
	Sent, ReadAt time.Time
}

// SentSince returns the announcements sent since a time.
func SentSince(tx *store.Tx, since time.Time) ([]SentAnnouncement, error) {
	return sqldb.Collect(tx.Tx, func(scan func(...any) error) (s SentAnnouncement, err error) {
		var sent, read int64
		err = scan(&s.ID, &sent, &read)
		s.Sent, s.ReadAt = store.FromMS(sent), store.FromMS(read)
		return s, err
	}, "SELECT id, sent_at, COALESCE(copies_read_at, sent_at) FROM announcements WHERE account_id = $1 AND sent_at >= $2 ORDER BY sent_at, id", tx.Account, since.UnixMilli())
}

// ReadCopies records that the copies of an announcement are being read now.
func ReadCopies(tx *store.Tx, id desk.AnnouncementID) error {
	return tx.Do("UPDATE announcements SET copies_read_at = $1 WHERE account_id = $2 AND id = $3", tx.Now.UnixMilli(), tx.Account, id)
}
