package service

import (
	"context"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Linked is the result of linking.
type Linked struct {
	Existed bool // the request was linked to that ticket already
}

// LinkTicket links a request to a ticket of another system. It returns Invalid if
// the request is already transferred to another ticket, and Refused if it is
// closed.
func (s *Service) LinkTicket(ctx context.Context, c Caller, n desk.NewLink) (Linked, error) {
	return write(ctx, s, c, desk.CreateTicket, func(tx *store.Tx) (Linked, error) {
		n := n // Check trims it, and the transaction may run again
		if err := n.Check(); err != nil {
			return Linked{}, err
		}
		r, err := linkedRequest(tx, c, n)
		if err != nil {
			return Linked{}, err
		}
		if err := r.Changeable(); err != nil {
			return Linked{}, err
		}
		links, err := tx.Links(r.ID)
		if err != nil {
			return Linked{}, err
		}
		if slices.ContainsFunc(links, func(l desk.TicketLink) bool {
			return l.Ticket.Type == n.System && (l.Name == n.Ticket || l.External == n.Ticket)
		}) {
			return Linked{Existed: true}, nil
		}
		for _, l := range links {
			if !l.Task && !n.Task {
				return Linked{}, desk.Errorf(desk.Invalid, "The request is already transferred to %s %s. Link further tickets with is_task.", l.Ticket.Type.SystemName(), l.Ticket.Key)
			}
		}
		return Linked{}, s.link(tx, c.Actor, r, n)
	})
}

// UnlinkTicket removes a link that was a mistake. The ticket, the messages on both
// sides and the request stay as they are.
func (s *Service) UnlinkTicket(ctx context.Context, c Caller, id desk.RequestID, ticket int64) (None, error) {
	return write(ctx, s, c, desk.UnlinkTicket, func(tx *store.Tx) (None, error) {
		r, err := tx.Request(id, c.reach(desk.UnlinkTicket))
		if err == nil {
			err = r.Changeable()
		}
		if err != nil {
			return None{}, err
		}
		l, err := tx.LinkOf(r.ID, ticket)
		if err != nil {
			return None{}, err
		}
		if err := tx.RemoveLink(l); err != nil {
			return None{}, err
		}
		if err := change.RefreshCard(tx, r.ID); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, "ticket.unlinked", l, nil)
	})
}

// linkedRequest returns the request to link, if the caller may see it.
func linkedRequest(tx *store.Tx, c Caller, n desk.NewLink) (desk.Request, error) {
	id := n.Request
	if id == 0 {
		var err error
		if id, err = requestAt(tx, n.Channel, n.Message); err != nil {
			return desk.Request{}, err
		}
	}
	return tx.Request(id, c.reach(desk.CreateTicket))
}

// link saves a link and its effect on the request, announces and records it, and
// has the other system asked about the ticket.
func (s *Service) link(tx *store.Tx, by desk.Actor, r desk.Request, n desk.NewLink) error {
	settings, err := settingsOf(tx, n.System)
	if err != nil {
		return err
	}
	l := desk.TicketLink{Request: r.ID, Ticket: desk.Ticket{Type: n.System, Key: n.Ticket}, Name: n.Ticket, Task: n.Task, CreatedAt: tx.Now}
	l.Forward, l.Backward, l.NotifyStatus = settings.With(n.Sync)
	if !n.Task {
		if r, err = s.transfer(tx, by, r); err != nil {
			return err
		}
	}
	if r.State != nil {
		l.State = *r.State
	}
	if err := tx.AddLink(&l); err != nil {
		return err
	}
	if n.Sync.Alert == nil || *n.Sync.Alert {
		if err := change.PostAlert(tx, r, "<p>Linked to "+change.TicketHTML(l)+".</p>"); err != nil {
			return err
		}
	}
	if err := change.RefreshCard(tx, r.ID); err != nil {
		return err
	}
	if err := change.SyncLinkSoon(tx, l.ID); err != nil {
		return err
	}
	if err := tx.Record(desk.Change{By: by, Action: string(desk.TicketLinked), After: l}); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.TicketLinked, After: l.Ticket, Request: r.ID})
}

// transfer puts a request on hold while others work on it, if the account uses that
// state.
func (s *Service) transfer(tx *store.Tx, by desk.Actor, r desk.Request) (desk.Request, error) {
	account, err := tx.ThisAccount()
	if err != nil || !account.OnHoldAllowed || r.State == nil || *r.State == desk.OnHold {
		return r, err
	}
	before, state := r.Clone(), desk.OnHold
	if err := r.Apply(desk.RequestChange{State: &state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
		return r, err
	}
	err = s.change.SaveRequest(tx, by, before, &r)
	return r, err
}

// settingsOf returns the settings for links to a system.
func settingsOf(tx *store.Tx, system desk.TicketType) (desk.TrackerSettings, error) {
	i, err := tx.Tracker(system)
	if desk.KindOf(err) == desk.NotFound {
		return desk.DefaultTrackerSettings(), nil
	}
	return i.Settings, err
}
