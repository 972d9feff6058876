package store

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
)

const userColumns = "id, user_id, name, email, avatar, deleted, is_bot, is_external"

type userRow struct {
	id int64
	desk.User
	kept
}

func scanUser(scan scanner) (u userRow, err error) {
	err = scan(&u.id, &u.ID, &u.Name, &u.Email, &u.Avatar, &u.Deleted, &u.IsBot, &u.External)
	return u, err
}

func scanKeptUser(scan scanner) (userRow, error) {
	var revision, updated int64
	u, err := scanUser(func(dest ...any) error { return scan(append(dest, &revision, &updated)...) })
	u.kept = kept{revision, FromMS(updated)}
	return u, err
}

// Users returns a page of users, in the order in which we learnt of them. With a
// text, it finds users for whom each word of the text starts a word of their name
// or email. It returns NotFound for the desk of a collection that does not exist.
func (tx *Tx) Users(w desk.UserQuery) (desk.List[desk.User], error) {
	var q query
	columns, scan := userColumns, scanUser
	if w.IDs != nil {
		columns += ", EXISTS (SELECT 1 FROM members m WHERE m.account_id = users.account_id AND m.email_folded = users.email_folded AND m.removed_at IS NULL)"
		scan = tx.scanFoundUser
	}
	q.Add("SELECT "+columns+" FROM users WHERE account_id = ?", tx.Account)
	words := search.Sought(w.Text)
	switch {
	case w.IDs != nil:
		if len(w.IDs) == 0 {
			return desk.List[desk.User]{}, nil
		}
		q.Add(" AND user_id IN ")
		sqldb.In(&q, w.IDs)
		w.Limit = len(w.IDs)
	case w.Text != "" && len(words) == 0:
		return desk.List[desk.User]{}, nil // nothing to search by
	}
	switch {
	case w.Assignable:
		q.Add(" AND NOT deleted AND NOT is_bot AND NOT is_external")
	case w.IDs == nil && !w.IncludeDeleted:
		q.Add(" AND NOT deleted")
	}
	if w.AtDesk != nil {
		col, err := tx.Collection(*w.AtDesk)
		if err != nil {
			return desk.List[desk.User]{}, err
		}
		ids, err := tx.DeskUserIDs(col)
		if err != nil || len(ids) == 0 {
			return desk.List[desk.User]{}, err
		}
		q.Add(" AND user_id IN ")
		sqldb.In(&q, ids)
	}
	for _, word := range words {
		from, to := search.Beginning(word)
		q.Add(" AND id IN (SELECT user_ref FROM user_words WHERE account_id = ? AND word >= ? AND word < ?)", tx.Account, from, to)
	}
	if w.From != nil {
		q.Add(" AND id > ?", w.From.ID)
	}
	if w.Limit == 0 {
		w.Limit = desk.DefaultLimit
	}
	q.Add(" ORDER BY id LIMIT ?", w.Limit+1)
	rows, err := sqldb.Collect(tx.Tx, scan, q.String(), q.Args()...)
	if err != nil {
		return desk.List[desk.User]{}, err
	}
	var l desk.List[desk.User]
	if len(rows) > w.Limit {
		rows = rows[:w.Limit]
		l.Next = &desk.Position{ID: rows[w.Limit-1].id}
	}
	for _, r := range rows {
		l.Items = append(l.Items, r.User)
	}
	return l, nil
}

// foundUser is what a transaction has learned of a chat user.
type foundUser struct {
	email  string
	member bool // a member has this email
}

func (tx *Tx) scanFoundUser(scan scanner) (userRow, error) {
	var member bool
	u, err := scanUser(func(dest ...any) error { return scan(append(dest, &member)...) })
	if tx.found == nil {
		tx.found = map[string]foundUser{}
	}
	tx.found[u.ID] = foundUser{u.Email, member}
	return u, err
}

// MayBeMember reports whether a chat user may be a member other than the one with an
// email. It asks nothing: of a user whom this transaction has not looked up by their id,
// it may be so.
func (tx *Tx) MayBeMember(user, email string) bool {
	found, known := tx.found[user]
	return !known || found.member && (email == "" || desk.FoldEmail(found.email) != desk.FoldEmail(email))
}

// UserIDByEmail returns the user with an email, ignoring case, or nil if there is
// none. Deactivated users and bots do not count.
func (tx *Tx) UserIDByEmail(email string) (*string, error) {
	if email == "" {
		return nil, nil // users without a known email have an empty one
	}
	return one[*string](tx, "SELECT user_id FROM users WHERE account_id = $1 AND email_folded = $2 AND NOT deleted AND NOT is_bot ORDER BY id LIMIT 1",
		tx.Account, desk.FoldEmail(email))
}

