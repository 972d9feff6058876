package store

import "frontdesk/internal/desk"

// IncomingFile is a file of a message that has not been fetched from the chat
// system yet.
type IncomingFile struct {
	Message  desk.MessageID
	External string
	Name     string
	Type     string
}

// AddIncomingFile queues a file to be fetched.
func (tx *Tx) AddIncomingFile(request desk.RequestID, f IncomingFile) error {
	return tx.Do(`INSERT INTO incoming_files (account_id, message_id, request_id, external_id, name, type)
		SELECT $1, id, request_id, $4, $5, $6 FROM messages WHERE account_id = $1 AND request_id = $2 AND id = $3
		ON CONFLICT (account_id, request_id, message_id, external_id) DO NOTHING`,
		tx.Account, request, f.Message, f.External, f.Name, f.Type)
}

// NextIncomingFile returns the next file of a request that has to be fetched; ok is
// false if there is none.
func (tx *Tx) NextIncomingFile(request desk.RequestID) (f IncomingFile, ok bool, err error) {
	err = tx.Row(`SELECT message_id, external_id, name, type FROM incoming_files WHERE account_id = $1 AND request_id = $2
		ORDER BY message_id, external_id LIMIT 1`, tx.Account, request).Scan(&f.Message, &f.External, &f.Name, &f.Type)
	return IfAny(f, err)
}

// DropIncomingFile takes a file off the list of files to fetch. It returns false if
// it was not on it.
func (tx *Tx) DropIncomingFile(request desk.RequestID, f IncomingFile) (bool, error) {
	n, err := tx.Exec("DELETE FROM incoming_files WHERE account_id = $1 AND request_id = $2 AND message_id = $3 AND external_id = $4",
		tx.Account, request, f.Message, f.External)
	return n > 0, err
}
