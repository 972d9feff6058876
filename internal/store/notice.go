package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/preference"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

// Concerned is a member whom a fact about a request may concern.
type Concerned struct {
	desk.Member
	User        string // of the chat system; empty without one
	Follows     bool   // follows the request
	InTeam      bool   // is in the team
	Preferences preference.Preferences
}

// Concerned returns the members who are one of some chat users, who are in a team, or
// who follow a request, at most so many. Whether they may see it is for the caller to
// check.
func (tx *Tx) Concerned(request desk.RequestID, users []string, team desk.TeamID, followers bool, most int) ([]Concerned, error) {
	follow := "EXISTS (SELECT 1 FROM request_reads f WHERE f.account_id = m.account_id AND f.member_id = m.id AND f.request_id = ? AND f.followed_at IS NOT NULL)"
	inTeam := `EXISTS (SELECT 1 FROM team_members t WHERE t.account_id = m.account_id AND t.team_id = ? AND t.user_id = u.user_id)`
	var q query
	q.Add("SELECT "+memberColumns+", coalesce(u.user_id, ''), "+follow+", ", request)
	q.Add(inTeam+`, p.preferences FROM members m
		LEFT JOIN users u ON u.account_id = m.account_id AND u.email_folded = m.email_folded AND NOT u.deleted AND NOT u.is_bot
		LEFT JOIN member_preferences p ON p.account_id = m.account_id AND p.member_id = m.id
		WHERE m.account_id = ? AND m.removed_at IS NULL AND m.id IN (SELECT mu.id FROM users cu JOIN members mu ON mu.account_id = cu.account_id AND mu.email_folded = cu.email_folded
			WHERE cu.account_id = ? AND cu.email_folded <> '' AND NOT cu.deleted AND cu.user_id IN `, team, tx.Account, tx.Account)
	sqldb.In(&q, append([]string{""}, users...))
	if team != 0 {
		q.Add(` UNION SELECT mu.id FROM team_members t JOIN users cu ON cu.account_id = t.account_id AND cu.user_id = t.user_id AND cu.email_folded <> ''
			JOIN members mu ON mu.account_id = cu.account_id AND mu.email_folded = cu.email_folded WHERE t.account_id = ? AND t.team_id = ?`, tx.Account, team)
	}
	if followers {
		q.Add(" UNION SELECT member_id FROM request_reads WHERE account_id = ? AND request_id = ? AND followed_at IS NOT NULL", tx.Account, request)
	}
	q.Add(") ORDER BY m.id LIMIT ?", most)
	return sqldb.Collect(tx.Tx, func(scan scanner) (c Concerned, err error) {
		c.Preferences = preference.Usual()
		c.Member, err = scanMember(func(dest ...any) error {
			return scan(append(dest, &c.User, &c.Follows, &c.InTeam, stored.Preferences(&c.Preferences))...)
		})
		return c, err
	}, q.String(), q.Args()...)
}

// NoticeID identifies a notice.
type NoticeID int64

// Notice is a message to a member about notifications of theirs.
type Notice struct {
	Effect
	Member desk.MemberID
	Way    desk.NoticeWay
	Test   bool
}

// AddNotice adds a message to a member. mark is its name, unique among all of ours.
func (tx *Tx) AddNotice(n Notice, mark string) (id NoticeID, err error) {
	err = tx.Row(`INSERT INTO notices (account_id, member_id, way, is_test, created_at, mark, wanted, shown, kept, failure)
		SELECT account_id, id, $3, $4, $5, $6, 1, 0, '', '' FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, n.Member, n.Way, n.Test, ms(tx.Now), mark).Scan(&id)
	return id, wrap("add a notice", Missing(err, "Member"))
}

// PendingNotice returns a notice that was not sent yet; ok is false if there is none
// with this id.
func (tx *Tx) PendingNotice(id NoticeID) (n Notice, ok bool, err error) {
	return IfAny(scanNotice(tx.Row("SELECT "+effectColumns+", member_id, way, is_test FROM notices WHERE account_id = $1 AND id = $2 AND wanted > shown", tx.Account, id).Scan))
}

func scanNotice(scan scanner) (n Notice, err error) {
	n.Effect, err = scanEffect(effectsOfNotices, scan, &n.Member, &n.Way, &n.Test)
	return n, err
}