// PutUsers stores users as the chat system reported them. readAt is when a page was
// requested, zero for an event. doubt means that the order of two reports is
// unknown and the directory should be read again.
//
// A page may hold hundreds of users who are new to us. They are added together in a
// few statements, and only changed users are written one by one.
func (tx *Tx) PutUsers(told []Report[desk.User], readAt time.Time) (doubt bool, err error) {
	if len(told) == 0 {
		return false, nil
	}
	known, err := tx.keptUsers(told)
	if err != nil {
		return false, fmt.Errorf("put users: %w", err)
	}
	added, err := tx.addUsers(told, known)
	if err != nil {
		return false, fmt.Errorf("add users: %w", err)
	}
	t := reportBatch{readAt: readAt}
	for i, u := range told {
		if added[i] {
			continue
		}
		if err := tx.putUser(&t, u, known); err != nil {
			return false, fmt.Errorf("put users: %w", err)
		}
	}
	return t.doubt, nil
}

// keptUsers returns those of the reported users whom we know, by id.
func (tx *Tx) keptUsers(told []Report[desk.User]) (map[string]userRow, error) {
	ids := make([]string, len(told))
	for i, u := range told {
		ids[i] = u.Is.ID
	}
	rows, err := lookUp(tx, ids, scanKeptUser, "SELECT "+userColumns+", revision, updated_at FROM users WHERE account_id = ? AND user_id IN ")
	return byKey(rows, func(r userRow) string { return r.ID }), err
}

// addUsers inserts the users who are not in known, and adds them to it. added marks
// the reports this used: for a user who is reported twice, the first.
func (tx *Tx) addUsers(told []Report[desk.User], known map[string]userRow) (added []bool, err error) {
	added = make([]bool, len(told))
	var fresh []Report[desk.User]
	users := tx.insert(`INSERT INTO users (account_id, user_id, name, email, email_folded, email_domain, avatar, deleted, is_bot, is_external, revision, created_at, updated_at) VALUES `)
	for i, u := range told {
		if _, ok := known[u.Is.ID]; ok {
			continue
		}
		known[u.Is.ID], added[i], fresh = userRow{}, true, append(fresh, u)
		users.Add(tx.Account, u.Is.ID, u.Is.Name, u.Is.Email, desk.FoldEmail(u.Is.Email), desk.EmailDomain(u.Is.Email), u.Is.Avatar,
			u.Is.Deleted, u.Is.IsBot, u.Is.External, u.Revision, ms(tx.Now), ms(tx.Now))
	}
	if len(fresh) == 0 {
		return added, nil
	}
	if err := users.Flush(); err != nil {
		return nil, err
	}
	rows, err := tx.keptUsers(fresh) // for their ids
	if err != nil {
		return nil, err
	}
	found := tx.newUserWords()
	for _, u := range fresh {
		known[u.Is.ID] = rows[u.Is.ID]
		tx.addUserWords(found, rows[u.Is.ID].id, u.Is)
	}
	return added, found.Flush()
}

// putUser changes a known user, unless the report is older than what we have.
func (tx *Tx) putUser(t *reportBatch, u Report[desk.User], known map[string]userRow) error {
	was := known[u.Is.ID]
	if was.User == u.Is && was.revision >= u.Revision || was.User != u.Is && !t.replaces(u.Revision, was.kept) {
		return nil
	}
	if err := tx.Do(`UPDATE users SET name = $1, email = $2, email_folded = $3, email_domain = $4, avatar = $5, deleted = $6, is_bot = $7, is_external = $8, revision = $9,
			updated_at = $10
		WHERE account_id = $11 AND id = $12`,
		u.Is.Name, u.Is.Email, desk.FoldEmail(u.Is.Email), desk.EmailDomain(u.Is.Email), u.Is.Avatar, u.Is.Deleted, u.Is.IsBot, u.Is.External, u.Revision, ms(tx.Now), tx.Account, was.id); err != nil {
		return err
	}
	known[u.Is.ID] = userRow{id: was.id, User: u.Is, kept: kept{u.Revision, tx.Now}} // a page may name a user twice
	if was.Name == u.Is.Name && was.Email == u.Is.Email {
		return nil
	}
	if err := tx.Do("DELETE FROM user_words WHERE account_id = $1 AND user_ref = $2", tx.Account, was.id); err != nil {
		return err
	}
	found := tx.newUserWords()
	tx.addUserWords(found, was.id, u.Is)
	return found.Flush()
}

func (tx *Tx) newUserWords() *sqldb.Insert {
	return tx.insert("INSERT INTO user_words (account_id, word, user_ref) VALUES ")
}

// addUserWords adds the words that a user is found by.
func (tx *Tx) addUserWords(rows *sqldb.Insert, id int64, u desk.User) {
	for _, word := range search.Words(u.Name, u.Email) {
		rows.Add(tx.Account, []byte(word), id)
	}
}
