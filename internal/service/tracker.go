package service

import (
	"context"
	"encoding/json"
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// connectTracker connects an account to a ticket system if the credential works.
func (s *Service) connectTracker(ctx context.Context, c Caller, n desk.NewIntegration) (started desk.StartedIntegration, err error) {
	place, err := s.outside.TryTracker(ctx, n.Kind, *n.Credential)
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
		if place, err = s.outside.TryTracker(ctx, i.Kind, *ch.Credential); err != nil {
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
