package outside

import (
	"context"
	"encoding/json"
	"errors"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// WithTracker calls fn with the account's connection to a ticket system and a
// client for it. It returns ErrNoTracker if the account has no working connection,
// otherwise the error of fn. If that is tracker.ErrLost, it also marks the
// connection as lost.
func (s *Systems) WithTracker(ctx context.Context, account desk.AccountID, system desk.TicketType, fn func(desk.Integration, tracker.Tracker) error) error {
	var i desk.Integration
	var c tracker.Credential
	err := s.Store.Read(ctx, account, func(tx *store.Tx) (err error) {
		if i, err = tx.Tracker(system); err != nil {
			return desk.IgnoreMissing(err)
		}
		if i.Status != desk.StatusConnected {
			return nil
		}
		secret, err := tx.Credential(i.ID, "")
		if err != nil {
			return err
		}
		return json.Unmarshal(secret, &c)
	})
	if err != nil {
		return err
	}
	connector, ok := s.Trackers[i.Kind]
	if !ok || i.Status != desk.StatusConnected {
		return ErrNoTracker
	}
	err = fn(i, connector.Tracker(c))
	if errors.Is(err, tracker.ErrLost) {
		return errors.Join(err, s.markTrackerLost(ctx, account, i))
	}
	return err
}

// ErrNoTracker is returned if an account is not connected to a ticket system.
var ErrNoTracker = desk.Errorf(desk.Refused, "The account is not connected to this ticket system.")

// markTrackerLost marks the connection to a ticket system as lost, forgets its
// credentials and records the loss. It does nothing if the connection has changed
// since it was read: a late answer must not end a newer connection.
func (s *Systems) markTrackerLost(ctx context.Context, account desk.AccountID, was desk.Integration) error {
	return s.Store.Write(context.WithoutCancel(ctx), account, func(tx *store.Tx) error {
		i, err := tx.Integration(was.ID)
		if err != nil || i.Status != desk.StatusConnected || !i.UpdatedAt.Equal(was.UpdatedAt) {
			return desk.IgnoreMissing(err)
		}
		return markLost(tx, i)
	})
}

// TrackerIntegration returns an integration of the account by its id. It returns a
// NotFound error if there is none.
func (s *Systems) TrackerIntegration(ctx context.Context, account desk.AccountID, id desk.IntegrationID) (i desk.Integration, err error) {
	err = s.Store.Look(ctx, account, func(tx *store.Tx) (err error) {
		i, err = tx.Integration(id)
		return err
	})
	return i, err
}
