package store

import (
	"fmt"

	"frontdesk/internal/desk"
)

const messageColumns = `id, author_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source,
	channel_id, external_id, thread_id, created_at, edited_at`

func scanMessage(scan scanner) (m desk.Message, err error) {
	var author, channel, external, thread *string
	var created int64
	var edited *int64
	err = scan(&m.ID, &author, &m.Author.Name, &m.Author.Email, &m.HTML, &m.Text, &m.Responder, &m.Private, &m.Bot, &m.Idle, &m.Source,
		&channel, &external, &thread, &created, &edited)
	m.Author.User, m.Channel, m.External, m.Thread = value(author), value(channel), value(external), value(thread)
	m.CreatedAt, m.EditedAt = fromMS(created), fromOptionalMS(edited)
	return m, err
}

// AddMessage keeps a new message of a request and gives it its id.
func (tx *Tx) AddMessage(m *desk.Message) error {
	err := tx.Row(`INSERT INTO messages (account_id, request_id, author_id, author_name, author_email, html, text,
			is_responder, is_private, is_bot, is_idle, source, channel_id, external_id, thread_id, created_at, edited_at)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17 FROM requests WHERE account_id = $1 AND id = $2
		RETURNING id`,
		tx.Account, m.Request, unlessZero(m.Author.User), m.Author.Name, m.Author.Email, m.HTML, m.Text,
		m.Responder, m.Private, m.Bot, m.Idle, m.Source, unlessZero(m.Channel), unlessZero(m.External), unlessZero(m.Thread),
		ms(m.CreatedAt), optionalMS(m.EditedAt)).Scan(&m.ID)
	if err != nil {
		return fmt.Errorf("add message: %w", missing(err, "Request"))
	}
	return nil
}

// AddMessages reads the messages of several requests at once, in time order,
// with their files.
func (tx *Tx) AddMessages(requests []desk.Request) error {
	if len(requests) == 0 {
		return nil
	}
	ids, at := make([]desk.RequestID, len(requests)), make(map[desk.RequestID]*desk.Request, len(requests))
	for i := range requests {
		requests[i].Messages = []desk.Message{}
		ids[i], at[requests[i].ID] = requests[i].ID, &requests[i]
	}
	err := collectFor(tx, ids, messageColumns+" FROM messages", "created_at, id", scanMessage, func(id desk.RequestID, m desk.Message) {
		m.Request = id
		at[id].Messages = append(at[id].Messages, m)
	}, " AND removed_at IS NULL")
	if err != nil {
		return err
	}
	return tx.addAttachments(ids, at)
}
