package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Posting is something that the chat system shows or is to show of a request.
type Posting struct {
	desk.Posting
	Effect
}

func scanPosting(scan scanner) (p Posting, err error) {
	p.Effect, err = scanEffect(effectsOfRequests, scan, &p.Request, &p.Kind, &p.Place, orZero(&p.Message), &p.Part, orZero(&p.User), &p.Text, &p.AsBot)
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
	card, err := one[int64](tx, "SELECT id FROM posts WHERE account_id = $1 AND request_id = $2 AND kind = 'card'", tx.Account, id)
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
	id, err := one[desk.RequestID](tx, "SELECT request_id FROM posts WHERE account_id = $1 AND channel_id = $2 AND external_id = $3", tx.Account, channel, external)
	if err != nil || id == 0 {
		return 0, err
	}
	return tx.MergedInto(id)
}

// NextPosting returns what to show next of a request; ok is false if everything is
// up to date.
func (tx *Tx) NextPosting(id desk.RequestID) (p Posting, ok bool, err error) {
	return IfAny(scanPosting(tx.Row("SELECT "+effectColumns+`, request_id, kind, place, message_id, part, user_id, text, as_bot FROM posts
		WHERE account_id = $1 AND request_id = $2 AND wanted > shown ORDER BY id LIMIT 1`, tx.Account, id).Scan))
}

// PendingRequests returns requests with an id above after that have something to
// show or a file to fetch.
func (tx *Tx) PendingRequests(after desk.RequestID, limit int) ([]desk.RequestID, error) {
	return sqldb.Collect(tx.Tx, scanID[desk.RequestID], `SELECT request_id FROM posts WHERE account_id = $1 AND request_id > $2 AND wanted > shown
		UNION SELECT request_id FROM incoming_files WHERE account_id = $1 AND request_id > $2
		ORDER BY request_id LIMIT $3`, tx.Account, after, limit)
}
