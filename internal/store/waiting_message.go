package store

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const waitingColumns = `w.id, w.request_id, w.member_id, m.name, m.email, w.html, w.thread_id, w.is_private, w.as_bot, w.state, w.source, w.ip,
	w.created_at, w.send_at, w.failure, w.sent_as, w.taken_at`

const waitingTables = ` FROM waiting_messages w JOIN members m ON m.account_id = w.account_id AND m.id = w.member_id`

func scanWaiting(scan scanner) (w desk.WaitingMessage, err error) {
	var state *string
	err = scan(&w.ID, &w.Request, &w.By.ID, &w.By.Name, &w.By.Email, orZero(&w.HTML), &w.Thread, &w.Private, &w.AsBot, &state, &w.By.Source, &w.By.IP,
		inMS(&w.CreatedAt), inMS(&w.SendAt), &w.Failure, &w.SentAs, inMSOrNil(&w.TakenAt))
	w.State = (*desk.State)(state)
	return w, err
}

// WaitingMessage returns a message of any member that is waiting, could not be
// sent, was sent or was taken back.
func (tx *Tx) WaitingMessage(id desk.WaitingMessageID) (desk.WaitingMessage, error) {
	w, err := scanWaiting(tx.Row("SELECT "+waitingColumns+waitingTables+" WHERE w.account_id = $1 AND w.id = $2", tx.Account, id).Scan)
	if err != nil {
		return w, Missing(err, "Waiting message")
	}
	one := []desk.WaitingMessage{w}
	err = tx.addWaitingFiles(one)
	return one[0], err
}

// WaitingMessages returns a member's messages in a request that are waiting or
// could not be sent, in the order in which they were written.
func (tx *Tx) WaitingMessages(id desk.RequestID, member desk.MemberID) ([]desk.WaitingMessage, error) {
	all, err := sqldb.Collect(tx.Tx, scanWaiting, "SELECT "+waitingColumns+waitingTables+`
		WHERE w.account_id = $1 AND w.member_id = $2 AND w.request_id = $3 AND w.sent_as IS NULL AND w.taken_at IS NULL ORDER BY w.id`, tx.Account, member, id)
	if err != nil {
		return nil, err
	}
	return all, tx.addWaitingFiles(all)
}

func (tx *Tx) addWaitingFiles(all []desk.WaitingMessage) error {
	ids, at := placesOf(all, func(w *desk.WaitingMessage) desk.WaitingMessageID { return w.ID })
	return lookUpOf(tx, ids, "SELECT waiting_id, "+waitingFileColumns+" FROM waiting_files WHERE account_id = ? AND waiting_id IN ", " ORDER BY waiting_id, id",
		scanWaitingFile, func(id desk.WaitingMessageID, f desk.WaitingFile) { at[id].Files = append(at[id].Files, f) })
}

const waitingFileColumns = "id, name, type, size, sum, blob_key"

func scanWaitingFile(scan scanner) (f desk.WaitingFile, err error) {
	err = scan(&f.ID, &f.Name, &f.Type, &f.Size, &f.Sum, &f.Key)
	return f, err
}

// AddWaitingMessage inserts a message that is to be sent, with its files, and sets
// its id.
func (tx *Tx) AddWaitingMessage(w *desk.WaitingMessage, files []desk.NewFile) error {
	err := tx.Row(`INSERT INTO waiting_messages (account_id, request_id, member_id, html, thread_id, is_private, as_bot, state, source, ip, created_at, send_at, failure)
		SELECT r.account_id, r.id, m.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, '' FROM requests r JOIN members m ON m.account_id = r.account_id
		WHERE r.account_id = $1 AND r.id = $2 AND m.id = $3 RETURNING id`,
		tx.Account, w.Request, w.By.ID, unlessZero(w.HTML), w.Thread, w.Private, w.AsBot, (*string)(w.State), w.By.Source, w.By.IP, ms(w.CreatedAt), ms(w.SendAt)).Scan(&w.ID)
	if err != nil {
		return fmt.Errorf("add waiting message: %w", Missing(err, "Request"))
	}
	for _, f := range files {
		kept := desk.WaitingFile{NewFile: f}
		if err := tx.Row(`INSERT INTO waiting_files (account_id, waiting_id, name, type, size, sum, blob_key) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
			tx.Account, w.ID, f.Name, f.Type, f.Size, f.Sum, f.Key).Scan(&kept.ID); err != nil {
			return fmt.Errorf("add waiting file: %w", err)
		}
		w.Files = append(w.Files, kept)
	}
	return nil
}

// SetSent records the message that a waiting message became. Its files now belong
// to that message.
func (tx *Tx) SetSent(id desk.WaitingMessageID, as desk.MessageID) error {
	if err := tx.Do("UPDATE waiting_messages SET sent_as = $1, failure = '' WHERE account_id = $2 AND id = $3", as, tx.Account, id); err != nil {
		return err
	}
	return tx.Do("DELETE FROM waiting_files WHERE account_id = $1 AND waiting_id = $2", tx.Account, id)
}

// SetFailed records why a waiting message could not be sent.
func (tx *Tx) SetFailed(id desk.WaitingMessageID, why string) error {
	return tx.Do("UPDATE waiting_messages SET failure = $1 WHERE account_id = $2 AND id = $3 AND sent_as IS NULL AND taken_at IS NULL", why, tx.Account, id)
}

// TakeBack takes back a message that has not been sent. Its files stay for a while.
func (tx *Tx) TakeBack(id desk.WaitingMessageID) error {
	return tx.Do("UPDATE waiting_messages SET taken_at = $1 WHERE account_id = $2 AND id = $3 AND sent_as IS NULL AND taken_at IS NULL", ms(tx.Now), tx.Account, id)
}

// TakenFiles removes and returns those of the files that came with messages a
// member has taken back. The caller sends them with another message.
func (tx *Tx) TakenFiles(member desk.MemberID, ids []desk.WaitingFileID) (files []desk.WaitingFile, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q query
	q.Add("DELETE FROM waiting_files WHERE account_id = ? AND id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.Add(" AND waiting_id IN (SELECT w.id FROM waiting_messages w WHERE w.account_id = ? AND w.member_id = ? AND w.taken_at IS NOT NULL) RETURNING "+waitingFileColumns, tx.Account, member)
	return sqldb.Collect(tx.Tx, scanWaitingFile, q.String(), q.Args()...)
}

// SweepWaiting deletes messages that were sent or taken back before a time, and
// those of their files that were not sent since.
func (tx *Tx) SweepWaiting(before time.Time) error {
	const done = "account_id = $1 AND send_at < $2 AND (sent_as IS NOT NULL OR taken_at IS NOT NULL)"
	if err := tx.Do("DELETE FROM waiting_files WHERE account_id = $1 AND waiting_id IN (SELECT id FROM waiting_messages WHERE "+done+")", tx.Account, ms(before)); err != nil {
		return err
	}
	return tx.Do("DELETE FROM waiting_messages WHERE "+done, tx.Account, ms(before))
}
