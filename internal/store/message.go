package store

import (
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const messageColumns = `id, request_id, author_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source,
	channel_id, external_id, thread_id, email, created_at, said_at, edited_at`

func scanMessage(scan scanner) (m desk.Message, err error) {
	var said int64
	err = scan(&m.ID, &m.Request, orZero(&m.Author.User), &m.Author.Name, &m.Author.Email, &m.HTML, &m.Text, &m.Responder, &m.Private, &m.Bot, &m.Idle, &m.Source,
		orZero(&m.Channel), orZero(&m.External), orZero(&m.Thread), stored.MessageEmail(&m.Email), inMS(&m.CreatedAt), &said, inMSOrNil(&m.EditedAt))
	m.SaidAt = time.UnixMicro(said).UTC()
	return m, err
}

// AddMessage inserts a new message of a request and sets its id. The caller has
// checked that we do not have this message of the chat system yet. If another
// process inserts it in the meantime, the transaction runs again.
func (tx *Tx) AddMessage(m *desk.Message) error {
	first := tx.made[m.Request] && !tx.Wrote("messages")
	err := tx.Row(`INSERT INTO messages (account_id, request_id, author_id, author_name, author_email, html, text,
			is_responder, is_private, is_bot, is_idle, source, channel_id, external_id, thread_id, email, created_at, said_at, edited_at)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT DO NOTHING RETURNING id`,
		tx.Account, m.Request, unlessZero(m.Author.User), m.Author.Name, m.Author.Email, m.HTML, m.Text,
		m.Responder, m.Private, m.Bot, m.Idle, m.Source, unlessZero(m.Channel), unlessZero(m.External), unlessZero(m.Thread),
		stored.MessageEmail(&m.Email), ms(m.CreatedAt), Microseconds(m.CreatedAt), OptionalMS(m.EditedAt)).Scan(&m.ID)
	if err != nil {
		return fmt.Errorf("add message: %w", Missing(err, "Request"))
	}
	if tx.spoken == nil {
		tx.spoken = map[desk.MessageID]bool{}
	}
	tx.spoken[m.ID] = true
	if first {
		tx.touchAdded(*m, false)
		return tx.setNewest(m.Request, m.ID, whoSaid(m.Author), tx.newAt(m.Source))
	}
	isAnswered, err := tx.saveNewest(*m)
	if err != nil {
		return err
	}
	tx.touchAdded(*m, isAnswered)
	return nil
}

// AddMessages reads the messages of several requests at once, in time order, with
// their files.
func (tx *Tx) AddMessages(requests []desk.Request) error {
	if len(requests) == 0 {
		return nil
	}
	for i := range requests {
		requests[i].Messages = []desk.Message{}
	}
	ids, at := placesOf(requests, func(r *desk.Request) desk.RequestID { return r.ID })
	err := collectFor(tx, ids, messageColumns+" FROM messages", "said_at, id", scanMessage, func(id desk.RequestID, m desk.Message) {
		at[id].Messages = append(at[id].Messages, m)
	}, " AND removed_at IS NULL")
	if err != nil {
		return err
	}
	return tx.addAttachments(ids, at)
}

// MessageAt returns our message for one of the chat system, and whether it was
// removed. It returns NotFound if there is none.
func (tx *Tx) MessageAt(channel, external string) (m desk.Message, removed bool, err error) {
	var removedAt *int64
	m, err = scanMessage(func(dest ...any) error {
		return tx.Row("SELECT "+messageColumns+", removed_at FROM messages WHERE account_id = $1 AND channel_id = $2 AND external_id = $3",
			tx.Account, channel, external).Scan(append(dest, &removedAt)...)
	})
	return m, removedAt != nil, Missing(err, "Message")
}

// Message returns a message that was not removed, with its files.
func (tx *Tx) Message(id desk.MessageID) (desk.Message, error) {
	m, err := scanMessage(tx.Row("SELECT "+messageColumns+" FROM messages WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	if err != nil {
		return m, Missing(err, "Message")
	}
	if tx.spoken[id] && !tx.Wrote("attachments") {
		return m, nil
	}
	m.Attachments, err = sqldb.Collect(tx.Tx, scanAttachment, `SELECT id, name, type, size, blob_key, created_at FROM attachments
		WHERE account_id = $1 AND request_id = $2 AND message_id = $3 ORDER BY id`, tx.Account, m.Request, id)
	return m, err
}

// FirstMessage returns the first public message of a request. It returns NotFound
// if there is none.
func (tx *Tx) FirstMessage(id desk.RequestID) (desk.Message, error) {
	var first desk.MessageID
	err := tx.Row(`SELECT id FROM messages WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL AND NOT is_private
		ORDER BY said_at, id LIMIT 1`, tx.Account, id).Scan(&first)
	if err != nil {
		return desk.Message{}, Missing(err, "Message")
	}
	return tx.Message(first)
}

// AnswerUnseen returns the newest public message that a responder other than by has
// added to a request after the message that by has seen last: its id, its author and
// its time. The id is 0 if there is none.
func (tx *Tx) AnswerUnseen(id desk.RequestID, seen desk.MessageID, by desk.Requester) (m desk.Message, err error) {
	// "+ 0" keeps both engines from reading all newer messages of the account.
	err = tx.Row(`SELECT m.id, coalesce(m.author_id, ''), coalesce(u.name, m.author_name, ''), coalesce(m.author_email, ''), m.created_at
		FROM messages m LEFT JOIN users u ON u.account_id = m.account_id AND u.user_id = m.author_id
		WHERE m.account_id = $1 AND m.request_id = $2 AND m.id + 0 > $3 AND m.removed_at IS NULL AND m.is_responder AND NOT m.is_private
			AND CASE WHEN m.author_id IS NULL THEN coalesce(m.author_email, '') <> $4 ELSE m.author_id <> $5 END
		ORDER BY m.said_at DESC, m.id DESC LIMIT 1`, tx.Account, id, seen, by.Email, by.User).Scan(&m.ID, &m.Author.User, &m.Author.Name, &m.Author.Email, inMS(&m.CreatedAt))
	if errors.Is(err, sqldb.ErrNoRows) {
		return desk.Message{}, nil
	}
	return m, wrap("look for an answer", err)
}

// Asked returns the message that a request's title comes from: the first in which a
// requester asks for something, or else the first of all. It returns NotFound if
// there is none.
func (tx *Tx) Asked(id desk.RequestID) (desk.Message, error) {
	first, err := one[desk.MessageID](tx, `SELECT id FROM messages WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL
		AND NOT is_private AND NOT is_idle AND NOT is_responder ORDER BY said_at, id LIMIT 1`, tx.Account, id)
	switch {
	case err != nil:
		return desk.Message{}, err
	case first == 0:
		return tx.FirstMessage(id)
	}
	return tx.Message(first)
}

// EditMessage saves the new content of a message.
func (tx *Tx) EditMessage(m desk.Message) error {
	_, err := tx.changeMessage("UPDATE messages SET html = $1, text = $2, is_idle = $3, is_private = $4, edited_at = $5 WHERE account_id = $6 AND id = $7",
		m.HTML, m.Text, m.Idle, m.Private, OptionalMS(m.EditedAt), tx.Account, m.ID)
	return err
}

// RemoveMessage removes a message from its request. The row stays.
func (tx *Tx) RemoveMessage(id desk.MessageID) error {
	of, err := tx.changeMessage("UPDATE messages SET removed_at = $1 WHERE account_id = $2 AND id = $3 AND removed_at IS NULL", ms(tx.Now), tx.Account, id)
	if err != nil || of == 0 {
		return err
	}
	return tx.findNewest(of)
}

// changeMessage changes a message, if it exists, and returns its request.
func (tx *Tx) changeMessage(statement string, args ...any) (desk.RequestID, error) {
	var id desk.RequestID
	var at place
	err := tx.Row(statement+" RETURNING request_id, said_at, id", args...).Scan(&id, &at.said, &at.message)
	if errors.Is(err, sqldb.ErrNoRows) {
		return 0, nil
	}
	tx.touchMessage(id, at)
	return id, err
}

// PlaceMessage records where a message of ours was posted in the chat system. A
// message that came from there keeps its place.
func (tx *Tx) PlaceMessage(id desk.MessageID, channel, external, thread string) error {
	return tx.Do(`UPDATE messages SET channel_id = $1, external_id = $2, thread_id = $3 WHERE account_id = $4 AND id = $5 AND external_id IS NULL`,
		channel, external, unlessZero(thread), tx.Account, id)
}

// HasMessages reports whether a request has any public messages left.
func (tx *Tx) HasMessages(id desk.RequestID) (bool, error) {
	_, err := tx.FirstMessage(id)
	if desk.KindOf(err) == desk.NotFound {
		return false, nil
	}
	return err == nil, err
}
