package saved

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

const viewColumns = "id, member_id, name, query, is_shared, position, created_at, updated_at"

// scanView reads a view that a member looks at.
func scanView(member desk.MemberID) func(func(...any) error) (desk.View, error) {
	return func(scan func(...any) error) (v desk.View, err error) {
		var created, updated int64
		err = scan(&v.ID, &v.Member, &v.Name, &v.Query, &v.Shared, &v.Position, &created, &updated)
		v.Mine = v.Member == member
		v.CreatedAt, v.UpdatedAt = store.FromMS(created), store.FromMS(updated)
		return v, err
	}
}

// View returns a view that a member can see: their own or a shared one.
func View(tx *store.Tx, id desk.ViewID, member desk.MemberID) (desk.View, error) {
	v, err := scanView(member)(tx.Row("SELECT "+viewColumns+" FROM views WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3)", tx.Account, id, member).Scan)
	return v, store.Missing(err, "View")
}

// Views returns all views that a member can see, in their order.
func Views(tx *store.Tx, member desk.MemberID) ([]desk.View, error) {
	return sqldb.Collect(tx.Tx, scanView(member), `SELECT * FROM (SELECT `+viewColumns+` FROM views WHERE account_id = $1 AND is_shared
		UNION ALL SELECT `+viewColumns+` FROM views WHERE account_id = $1 AND member_id = $2 AND NOT is_shared) seen ORDER BY position, id`, tx.Account, member)
}

// AddView inserts a new view and sets its id.
func AddView(tx *store.Tx, v *desk.View) error {
	err := tx.Row(`INSERT INTO views (account_id, member_id, name, query, is_shared, position, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, v.Member, v.Name, v.Query, v.Shared, v.Position, v.CreatedAt.UnixMilli(), v.UpdatedAt.UnixMilli()).Scan(&v.ID)
	return addError("view", err)
}

// SaveView saves a changed view.
func SaveView(tx *store.Tx, v desk.View) error {
	return tx.Do("UPDATE views SET name = $1, query = $2, is_shared = $3, position = $4, updated_at = $5 WHERE account_id = $6 AND id = $7",
		v.Name, v.Query, v.Shared, v.Position, v.UpdatedAt.UnixMilli(), tx.Account, v.ID)
}

// RemoveView deletes a view.
func RemoveView(tx *store.Tx, id desk.ViewID) error {
	return tx.Do("DELETE FROM views WHERE account_id = $1 AND id = $2", tx.Account, id)
}
