package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

func scanAttachment(scan scanner) (a desk.Attachment, err error) {
	err = scan(&a.ID, &a.Name, &a.Type, &a.Size, &a.Key, inMS(&a.CreatedAt))
	return a, err
}

// AddAttachment attaches a stored file to a message.
func (tx *Tx) AddAttachment(m desk.Message, f desk.NewFile) error {
	n, err := tx.Exec(`INSERT INTO attachments (account_id, message_id, request_id, name, type, size, sum, blob_key, created_at)
		SELECT $1, id, request_id, $3, $4, $5, $6, $7, $8 FROM messages WHERE account_id = $1 AND id = $2`,
		tx.Account, m.ID, f.Name, f.Type, f.Size, f.Sum, f.Key, ms(tx.Now))
	if err == nil && n == 0 {
		err = desk.Missing("Message")
	}
	return wrap("add attachment", err)
}

// Attachment returns a file of a message in a request within reach.
func (tx *Tx) Attachment(id desk.AttachmentID, reach desk.Reach) (desk.Attachment, error) {
	var q query
	q.Add(`SELECT a.id, a.name, a.type, a.size, a.blob_key, a.created_at FROM attachments a
		JOIN requests r ON r.account_id = a.account_id AND r.id = a.request_id
		JOIN messages m ON m.account_id = a.account_id AND m.id = a.message_id
		WHERE a.account_id = ? AND a.id = ? AND m.removed_at IS NULL`, tx.Account, id)
	q.within("r.collection_id", reach)
	a, err := scanAttachment(tx.Row(q.String(), q.Args()...).Scan)
	return a, Missing(err, "Attachment")
}

// addAttachments reads the files of the messages of several requests in one query.
func (tx *Tx) addAttachments(ids []desk.RequestID, at map[desk.RequestID]*desk.Request) error {
	type file struct {
		message desk.MessageID
		desk.Attachment
	}
	return collectFor(tx, ids, "message_id, id, name, type, size, blob_key, created_at FROM attachments", "message_id, id", func(scan scanner) (f file, err error) {
		f.Attachment, err = scanAttachment(func(dest ...any) error { return scan(append([]any{&f.message}, dest...)...) })
		return f, err
	}, func(id desk.RequestID, f file) {
		for i := range at[id].Messages {
			if m := &at[id].Messages[i]; m.ID == f.message {
				m.Attachments = append(m.Attachments, f.Attachment)
			}
		}
	})
}

// NamedBlobs returns which of the keys are in use by the account: by an attachment,
// an announcement file, a file of a waiting message or a mail that came in.
func (tx *Tx) NamedBlobs(keys []string) (map[string]bool, error) {
	var q query
	q.Add("SELECT blob_key FROM attachments WHERE account_id = ? AND blob_key IN ", tx.Account)
	sqldb.In(&q, keys)
	q.Add(" UNION ALL SELECT blob_key FROM announcement_files WHERE account_id = ? AND blob_key IN ", tx.Account)
	sqldb.In(&q, keys)
	q.Add(" UNION ALL SELECT blob_key FROM waiting_files WHERE account_id = ? AND blob_key IN ", tx.Account)
	sqldb.In(&q, keys)
	q.Add(" UNION ALL SELECT source FROM mails WHERE account_id = ? AND source IN ", tx.Account)
	sqldb.In(&q, keys)
	found, err := sqldb.Collect(tx.Tx, scanText, q.String(), q.Args()...)
	return setOf(found), err
}
