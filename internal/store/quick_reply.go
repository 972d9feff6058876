package store

import "frontdesk/internal/desk"

const quickReplyColumns = "id, member_id, name, html, is_shared, created_at, updated_at"

// scanQuickReply reads a quick reply that a member looks at.
func scanQuickReply(member desk.MemberID) func(scanner) (desk.QuickReply, error) {
	return func(scan scanner) (r desk.QuickReply, err error) {
		err = scan(&r.ID, &r.Member, &r.Name, &r.HTML, &r.Shared, inMS(&r.CreatedAt), inMS(&r.UpdatedAt))
		r.Mine = r.Member == member
		return r, err
	}
}

// QuickReply returns a quick reply that a member can see: their own or a shared
// one.
func (tx *Tx) QuickReply(id desk.QuickReplyID, member desk.MemberID) (desk.QuickReply, error) {
	r, err := scanQuickReply(member)(tx.Row("SELECT "+quickReplyColumns+" FROM quick_replies WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3)", tx.Account, id, member).Scan)
	return r, Missing(err, "Quick reply")
}

// QuickReplies returns a page of the quick replies that a member can see.
func (tx *Tx) QuickReplies(member desk.MemberID, p desk.Page) (desk.List[desk.QuickReply], error) {
	var q query
	q.Add("SELECT * FROM (SELECT "+quickReplyColumns+" FROM quick_replies WHERE account_id = ? AND is_shared", tx.Account)
	q.Add(" UNION ALL SELECT "+quickReplyColumns+" FROM quick_replies WHERE account_id = ? AND member_id = ? AND NOT is_shared) seen WHERE 1 = 1", tx.Account, member)
	return page(tx, &q, "created_at", p, scanQuickReply(member), func(r desk.QuickReply) desk.Position { return positionAt(r.CreatedAt, r.ID) })
}

// AddQuickReply inserts a new quick reply and sets its id.
func (tx *Tx) AddQuickReply(r *desk.QuickReply) error {
	err := tx.Row(`INSERT INTO quick_replies (account_id, member_id, name, html, is_shared, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, r.Member, r.Name, r.HTML, r.Shared, ms(r.CreatedAt), ms(r.UpdatedAt)).Scan(&r.ID)
	return wrap("add quick reply", Missing(err, "Member"))
}

// SaveQuickReply saves a changed quick reply.
func (tx *Tx) SaveQuickReply(r desk.QuickReply) error {
	return tx.Do("UPDATE quick_replies SET name = $1, html = $2, is_shared = $3, updated_at = $4 WHERE account_id = $5 AND id = $6",
		r.Name, r.HTML, r.Shared, ms(r.UpdatedAt), tx.Account, r.ID)
}

// RemoveQuickReply deletes a quick reply.
func (tx *Tx) RemoveQuickReply(id desk.QuickReplyID) error {
	return tx.Do("DELETE FROM quick_replies WHERE account_id = $1 AND id = $2", tx.Account, id)
}
