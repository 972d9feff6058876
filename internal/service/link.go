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
		return Linked{}, s.change.Link(tx, c.Actor, r, n)
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
