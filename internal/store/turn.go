package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// MostResponding limits the number of users that ResponderIDs finds.
const MostResponding = 500

// These conditions say which users count. The partial indexes of their table use
// the same ones.
const (
	present    = "NOT u.deleted AND NOT u.is_bot"
	assignable = present + " AND NOT u.is_external"
)

// ResponderIDs returns the chat users who answer in a collection, sorted. These are
// the users for whom IsResponder is true, at most MostResponding.
func (tx *Tx) ResponderIDs(c desk.Collection) ([]string, error) {
	var q query
	addResponders(&q, tx, c, present)
	return tx.userIDs(&q)
}

// addResponders adds a statement that finds who answers in a collection, among
// users who match the condition who. It adds nothing if the collection names
// nobody.
func addResponders(q *query, tx *Tx, c desk.Collection, who string) {
	or := func() {
		if !q.IsEmpty() {
			q.Add(" UNION ")
		}
	}
	// Each responder's part has its own limit, because a domain may match everyone.
	var named []string
	for _, r := range c.Responders {
		switch {
		case r.UserID != "":
			named = append(named, r.UserID)
		case r.TeamID != 0:
			or()
			q.Add(`SELECT user_id FROM (SELECT tm.user_id FROM team_members tm
				JOIN teams t ON t.account_id = tm.account_id AND t.id = tm.team_id AND t.is_active
				JOIN users u ON u.account_id = tm.account_id AND u.user_id = tm.user_id AND `+who+`
				WHERE tm.account_id = ? AND tm.team_id = ? ORDER BY tm.user_id LIMIT ?) AS of_team`, tx.Account, r.TeamID, MostResponding)
		case r.EmailDomain != "":
			or()
			q.Add(`SELECT user_id FROM (SELECT u.user_id FROM users u
				WHERE u.account_id = ? AND u.email_domain = ? AND `+who+` ORDER BY u.user_id LIMIT ?) AS of_domain`,
				tx.Account, r.EmailDomain, MostResponding)
		}
	}
	if len(named) > 0 {
		or()
		q.Add("SELECT u.user_id FROM users u WHERE u.account_id = ? AND "+who+" AND u.user_id IN ", tx.Account)
		sqldb.In(q, named)
	}
}

// userIDs runs a statement that selects user ids and returns at most
// MostResponding. An empty statement finds nobody.
func (tx *Tx) userIDs(q *query) ([]string, error) {
	if q.IsEmpty() {
		return nil, nil
	}
	q.Add(" ORDER BY user_id LIMIT ?", MostResponding)
	ids, err := sqldb.Collect(tx.Tx, scanText, q.String(), q.Args()...)
	if err != nil {
		return nil, fmt.Errorf("find responders: %w", err)
	}
	slices.Sort(ids) // the engines sort differently
	return ids, nil
}

// DeskUserIDs returns the chat users who work in a collection and can be assigned
// requests: its responders, and the members of the account, matched by email.
func (tx *Tx) DeskUserIDs(c desk.Collection) ([]string, error) {
	var q query
	addResponders(&q, tx, c, assignable)
	if !q.IsEmpty() {
		q.Add(" UNION ")
	}
	q.Add(`SELECT user_id FROM (SELECT u.user_id FROM members m JOIN users u ON u.account_id = m.account_id AND u.email_folded = m.email_folded AND `+assignable+`
		WHERE m.account_id = ? AND m.removed_at IS NULL ORDER BY m.created_at, m.id LIMIT ?) AS of_account`, tx.Account, MostResponding)
	return tx.userIDs(&q)
}

// Candidates returns the users for round robin in a collection, sorted: the members
// of its team if it has one, otherwise its responders. Users who cannot be assigned
// requests are left out.
func (tx *Tx) Candidates(c desk.Collection) ([]string, error) {
	if c.AssignTeam != nil {
		c.Responders = []desk.Responder{{TeamID: *c.AssignTeam}}
	}
	var q query
	addResponders(&q, tx, c, assignable)
	return tx.userIDs(&q)
}

// Turn returns the user who had the last turn in a collection, or "" if nobody had
// one.
func (tx *Tx) Turn(collection desk.CollectionID) (string, error) {
	return one[string](tx, "SELECT user_id FROM collection_turns WHERE account_id = $1 AND collection_id = $2", tx.Account, collection)
}

// TakeTurn records that a user had a turn.
func (tx *Tx) TakeTurn(collection desk.CollectionID, user string) error {
	n, err := tx.Exec(`INSERT INTO collection_turns (account_id, collection_id, user_id, at)
		SELECT $1, id, $3, $4 FROM collections WHERE account_id = $1 AND id = $2 AND removed_at IS NULL
		ON CONFLICT (account_id, collection_id) DO UPDATE SET user_id = excluded.user_id, at = excluded.at`,
		tx.Account, collection, user, ms(tx.Now))
	if err == nil && n == 0 {
		err = desk.Missing("Collection")
	}
	return wrap("take a turn", err)
}
