package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// RequestsNamed are those of some requests that there are within reach, in the
// order of their ids.
func (tx *Tx) RequestsNamed(ids []desk.RequestID, reach desk.Reach) ([]desk.Request, error) {
	var all []desk.Request
	for some := range slices.Chunk(slices.Sorted(slices.Values(ids)), mostNamed) {
		var q query
		q.add("SELECT "+requestColumns+requestTables+" WHERE r.account_id = ? AND r.id IN ", tx.Account)
		among(&q, some)
		q.within("r.collection_id", reach)
		q.add(" ORDER BY r.id")
		requests, err := sqldb.Collect(tx.Tx, scanRequest, q.text.String(), q.args...)
		if err != nil {
			return nil, err
		}
		if err := tx.fillRequests(requests); err != nil {
			return nil, err
		}
		all = append(all, requests...)
	}
	return all, nil
}

// ChildrenOf are the ids of the children of several requests, merged ones among
// them, and at most so many.
func (tx *Tx) ChildrenOf(ids []desk.RequestID, most int) ([]desk.RequestID, error) {
	var q query
	q.add("SELECT id FROM requests WHERE account_id = ? AND parent_id IN ", tx.Account)
	among(&q, ids)
	q.add(" ORDER BY id LIMIT ?", most)
	return sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.text.String(), q.args...)
}

// Ancestors are the parents of a request, of its parent, and so on: nil for the
// one that has none. A request that is its own ancestor is among them, too.
func (tx *Tx) Ancestors(id desk.RequestID) (map[desk.RequestID]*desk.RequestID, error) {
	parents := map[desk.RequestID]*desk.RequestID{}
	_, err := sqldb.Collect(tx.Tx, func(scan scanner) (id desk.RequestID, err error) {
		var parent *desk.RequestID
		err = scan(&id, &parent)
		parents[id] = parent
		return id, err
	}, `WITH RECURSIVE line (id) AS (
			SELECT parent_id FROM requests WHERE account_id = $1 AND id = $2
			UNION SELECT r.parent_id FROM requests r JOIN line ON line.id = r.id WHERE r.account_id = $1)
		SELECT r.id, r.parent_id FROM requests r JOIN line ON line.id = r.id WHERE r.account_id = $1`, tx.Account, id)
	return parents, err
}

// Belongings are what would move with each of some requests, in their order.
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

// mostNamed bounds the ids in one statement.
const mostNamed = 500

// Move takes messages with their files, tickets, a survey and sessions of the
// virtual agent from a request to another.
// It gives Refused when some of them are not there any more.
func (tx *Tx) Move(m desk.MovedRequest, from, to desk.RequestID) error {
	if err := tx.Row("SELECT id FROM requests WHERE account_id = $1 AND id = $2", tx.Account, to).Scan(&to); err != nil {
		return missing(err, "Request")
	}
	tx.touchMessage(from, place{})
	tx.touchMessage(to, place{})
	moved := 0
	for some := range slices.Chunk(m.Messages, mostNamed) {
		var q, files query
		q.add("UPDATE messages SET request_id = ? WHERE account_id = ? AND request_id = ? AND id IN ", to, tx.Account, from)
		among(&q, some)
		n, err := tx.Exec(q.text.String(), q.args...)
		if err != nil {
			return fmt.Errorf("move messages: %w", err)
		}
		moved += int(n)
		files.add("UPDATE attachments SET request_id = ? WHERE account_id = ? AND request_id = ? AND message_id IN ", to, tx.Account, from)
		among(&files, some)
		if _, err := tx.Exec(files.text.String(), files.args...); err != nil {
			return fmt.Errorf("move attachments: %w", err)
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

// moveRows takes rows of a table from a request to another, and gives how many
// there were.
func moveRows[T ~int64](tx *Tx, table string, ids []T, from, to desk.RequestID) (moved int, err error) {
	for some := range slices.Chunk(ids, mostNamed) {
		var q query
		q.add("UPDATE "+table+" SET request_id = ? WHERE account_id = ? AND request_id = ? AND id IN ", to, tx.Account, from)
		among(&q, some)
		n, err := tx.Exec(q.text.String(), q.args...)
		if err != nil {
			return 0, fmt.Errorf("move %s: %w", table, err)
		}
		moved += int(n)
	}
	return moved, nil
}

// MessagesSince are the messages of a request that are newer than another,
// removed ones among them, without their files.
func (tx *Tx) MessagesSince(id desk.RequestID, last desk.MessageID) ([]desk.Message, error) {
	return sqldb.Collect(tx.Tx, scanMessage, "SELECT "+messageColumns+` FROM messages
		WHERE account_id = $1 AND request_id = $2 AND id > $3 ORDER BY created_at, id`, tx.Account, id, last)
}
