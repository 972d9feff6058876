package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// tryTime is how long somebody waits while their credential is tried.
const tryTime = 15 * time.Second

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

// TryTracker returns the place that a credential gives access to. It returns Invalid if
// the system does not accept the credential.
func (s *Systems) TryTracker(ctx context.Context, kind desk.IntegrationKind, c desk.TrackerCredential) (tracker.Place, error) {
	system, ok := s.Trackers[kind]
	if !ok {
		return tracker.Place{}, desk.Errorf(desk.Refused, "This server does not talk to %s.", kind)
	}
	given := tracker.Credential(c)
	var p desk.Problems
	if err := p.Under("credentials.", system.Check(given)); err != nil {
		return tracker.Place{}, err
	}
	if err := p.Err(); err != nil {
		return tracker.Place{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	place, err := system.Tracker(given).Place(ctx)
	if errors.Is(err, tracker.ErrLost) || desk.KindOf(err) == desk.NotFound {
		p.Add("credentials", "are not accepted by %s", desk.TicketType(kind).SystemName())
		return place, p.Err()
	}
	return place, err
}

// UnwatchTracker asks a ticket system to stop notifying us, before the integration is
// deleted. It does nothing for an integration of another kind or that does not exist.
func (s *Systems) UnwatchTracker(ctx context.Context, account desk.AccountID, id desk.IntegrationID, hookURL func(desk.Integration) string) error {
	i, err := s.TrackerIntegration(ctx, account, id)
	if err != nil || !i.Kind.IsTracker() {
		return nil
	}
	err = s.WithTracker(ctx, account, desk.TicketType(i.Kind), func(i desk.Integration, t tracker.Tracker) error {
		ctx, cancel := context.WithTimeout(ctx, tryTime)
		defer cancel()
		return t.Unwatch(ctx, hookURL(i))
	})
	if err != nil {
		return fmt.Errorf("%s: %w", i.Kind, err)
	}
	return nil
}
