package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// MostResponding bounds the users whom ResponderIDs finds.
const MostResponding = 500

// ResponderIDs are the chat users who answer in a collection, sorted: those
// whom IsResponder is true of, at most MostResponding.
func (tx *Tx) ResponderIDs(c desk.Collection) ([]string, error) {
	var q query
	or := func() {
		if q.text.Len() > 0 {
			q.add(" UNION ")
		}
	}
	// A part of each responder stops by itself: a domain may be that of everyone.
	var named []string
	for _, r := range c.Responders {
		switch {
		case r.UserID != "":
			named = append(named, r.UserID)
		case r.TeamID != 0:
			or()
			q.add(`SELECT user_id FROM (SELECT tm.user_id FROM team_members tm
				JOIN teams t ON t.account_id = tm.account_id AND t.id = tm.team_id AND t.is_active
				JOIN users u ON u.account_id = tm.account_id AND u.user_id = tm.user_id AND NOT u.deleted AND NOT u.is_bot
				WHERE tm.account_id = ? AND tm.team_id = ? ORDER BY tm.user_id LIMIT ?) AS of_team`, tx.Account, r.TeamID, MostResponding)
		case r.EmailDomain != "":
			or()
			q.add(`SELECT user_id FROM (SELECT user_id FROM users
				WHERE account_id = ? AND email_domain = ? AND NOT deleted AND NOT is_bot ORDER BY user_id LIMIT ?) AS of_domain`,
				tx.Account, r.EmailDomain, MostResponding)
		}
	}
	if len(named) > 0 {
		or()
		q.add("SELECT user_id FROM users WHERE account_id = ? AND NOT deleted AND NOT is_bot AND user_id IN ", tx.Account)
		among(&q, named)
	}
	if q.text.Len() == 0 {
		return nil, nil
	}
	q.add(" ORDER BY user_id LIMIT ?", MostResponding)
	ids, err := sqldb.Collect(tx.Tx, scanText, q.text.String(), q.args...)
	if err != nil {
		return nil, fmt.Errorf("find responders: %w", err)
	}
	slices.Sort(ids) // the engines have orders of their own
	return ids, nil
}

// Candidates are those whom round robin goes over in a collection, sorted: the
// members of its team where it has one, else its responders.
func (tx *Tx) Candidates(c desk.Collection) ([]string, error) {
	if c.AssignTeam != nil {
		c.Responders = []desk.Responder{{TeamID: *c.AssignTeam}}
	}
	return tx.ResponderIDs(c)
}

// Turn is who had the last turn in a collection, empty when nobody had any.
func (tx *Tx) Turn(collection desk.CollectionID) (string, error) {
	last, err := sqldb.Collect(tx.Tx, scanText, "SELECT user_id FROM collection_turns WHERE account_id = $1 AND collection_id = $2", tx.Account, collection)
	if err != nil || len(last) == 0 {
		return "", err
	}
	return last[0], nil
}

// TakeTurn keeps that somebody had a turn.
func (tx *Tx) TakeTurn(collection desk.CollectionID, user string) error {
	n, err := tx.Exec(`INSERT INTO collection_turns (account_id, collection_id, user_id, at)
		SELECT $1, id, $3, $4 FROM collections WHERE account_id = $1 AND id = $2 AND removed_at IS NULL
		ON CONFLICT (account_id, collection_id) DO UPDATE SET user_id = excluded.user_id, at = excluded.at`,
		tx.Account, collection, user, ms(tx.Now))
	if err == nil && n == 0 {
		err = desk.Missing("Collection")
	}
	if err != nil {
		return fmt.Errorf("take a turn: %w", err)
	}
	return nil
}
