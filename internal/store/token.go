package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const tokenColumns = "id, member_id, name, scope, prefix, digest, created_at, expires_at, last_used_at, session, browser, ip"

func scanToken(scan scanner) (t desk.Token, err error) {
	var digest []byte
	if err = scan(&t.ID, &t.Member, &t.Name, &t.Scope, &t.Prefix, &digest, inMS(&t.CreatedAt), inMSOrNil(&t.ExpiresAt), inMSOrNil(&t.LastUsedAt),
		&t.Session, &t.Browser, &t.IP); err != nil {
		return t, err
	}
	copy(t.Digest[:], digest)
	return t, nil
}

// Token returns a member's token that has not been revoked. Sessions do not count.
func (tx *Tx) Token(member desk.MemberID, id desk.TokenID) (desk.Token, error) {
	t, err := scanToken(tx.Row("SELECT "+tokenColumns+
		" FROM tokens WHERE account_id = $1 AND member_id = $2 AND id = $3 AND revoked_at IS NULL AND NOT session", tx.Account, member, id).Scan)
	return t, Missing(err, "Token")
}

// Tokens returns a page of a member's tokens that have not been revoked, without
// sessions.
func (tx *Tx) Tokens(member desk.MemberID, p desk.Page) (desk.List[desk.Token], error) {
	var q query
	q.Add("SELECT "+tokenColumns+" FROM tokens WHERE account_id = ? AND member_id = ? AND revoked_at IS NULL AND NOT session", tx.Account, member)
	return page(tx, &q, "created_at", p, scanToken, func(t desk.Token) desk.Position { return positionAt(t.CreatedAt, t.ID) })
}

// ValidTokens returns how many valid tokens a member has, without sessions. It
// counts up to desk.MostTokens + 1.
func (tx *Tx) ValidTokens(member desk.MemberID) (n int, err error) {
	err = tx.Row(`SELECT count(*) FROM (SELECT 1 FROM tokens WHERE account_id = $1 AND member_id = $2 AND revoked_at IS NULL AND NOT session
		AND (expires_at IS NULL OR expires_at > $3) LIMIT $4) valid`, tx.Account, member, ms(tx.Now), desk.MostTokens+1).Scan(&n)
	return n, err
}

// AddToken inserts a new token and sets its id. It returns NotFound if the account
// has no such member, because the token would then act as a stranger.
func (tx *Tx) AddToken(t *desk.Token) error {
	if _, err := tx.Member(t.Member); err != nil {
		return err
	}
	err := tx.Row(`INSERT INTO tokens (account_id, member_id, name, scope, prefix, digest, created_at, expires_at, session, browser, ip)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`,
		tx.Account, t.Member, t.Name, t.Scope, t.Prefix, t.Digest[:], ms(t.CreatedAt), OptionalMS(t.ExpiresAt), t.Session, t.Browser, t.IP).Scan(&t.ID)
	return wrap("add token", err)
}

// RevokeToken ends a token for good.
func (tx *Tx) RevokeToken(id desk.TokenID) error {
	return tx.Do("UPDATE tokens SET revoked_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// RevokeTokens ends all tokens of a member and returns them as they were. Sessions
// go on.
func (tx *Tx) RevokeTokens(member desk.MemberID) ([]desk.Token, error) {
	all, err := sqldb.Collect(tx.Tx, scanToken, "UPDATE tokens SET revoked_at = $1 WHERE account_id = $2 AND member_id = $3 AND NOT session AND revoked_at IS NULL RETURNING "+tokenColumns,
		ms(tx.Now), tx.Account, member)
	if err != nil {
		return nil, fmt.Errorf("revoke tokens: %w", err)
	}
	return all, nil
}

// TouchToken records when a token was last used. For a session this also extends
// its expiry, up to the maximum length of a session.
func (tx *Tx) TouchToken(id desk.TokenID, at time.Time) error {
	return tx.Do(`UPDATE tokens SET last_used_at = $1, expires_at =
			CASE WHEN NOT session THEN expires_at WHEN created_at + $4 < $5 THEN created_at + $4 ELSE $5 END
		WHERE account_id = $2 AND id = $3 AND (last_used_at IS NULL OR last_used_at < $1)`,
		ms(at), tx.Account, id, desk.MostSession.Milliseconds(), ms(at.Add(desk.SessionKept)))
}

// Bearer is a token with the member it acts as, including their collections.
type Bearer struct {
	Account desk.AccountID
	Token   desk.Token
	Member  desk.Member
}

// Bearer finds the token with a prefix. ok is false if there is none, if it was
// revoked or if its member was removed. The caller checks the secret against the
// token.
func (s *Store) Bearer(ctx context.Context, prefix string) (b Bearer, ok bool, err error) {
	var q query
	q.Add("t.prefix = ?", prefix)
	found, err := s.bearers(ctx, &q)
	if len(found) == 0 {
		return b, false, err
	}
	return found[0], true, nil
}

// Bearers finds those of some tokens that Bearer would find, with one statement for
// many.
func (s *Store) Bearers(ctx context.Context, ids []desk.TokenID) (found []Bearer, err error) {
	for some := range slices.Chunk(ids, mostNamed) {
		var q query
		q.Add("t.id IN ")
		sqldb.In(&q, some)
		part, err := s.bearers(ctx, &q)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	return found, nil
}

func (s *Store) bearers(ctx context.Context, which *query) (found []Bearer, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
		found, err = sqldb.Collect(tx, scanBearer, `/* every account: a token is how the account is found */
			SELECT t.id, t.member_id, t.name, t.scope, t.prefix, t.digest, t.created_at, t.expires_at, t.last_used_at, t.session, t.browser, t.ip,
				m.account_id, `+memberColumns+`
			FROM tokens t JOIN members m ON m.account_id = t.account_id AND m.id = t.member_id
			WHERE t.revoked_at IS NULL AND m.removed_at IS NULL AND `+which.String(), which.Args()...)
		return err
	})
	return found, fit(err)
}

func scanBearer(scan scanner) (b Bearer, err error) {
	b.Token, err = scanToken(func(token ...any) error {
		b.Member, err = scanMember(func(member ...any) error {
			return scan(append(append(token, &b.Account), member...)...)
		})
		return err
	})
	return b, err
}
