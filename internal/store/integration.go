package store

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const integrationColumns = "id, kind, status, external_id, name, url, bot_user_id, settings, created_at, updated_at, synced_at"

func scanIntegration(scan scanner) (i desk.Integration, err error) {
	err = scan(&i.ID, &i.Kind, &i.Status, &i.ExternalID, &i.Name, &i.URL, &i.BotUser, stored.TrackerSettings(&i.Settings),
		inMS(&i.CreatedAt), inMS(&i.UpdatedAt), inMSOrNil(&i.SyncedAt))
	return i, err
}

// Integration returns an integration that has not been removed.
func (tx *Tx) Integration(id desk.IntegrationID) (desk.Integration, error) {
	i, err := scanIntegration(tx.Row("SELECT "+integrationColumns+
		" FROM integrations WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	return i, Missing(err, "Integration")
}

// Integrations returns a page of the integrations that have not been removed.
func (tx *Tx) Integrations(p desk.Page) (desk.List[desk.Integration], error) {
	var q query
	q.Add("SELECT "+integrationColumns+" FROM integrations WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	return page(tx, &q, "created_at", p, scanIntegration, func(i desk.Integration) desk.Position { return positionAt(i.CreatedAt, i.ID) })
}

// Chat returns the account's integration with a chat system, in any status. It
// returns desk.ErrNotConnected if there is none.
func (tx *Tx) Chat() (desk.Integration, error) {
	var q query
	q.Add("SELECT "+integrationColumns+" FROM integrations WHERE account_id = ? AND removed_at IS NULL AND kind IN (?, ?)",
		tx.Account, desk.Slack, desk.Mattermost)
	i, err := scanIntegration(tx.Row(q.String(), q.Args()...).Scan)
	if errors.Is(err, sqldb.ErrNoRows) {
		return i, desk.ErrNotConnected
	}
	return i, err
}

// Workspaces returns the ids of the workspaces of a system that the account is or
// was connected to. A removed integration still has the id of its workspace.
func (tx *Tx) Workspaces(kind desk.IntegrationKind) ([]string, error) {
	return sqldb.Collect(tx.Tx, scanText, "SELECT DISTINCT external_id FROM integrations WHERE account_id = $1 AND kind = $2 AND external_id <> '' ORDER BY external_id", tx.Account, kind)
}

// AddIntegration inserts a new integration and sets its id.
func (tx *Tx) AddIntegration(i *desk.Integration) error {
	err := tx.Row(`INSERT INTO integrations (account_id, kind, status, external_id, name, url, bot_user_id, state_nonce, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9) RETURNING id`,
		tx.Account, i.Kind, i.Status, i.ExternalID, i.Name, i.URL, i.BotUser, ms(i.CreatedAt), ms(i.UpdatedAt)).Scan(&i.ID)
	return wrap("add integration", err)
}

// Tracker returns the account's integration with a ticket system, in any status. It
// returns NotFound if there is none.
func (tx *Tx) Tracker(system desk.TicketType) (desk.Integration, error) {
	i, err := scanIntegration(tx.Row("SELECT "+integrationColumns+" FROM integrations WHERE account_id = $1 AND kind = $2 AND removed_at IS NULL",
		tx.Account, desk.IntegrationKind(system)).Scan)
	return i, Missing(err, "Integration")
}

// SaveIntegration saves a changed integration. It returns Conflict if another
// account is connected to the same workspace, because messages from there can go to
// only one account.
func (tx *Tx) SaveIntegration(i desk.Integration) error {
	others, err := sqldb.Collect(tx.Tx, scanID[desk.IntegrationID], `/* every account: a workspace belongs to one */
		SELECT id FROM integrations WHERE kind = $1 AND external_id = $2 AND removed_at IS NULL AND status = 'connected' AND id <> $3`,
		i.Kind, i.ExternalID, i.ID)
	if err != nil {
		return fmt.Errorf("save integration: %w", err)
	}
	if len(others) > 0 && i.Status == desk.StatusConnected {
		return desk.Errorf(desk.Conflict, "This workspace is connected to another account of this server.")
	}
	return tx.Do(`UPDATE integrations SET status = $1, external_id = $2, name = $3, url = $4, bot_user_id = $5, settings = $6, updated_at = $7
		WHERE account_id = $8 AND id = $9`, i.Status, i.ExternalID, i.Name, i.URL, i.BotUser, stored.TrackerSettings(&i.Settings), ms(i.UpdatedAt), tx.Account, i.ID)
}

// NoteSync records that the directory was read to its end now.
func (tx *Tx) NoteSync(id desk.IntegrationID) error {
	return tx.Do("UPDATE integrations SET synced_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// RemoveIntegration removes an integration and deletes its credentials.
func (tx *Tx) RemoveIntegration(id desk.IntegrationID) error {
	if err := tx.ForgetCredentials(id); err != nil {
		return err
	}
	return tx.Do("UPDATE integrations SET removed_at = $1, state_nonce = '' WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// SetNonce makes one authorization answer valid: that of the last person who went
// to allow us in.
func (tx *Tx) SetNonce(id desk.IntegrationID, nonce string) error {
	return tx.Do("UPDATE integrations SET state_nonce = $1 WHERE account_id = $2 AND id = $3", nonce, tx.Account, id)
}

// TakeNonce uses up the answer with this nonce. It reports whether the answer was
// the valid one.
func (tx *Tx) TakeNonce(id desk.IntegrationID, nonce string) (bool, error) {
	n, err := tx.Exec("UPDATE integrations SET state_nonce = '' WHERE account_id = $1 AND id = $2 AND state_nonce = $3 AND removed_at IS NULL AND state_nonce <> ''",
		tx.Account, id, nonce)
	return n == 1, err
}

func (tx *Tx) credentialPlace() seal.Place {
	return seal.Place{Account: int64(tx.Account), Column: "credentials.secret"}
}

// PutCredential saves a credential, sealed. An empty user means the bot.
func (tx *Tx) PutCredential(id desk.IntegrationID, user string, secret []byte) error {
	if _, err := tx.Integration(id); err != nil {
		return err
	}
	return tx.Do(`INSERT INTO credentials (account_id, integration_id, user_id, secret, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (account_id, integration_id, user_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at`,
		tx.Account, id, user, tx.store.key.Seal(tx.credentialPlace(), secret), ms(tx.Now))
}

// Credential returns a credential. It returns NotFound if we have none.
func (tx *Tx) Credential(id desk.IntegrationID, user string) ([]byte, error) {
	var sealed []byte
	err := tx.Row("SELECT secret FROM credentials WHERE account_id = $1 AND integration_id = $2 AND user_id = $3", tx.Account, id, user).Scan(&sealed)
	if err != nil {
		return nil, Missing(err, "Credential")
	}
	return tx.store.key.Open(tx.credentialPlace(), sealed)
}

// ForgetCredentials deletes the credentials of these users, or all if none are
// named.
func (tx *Tx) ForgetCredentials(id desk.IntegrationID, users ...string) error {
	var q query
	q.Add("DELETE FROM credentials WHERE account_id = ? AND integration_id = ?", tx.Account, id)
	if len(users) > 0 {
		q.Add(" AND user_id IN ")
		sqldb.In(&q, users)
	}
	return tx.Do(q.String(), q.Args()...)
}

// AccountIntegration is a connection together with its account.
type AccountIntegration struct {
	Account     desk.AccountID
	Integration desk.Integration
}

// ChatOf finds the connection to a workspace; ok is false if there is none.
func (s *Store) ChatOf(ctx context.Context, kind desk.IntegrationKind, workspace string) (c AccountIntegration, ok bool, err error) {
	found, err := s.chats(ctx, "kind = $1 AND external_id = $2", kind, workspace)
	if len(found) == 0 {
		return c, false, err
	}
	return found[0], true, nil
}

// TrackerAt finds the connection to a ticket system by its id; ok is false if there
// is none.
func (s *Store) TrackerAt(ctx context.Context, kind desk.IntegrationKind, id desk.IntegrationID) (c AccountIntegration, ok bool, err error) {
	found, err := s.chats(ctx, "kind = $1 AND id = $2", kind, id)
	if len(found) == 0 {
		return c, false, err
	}
	return found[0], true, nil
}

// Connected returns all active connections to a system.
func (s *Store) Connected(ctx context.Context, kind desk.IntegrationKind) ([]AccountIntegration, error) {
	return s.chats(ctx, "kind = $1", kind)
}

func (s *Store) chats(ctx context.Context, where string, args ...any) (found []AccountIntegration, err error) {
	err = s.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
		found, err = sqldb.Collect(tx, func(scan scanner) (c AccountIntegration, err error) {
			c.Integration, err = scanIntegration(func(dest ...any) error { return scan(append(dest, &c.Account)...) })
			return c, err
		}, `/* every account: a workspace is how the account is found */
			SELECT `+integrationColumns+", account_id FROM integrations WHERE "+where+" AND removed_at IS NULL AND status = 'connected' ORDER BY id", args...)
		return err
	})
	return found, fit(err)
}
