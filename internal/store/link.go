package store

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const linkColumns = `l.id, t.request_id, t.id, t.type, t.key, t.url, t.created_at, l.name, l.external_id, l.is_task, l.forward, l.backward,
	l.notify_status, l.status_id, l.status_name, l.state, l.comment_cursor, l.created_at
	FROM ticket_links l JOIN tickets t ON t.account_id = l.account_id AND t.id = l.ticket_id`

func scanLink(scan scanner) (l desk.TicketLink, err error) {
	err = scan(&l.ID, &l.Request, &l.Ticket.ID, &l.Ticket.Type, &l.Ticket.Key, &l.Ticket.URL, inMS(&l.Ticket.CreatedAt), &l.Name, orZero(&l.External),
		&l.Task, &l.Forward, &l.Backward,
		&l.NotifyStatus, &l.StatusID, &l.StatusName, &l.State, &l.Cursor, inMS(&l.CreatedAt))
	return l, err
}

// AddLink links a request to a ticket of another system. It inserts the ticket and
// the link with what is to be kept in sync.
func (tx *Tx) AddLink(l *desk.TicketLink) error {
	err := tx.Row(`INSERT INTO tickets (account_id, request_id, type, key, url, created_at)
		SELECT $1, id, $3, $4, '', $5 FROM requests WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, l.Request, l.Ticket.Type, l.Ticket.Key, ms(l.CreatedAt)).Scan(&l.Ticket.ID)
	if err != nil {
		return fmt.Errorf("add a linked ticket: %w", Missing(err, "Request"))
	}
	tx.touch(l.Request)
	l.Ticket.CreatedAt = l.CreatedAt
	err = tx.Row(`INSERT INTO ticket_links (account_id, ticket_id, system, name, is_task, forward, backward, notify_status,
			status_id, status_name, state, comment_cursor, read_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', '', $9, '', 0, $10) RETURNING id`,
		tx.Account, l.Ticket.ID, l.Ticket.Type, l.Name, l.Task, l.Forward, l.Backward, l.NotifyStatus, l.State, ms(l.CreatedAt)).Scan(&l.ID)
	return wrap("add a link", err)
}

// Links returns the links of a request, oldest first.
func (tx *Tx) Links(id desk.RequestID) ([]desk.TicketLink, error) {
	return sqldb.Collect(tx.Tx, scanLink, "SELECT "+linkColumns+" WHERE t.account_id = $1 AND t.request_id = $2 ORDER BY l.id", tx.Account, id)
}

// Link returns one link.
func (tx *Tx) Link(id desk.LinkID) (desk.TicketLink, error) {
	l, err := scanLink(tx.Row("SELECT "+linkColumns+" WHERE l.account_id = $1 AND l.id = $2", tx.Account, id).Scan)
	return l, Missing(err, "Link")
}

// LinkOf returns the link of a request to a ticket, by the ticket id that the API
// shows.
func (tx *Tx) LinkOf(request desk.RequestID, ticket int64) (desk.TicketLink, error) {
	l, err := scanLink(tx.Row("SELECT "+linkColumns+" WHERE l.account_id = $1 AND l.ticket_id = $2 AND t.request_id = $3", tx.Account, ticket, request).Scan)
	return l, Missing(err, "Ticket")
}

// RemoveLink removes a link. Only the messages stay.
func (tx *Tx) RemoveLink(l desk.TicketLink) error {
	tx.touch(l.Request)
	return wrap("remove a link", tx.doAll(l.Ticket.ID,
		"DELETE FROM link_comments WHERE account_id = $1 AND link_id IN (SELECT id FROM ticket_links WHERE account_id = $1 AND ticket_id = $2)",
		"DELETE FROM ticket_links WHERE account_id = $1 AND ticket_id = $2",
		"DELETE FROM tickets WHERE account_id = $1 AND id = $2 AND number IS NULL"))
}

// LinksTo returns the links to a ticket, by the other system's id.
func (tx *Tx) LinksTo(system desk.TicketType, external string) ([]desk.LinkID, error) {
	return sqldb.Collect(tx.Tx, scanID[desk.LinkID], "SELECT id FROM ticket_links WHERE account_id = $1 AND system = $2 AND external_id = $3 ORDER BY id",
		tx.Account, system, external)
}

// UnreadLinks returns links to a system with an id above after that were not read
// since a time.
func (tx *Tx) UnreadLinks(system desk.TicketType, since time.Time, after desk.LinkID, limit int) ([]desk.LinkID, error) {
	return sqldb.Collect(tx.Tx, scanID[desk.LinkID], `SELECT id FROM ticket_links
		WHERE account_id = $1 AND system = $2 AND read_at < $3 AND id > $4 ORDER BY id LIMIT $5`, tx.Account, system, ms(since), after, limit)
}

// SaveLink saves what is known of a linked ticket.
func (tx *Tx) SaveLink(l desk.TicketLink) error {
	tx.change(l.Request)
	if err := tx.Do("UPDATE tickets SET key = $1, url = $2 WHERE account_id = $3 AND id = $4", l.Ticket.Key, l.Ticket.URL, tx.Account, l.Ticket.ID); err != nil {
		return fmt.Errorf("save a linked ticket: %w", err)
	}
	return wrap("save a link", tx.Do(`UPDATE ticket_links SET external_id = $1, status_id = $2, status_name = $3, state = $4, comment_cursor = $5
		WHERE account_id = $6 AND id = $7`, unlessZero(l.External), l.StatusID, l.StatusName, l.State, l.Cursor, tx.Account, l.ID))
}

// ReadLink records that a linked ticket was read at a time, so that it is not read
// again for a while. A time in the future postpones the next read.
func (tx *Tx) ReadLink(id desk.LinkID, at time.Time) error {
	return tx.Do("UPDATE ticket_links SET read_at = $1 WHERE account_id = $2 AND id = $3", ms(at), tx.Account, id)
}

// LinkComment is a message that is to be posted as a comment on a linked ticket.
type LinkComment struct {
	Effect
	Message desk.MessageID
}

// AddComment queues a message as a comment on a linked ticket, under a mark.
func (tx *Tx) AddComment(link desk.LinkID, message desk.MessageID, mark string) error {
	return tx.Do(`INSERT INTO link_comments (account_id, link_id, message_id, mark, wanted, shown, kept, failure)
		SELECT $1, id, $3, $4, 1, 0, '', '' FROM ticket_links WHERE account_id = $1 AND id = $2`, tx.Account, link, message, mark)
}

// KeepComment records that a message came from a comment on a linked ticket.
func (tx *Tx) KeepComment(link desk.LinkID, message desk.MessageID, external string) error {
	return tx.Do(`INSERT INTO link_comments (account_id, link_id, message_id, mark, external_id, wanted, shown, kept, failure)
		SELECT $1, id, $3, '', $4, 1, 1, '', '' FROM ticket_links WHERE account_id = $1 AND id = $2`, tx.Account, link, message, external)
}

// KnowsComment reports whether we have a comment on a linked ticket: by its id
// there, or by the mark under which we posted it.
func (tx *Tx) KnowsComment(link desk.LinkID, external, mark string) (bool, error) {
	var n int
	err := tx.Row(`SELECT (SELECT count(*) FROM link_comments WHERE account_id = $1 AND link_id = $2 AND external_id = $3)
		+ (SELECT count(*) FROM link_comments WHERE account_id = $1 AND link_id = $2 AND mark = $4 AND mark <> '')`,
		tx.Account, link, external, mark).Scan(&n)
	return n > 0, err
}

// NextComment returns the next comment to post on a linked ticket; ok is false if
// there is none.
func (tx *Tx) NextComment(link desk.LinkID) (c LinkComment, ok bool, err error) {
	c.Effect, err = scanEffect(effectsOfLinks, tx.Row("SELECT "+effectColumns+`, message_id FROM link_comments
		WHERE account_id = $1 AND link_id = $2 AND wanted > shown ORDER BY id LIMIT 1`, tx.Account, link).Scan, &c.Message)
	return IfAny(c, err)
}
