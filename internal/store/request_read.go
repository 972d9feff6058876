package store

import (
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// unreadRun says which unread requests a run of a list covers. The two runs
// together cover all of them, and they do not overlap.
type unreadRun int

const (
	unreadNew    unreadRun = iota + 1 // somebody has said something
	unreadMarked                      // the member has marked it as unread
)

// whoSaid returns the author of a message in the form a request stores.
func whoSaid(by desk.Requester) string {
	if by.User != "" {
		return by.User
	}
	return "@" + desk.FoldEmail(by.Email)
}

const updateNewest = "UPDATE requests SET version = version + 1, newest_id = $1, newest_by = $2, newest_at = $3 WHERE account_id = $4 AND id = $5"

// newAt returns the time from which a message added now is new. Imported messages
// are new to nobody.
func (tx *Tx) newAt(source desk.Source) int64 {
	if source == desk.SourceImport {
		return 0
	}
	return ms(tx.Now)
}

// saveNewest makes a message that was just added the newest of its request. It moves
// updated_at to now as well, as whoever adds a message does, so that SaveRequest has
// less to save or nothing. A request that is new in this transaction keeps its own. It
// reports whether a responder has publicly said something after the message.
func (tx *Tx) saveNewest(m desk.Message) (isAnswered bool, err error) {
	updated := &tx.Now
	if tx.made[m.Request] {
		updated = nil
	}
	err = tx.Row(`UPDATE requests SET version = version + 1, newest_id = $1, newest_by = $2, newest_at = $3, updated_at = coalesce($8, updated_at) WHERE account_id = $4 AND id = $5
		RETURNING EXISTS (SELECT 1 FROM messages m WHERE m.account_id = $4 AND m.request_id = $5
			AND m.removed_at IS NULL AND m.is_responder AND NOT m.is_private AND (m.said_at, m.id) > ($6, $7))`,
		m.ID, whoSaid(m.Author), tx.newAt(m.Source), tx.Account, m.Request, Microseconds(m.CreatedAt), m.ID, OptionalMS(updated)).Scan(&isAnswered)
	if err != nil {
		return false, fmt.Errorf("keep the newest message: %w", err)
	}
	if row := tx.rows[m.Request]; row != nil && updated != nil {
		row[updatedField] = ms(tx.Now)
	}
	tx.changedRow(m.Request)
	return isAnswered, nil
}

func (tx *Tx) setNewest(id desk.RequestID, newest desk.MessageID, by string, at int64) error {
	if err := tx.Later(updateNewest, newest, by, at, tx.Account, id); err != nil {
		return fmt.Errorf("keep the newest message: %w", err)
	}
	tx.changedRow(id)
	return nil
}

// findNewest finds the newest messages of requests that lost or gained messages.
func (tx *Tx) findNewest(ids ...desk.RequestID) error {
	for _, id := range ids {
		m, err := scanMessage(tx.Row("SELECT "+messageColumns+" FROM messages WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL ORDER BY id DESC LIMIT 1", tx.Account, id).Scan)
		at := ms(m.CreatedAt)
		switch {
		case errors.Is(err, sqldb.ErrNoRows):
			m, at = desk.Message{}, 0
		case err != nil:
			return err
		case m.Source == desk.SourceImport:
			at = 0
		}
		if err := tx.setNewest(id, m.ID, whoSaid(m.Author), at); err != nil {
			return err
		}
	}
	return nil
}

// countNewest saves the newest messages of imported requests.
func (tx *Tx) countNewest(ids []desk.RequestID) error {
	for some := range slices.Chunk(ids, mostNamed) {
		var q query
		q.Add(`UPDATE requests SET version = version + 1, newest_id = coalesce((SELECT max(m.id) FROM messages m
			WHERE m.account_id = requests.account_id AND m.request_id = requests.id AND m.removed_at IS NULL), 0) WHERE account_id = ? AND id IN `, tx.Account)
		sqldb.In(&q, some)
		if err := tx.Do(q.String(), q.Args()...); err != nil {
			return fmt.Errorf("keep the newest messages: %w", err)
		}
		for _, id := range some {
			tx.changedRow(id)
		}
	}
	return nil
}

// Reader returns a member as a reader of messages.
func (tx *Tx) Reader(id desk.MemberID) (desk.Reader, error) {
	r, err := tx.readReader(id)
	return r.at(tx.Now), err
}

func (tx *Tx) readReader(id desk.MemberID) (keptReader, error) {
	r := desk.Reader{Member: id}
	var created int64
	var user *string
	err := tx.Row(`SELECT m.email_folded, m.created_at, (SELECT u.user_id FROM users u
			WHERE u.account_id = m.account_id AND u.email_folded = m.email_folded AND u.email_folded <> '' AND NOT u.deleted AND NOT u.is_bot ORDER BY u.id LIMIT 1)
		FROM members m WHERE m.account_id = $1 AND m.id = $2`, tx.Account, id).Scan(&r.Email, &created, &user)
	r.User, r.Since = value(user), FromMS(created)
	return keptReader{Reader: r}, Missing(err, "Member")
}

// unread narrows a query to requests that are unread for a reader: all of them, or
// those of the run of new ones.
func (q *query) unread(tx *Tx, r desk.Reader, run unreadRun) {
	email := "@" + r.Email
	user := r.User
	if user == "" {
		user = email
	}
	q.Add(" AND (")
	if run == 0 {
		q.Add("EXISTS (SELECT 1 FROM request_reads rr WHERE rr.account_id = ? AND rr.member_id = ? AND rr.request_id = requests.id AND rr.message_id = -1) OR ", tx.Account, r.Member)
	}
	// SQLite uses a partial index only if the query repeats its condition
	// literally.
	q.Add(`newest_at > 0 AND newest_at >= ? AND newest_by NOT IN (?, ?) AND NOT EXISTS (SELECT 1 FROM request_reads rr
		WHERE rr.account_id = ? AND rr.member_id = ? AND rr.request_id = requests.id AND (rr.message_id >= newest_id OR rr.message_id = -1)))`,
		ms(r.Since), user, email, tx.Account, r.Member)
}

// SetRead records that a member has read everything in a request, or wants it
// marked as unread.
func (tx *Tx) SetRead(member desk.MemberID, id desk.RequestID, read bool) error {
	return wrap("keep what was read", tx.Do(`INSERT INTO request_reads (account_id, member_id, request_id, message_id)
		SELECT r.account_id, m.id, r.id, CASE WHEN $4 THEN r.newest_id ELSE -1 END FROM requests r JOIN members m ON m.account_id = r.account_id
		WHERE r.account_id = $1 AND m.id = $2 AND r.id = $3
		ON CONFLICT (account_id, member_id, request_id) DO UPDATE SET message_id = excluded.message_id`, tx.Account, member, id, read))
}

// mostPreview is how many characters of a message a list shows.
const mostPreview = 200

func appendGiven[T comparable](all []T, v *T) []T {
	if v == nil || slices.Contains(all, *v) {
		return all
	}
	return append(all, *v)
}

// saidLast holds who said something last in a request and when, which decides
// whether it is unread, and the start of the newest message.
type saidLast struct {
	by   string
	at   int64
	last *desk.LastMessage
}

func (tx *Tx) readSaidLast(ids []desk.RequestID) (map[desk.RequestID]saidLast, error) {
	said := make(map[desk.RequestID]saidLast, len(ids))
	var q query
	q.Add(`SELECT r.id, r.newest_by, r.newest_at, m.id, m.author_id, coalesce(u.name, m.author_name, ''), coalesce(m.author_email, ''),
		coalesce(substr(m.text, 1, 1000), ''), coalesce(m.is_responder, FALSE), coalesce(m.is_private, FALSE), coalesce(m.created_at, 0)
		FROM requests r LEFT JOIN messages m ON m.account_id = r.account_id AND m.id = r.newest_id
		LEFT JOIN users u ON u.account_id = m.account_id AND u.user_id = m.author_id
		WHERE r.account_id = ? AND r.id IN `, tx.Account)
	sqldb.In(&q, ids)
	_, err := sqldb.Collect(tx.Tx, func(scan scanner) (id desk.RequestID, err error) {
		var s saidLast
		var m desk.LastMessage
		var message *desk.MessageID
		err = scan(&id, &s.by, &s.at, &message, orZero(&m.Author.User), &m.Author.Name, &m.Author.Email, &m.Text, &m.Responder, &m.Private, inMS(&m.CreatedAt))
		if message != nil {
			m.ID, m.Text = *message, desk.FirstLine(m.Text, mostPreview)
			if m.Private {
				m.Text = "" // a note's text is shown only where messages are asked for
			}
			s.last = &m
		}
		said[id] = s
		return id, err
	}, q.String(), q.Args()...)
	return said, err
}
