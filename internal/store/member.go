package store

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const memberColumns = "id, email, name, role, created_at, updated_at"

func scanMember(scan scanner) (m desk.Member, err error) {
	var created, updated int64
	err = scan(&m.ID, &m.Email, &m.Name, &m.Role, &created, &updated)
	m.CreatedAt, m.UpdatedAt = fromMS(created), fromMS(updated)
	return m, err
}

// Member is a member who has not been removed.
func (tx *Tx) Member(id desk.MemberID) (desk.Member, error) {
	m, err := scanMember(tx.Row("SELECT "+memberColumns+
		" FROM members WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	return m, missing(err, "Member")
}

// Members is a page of the members who have not been removed.
func (tx *Tx) Members(p desk.Page) (desk.List[desk.Member], error) {
	var q query
	q.add("SELECT "+memberColumns+" FROM members WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	return page(tx, &q, "created_at", p, scanMember, func(m desk.Member) desk.Position {
		return desk.Position{At: m.CreatedAt, ID: int64(m.ID)}
	})
}

// AddMember keeps a new member and gives it its id. It gives Conflict when the
// account has a member with this email.
func (tx *Tx) AddMember(m *desk.Member) error {
	n, err := sqldb.Collect(tx.Tx, scanID[desk.MemberID],
		`INSERT INTO members (account_id, email, email_folded, name, role, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
		tx.Account, m.Email, desk.Fold(m.Email), m.Name, m.Role, ms(m.CreatedAt), ms(m.UpdatedAt))
	if err != nil {
		return fmt.Errorf("add member: %w", err)
	}
	if len(n) == 0 {
		return &desk.Error{Kind: desk.Conflict, Message: "A member with this email exists.",
			Fields: []desk.FieldError{{Field: "email", Message: "belongs to another member"}}}
	}
	m.ID = n[0]
	return nil
}

// SaveMember keeps a changed member.
func (tx *Tx) SaveMember(m desk.Member) error {
	_, err := tx.Exec("UPDATE members SET name = $1, role = $2, updated_at = $3 WHERE account_id = $4 AND id = $5",
		m.Name, m.Role, ms(m.UpdatedAt), tx.Account, m.ID)
	return err
}

// RemoveMember removes a member and revokes their tokens.
func (tx *Tx) RemoveMember(id desk.MemberID) error {
	if _, err := tx.Exec("UPDATE members SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE tokens SET revoked_at = $1 WHERE account_id = $2 AND member_id = $3 AND revoked_at IS NULL",
		ms(tx.Now), tx.Account, id)
	return err
}

// HasOtherAdmin reports whether the account has an admin besides one member.
func (tx *Tx) HasOtherAdmin(id desk.MemberID) (bool, error) {
	others, err := sqldb.Collect(tx.Tx, scanID[desk.MemberID],
		"SELECT id FROM members WHERE account_id = $1 AND role = $2 AND removed_at IS NULL AND id <> $3 LIMIT 1",
		tx.Account, desk.Admin, id)
	return len(others) > 0, err
}

// AccountMember is a member together with their account.
type AccountMember struct {
	Account     desk.AccountID
	AccountName string
	Member      desk.Member
}

// MembersByEmail finds the members with an email in every account, for the
// command line, which belongs to none.
func (s *Store) MembersByEmail(ctx context.Context, email string) (found []AccountMember, err error) {
	err = s.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		found, err = sqldb.Collect(tx, func(scan scanner) (am AccountMember, err error) {
			am.Member, err = scanMember(func(dest ...any) error { return scan(append(dest, &am.Account, &am.AccountName)...) })
			return am, err
		}, `SELECT m.id, m.email, m.name, m.role, m.created_at, m.updated_at, a.id, a.name
			FROM accounts a JOIN members m ON m.account_id = a.id AND m.email_folded = $1 AND m.removed_at IS NULL
			ORDER BY a.id`, desk.Fold(email))
		return err
	})
	return found, fit(err)
}
