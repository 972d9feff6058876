package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// tryTime is how long somebody waits while their credential is tried.
const tryTime = 15 * time.Second

// connectTracker connects an account to a ticket system if the credential works.
func (s *Service) connectTracker(ctx context.Context, c Caller, n desk.NewIntegration) (started desk.StartedIntegration, err error) {
	place, err := s.try(ctx, n.Kind, *n.Credential)
	if err != nil {
		return started, err
	}
	return write(ctx, s, c, desk.CreateIntegration, func(tx *store.Tx) (started desk.StartedIntegration, err error) {
		i, err := tx.Tracker(desk.TicketType(n.Kind))
		switch {
		case desk.KindOf(err) == desk.NotFound:
			i = desk.Integration{Kind: n.Kind, Status: desk.StatusPending, Settings: desk.DefaultTrackerSettings(), CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddIntegration(&i); err != nil {
				return started, err
			}
			if err := change.Record(tx, c.Actor, "integration.created", nil, i); err != nil {
				return started, err
			}
		case err != nil:
			return started, err
		case i.Status == desk.StatusConnected:
			return started, desk.Errorf(desk.Conflict, "The account is connected to %s. Change or delete that integration: %d.", i.Name, i.ID)
		}
		started.Integration, err = admitted(tx, c.Actor, i, place, *n.Credential, n.Settings)
		return started, err
	})
}

// UpdateIntegration gives a ticket system another credential or other settings.
func (s *Service) UpdateIntegration(ctx context.Context, c Caller, id desk.IntegrationID, ch desk.IntegrationChange) (desk.Integration, error) {
	i, err := look(ctx, s, c, desk.UpdateIntegration, func(tx *store.Tx) (desk.Integration, error) { return tx.Integration(id) })
	if err == nil {
		err = ch.Check(i.Kind)
	}
	if err != nil {
		return i, err
	}
	var place tracker.Place
	if ch.Credential != nil {
		if place, err = s.try(ctx, i.Kind, *ch.Credential); err != nil {
			return i, err
		}
	}
	return write(ctx, s, c, desk.UpdateIntegration, func(tx *store.Tx) (desk.Integration, error) {
		i, err := tx.Integration(id)
		if err != nil {
			return i, err
		}
		if ch.Credential != nil {
			return admitted(tx, c.Actor, i, place, *ch.Credential, ch.Settings)
		}
		before := i
		i.Settings, i.UpdatedAt = i.Settings.Apply(ch.Settings), tx.Now
		if err := tx.SaveIntegration(i); err != nil {
			return i, err
		}
		return i, change.Record(tx, c.Actor, "integration.updated", before, i)
	})
}

// admitted saves a credential that works, and has the links read that waited for
// it.
func admitted(tx *store.Tx, by desk.Actor, i desk.Integration, place tracker.Place, c desk.TrackerCredential, ch desk.TrackerChange) (desk.Integration, error) {
	before := i
	i.Status, i.ExternalID, i.Name, i.URL, i.BotUser = desk.StatusConnected, desk.CleanText(place.ID), desk.CleanText(place.Name), desk.CleanText(place.URL), desk.CleanText(place.User)
	i.Settings, i.UpdatedAt = i.Settings.Apply(ch), tx.Now
	if err := tx.SaveIntegration(i); err != nil {
		return i, err
	}
	secret, err := json.Marshal(tracker.Credential(c))
	if err != nil {
		return i, fmt.Errorf("keep a credential: %w", err)
	}
	if err := tx.PutCredential(i.ID, "", secret); err != nil {
		return i, err
	}
	if err := job.Add(tx.Tx, change.WatchTracker{Account: tx.Account, Integration: i.ID}, tx.Now, job.Key(fmt.Sprintf("%d %d", tx.Account, i.ID))); err != nil {
		return i, err
	}
	if err := job.Add(tx.Tx, change.ReadLinks{}, tx.Now, job.Key("connected")); err != nil {
		return i, err
	}
	return i, change.Record(tx, by, "integration.connected", before, i)
}

// try returns the place that a credential gives access to. It returns Invalid if
// the system does not accept the credential.
func (s *Service) try(ctx context.Context, kind desk.IntegrationKind, c desk.TrackerCredential) (tracker.Place, error) {
	system, ok := s.outside.Trackers[kind]
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

// unwatch asks a ticket system to stop notifying us, before the integration is
// deleted. It may fail, because notifications without an integration are ignored.
func (s *Service) unwatch(ctx context.Context, account desk.AccountID, id desk.IntegrationID) {
	i, err := s.outside.TrackerIntegration(ctx, account, id)
	if err != nil || !i.Kind.IsTracker() {
		return
	}
	err = s.outside.WithTracker(ctx, account, desk.TicketType(i.Kind), func(i desk.Integration, t tracker.Tracker) error {
		ctx, cancel := context.WithTimeout(ctx, tryTime)
		defer cancel()
		return t.Unwatch(ctx, s.change.TrackerHookURL(i))
	})
	if err != nil {
		s.log.Warn("a ticket system still sends notifications", "account", int64(account), "system", string(i.Kind), "reason", err)
	}
}
