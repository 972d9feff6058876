package store

import (
	"time"

	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
)

// LetterID identifies a letter.
type LetterID int64

// Letter is what is sent of a dashboard.
type Letter struct {
	ID        LetterID
	Report    report.ReportID // 0 if somebody asked for it themselves
	Mark      string          // names it, so that it is written once
	Subject   string
	HTML      string
	CreatedAt time.Time
}

// LetterCopy is a letter for one recipient: an address, a channel or a user.
type LetterCopy struct {
	Effect
	Email, User string
	DueAt       time.Time // when a mail is tried next
}

// lettersKept is how long letters are kept.
const lettersKept = 30 * 24 * time.Hour

// AddLetter inserts a letter with its copies, and deletes old ones. It returns false,
// and inserts nothing, if there is a letter with this mark.
func (tx *Tx) AddLetter(l *Letter, copies []LetterCopy) (bool, error) {
	old := ms(tx.Now.Add(-lettersKept))
	if err := tx.Do(`DELETE FROM report_copies WHERE account_id = $1 AND letter_id IN (SELECT id FROM report_letters WHERE account_id = $1 AND created_at < $2)`, tx.Account, old); err != nil {
		return false, err
	}
	if err := tx.Do("DELETE FROM report_letters WHERE account_id = $1 AND created_at < $2", tx.Account, old); err != nil {
		return false, err
	}
	l.CreatedAt = tx.Now
	ids, err := sqldb.Collect(tx.Tx, scanID[LetterID], `INSERT INTO report_letters (account_id, report_id, mark, subject, html, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`, tx.Account, unlessZero(l.Report), l.Mark, l.Subject, l.HTML, ms(l.CreatedAt))
	if err != nil || len(ids) == 0 {
		return false, wrap("add letter", err)
	}
	l.ID = ids[0]
	rows := tx.insert("INSERT INTO report_copies (account_id, letter_id, email, user_id, channel_id, due_at, mark, wanted, shown, kept, failure) VALUES ")
	for _, c := range copies {
		rows.Add(tx.Account, l.ID, unlessZero(c.Email), unlessZero(c.User), unlessZero(c.Channel), ms(tx.Now), c.Mark, 1, 0, "", "")
	}
	return true, wrap("add copies of a letter", rows.Flush())
}

// Letter returns a letter.
func (tx *Tx) Letter(id LetterID) (l Letter, err error) {
	err = tx.Row("SELECT id, report_id, mark, subject, html, created_at FROM report_letters WHERE account_id = $1 AND id = $2", tx.Account, id).
		Scan(&l.ID, orZero(&l.Report), &l.Mark, &l.Subject, &l.HTML, inMS(&l.CreatedAt))
	return l, Missing(err, "Letter")
}

// NextLetterCopy returns the copy of a letter that is to be sent first, by mail or in the
// chat system, even if it is not due yet; ok is false if there is none.
func (tx *Tx) NextLetterCopy(id LetterID, byMail bool) (c LetterCopy, ok bool, err error) {
	how := "IS NULL"
	if byMail {
		how = "IS NOT NULL"
	}
	return IfAny(scanLetterCopy(tx.Row("SELECT "+effectColumns+", email, user_id, due_at FROM report_copies WHERE account_id = $1 AND letter_id = $2 AND wanted > shown AND email "+how+
		" ORDER BY due_at, id LIMIT 1", tx.Account, id).Scan))
}

func scanLetterCopy(scan scanner) (c LetterCopy, err error) {
	c.Effect, err = scanEffect(effectsOfReports, scan, orZero(&c.Email), orZero(&c.User), inMS(&c.DueAt))
	return c, err
}

// PostponeLetterCopy sets when a mail is tried next.
func (tx *Tx) PostponeLetterCopy(c LetterCopy, due time.Time) error {
	return tx.Do("UPDATE report_copies SET due_at = $1 WHERE account_id = $2 AND id = $3", ms(due), tx.Account, c.ID)
}

// PendingLetters returns letters with something to post in the chat system, after one.
func (tx *Tx) PendingLetters(after LetterID, limit int) ([]LetterID, error) {
	return sqldb.Collect(tx.Tx, scanID[LetterID], `SELECT DISTINCT letter_id FROM report_copies
		WHERE account_id = $1 AND letter_id > $2 AND wanted > shown AND email IS NULL ORDER BY letter_id LIMIT $3`, tx.Account, after, limit)
}
