package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const viewColumns = "id, member_id, name, query, is_shared, position, created_at, updated_at"

// scanView reads a view that a member looks at.
func scanView(member desk.MemberID) func(scanner) (desk.View, error) {
	return func(scan scanner) (v desk.View, err error) {
		err = scan(&v.ID, &v.Member, &v.Name, &v.Query, &v.Shared, &v.Position, inMS(&v.CreatedAt), inMS(&v.UpdatedAt))
		v.Mine = v.Member == member
		return v, err
	}
}

// View returns a view that a member can see: their own or a shared one.
func (tx *Tx) View(id desk.ViewID, member desk.MemberID) (desk.View, error) {
	v, err := scanView(member)(tx.Row("SELECT "+viewColumns+" FROM views WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3)", tx.Account, id, member).Scan)
	return v, missing(err, "View")
}

// Views returns all views that a member can see, in their order.
func (tx *Tx) Views(member desk.MemberID) ([]desk.View, error) {
	return sqldb.Collect(tx.Tx, scanView(member), `SELECT * FROM (SELECT `+viewColumns+` FROM views WHERE account_id = $1 AND is_shared
		UNION ALL SELECT `+viewColumns+` FROM views WHERE account_id = $1 AND member_id = $2 AND NOT is_shared) seen ORDER BY position, id`, tx.Account, member)
}

// AddView inserts a new view and sets its id.
func (tx *Tx) AddView(v *desk.View) error {
	err := tx.Row(`INSERT INTO views (account_id, member_id, name, query, is_shared, position, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, v.Member, v.Name, v.Query, v.Shared, v.Position, ms(v.CreatedAt), ms(v.UpdatedAt)).Scan(&v.ID)
	return wrap("add view", missing(err, "Member"))
}

// SaveView saves a changed view.
func (tx *Tx) SaveView(v desk.View) error {
	return tx.Do("UPDATE views SET name = $1, query = $2, is_shared = $3, position = $4, updated_at = $5 WHERE account_id = $6 AND id = $7",
		v.Name, v.Query, v.Shared, v.Position, ms(v.UpdatedAt), tx.Account, v.ID)
}

// RemoveView deletes a view.
func (tx *Tx) RemoveView(id desk.ViewID) error {
	return tx.Do("DELETE FROM views WHERE account_id = $1 AND id = $2", tx.Account, id)
}
