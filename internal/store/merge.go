package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// RequestsNamed returns those of the given requests that exist within reach,
// ordered by id.
func (tx *Tx) RequestsNamed(ids []desk.RequestID, reach desk.Reach) ([]desk.Request, error) {
	var all []desk.Request
	for some := range slices.Chunk(slices.Sorted(slices.Values(ids)), mostNamed) {
		var q query
		var beside beside
		q.Add(selectRequest+" WHERE r.account_id = ? AND r.id IN ", tx.Account)
		sqldb.In(&q, some)
		q.within("r.collection_id", reach)
		q.Add(" ORDER BY r.id")
		requests, err := sqldb.Collect(tx.Tx, beside.scanRequest, q.String(), q.Args()...)
		if err != nil {
			return nil, err
		}
		if err := tx.fillRequests(requests, beside); err != nil {
			return nil, err
		}
		all = append(all, requests...)
	}
	return all, nil
}

// ChildrenOf returns up to most ids of the children of several requests, including
// merged ones.
func (tx *Tx) ChildrenOf(ids []desk.RequestID, most int) ([]desk.RequestID, error) {
	var q query
	q.Add("SELECT id FROM requests WHERE account_id = ? AND parent_id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY id LIMIT ?", most)
	return sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.String(), q.Args()...)
}

// Ancestors returns the ancestors of a request, each with its parent, or nil if it
// has none. A request that is its own ancestor is included.
func (tx *Tx) Ancestors(id desk.RequestID) (map[desk.RequestID]*desk.RequestID, error) {
	parents := map[desk.RequestID]*desk.RequestID{}
	err := tx.Each(func(scan scanner) error {
		var id desk.RequestID
		var parent *desk.RequestID
		err := scan(&id, &parent)
		parents[id] = parent
		return err
	}, `WITH RECURSIVE line (id) AS (
			SELECT parent_id FROM requests WHERE account_id = $1 AND id = $2
			UNION SELECT r.parent_id FROM requests r JOIN line ON line.id = r.id WHERE r.account_id = $1)
		SELECT r.id, r.parent_id FROM requests r JOIN line ON line.id = r.id WHERE r.account_id = $1`, tx.Account, id)
	return parents, err
}

// Belongings returns what would move with each of some requests, in their order.
func (tx *Tx) Belongings(ids []desk.RequestID) ([]desk.MovedRequest, error) {
	all, at := make([]desk.MovedRequest, len(ids)), make(map[desk.RequestID]*desk.MovedRequest, len(ids))
	for i, id := range ids {
		all[i].Request, at[id] = id, &all[i]
	}
	err := collectFor(tx, ids, "id FROM messages", "id", scanID[desk.MessageID], func(id desk.RequestID, m desk.MessageID) {
		at[id].Messages = append(at[id].Messages, m)
	})
	if err != nil {
		return nil, err
	}
	err = collectFor(tx, ids, "id FROM tickets", "id", scanID[int64], func(id desk.RequestID, t int64) {
		at[id].Tickets = append(at[id].Tickets, t)
	})
	if err != nil {
		return nil, err
	}
	err = collectFor(tx, ids, "id FROM surveys", "id", scanID[desk.SurveyID], func(id desk.RequestID, s desk.SurveyID) {
		at[id].Surveys = append(at[id].Surveys, s)
	})
	if err != nil {
		return nil, err
	}
	return all, collectFor(tx, ids, "id FROM agent_sessions", "id", scanID[desk.AgentSessionID], func(id desk.RequestID, s desk.AgentSessionID) {
		at[id].Sessions = append(at[id].Sessions, s)
	})
}

// mostNamed limits the number of ids in one statement.
const mostNamed = 500

// Move moves messages with their files, tickets, a survey and sessions of the
// virtual agent from one request to another. It returns Refused if some of them are
// no longer there.
func (tx *Tx) Move(m desk.MovedRequest, from, to desk.RequestID) error {
	var mailed bool
	err := tx.Row(`SELECT id, EXISTS (SELECT 1 FROM requests f WHERE f.account_id = $1 AND f.id = $3 AND f.mail_subject IS NOT NULL)
		FROM requests WHERE account_id = $1 AND id = $2`, tx.Account, to, from).Scan(&to, &mailed)
	if err != nil {
		return Missing(err, "Request")
	}
	tx.touchMessage(from, place{})
	tx.touchMessage(to, place{})
	moved := 0
	for some := range slices.Chunk(m.Messages, mostNamed) {
		var q, files query
		q.Add("UPDATE messages SET request_id = ? WHERE account_id = ? AND request_id = ? AND id IN ", to, tx.Account, from)
		sqldb.In(&q, some)
		n, err := tx.Exec(q.String(), q.Args()...)
		if err != nil {
			return fmt.Errorf("move messages: %w", err)
		}
		moved += int(n)
		files.Add("UPDATE attachments SET request_id = ? WHERE account_id = ? AND request_id = ? AND message_id IN ", to, tx.Account, from)
		sqldb.In(&files, some)
		if err := tx.Do(files.String(), files.Args()...); err != nil {
			return fmt.Errorf("move attachments: %w", err)
		}
		if mailed {
			var mails query
			mails.Add("UPDATE mails SET request_id = ? WHERE account_id = ? AND request_id = ? AND message_id IN ", to, tx.Account, from)
			sqldb.In(&mails, some)
			if err := tx.Do(mails.String(), mails.Args()...); err != nil {
				return fmt.Errorf("move mails: %w", err)
			}
		}
	}
	tickets, err := moveRows(tx, "tickets", m.Tickets, from, to)
	if err != nil {
		return err
	}
	surveys, err := moveRows(tx, "surveys", m.Surveys, from, to)
	if err != nil {
		return err
	}
	sessions, err := moveRows(tx, "agent_sessions", m.Sessions, from, to)
	if err != nil {
		return err
	}
	if sessions > 0 {
		tx.count(from, to)
	}
	if moved+tickets+surveys+sessions != len(m.Messages)+len(m.Tickets)+len(m.Surveys)+len(m.Sessions) {
		return desk.Errorf(desk.Refused, "Some of the messages or tickets of request %d are in another request since.", from)
	}
	if moved == 0 {
		return nil
	}
	return tx.findNewest(from, to)
}

// moveRows moves rows of a table from one request to another and returns how many
// it moved.
func moveRows[T ~int64](tx *Tx, table string, ids []T, from, to desk.RequestID) (moved int, err error) {
	for some := range slices.Chunk(ids, mostNamed) {
		var q query
		q.Add("UPDATE "+table+" SET request_id = ? WHERE account_id = ? AND request_id = ? AND id IN ", to, tx.Account, from)
		sqldb.In(&q, some)
		n, err := tx.Exec(q.String(), q.Args()...)
		if err != nil {
			return 0, fmt.Errorf("move %s: %w", table, err)
		}
		moved += int(n)
	}
	return moved, nil
}

// MessagesSince returns the messages of a request that are newer than last,
// including removed ones, without their files.
func (tx *Tx) MessagesSince(id desk.RequestID, last desk.MessageID) ([]desk.Message, error) {
	return sqldb.Collect(tx.Tx, scanMessage, "SELECT "+messageColumns+` FROM messages
		WHERE account_id = $1 AND request_id = $2 AND id > $3 ORDER BY created_at, id`, tx.Account, id, last)
}
