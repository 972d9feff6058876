package store

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

// MailID identifies a mail of an account, in or out.
type MailID int64

// Mail is a mail of a request.
type Mail struct {
	ID        MailID
	Request   desk.RequestID
	Message   desk.MessageID // 0 if it is no message
	Direction desk.EmailDirection
	External  string // its Message-ID
	Body      string // HTML of a mail out that is no message
	Digest    string // of a mail in: the same for the same mail
	Source    string // of a mail in: the key of the blob with its bytes
	CreatedAt time.Time
}

const mailColumns = "id, request_id, message_id, direction, external_id, body, digest, source, created_at"

func scanMail(scan scanner) (m Mail, err error) {
	err = scan(&m.ID, &m.Request, orZero(&m.Message), &m.Direction, &m.External, &m.Body, orZero(&m.Digest), orZero(&m.Source), inMS(&m.CreatedAt))
	return m, err
}

// AddMail inserts a mail of a request and sets its id. If another process has
// inserted the same mail in the meantime, the transaction runs again.
func (tx *Tx) AddMail(m *Mail) error {
	m.CreatedAt = tx.Now
	err := tx.Row(`INSERT INTO mails (account_id, request_id, message_id, direction, external_id, body, digest, source, created_at)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9 FROM requests WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, m.Request, unlessZero(m.Message), m.Direction, m.External, m.Body, unlessZero(m.Digest), unlessZero(m.Source), ms(m.CreatedAt)).Scan(&m.ID)
	return wrap("add mail", Missing(err, "Request"))
}

// Mail returns a mail.
func (tx *Tx) Mail(id MailID) (Mail, error) {
	m, err := scanMail(tx.Row("SELECT "+mailColumns+" FROM mails WHERE account_id = $1 AND id = $2", tx.Account, id).Scan)
	return m, Missing(err, "Mail")
}

// MailOf returns the mail that brought a message, or that carries it. A message of the
// team can have both. It returns NotFound if there is none.
func (tx *Tx) MailOf(id desk.MessageID, d desk.EmailDirection) (Mail, error) {
	m, err := scanMail(tx.Row("SELECT "+mailColumns+" FROM mails WHERE account_id = $1 AND message_id = $2 AND direction = $3 ORDER BY id LIMIT 1", tx.Account, id, d).Scan)
	return m, Missing(err, "Mail")
}

// HasMail reports whether the mail with this digest has come before.
func (tx *Tx) HasMail(digest string) (bool, error) {
	id, err := one[MailID](tx, "SELECT id FROM mails WHERE account_id = $1 AND digest = $2", tx.Account, digest)
	return id != 0, err
}

// SentMail reports whether a mail with this Message-ID is one of ours.
func (tx *Tx) SentMail(external string) (bool, error) {
	id, err := one[MailID](tx, "SELECT id FROM mails WHERE account_id = $1 AND external_id = $2 AND direction = 'out' LIMIT 1", tx.Account, external)
	return id != 0, err
}

// MailsBefore returns the mails of a request that are older than one of them, the
// oldest first, and no more than most. 0 means all of them.
func (tx *Tx) MailsBefore(request desk.RequestID, id MailID, most int) ([]Mail, error) {
	var q query
	q.Add("SELECT "+mailColumns+" FROM mails WHERE account_id = ? AND request_id = ?", tx.Account, request)
	if id != 0 {
		q.Add(" AND id < ?", id)
	}
	q.Add(" ORDER BY id DESC LIMIT ?", most)
	all, err := sqldb.Collect(tx.Tx, scanMail, q.String(), q.Args()...)
	slices.Reverse(all)
	return all, err
}

// RequestsOfMails returns the requests of the mails with these Message-IDs.
func (tx *Tx) RequestsOfMails(externals []string) (map[string]desk.RequestID, error) {
	return lookUpBy[string, desk.RequestID](tx, externals, "SELECT external_id, request_id FROM mails WHERE account_id = ? AND external_id IN ")
}

// MailCopy is a mail for one recipient.
type MailCopy struct {
	Effect
	Mail      MailID
	Email     string
	CC        bool
	CreatedAt time.Time
	DueAt     time.Time // when it is tried next
	failure   string
	shown     int64
}

// Status returns what became of the copy.
func (c MailCopy) Status() desk.EmailRecipient {
	r := desk.EmailRecipient{Email: c.Email, Status: desk.EmailWaiting}
	switch {
	case c.failure != "":
		r.Status, r.Error = desk.EmailFailed, c.failure
	case c.shown >= c.wanted:
		r.Status = desk.EmailStatus(c.Kept)
	}
	return r
}

const mailCopyColumns = effectColumns + ", mail_id, email, role = 'cc', created_at, due_at, failure, shown"

func scanMailCopy(scan scanner) (c MailCopy, err error) {
	c.Effect, err = scanEffect(effectsOfMails, scan, &c.Mail, &c.Email, &c.CC, inMS(&c.CreatedAt), inMS(&c.DueAt), &c.failure, &c.shown)
	return c, err
}

// AddMailCopies queues copies of a mail, which are due now.
func (tx *Tx) AddMailCopies(m Mail, to, cc []string) error {
	if _, err := tx.Mail(m.ID); err != nil {
		return err
	}
	rows := tx.insert("INSERT INTO mail_copies (account_id, mail_id, email, role, due_at, created_at, mark, wanted, shown, kept, failure) VALUES ")
	for _, email := range to {
		rows.Add(tx.Account, m.ID, email, "to", ms(tx.Now), ms(tx.Now), m.External, 1, 0, "", "")
	}
	for _, email := range cc {
		rows.Add(tx.Account, m.ID, email, "cc", ms(tx.Now), ms(tx.Now), m.External, 1, 0, "", "")
	}
	return wrap("add copies of a mail", rows.Flush())
}

// NextMailCopy returns the copy of a mail that is to be sent first, even if it is not
// due yet; ok is false if there is none.
func (tx *Tx) NextMailCopy(id MailID) (c MailCopy, ok bool, err error) {
	return IfAny(scanMailCopy(tx.Row("SELECT "+mailCopyColumns+" FROM mail_copies WHERE account_id = $1 AND mail_id = $2 AND wanted > shown ORDER BY due_at, id LIMIT 1", tx.Account, id).Scan))
}

// MailCopies returns the copies of a mail.
func (tx *Tx) MailCopies(id MailID) ([]MailCopy, error) {
	return sqldb.Collect(tx.Tx, scanMailCopy, "SELECT "+mailCopyColumns+" FROM mail_copies WHERE account_id = $1 AND mail_id = $2 ORDER BY id", tx.Account, id)
}

// PostponeMailCopy sets when a copy is tried next.
func (tx *Tx) PostponeMailCopy(c MailCopy, due time.Time) error {
	return tx.Do("UPDATE mail_copies SET due_at = $1 WHERE account_id = $2 AND id = $3", ms(due), tx.Account, c.ID)
}

// FailMailCopy records that a copy did not arrive although it was sent.
func (tx *Tx) FailMailCopy(c MailCopy, failure string) error {
	return tx.Do("UPDATE mail_copies SET shown = wanted, failure = $1 WHERE account_id = $2 AND id = $3", failure, tx.Account, c.ID)
}

// RenewMailCopy queues a copy once more.
func (tx *Tx) RenewMailCopy(c MailCopy) error {
	return tx.Do("UPDATE mail_copies SET wanted = wanted + 1, failure = '', kept = '', tried_at = NULL, due_at = $1, created_at = $1 WHERE account_id = $2 AND id = $3",
		ms(tx.Now), tx.Account, c.ID)
}

// MailTrouble returns the worst that became of the mails of a request: failed, perhaps
// sent, or nothing bad, which is empty.
func (tx *Tx) MailTrouble(id desk.RequestID) (desk.EmailStatus, error) {
	return one[desk.EmailStatus](tx, `SELECT CASE WHEN c.failure <> '' THEN 'failed' ELSE 'perhaps_sent' END AS trouble
		FROM mails m JOIN mail_copies c ON c.account_id = m.account_id AND c.mail_id = m.id
		WHERE m.account_id = $1 AND m.request_id = $2 AND c.shown >= c.wanted AND (c.failure <> '' OR c.kept = 'perhaps_sent')
		ORDER BY trouble LIMIT 1`, tx.Account, id)
}

// SaveMessageEmail saves what a message shows of its mail.
func (tx *Tx) SaveMessageEmail(m desk.Message) error {
	of, err := tx.changeMessage("UPDATE messages SET email = $1 WHERE account_id = $2 AND id = $3", stored.MessageEmail(&m.Email), tx.Account, m.ID)
	if err == nil && of != 0 {
		tx.change(of)
	}
	return err
}

// PublishMessage saves a message that is no longer private, or whose text has
// changed because its files have their names now.
func (tx *Tx) PublishMessage(m desk.Message) error {
	_, err := tx.changeMessage("UPDATE messages SET html = $1, text = $2, is_private = $3, is_idle = $4, author_id = $5, email = $6 WHERE account_id = $7 AND id = $8",
		m.HTML, m.Text, m.Private, m.Idle, unlessZero(m.Author.User), stored.MessageEmail(&m.Email), tx.Account, m.ID)
	return err
}

// Participants returns who takes part in a request besides its requester, and who
// was asked or removed, the oldest first.
func (tx *Tx) Participants(id desk.RequestID) ([]desk.Participant, error) {
	return sqldb.Collect(tx.Tx, func(scan scanner) (desk.Participant, error) {
		p := desk.Participant{Request: id, Role: desk.RoleCC}
		err := scan(&p.Email, &p.Name, &p.Status, inMS(&p.AddedAt))
		return p, err
	}, "SELECT email, name, status, created_at FROM participants WHERE account_id = $1 AND request_id = $2 ORDER BY created_at, email_folded", tx.Account, id)
}

// PutParticipant adds somebody to a request, or changes their name and status.
func (tx *Tx) PutParticipant(p desk.Participant) error {
	n, err := tx.Exec(`INSERT INTO participants (account_id, request_id, email_folded, email, name, status, created_at)
		SELECT $1, id, $3, $4, $5, $6, $7 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, request_id, email_folded) DO UPDATE SET name = excluded.name, status = excluded.status`,
		tx.Account, p.Request, desk.FoldEmail(p.Email), p.Email, p.Name, p.Status, ms(tx.Now))
	if err == nil && n == 0 {
		err = desk.Missing("Request")
	}
	return wrap("add a participant", err)
}

// MayAutoReply reports whether an address may get an automatic answer, and records
// that it gets one. It may if it got none since a time.
func (tx *Tx) MayAutoReply(email string, since time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO auto_replies (account_id, email_folded, sent_at) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, email_folded) DO UPDATE SET sent_at = excluded.sent_at
		WHERE auto_replies.account_id = excluded.account_id AND auto_replies.sent_at <= $4`,
		tx.Account, desk.FoldEmail(email), ms(tx.Now), ms(since))
	return n > 0, err
}

