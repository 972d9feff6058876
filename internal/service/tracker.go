package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

const (
	// tryTime is how long somebody waits while their credential is tried.
	tryTime = 15 * time.Second
	// hookUser is whose credential a ticket system's signing secret is kept as.
	hookUser = "webhook"
)

// connectTracker connects an account to a ticket system, if its credential is good.
func (s *Service) connectTracker(ctx context.Context, c Caller, n desk.NewIntegration) (started desk.StartedIntegration, err error) {
	place, err := s.try(ctx, n.Kind, *n.Credential)
	if err != nil {
		return started, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (started desk.StartedIntegration, err error) {
		i, err := tx.Tracker(desk.TicketType(n.Kind))
		switch {
		case desk.KindOf(err) == desk.NotFound:
			i = desk.Integration{Kind: n.Kind, Status: desk.StatusPending, Settings: desk.DefaultTrackerSettings(), CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddIntegration(&i); err != nil {
				return started, err
			}
			if err := tx.Record(integrationChange(c.Actor, "integration.created", nil, &i)); err != nil {
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

// UpdateIntegration changes how a ticket system is used: with another credential,
// or with other settings.
func (s *Service) UpdateIntegration(ctx context.Context, c Caller, id desk.IntegrationID, ch desk.IntegrationChange) (desk.Integration, error) {
	if err := c.may(desk.UpdateIntegration); err != nil {
		return desk.Integration{}, err
	}
	i, err := look(ctx, s, c, func(tx *store.Tx) (desk.Integration, error) { return tx.Integration(id) })
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
	return write(ctx, s, c, func(tx *store.Tx) (desk.Integration, error) {
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
		return i, tx.Record(integrationChange(c.Actor, "integration.updated", &before, &i))
	})
}

// admitted keeps that a credential lets us in, and has the links looked at that
// waited for it.
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
	if err := job.Add(tx.Tx, watch{tx.Account, i.ID}, tx.Now, job.Key(fmt.Sprintf("%d %d", tx.Account, i.ID))); err != nil {
		return i, err
	}
	if err := job.Add(tx.Tx, readLinks{}, tx.Now, job.Key("connected")); err != nil {
		return i, err
	}
	return i, tx.Record(integrationChange(by, "integration.connected", &before, &i))
}

// try finds out whether a credential lets us in, and where.
func (s *Service) try(ctx context.Context, kind desk.IntegrationKind, c desk.TrackerCredential) (tracker.Place, error) {
	system, ok := s.trackers[kind]
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

// withTracker lets fn talk to a ticket system of the account. It gives
// errNoTracker where there is none, and notes when the connection is lost.
func (s *Service) withTracker(ctx context.Context, account desk.AccountID, system desk.TicketType, fn func(desk.Integration, tracker.Tracker) error) error {
	var i desk.Integration
	var c tracker.Credential
	err := s.store.Read(ctx, account, func(tx *store.Tx) (err error) {
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
	connector, ok := s.trackers[i.Kind]
	if !ok || i.Status != desk.StatusConnected {
		return errNoTracker
	}
	err = fn(i, connector.Tracker(c))
	if errors.Is(err, tracker.ErrLost) {
		return errors.Join(err, s.loseTracker(ctx, account, i))
	}
	return err
}

var errNoTracker = desk.Errorf(desk.Refused, "The account is not connected to this ticket system.")

// loseTracker notes that a ticket system no longer lets us in. An answer that was
// long on its way must not end a newer connection.
func (s *Service) loseTracker(ctx context.Context, account desk.AccountID, was desk.Integration) error {
	return s.store.Write(context.WithoutCancel(ctx), account, func(tx *store.Tx) error {
		i, err := tx.Integration(was.ID)
		if err != nil || i.Status != desk.StatusConnected || !i.UpdatedAt.Equal(was.UpdatedAt) {
			return desk.IgnoreMissing(err)
		}
		if err := tx.ForgetCredentials(i.ID); err != nil {
			return err
		}
		before := i
		i.Status, i.UpdatedAt = desk.StatusLost, tx.Now
		if err := tx.SaveIntegration(i); err != nil {
			return err
		}
		return tx.Record(integrationChange(desk.Actor{Name: string(i.Kind), Source: desk.SourceSystem}, "integration.lost", &before, &i))
	})
}

// trackerJob turns the outcome of a job that talks to a ticket system into what
// the runner understands. A ticket that is not there is asked for again when the
// links are read the next time.
func trackerJob(err error) error {
	var e *desk.Error
	switch {
	case errors.Is(err, errNoTracker), errors.Is(err, tracker.ErrLost), desk.KindOf(err) == desk.NotFound:
		return nil // connecting it again begins the work anew
	case errors.As(err, &e) && e.Kind == desk.Busy:
		return job.Snooze(e.RetryAfter)
	}
	return err
}

// watch has a ticket system tell us of changes. Where it will not, links are read
// by the clock alone.
type watch struct {
	Account     desk.AccountID
	Integration desk.IntegrationID
}

func (watch) Kind() string { return "integration.watch" }

func (s *Service) watch(ctx context.Context, _ *job.Job, a watch) error {
	i, err := s.trackerIntegration(ctx, a.Account, a.Integration)
	if err != nil {
		return trackerJob(err)
	}
	return trackerJob(s.withTracker(ctx, a.Account, desk.TicketType(i.Kind), func(i desk.Integration, t tracker.Tracker) error {
		secret, err := call(ctx, func(ctx context.Context) (string, error) { return t.Watch(ctx, s.hook(i)) })
		switch kind := desk.KindOf(err); {
		case errors.Is(err, tracker.ErrLost):
			return err
		case kind == desk.Forbidden, kind == desk.Refused, kind == desk.Invalid:
			s.log.Warn("a ticket system will not tell of changes; linked tickets are read every ten minutes", "account", int64(a.Account), "system", string(i.Kind), "reason", err)
			return nil
		case err != nil:
			return err
		}
		return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.PutCredential(i.ID, hookUser, []byte(secret)) })
	}))
}

// unwatch asks a ticket system to tell us no more, before it is forgotten. It may
// fail: what is told then is nobody's.
func (s *Service) unwatch(ctx context.Context, account desk.AccountID, id desk.IntegrationID) {
	i, err := s.trackerIntegration(ctx, account, id)
	if err != nil || !i.Kind.IsTracker() {
		return
	}
	err = s.withTracker(ctx, account, desk.TicketType(i.Kind), func(i desk.Integration, t tracker.Tracker) error {
		ctx, cancel := context.WithTimeout(ctx, tryTime)
		defer cancel()
		return t.Unwatch(ctx, s.hook(i))
	})
	if err != nil {
		s.log.Warn("a ticket system still tells of changes", "account", int64(account), "system", string(i.Kind), "reason", err)
	}
}

func (s *Service) trackerIntegration(ctx context.Context, account desk.AccountID, id desk.IntegrationID) (i desk.Integration, err error) {
	err = s.store.Look(ctx, account, func(tx *store.Tx) (err error) {
		i, err = tx.Integration(id)
		return err
	})
	return i, err
}

// hook is where a ticket system tells us of changes.
func (s *Service) hook(i desk.Integration) string {
	return fmt.Sprintf("%s/integrations/%s/%d/events", s.publicURL, i.Kind, i.ID)
}

// ReceiveTracker takes what a ticket system tells us at our address. When it
// returns nil, what follows from it is on disk. It gives NotFound for an address
// of nobody, and Forbidden for what was not signed as it should be.
func (s *Service) ReceiveTracker(ctx context.Context, kind desk.IntegrationKind, id desk.IntegrationID, h tracker.Header, body []byte) error {
	system, ok := s.trackers[kind]
	if !ok {
		return desk.Missing("Integration")
	}
	c, ok, err := s.store.TrackerAt(ctx, kind, id)
	if err != nil {
		return err
	}
	if !ok {
		return desk.Missing("Integration")
	}
	var secret []byte
	if err := s.store.Look(ctx, c.Account, func(tx *store.Tx) (err error) {
		secret, err = tx.Credential(id, hookUser)
		return err
	}); err != nil {
		return err
	}
	heard, err := system.Hear(string(secret), h, body, s.store.Now())
	if err != nil || len(heard.Tickets) == 0 {
		return err
	}
	return s.store.Write(ctx, c.Account, func(tx *store.Tx) error {
		for _, ticket := range heard.Tickets {
			links, err := tx.LinksTo(desk.TicketType(kind), desk.CleanText(ticket))
			if err != nil {
				return err
			}
			for _, l := range links {
				if err := syncSoon(tx, l); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
