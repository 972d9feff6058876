package store

import (
	"errors"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Posting is something we show, or are to show, in the chat system, with what a
// try of it needs.
type Posting struct {
	ID int64
	desk.Posting
	wanted   int64
	Mark     string
	TriedAt  time.Time // zero: never
	Kept     string
	Channel  string // where it stands; empty where it does not yet
	External string
	// FilesWait says that files of the request are not here yet, which it may have
	// to take along.
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

// AddPosting has something shown. mark names it among all of ours.
func (tx *Tx) AddPosting(p desk.Posting, mark string) error {
	return tx.Later(`INSERT INTO posts (account_id, request_id, kind, place, message_id, part, user_id, text, as_bot, mark, wanted, shown, kept, failure)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, 1, 0, '', '' FROM requests WHERE account_id = $1 AND id = $2`,
		tx.Account, p.Request, p.Kind, p.Place, unlessZero(p.Message), p.Part, unlessZero(p.User), p.Text, p.AsBot, mark)
}

// RenewCard has a request's card shown as it is now, and reports whether there
// is one.
func (tx *Tx) RenewCard(id desk.RequestID) (bool, error) {
	n, err := tx.Exec("UPDATE posts SET wanted = wanted + 1 WHERE account_id = $1 AND request_id = $2 AND kind = 'card'", tx.Account, id)
	return n > 0, err
}

// HasCard reports whether a request has a card, or is to have one.
func (tx *Tx) HasCard(id desk.RequestID) (bool, error) {
	card, err := tx.oneRequest("SELECT id FROM posts WHERE account_id = $1 AND request_id = $2 AND kind = 'card'", tx.Account, id)
	return card != 0, err
}

// RenewPostings has what we show of a message shown as it is now, or taken away
// where it was removed, and reports whether there is anything.
func (tx *Tx) RenewPostings(id desk.MessageID) (bool, error) {
	n, err := tx.Exec("UPDATE posts SET wanted = wanted + 1 WHERE account_id = $1 AND message_id = $2", tx.Account, id)
	return n > 0, err
}

// PostedParts is how many parts of a message there are, or are to be, in a place.
func (tx *Tx) PostedParts(id desk.MessageID, place desk.PostingPlace) (n int, err error) {
	err = tx.Row("SELECT count(*) FROM posts WHERE account_id = $1 AND message_id = $2 AND place = $3", tx.Account, id, place).Scan(&n)
	return n, err
}

// PostedAt is the request of which something of ours stands at a place of the
// chat system; 0 for none.
func (tx *Tx) PostedAt(channel, external string) (desk.RequestID, error) {
	id, err := tx.oneRequest("SELECT request_id FROM posts WHERE account_id = $1 AND channel_id = $2 AND external_id = $3", tx.Account, channel, external)
	if err != nil || id == 0 {
		return 0, err
	}
	return tx.MergedInto(id)
}

// NextPosting is what is to be shown next of a request; ok is false where
// everything is as it should be.
func (tx *Tx) NextPosting(id desk.RequestID) (p Posting, ok bool, err error) {
	p, err = scanPosting(tx.Row("SELECT "+postingColumns+" FROM posts WHERE account_id = $1 AND request_id = $2 AND wanted > shown ORDER BY id LIMIT 1",
		tx.Account, id).Scan)
	if errors.Is(err, sqldb.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

// TryPosting notes that a posting is being tried: the first time counts.
func (tx *Tx) TryPosting(p Posting) error {
	_, err := tx.Exec("UPDATE posts SET tried_at = $1 WHERE account_id = $2 AND id = $3 AND tried_at IS NULL", ms(tx.Now), tx.Account, p.ID)
	return err
}

// KeepPosting puts down what a later try needs to know.
func (tx *Tx) KeepPosting(p Posting, kept string) error {
	_, err := tx.Exec("UPDATE posts SET kept = $1 WHERE account_id = $2 AND id = $3", kept, tx.Account, p.ID)
	return err
}

// FinishPosting notes that a posting stands where p says, as it was wanted when
// p was read; failure says why it does not, and that nobody will try again.
func (tx *Tx) FinishPosting(p Posting, failure string) error {
	_, err := tx.Exec("UPDATE posts SET shown = $1, channel_id = $2, external_id = $3, failure = $4 WHERE account_id = $5 AND id = $6",
		p.wanted, unlessZero(p.Channel), unlessZero(p.External), failure, tx.Account, p.ID)
	return err
}

// HoldTelling makes holder the one who posts for a request until a moment. It
// gives false while somebody else is.
func (tx *Tx) HoldTelling(id desk.RequestID, holder string, until time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO tellings (account_id, request_id, held_by, held_until) SELECT $1, id, $3, $4 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, request_id) DO UPDATE SET held_by = excluded.held_by, held_until = excluded.held_until
		WHERE tellings.account_id = excluded.account_id AND (tellings.held_by = excluded.held_by OR tellings.held_until <= $5)`,
		tx.Account, id, holder, ms(until), ms(tx.Now))
	return n > 0, err
}

// ReleaseTelling lets go of it.
func (tx *Tx) ReleaseTelling(id desk.RequestID, holder string) error {
	_, err := tx.Exec("DELETE FROM tellings WHERE account_id = $1 AND request_id = $2 AND held_by = $3", tx.Account, id, holder)
	return err
}

// Untold are requests, after one of them, of which something is to be shown or
// a file is to be fetched.
func (tx *Tx) Untold(after desk.RequestID, limit int) ([]desk.RequestID, error) {
	return sqldb.Collect(tx.Tx, scanID[desk.RequestID], `SELECT request_id FROM posts WHERE account_id = $1 AND request_id > $2 AND wanted > shown
		UNION SELECT request_id FROM incoming_files WHERE account_id = $1 AND request_id > $2
		ORDER BY request_id LIMIT $3`, tx.Account, after, limit)
}