// MailSuccessor returns the newest request that a mail began because this one was
// closed, or 0 if there is none.
func (tx *Tx) MailSuccessor(id desk.RequestID) (desk.RequestID, error) {
	return one[desk.RequestID](tx, "SELECT id FROM requests WHERE account_id = $1 AND parent_id = $2 AND source = 'email' ORDER BY id DESC LIMIT 1", tx.Account, id)
}

// MemberEmails returns which of the folded emails belong to members of the account.
func (tx *Tx) MemberEmails(emails []string) (map[string]bool, error) {
	return lookUpBy[string, bool](tx, emails, "SELECT email_folded, TRUE FROM members WHERE account_id = ? AND removed_at IS NULL AND email_folded IN ")
}

// OwnAddresses returns which of the folded addresses belong to collections of the
// account.
func (tx *Tx) OwnAddresses(addresses []string) (map[string]bool, error) {
	return lookUpBy[string, bool](tx, addresses, "SELECT address, TRUE FROM email_addresses WHERE account_id = ? AND address IN ")
}

// MergedParticipants returns who takes part in the requests that were merged into
// one, with their requesters.
func (tx *Tx) MergedParticipants(id desk.RequestID) ([]desk.Participant, error) {
	return sqldb.Collect(tx.Tx, func(scan scanner) (desk.Participant, error) {
		p := desk.Participant{Request: id, Role: desk.RoleCC, Status: desk.ParticipantActive}
		err := scan(&p.Email, &p.Name)
		return p, err
	}, `SELECT email, name FROM (
			SELECT r.id, 0 AS n, r.author_email AS email, r.author_name AS name FROM requests r
			WHERE r.account_id = $1 AND r.merged_into = $2 AND r.mail_subject IS NOT NULL AND r.mails_requester
			UNION ALL SELECT r.id, 1, p.email, p.name FROM requests r
			JOIN participants p ON p.account_id = r.account_id AND p.request_id = r.id AND p.status = 'active'
			WHERE r.account_id = $1 AND r.merged_into = $2 AND r.mail_subject IS NOT NULL) AS merged
		ORDER BY id, n, email`, tx.Account, id)
}

