package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// memberColumns are columns of members m. The last is the list of their
// collections, null for all. It is in the same statement because every API call
// needs it.
const memberColumns = `m.id, m.email, m.name, m.role, m.created_at, m.updated_at,
	CASE WHEN m.all_collections THEN NULL ELSE COALESCE((SELECT string_agg(CAST(mc.collection_id AS TEXT), ',' ORDER BY mc.collection_id)
		FROM member_collections mc WHERE mc.account_id = m.account_id AND mc.member_id = m.id), '') END`

func scanMember(scan scanner) (m desk.Member, err error) {
	var collections *string
	if err = scan(&m.ID, &m.Email, &m.Name, &m.Role, inMS(&m.CreatedAt), inMS(&m.UpdatedAt), &collections); err != nil {
		return m, err
	}
	m.Collections, err = reachOf(collections)
	return m, err
}

// reachOf parses a list of collections, such as "3,17"; nil means all of them.
func reachOf(list *string) (desk.Reach, error) {
	if list == nil {
		return desk.Everything, nil
	}
	var r desk.Reach
	for id := range strings.SplitSeq(*list, ",") {
		if id == "" {
			continue
		}
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return desk.Reach{}, fmt.Errorf("read a member's collections: %w", err)
		}
		r.IDs = append(r.IDs, desk.CollectionID(n))
	}
	return r, nil
}

