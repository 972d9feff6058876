package store

import "frontdesk/internal/desk"

func scanSession(scan scanner) (desk.Session, error) {
	t, err := scanToken(scan)
	return desk.Session{Token: t}, err
}

// Session returns a member's session that has neither ended nor expired.
func (tx *Tx) Session(member desk.MemberID, id desk.TokenID) (desk.Session, error) {
	s, err := scanSession(tx.Row("SELECT "+tokenColumns+` FROM tokens
		WHERE account_id = $1 AND member_id = $2 AND id = $3 AND session AND revoked_at IS NULL AND expires_at > $4`, tx.Account, member, id, ms(tx.Now)).Scan)
	return s, Missing(err, "Session")
}

// Sessions returns a page of a member's sessions that have neither ended nor
// expired.
func (tx *Tx) Sessions(member desk.MemberID, p desk.Page) (desk.List[desk.Session], error) {
	var q query
	q.Add("SELECT "+tokenColumns+" FROM tokens WHERE account_id = ? AND member_id = ? AND session AND revoked_at IS NULL AND expires_at > ?",
		tx.Account, member, ms(tx.Now))
	return page(tx, &q, "created_at", p, scanSession, func(s desk.Session) desk.Position { return positionAt(s.CreatedAt, s.ID) })
}

// EndSessions ends all sessions of a member except one; 0 ends all.
func (tx *Tx) EndSessions(member desk.MemberID, but desk.TokenID) error {
	return wrap("end sessions", tx.Do(`UPDATE tokens SET revoked_at = $1
		WHERE account_id = $2 AND member_id = $3 AND id <> $4 AND session AND revoked_at IS NULL`, ms(tx.Now), tx.Account, member, but))
}