// AddPostmasterMail keeps a mail for the server's postmaster, and forgets the oldest
// if there are more than most.
func (s *Store) AddPostmasterMail(ctx context.Context, m PostmasterMail, most int) error {
	return fit(s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := tx.Do("INSERT INTO postmaster_mails (recipient, sender, subject, raw, received_at) VALUES ($1, $2, $3, $4, $5)",
			m.Recipient, m.Sender, m.Subject, m.Raw, ms(s.Now())); err != nil {
			return err
		}
		return tx.Do("DELETE FROM postmaster_mails WHERE id <= (SELECT id FROM postmaster_mails ORDER BY id DESC LIMIT 1 OFFSET $1)", most)
	}))
}

// PostmasterMail is a mail for the server's postmaster.
type PostmasterMail struct {
	ID                         int64
	Recipient, Sender, Subject string
	Raw                        []byte
	ReceivedAt                 time.Time
}

// PostmasterMails returns the newest mails for the server's postmaster, without their
// bytes.
func (s *Store) PostmasterMails(ctx context.Context, most int) (all []PostmasterMail, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) error {
		all, err = sqldb.Collect(tx, func(scan scanner) (m PostmasterMail, err error) {
			err = scan(&m.ID, &m.Recipient, &m.Sender, &m.Subject, inMS(&m.ReceivedAt))
			return m, err
		}, "SELECT id, recipient, sender, subject, received_at FROM postmaster_mails ORDER BY id DESC LIMIT $1", most)
		return err
	})
	return all, fit(err)
}

// PostmasterMail returns the bytes of a mail for the server's postmaster.
func (s *Store) PostmasterMail(ctx context.Context, id int64) (raw []byte, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) error {
		return tx.Row("SELECT raw FROM postmaster_mails WHERE id = $1", id).Scan(&raw)
	})
	return raw, fit(Missing(err, "Mail"))
}