// Member returns a member who has not been removed.
func (tx *Tx) Member(id desk.MemberID) (desk.Member, error) {
	m, err := scanMember(tx.Row("SELECT "+memberColumns+
		" FROM members m WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	return m, Missing(err, "Member")
}

// Members returns a page of the members who have not been removed.
func (tx *Tx) Members(p desk.Page) (desk.List[desk.Member], error) {
	var q query
	q.Add("SELECT "+memberColumns+" FROM members m WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	return page(tx, &q, "created_at", p, scanMember, func(m desk.Member) desk.Position { return positionAt(m.CreatedAt, m.ID) })
}

// MembersNamed returns the members with these ids who have not been removed.
func (tx *Tx) MembersNamed(ids []desk.MemberID) (map[desk.MemberID]desk.Member, error) {
	found, err := lookUp(tx, ids, scanMember, "SELECT "+memberColumns+" FROM members m WHERE account_id = ? AND removed_at IS NULL AND id IN ")
	return byKey(found, func(m desk.Member) desk.MemberID { return m.ID }), err
}

// AddMember inserts a new member and sets their id. It returns Conflict if the
// account already has a member with this email.
func (tx *Tx) AddMember(m *desk.Member) error {
	n, err := sqldb.Collect(tx.Tx, scanID[desk.MemberID],
		`INSERT INTO members (account_id, email, email_folded, name, role, all_collections, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
		tx.Account, m.Email, desk.FoldEmail(m.Email), m.Name, m.Role, m.Collections.All, ms(m.CreatedAt), ms(m.UpdatedAt))
	if err != nil {
		return fmt.Errorf("add member: %w", err)
	}
	if len(n) == 0 {
		return &desk.Error{Kind: desk.Conflict, Message: "A member with this email exists.",
			Fields: []desk.FieldError{{Field: "email", Message: "belongs to another member"}}}
	}
	m.ID = n[0]
	return tx.addMemberCollections(m.ID, m.Collections)
}

// SaveMember saves a changed member.
func (tx *Tx) SaveMember(m desk.Member) error {
	n, err := tx.Exec("UPDATE members SET name = $1, role = $2, all_collections = $3, updated_at = $4 WHERE account_id = $5 AND id = $6",
		m.Name, m.Role, m.Collections.All, ms(m.UpdatedAt), tx.Account, m.ID)
	if err != nil || n == 0 {
		return err
	}
	if err := tx.Do("DELETE FROM member_collections WHERE account_id = $1 AND member_id = $2", tx.Account, m.ID); err != nil {
		return err
	}
	return tx.addMemberCollections(m.ID, m.Collections)
}

// addMemberCollections inserts a member's list of collections. It skips collections
// that the account does not have.
func (tx *Tx) addMemberCollections(id desk.MemberID, r desk.Reach) error {
	if len(r.IDs) == 0 {
		return nil
	}
	var q query
	q.Add(`INSERT INTO member_collections (account_id, member_id, collection_id)
		SELECT account_id, CAST(? AS BIGINT), id FROM collections WHERE account_id = ? AND removed_at IS NULL AND id IN `, id, tx.Account)
	sqldb.In(&q, r.IDs)
	return tx.Do(q.String(), q.Args()...)
}

// MembersWith returns the members who have a collection on their list.
func (tx *Tx) MembersWith(id desk.CollectionID) ([]desk.Member, error) {
	return sqldb.Collect(tx.Tx, scanMember, "SELECT "+memberColumns+` FROM members m
		WHERE account_id = $1 AND removed_at IS NULL
			AND id IN (SELECT member_id FROM member_collections WHERE account_id = $1 AND collection_id = $2) ORDER BY id`, tx.Account, id)
}

// RemoveMember removes a member, revokes their tokens and sessions, and deletes
// their credentials.
func (tx *Tx) RemoveMember(id desk.MemberID) error {
	if err := tx.Do("UPDATE members SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id); err != nil {
		return err
	}
	if err := tx.Do("UPDATE tokens SET revoked_at = $1 WHERE account_id = $2 AND member_id = $3 AND revoked_at IS NULL",
		ms(tx.Now), tx.Account, id); err != nil {
		return err
	}
	return tx.doAll(id,
		"DELETE FROM member_credentials WHERE account_id = $1 AND member_id = $2",
		"DELETE FROM member_identities WHERE account_id = $1 AND member_id = $2")
}

// HasOtherAdmin reports whether the account has an admin besides the given member.
func (tx *Tx) HasOtherAdmin(id desk.MemberID) (bool, error) {
	other, err := one[desk.MemberID](tx, "SELECT id FROM members WHERE account_id = $1 AND role = $2 AND removed_at IS NULL AND id <> $3 LIMIT 1",
		tx.Account, desk.Admin, id)
	return other != 0, err
}

// AccountMember is a member together with their account.
type AccountMember struct {
	Account     desk.AccountID
	AccountName string
	Member      desk.Member
}

// MembersByEmail finds the members with an email in all accounts. It is for the
// command line, which belongs to no account.
func (s *Store) MembersByEmail(ctx context.Context, email string) ([]AccountMember, error) {
	return s.accountMembers(ctx, "SELECT "+memberColumns+`, a.id, a.name
		FROM accounts a JOIN members m ON m.account_id = a.id AND m.email_folded = $1 AND m.removed_at IS NULL
		ORDER BY a.id`, desk.FoldEmail(email))
}

// accountMembers returns members of any account. The statement selects
// memberColumns, then id and name of accounts a.
func (s *Store) accountMembers(ctx context.Context, statement string, args ...any) (found []AccountMember, err error) {
	err = s.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		found, err = sqldb.Collect(tx, func(scan scanner) (am AccountMember, err error) {
			am.Member, err = scanMember(func(dest ...any) error { return scan(append(dest, &am.Account, &am.AccountName)...) })
			return am, err
		}, statement, args...)
		return err
	})
	return found, fit(err)
}

// AdminUsers returns the chat users who are admins here, matched by email.
func (tx *Tx) AdminUsers() ([]string, error) {
	return sqldb.Collect(tx.Tx, scanText, `SELECT u.user_id FROM members m JOIN users u ON u.account_id = m.account_id AND u.email_folded = m.email_folded AND NOT u.deleted AND NOT u.is_bot
		WHERE m.account_id = $1 AND m.role = $2 AND m.removed_at IS NULL ORDER BY u.id LIMIT 50`, tx.Account, desk.Admin)
}
