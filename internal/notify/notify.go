// Package notify keeps what members were told: their notifications, which of them are
// read, and which went out in a message. It knows neither what happened nor whom that
// concerns.
package notify

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// New is a notification that is to be added. Mark names the fact, so that
// the member is told of it once.
type New struct {
	desk.Notification
	Mark    string
	GoesOut bool
}

// Add adds notifications, without those that are there already. Of each
// member the newest most are kept.
func Add(tx *store.Tx, request desk.RequestID, all []New, most int) error {
	if len(all) == 0 {
		return nil
	}
	if err := tx.HasRequest(request, desk.Everything); err != nil {
		return err
	}
	for _, n := range all {
		err := tx.Do(`INSERT INTO notifications (account_id, member_id, request_id, kind, message_id, by_name, sla, due_at, mark, created_at, goes_out)
			SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM members WHERE account_id = $1 AND id = $2
			ON CONFLICT (account_id, member_id, request_id, mark) DO NOTHING`,
			tx.Account, n.Member, request, n.Kind, n.Message, n.By, orNull(n.SLA), store.OptionalMS(n.Due), n.Mark, n.CreatedAt.UnixMilli(), n.GoesOut)
		if err != nil {
			return fmt.Errorf("add a notification: %w", err)
		}
		err = tx.Do(`DELETE FROM notifications WHERE account_id = $1 AND member_id = $2 AND (created_at, id) <= (SELECT created_at, id FROM notifications
			WHERE account_id = $1 AND member_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $3)`, tx.Account, n.Member, most)
		if err != nil {
			return err
		}
	}
	return nil
}

// Its request is the one that it was merged into, if it was. A message that was
// removed says nothing.
const (
	columns = `n.id, n.member_id, n.kind, r.id, r.title, n.message_id, coalesce(x.text, ''), coalesce(x.is_private, FALSE),
		coalesce(nullif(n.by_name, ''), x.author_name, ''), n.sla, n.due_at, n.created_at, n.read_at`
	tables = ` FROM notifications n
		JOIN requests o ON o.account_id = n.account_id AND o.id = n.request_id
		JOIN requests r ON r.account_id = o.account_id AND r.id = coalesce(o.merged_into, o.id)
		LEFT JOIN messages x ON x.account_id = n.account_id AND x.id = n.message_id AND x.removed_at IS NULL`
)

// mostExcerpt is how many characters of a message a notification shows.
const mostExcerpt = 200

func read(scan func(...any) error) (n desk.Notification, err error) {
	var text string
	var sla *desk.SLAKind
	var due, was *int64
	var created int64
	err = scan(&n.ID, &n.Member, &n.Kind, &n.Request, &n.Title, &n.Message, &text, &n.Private, &n.By, &sla, &due, &created, &was)
	n.Excerpt, n.Due, n.CreatedAt, n.ReadAt = desk.Shorten(text, mostExcerpt), store.FromOptionalMS(due), store.FromMS(created), store.FromOptionalMS(was)
	if sla != nil {
		n.SLA = *sla
	}
	return n, err
}

func orNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// List returns a page of a member's notifications about requests within
// reach.
func List(tx *store.Tx, member desk.MemberID, f desk.NotificationFilter, reach desk.Reach, p desk.Page) (desk.List[desk.Notification], error) {
	var q sqldb.Query
	q.Add("SELECT "+columns+tables+" WHERE n.account_id = ? AND n.member_id = ?", tx.Account, member)
	store.Within(&q, "r.collection_id", reach)
	if f.Unread {
		q.Add(" AND n.read_at IS NULL")
	}
	return store.Page(tx, &q, "n.created_at", "n.id", p, read, func(n desk.Notification) desk.Position { return desk.Position{At: n.CreatedAt, ID: int64(n.ID)} })
}

// One returns a notification of a member about a request within reach.
func One(tx *store.Tx, id desk.NotificationID, member desk.MemberID, reach desk.Reach) (desk.Notification, error) {
	var q sqldb.Query
	q.Add("SELECT "+columns+tables+" WHERE n.account_id = ? AND n.member_id = ? AND n.id = ?", tx.Account, member, id)
	store.Within(&q, "r.collection_id", reach)
	n, err := read(tx.Row(q.String(), q.Args()...).Scan)
	return n, store.Missing(err, "Notification")
}

// Count counts a member's unread notifications about requests within
// reach. There are never many: see desk.MostNotifications.
func Count(tx *store.Tx, member desk.MemberID, reach desk.Reach) (n int, err error) {
	var q sqldb.Query
	q.Add("SELECT count(*)"+tables+" WHERE n.account_id = ? AND n.member_id = ? AND n.read_at IS NULL", tx.Account, member)
	store.Within(&q, "r.collection_id", reach)
	err = tx.Row(q.String(), q.Args()...).Scan(&n)
	return n, err
}

