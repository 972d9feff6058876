package store

import (
	"errors"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Posting is something that we show or have to show in the chat system, with what
// an attempt needs.
type Posting struct {
	ID int64
	desk.Posting
	wanted   int64
	Mark     string
	TriedAt  time.Time // zero: never
	Kept     string
	Channel  string // where it is posted; empty until it is
	External string
	// FilesWait reports that files of the request have not arrived yet. The posting
	// may have to include them.
	FilesWait bool
}

const postingColumns = `id, request_id, kind, place, message_id, part, user_id, text, as_bot, wanted, mark, tried_at, kept, channel_id, external_id,
	EXISTS (SELECT 1 FROM incoming_files f WHERE f.account_id = posts.account_id AND f.request_id = posts.request_id)`

func scanPosting(scan scanner) (p Posting, err error) {
	var message *desk.MessageID
	var user, channel, external *string
	var tried *int64
	err = scan(&p.ID, &p.Request, &p.Kind, &p.Place, &message, &p.Part, &user, &p.Text, &p.AsBot, &p.wanted, &p.Mark, &tried, &p.Kept, &channel, &external, &p.FilesWait)
	if message != nil {
		p.Message = *message
	}
	p.User, p.Channel, p.External = value(user), value(channel), value(external)
	if tried != nil {
		p.TriedAt = fromMS(*tried)
	}
	return p, err
}

// AddPosting queues something to be shown. mark is its name, unique among all of
// our postings.
func (tx *Tx) AddPosting(p desk.Posting, mark string) error {
	return tx.Later(`INSERT INTO posts (account_id, request_id, kind, place, message_id, part, user_id, text, as_bot, mark, wanted, shown, kept, failure)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, 1, 0, '', '' FROM requests WHERE account_id = $1 AND id = $2`,
		tx.Account, p.Request, p.Kind, p.Place, unlessZero(p.Message), p.Part, unlessZero(p.User), p.Text, p.AsBot, mark)
}

// RenewCard queues a refresh of a request's card and reports whether there is one.
func (tx *Tx) RenewCard(id desk.RequestID) (bool, error) {
	n, err := tx.Exec("UPDATE posts SET wanted = wanted + 1 WHERE account_id = $1 AND request_id = $2 AND kind = 'card'", tx.Account, id)
	return n > 0, err
}

// HasCard reports whether a request has a card or is about to get one.
func (tx *Tx) HasCard(id desk.RequestID) (bool, error) {
	card, err := tx.oneRequest("SELECT id FROM posts WHERE account_id = $1 AND request_id = $2 AND kind = 'card'", tx.Account, id)
	return card != 0, err
}

// RenewPostings queues a refresh of what we show of a message, or its removal if
// the message was removed. It reports whether we show anything.
func (tx *Tx) RenewPostings(id desk.MessageID) (bool, error) {
	n, err := tx.Exec("UPDATE posts SET wanted = wanted + 1 WHERE account_id = $1 AND message_id = $2", tx.Account, id)
	return n > 0, err
}

// PostedParts returns how many parts of a message are posted or queued in a place.
func (tx *Tx) PostedParts(id desk.MessageID, place desk.PostingPlace) (n int, err error) {
	err = tx.Row("SELECT count(*) FROM posts WHERE account_id = $1 AND message_id = $2 AND place = $3", tx.Account, id, place).Scan(&n)
	return n, err
}

// PostedAt returns the request that one of our postings in the chat system belongs
// to, or 0 if the message is not ours.
func (tx *Tx) PostedAt(channel, external string) (desk.RequestID, error) {
	id, err := tx.oneRequest("SELECT request_id FROM posts WHERE account_id = $1 AND channel_id = $2 AND external_id = $3", tx.Account, channel, external)
	if err != nil || id == 0 {
		return 0, err
	}
	return tx.MergedInto(id)
}

// NextPosting returns what to show next of a request; ok is false if everything is
// up to date.
func (tx *Tx) NextPosting(id desk.RequestID) (p Posting, ok bool, err error) {
	p, err = scanPosting(tx.Row("SELECT "+postingColumns+" FROM posts WHERE account_id = $1 AND request_id = $2 AND wanted > shown ORDER BY id LIMIT 1",
		tx.Account, id).Scan)
	if errors.Is(err, sqldb.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

// TryPosting records that a posting is being tried. Only the first attempt counts.
func (tx *Tx) TryPosting(p Posting) error {
	_, err := tx.Exec("UPDATE posts SET tried_at = $1 WHERE account_id = $2 AND id = $3 AND tried_at IS NULL", ms(tx.Now), tx.Account, p.ID)
	return err
}

// KeepPosting saves what a later attempt needs to know.
func (tx *Tx) KeepPosting(p Posting, kept string) error {
	_, err := tx.Exec("UPDATE posts SET kept = $1 WHERE account_id = $2 AND id = $3", kept, tx.Account, p.ID)
	return err
}

// FinishPosting records that a posting is shown where p says, in the form wanted
// when p was read. failure says why it could not be shown; then nobody tries again.
func (tx *Tx) FinishPosting(p Posting, failure string) error {
	_, err := tx.Exec("UPDATE posts SET shown = $1, channel_id = $2, external_id = $3, failure = $4 WHERE account_id = $5 AND id = $6",
		p.wanted, unlessZero(p.Channel), unlessZero(p.External), failure, tx.Account, p.ID)
	return err
}

// HoldTelling lets holder alone post for a request until a time. It returns false
// while somebody else holds it.
func (tx *Tx) HoldTelling(id desk.RequestID, holder string, until time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO tellings (account_id, request_id, held_by, held_until) SELECT $1, id, $3, $4 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, request_id) DO UPDATE SET held_by = excluded.held_by, held_until = excluded.held_until
		WHERE tellings.account_id = excluded.account_id AND (tellings.held_by = excluded.held_by OR tellings.held_until <= $5)`,
		tx.Account, id, holder, ms(until), ms(tx.Now))
	return n > 0, err
}

// ReleaseTelling gives up holder's hold on a request.
func (tx *Tx) ReleaseTelling(id desk.RequestID, holder string) error {
	_, err := tx.Exec("DELETE FROM tellings WHERE account_id = $1 AND request_id = $2 AND held_by = $3", tx.Account, id, holder)
	return err
}

// Untold returns requests with an id above after that have something to show or a
// file to fetch.
func (tx *Tx) Untold(after desk.RequestID, limit int) ([]desk.RequestID, error) {
	return sqldb.Collect(tx.Tx, scanID[desk.RequestID], `SELECT request_id FROM posts WHERE account_id = $1 AND request_id > $2 AND wanted > shown
		UNION SELECT request_id FROM incoming_files WHERE account_id = $1 AND request_id > $2
		ORDER BY request_id LIMIT $3`, tx.Account, after, limit)
}
