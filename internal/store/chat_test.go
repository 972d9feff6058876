package store_test

import (
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addDirectory adds a chat directory directly in the database: the user U_NAME with
// the email user@name.example, a team, and the channels C_NAME, C_REQUEST_NAME and
// C_TRIAGE_NAME.
func addDirectory(tx *store.Tx, name string) (team desk.TeamID, err error) {
	now := tx.Now.UnixMilli()
	if err := tx.Row(`INSERT INTO teams (account_id, name, is_active, source, source_id, revision, created_at, updated_at)
		VALUES ($1, $2, TRUE, 'sandbox', 'S1', 1, $3, $3) RETURNING id`, tx.Account, name, now).Scan(&team); err != nil {
		return 0, err
	}
	if err := addUser(tx, "U_"+name, "user@"+strings.ToLower(name)+".example", false, false); err != nil {
		return 0, err
	}
	for _, id := range []string{"C_" + name, "C_REQUEST_" + name, "C_TRIAGE_" + name} {
		if err := addChannel(tx, id); err != nil {
			return 0, err
		}
	}
	return team, nil
}

func addUser(tx *store.Tx, id, email string, deleted, bot bool) error {
	_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: id, Name: id, Email: email, Deleted: deleted, IsBot: bot}, Revision: 1}}, time.Time{})
	return err
}

func addChannel(tx *store.Tx, id string) error {
	_, err := tx.Exec(`INSERT INTO channels (account_id, channel_id, name, is_private, is_archived, is_member, is_gone, revision, is_active, created_at, updated_at)
		VALUES ($1, $2, $2, FALSE, FALSE, FALSE, FALSE, 1, FALSE, $3, $3)`, tx.Account, id, tx.Now.UnixMilli())
	return err
}

func scanText(scan func(...any) error) (s string, err error) {
	err = scan(&s)
	return s, err
}

func ptr[T any](v T) *T { return &v }