// SetRead marks a notification of a member as read or unread.
func SetRead(tx *store.Tx, id desk.NotificationID, member desk.MemberID, read bool) error {
	var at *time.Time
	if read {
		at = &tx.Now
	}
	return tx.Do("UPDATE notifications SET read_at = $1 WHERE account_id = $2 AND member_id = $3 AND id = $4", store.OptionalMS(at), tx.Account, member, id)
}

// ReadUpTo marks the unread notifications of a member as read that are
// not newer than one of them.
func ReadUpTo(tx *store.Tx, id desk.NotificationID, member desk.MemberID) error {
	return tx.Do(`UPDATE notifications SET read_at = $1 WHERE account_id = $2 AND member_id = $3 AND read_at IS NULL AND id <= $4`, tx.Now.UnixMilli(), tx.Account, member, id)
}

// ReadOf marks what a member was told about a request as read.
func ReadOf(tx *store.Tx, request desk.RequestID, member desk.MemberID) error {
	return tx.Do("UPDATE notifications SET read_at = $1 WHERE account_id = $2 AND member_id = $3 AND request_id = $4 AND read_at IS NULL", tx.Now.UnixMilli(), tx.Account, member, request)
}

// HasReadable returns NotFound if a request is not within reach. In the same statement
// it reports whether a member has unread notifications about it.
func HasReadable(tx *store.Tx, id desk.RequestID, reach desk.Reach, member desk.MemberID) (notified bool, err error) {
	var q sqldb.Query
	q.Add(`SELECT EXISTS (SELECT 1 FROM notifications n WHERE n.account_id = requests.account_id AND n.member_id = ? AND n.request_id = requests.id AND n.read_at IS NULL)
		FROM requests WHERE account_id = ? AND id = ?`, member, tx.Account, id)
	store.Within(&q, "collection_id", reach)
	err = tx.Row(q.String(), q.Args()...).Scan(&notified)
	return notified, store.Missing(err, "Request")
}

// GoingOut returns the notifications of a member that may go out and have not, the
// oldest first. Those that were read meanwhile are among them.
func GoingOut(tx *store.Tx, member desk.MemberID, reach desk.Reach, limit int) ([]desk.Notification, error) {
	var q sqldb.Query
	q.Add("SELECT "+columns+tables+" WHERE n.account_id = ? AND n.member_id = ? AND n.goes_out AND n.told_at IS NULL", tx.Account, member)
	store.Within(&q, "r.collection_id", reach)
	q.Add(" ORDER BY n.id LIMIT ?", limit)
	return sqldb.Collect(tx.Tx, read, q.String(), q.Args()...)
}

// SetTold records that it was decided how notifications go out: with these notices, 0
// for none.
func SetTold(tx *store.Tx, member desk.MemberID, ids []desk.NotificationID, chat, email store.NoticeID) error {
	if len(ids) == 0 {
		return nil
	}
	var q sqldb.Query
	q.Add("UPDATE notifications SET told_at = ?, chat_notice_id = coalesce(?, chat_notice_id), email_notice_id = coalesce(?, email_notice_id) WHERE account_id = ? AND member_id = ? AND id IN ",
		tx.Now.UnixMilli(), orNull(chat), orNull(email), tx.Account, member)
	sqldb.In(&q, ids)
	return tx.Do(q.String(), q.Args()...)
}

// Forget gives up what may not go out any more, because the member does not
// see it any more.
func Forget(tx *store.Tx, member desk.MemberID, upTo time.Time) error {
	return tx.Do("UPDATE notifications SET told_at = $1 WHERE account_id = $2 AND member_id = $3 AND goes_out AND told_at IS NULL AND created_at <= $4",
		tx.Now.UnixMilli(), tx.Account, member, upTo.UnixMilli())
}

// Sweep removes some notifications and notices from before a time. It
// reports whether there may be more.
func Sweep(tx *store.Tx, before time.Time, piece int) (more bool, err error) {
	for _, table := range []string{"notifications", "notices"} {
		n, err := tx.Exec("DELETE FROM "+table+` WHERE account_id = $1 AND id IN (SELECT id FROM `+table+` WHERE account_id = $1 AND created_at < $2
			ORDER BY created_at, id LIMIT $3)`, tx.Account, before.UnixMilli(), piece)
		if err != nil {
			return false, err
		}
		more = more || n == int64(piece)
	}
	return more, nil
}

// Of returns the notifications that a notice is about, which its member can see.
func Of(tx *store.Tx, n store.Notice, reach desk.Reach) ([]desk.Notification, error) {
	column := "n.chat_notice_id"
	if n.Way == desk.NoticeByEmail {
		column = "n.email_notice_id"
	}
	var q sqldb.Query
	q.Add("SELECT "+columns+tables+" WHERE n.account_id = ? AND n.member_id = ? AND "+column+" = ?", tx.Account, n.Member, n.ID)
	store.Within(&q, "r.collection_id", reach)
	q.Add(" ORDER BY n.id")
	return sqldb.Collect(tx.Tx, read, q.String(), q.Args()...)
}
