package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// UsersNamed returns the users with any number of ids, by id, including deactivated
// ones. Unknown ids are left out.
func (tx *Tx) UsersNamed(ids []string) (map[string]desk.User, error) {
	rows, err := lookUp(tx, ids, scanUser, "SELECT "+userColumns+" FROM users WHERE account_id = ? AND user_id IN ")
	found := make(map[string]desk.User, len(rows))
	for _, r := range rows {
		found[r.ID] = r.User
	}
	return found, err
}

// UsersByEmail returns the users with any number of emails, by folded email,
// without deactivated users and bots. If several share an email, it returns the one
// we have known longest.
func (tx *Tx) UsersByEmail(emails []string) (map[string]desk.User, error) {
	folded := make([]string, 0, len(emails))
	for _, email := range emails {
		if email != "" { // users without a known email have an empty one
			folded = append(folded, desk.FoldEmail(email))
		}
	}
	rows, err := lookUp(tx, folded, scanUser, "SELECT "+userColumns+" FROM users WHERE account_id = ? AND NOT deleted AND NOT is_bot AND email_folded IN ")
	slices.SortFunc(rows, func(a, b userRow) int { return int(b.id - a.id) })
	found := make(map[string]desk.User, len(rows))
	for _, r := range rows { // the oldest comes last and overwrites the others
		found[desk.FoldEmail(r.Email)] = r.User
	}
	return found, err
}

// RequestsImported returns the requests with any number of external ids.
func (tx *Tx) RequestsImported(externalIDs []string) (map[string]desk.RequestID, error) {
	return lookUpBy[string, desk.RequestID](tx, externalIDs, "SELECT external_id, id FROM requests WHERE account_id = ? AND external_id IS NOT NULL AND external_id IN ")
}

// Past is what comes with a new request from another system, besides its row.
type Past struct {
	Request  desk.RequestID
	Messages []desk.Message // in the order in which they were said
	AI       desk.AIFields
	Ticket   desk.Ticket
	Start    desk.SLAStart
	Clocks   []desk.SLA
}

// KeepPasts inserts what comes with new requests, one table at a time. It returns
// NotFound if a request does not belong to the account.
func (tx *Tx) KeepPasts(all []Past) error {
	ids := make([]desk.RequestID, len(all))
	var messages []desk.Message
	for i, p := range all {
		ids[i] = p.Request
		for _, m := range p.Messages {
			m.Request = p.Request
			messages = append(messages, m)
		}
	}
	if err := tx.knows(ids...); err != nil {
		return fmt.Errorf("keep what requests come with: %w", err)
	}
	if err := tx.KeepMessages(messages); err != nil {
		return err
	}
	suggested := tx.newSuggestedRows()
	tickets := tx.insert("INSERT INTO tickets (account_id, request_id, type, number, key, url, form_id, created_at) VALUES ")
	starts := tx.insert("INSERT INTO sla_starts (account_id, request_id, since, collection_id, priority, customer_id, has_ticket) VALUES ")
	clocks := tx.insert("INSERT INTO request_slas (" + clockColumns + ") VALUES ")
	for _, p := range all {
		tx.touch(p.Request)
		if _, err := addSuggested(tx, suggested, p.Request, desk.AIFields{}, p.AI); err != nil {
			return err
		}
		tickets.Add(tx.Account, p.Request, p.Ticket.Type, p.Ticket.ID, p.Ticket.Key, p.Ticket.URL, p.Ticket.Form, ms(p.Ticket.CreatedAt))
		starts.Add(tx.Account, p.Request, OptionalMS(p.Start.Since), p.Start.Collection, p.Start.Priority, p.Start.Customer, p.Start.HasTicket)
		for _, c := range p.Clocks {
			clocks.Add(tx.clockRow(p.Request, c)...)
		}
	}
	return wrap("keep what requests come with", sqldb.Flush(suggested, tickets, starts, clocks))
}

// KeepMessages inserts many messages of requests, in their order, without returning
// their ids. It returns NotFound if a request does not belong to the account.
func (tx *Tx) KeepMessages(all []desk.Message) error {
	var of []desk.RequestID
	for i, m := range all {
		if i == 0 || m.Request != all[i-1].Request {
			of = append(of, m.Request)
		}
	}
	slices.Sort(of)
	of = slices.Compact(of)
	if err := tx.knows(of...); err != nil {
		return fmt.Errorf("keep messages: %w", err)
	}
	for _, id := range of {
		tx.touchMessage(id, place{})
	}
	rows := tx.insert(`INSERT INTO messages (account_id, request_id, author_id, author_name, author_email, html, text,
			is_responder, is_private, is_bot, is_idle, source, channel_id, external_id, thread_id, created_at, said_at, edited_at) VALUES `)
	for _, m := range all {
		rows.Add(tx.Account, m.Request, unlessZero(m.Author.User), m.Author.Name, m.Author.Email, m.HTML, m.Text,
			m.Responder, m.Private, m.Bot, m.Idle, m.Source, unlessZero(m.Channel), unlessZero(m.External), unlessZero(m.Thread),
			ms(m.CreatedAt), Microseconds(m.CreatedAt), OptionalMS(m.EditedAt))
	}
	if err := rows.Flush(); err != nil {
		return fmt.Errorf("keep messages: %w", err)
	}
	return tx.countNewest(of)
}
