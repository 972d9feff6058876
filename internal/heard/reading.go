package heard

import (
	"errors"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Reading is how far a channel's history has been read.
type Reading struct {
	Channel string
	Since   time.Time // earlier messages are not ours
	ReadTo  time.Time
}

// BeginReading records that a channel's messages are ours from now on.
func BeginReading(tx *store.Tx, channel string) error {
	return tx.Do(`INSERT INTO channel_readings (account_id, channel_id, since, read_to) VALUES ($1, $2, $3, $3)
		ON CONFLICT (account_id, channel_id) DO UPDATE SET since = excluded.since, read_to = excluded.read_to
		WHERE channel_readings.account_id = excluded.account_id`, tx.Account, channel, tx.Now.UnixMilli())
}

// ReadingOf returns how far a channel's history has been read. It returns NotFound
// for a channel that never was ours.
func ReadingOf(tx *store.Tx, channel string) (Reading, error) {
	r := Reading{Channel: channel}
	var since, to int64
	err := tx.Row("SELECT since, read_to FROM channel_readings WHERE account_id = $1 AND channel_id = $2", tx.Account, channel).Scan(&since, &to)
	r.Since, r.ReadTo = store.FromMS(since), store.FromMS(to)
	if errors.Is(err, sqldb.ErrNoRows) {
		err = desk.Missing("Channel")
	}
	return r, err
}

// ReadTo records that a channel's history has been read up to a time.
func ReadTo(tx *store.Tx, channel string, to time.Time) error {
	return tx.Do("UPDATE channel_readings SET read_to = $1 WHERE account_id = $2 AND channel_id = $3 AND read_to < $1", to.UnixMilli(), tx.Account, channel)
}

// OldestUnresolved returns when the oldest request of a channel that may still
// continue was created, among those since a time. It includes requests whose card
// is in the channel. It returns zero if there is none.
func OldestUnresolved(tx *store.Tx, channel string, since time.Time) (oldest time.Time, err error) {
	for _, place := range []string{"channel_id", "triage_channel_id"} {
		var at int64
		err := tx.Row("SELECT created_at FROM requests WHERE account_id = $1 AND "+place+` = $2 AND created_at >= $3 AND merged_into IS NULL
			AND shelf IN ('open', 'in_progress', 'pending', 'on_hold', 'solved', 'marked', 'none')
			ORDER BY created_at, id LIMIT 1`, tx.Account, channel, since.UnixMilli()).Scan(&at)
		switch {
		case errors.Is(err, sqldb.ErrNoRows):
		case err != nil:
			return oldest, err
		case oldest.IsZero() || store.FromMS(at).Before(oldest):
			oldest = store.FromMS(at)
		}
	}
	return oldest, nil
}

// InheritedThreads returns the threads of a channel that have a request that may
// still continue, but whose first message belongs to another request or was
// removed. No history shows them. It returns the newest since a time.
func InheritedThreads(tx *store.Tx, channel string, since time.Time, limit int) ([]string, error) {
	return sqldb.Collect(tx.Tx, text, `SELECT r.thread_id FROM requests r
		WHERE r.account_id = $1 AND r.channel_id = $2 AND r.created_at >= $3 AND r.merged_into IS NULL AND r.shelf <> 'closed' AND r.thread_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.account_id = r.account_id AND m.channel_id = r.channel_id AND m.external_id = r.thread_id
				AND m.request_id = r.id AND m.removed_at IS NULL)
		ORDER BY r.created_at DESC, r.id DESC LIMIT $4`, tx.Account, channel, since.UnixMilli(), limit)
}

// ReadChannels returns the channels with an id above after whose messages we read:
// active in a chat collection, or the request or triage channel of another.
func ReadChannels(tx *store.Tx, after string, limit int) ([]string, error) {
	return sqldb.Collect(tx.Tx, text, `SELECT channel_id FROM (
			SELECT channel_id FROM channels WHERE account_id = $1 AND is_active
			UNION SELECT request_channel_id FROM collections WHERE account_id = $1 AND removed_at IS NULL AND request_channel_id IS NOT NULL
			UNION SELECT triage_channel_id FROM collections WHERE account_id = $1 AND removed_at IS NULL AND triage_channel_id IS NOT NULL) AS read
		WHERE channel_id > $2 ORDER BY channel_id LIMIT $3`, tx.Account, after, limit)
}
