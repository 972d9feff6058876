package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Password returns the hash of a member's password, or "" if they have none.
func (tx *Tx) Password(member desk.MemberID) (hash string, err error) {
	return one[string](tx, "SELECT password FROM member_credentials WHERE account_id = $1 AND member_id = $2 AND password IS NOT NULL", tx.Account, member)
}

// SetPassword saves the hash of a member's password and uses up their invitation.
// It returns NotFound if the account has no such member.
func (tx *Tx) SetPassword(member desk.MemberID, hash string) error {
	return tx.putCredential(member, `INSERT INTO member_credentials (account_id, member_id, password, password_set_at)
		SELECT account_id, id, $3, $4 FROM members WHERE account_id = $1 AND id = $2 AND removed_at IS NULL
		ON CONFLICT (account_id, member_id) DO UPDATE SET password = excluded.password, password_set_at = excluded.password_set_at,
			invitation = NULL, invitation_expires_at = NULL`, hash, ms(tx.Now))
}

// SetInvitation saves the digest of an invitation and replaces an earlier one. It
// returns NotFound if the account has no such member.
func (tx *Tx) SetInvitation(member desk.MemberID, digest []byte, expires time.Time) error {
	return tx.putCredential(member, `INSERT INTO member_credentials (account_id, member_id, invitation, invitation_expires_at)
		SELECT account_id, id, $3, $4 FROM members WHERE account_id = $1 AND id = $2 AND removed_at IS NULL
		ON CONFLICT (account_id, member_id) DO UPDATE SET invitation = excluded.invitation, invitation_expires_at = excluded.invitation_expires_at`,
		digest, ms(expires))
}

func (tx *Tx) putCredential(member desk.MemberID, statement string, args ...any) error {
	n, err := tx.Exec(statement, append([]any{tx.Account, member}, args...)...)
	if err == nil && n == 0 {
		err = desk.Missing("Member")
	}
	return wrap("keep how a member signs in", err)
}

// HasInvitation reports whether a member's invitation has this digest and has not
// expired.
func (tx *Tx) HasInvitation(member desk.MemberID, digest []byte) (bool, error) {
	kept, err := one[[]byte](tx, `SELECT c.invitation FROM member_credentials c JOIN members m ON m.account_id = c.account_id AND m.id = c.member_id AND m.removed_at IS NULL
		WHERE c.account_id = $1 AND c.member_id = $2 AND c.invitation IS NOT NULL AND c.invitation_expires_at > $3`,
		tx.Account, member, ms(tx.Now))
	return kept != nil && bytes.Equal(kept, digest), err
}

// PasswordMember is a member with a given email and the hash of their password,
// which is empty if they have none.
type PasswordMember struct {
	AccountMember
	Hash string
}

// mostNamesakes limits how many members are checked for one email, because each
// check costs a hash.
const mostNamesakes = 8

// PasswordMembers finds the members with an email in all accounts.
func (s *Store) PasswordMembers(ctx context.Context, email string) (found []PasswordMember, err error) {
	err = s.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		found, err = sqldb.Collect(tx, func(scan scanner) (pm PasswordMember, err error) {
			pm.Member, err = scanMember(func(dest ...any) error { return scan(append(dest, &pm.Account, &pm.AccountName, &pm.Hash)...) })
			return pm, err
		}, "SELECT "+memberColumns+`, a.id, a.name, COALESCE(c.password, '')
			FROM accounts a JOIN members m ON m.account_id = a.id AND m.email_folded = $1 AND m.removed_at IS NULL
			LEFT JOIN member_credentials c ON c.account_id = m.account_id AND c.member_id = m.id
			ORDER BY a.id LIMIT $2`, desk.FoldEmail(email), mostNamesakes)
		return err
	})
	return found, fit(err)
}

// mostIdentified limits the number of accounts in which one person is looked up.
const mostIdentified = 50

// Identified finds the members whom an OpenID provider knows as subject, in all
// accounts, oldest account first.
func (s *Store) Identified(ctx context.Context, issuer, subject string) ([]AccountMember, error) {
	return s.accountMembers(ctx, "SELECT "+memberColumns+`, a.id, a.name
		FROM accounts a JOIN member_identities i ON i.account_id = a.id AND i.issuer = $1 AND i.subject = $2
		JOIN members m ON m.account_id = i.account_id AND m.id = i.member_id AND m.removed_at IS NULL
		ORDER BY a.id LIMIT $3`, issuer, subject, mostIdentified)
}

// Identifiable finds the members with an email, in all accounts, who may still be
// linked to a subject of an OpenID provider. They have no identity with that
// provider yet, and nobody else in their account is linked to the subject.
func (s *Store) Identifiable(ctx context.Context, email, issuer, subject string) ([]AccountMember, error) {
	return s.accountMembers(ctx, "SELECT "+memberColumns+`, a.id, a.name
		FROM accounts a JOIN members m ON m.account_id = a.id AND m.email_folded = $1 AND m.removed_at IS NULL
		WHERE NOT EXISTS (SELECT 1 FROM member_identities i WHERE i.account_id = m.account_id AND i.issuer = $2 AND (i.member_id = m.id OR i.subject = $3))
		ORDER BY a.id LIMIT $4`, desk.FoldEmail(email), issuer, subject, mostIdentified)
}

// LinkIdentity links a member to a subject of an OpenID provider. It returns false
// if the member has another subject there, or another member here has this subject.
func (tx *Tx) LinkIdentity(member desk.MemberID, issuer, subject string) (bool, error) {
	n, err := tx.Exec(`INSERT INTO member_identities (account_id, member_id, issuer, subject, created_at)
		SELECT account_id, id, $3, $4, $5 FROM members WHERE account_id = $1 AND id = $2 AND removed_at IS NULL
		ON CONFLICT DO NOTHING`, tx.Account, member, issuer, subject, ms(tx.Now))
	if err != nil {
		return false, fmt.Errorf("link an identity: %w", err)
	}
	return n == 1, nil
}
