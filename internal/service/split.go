package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SplitRequest moves some messages of a request that the caller may see into a new
// request. It returns Refused if the request is closed or merged.
func (s *Service) SplitRequest(ctx context.Context, c Caller, id desk.RequestID, split desk.Split) (desk.Request, error) {
	return write(ctx, s, c, desk.SplitRequest, func(tx *store.Tx) (desk.Request, error) {
		split := split // Check trims it, and the transaction may run again
		r, err := tx.Request(id, c.reach(desk.SplitRequest))
		if err != nil {
			return r, err
		}
		if err := r.Changeable(); err != nil {
			return r, err
		}
		if err := split.Check(); err != nil {
			return r, err
		}
		one := []desk.Request{r}
		if err := tx.AddMessages(one); err != nil {
			return r, err
		}
		before := r.Clone()
		r = one[0]
		taken, err := r.Divide(split)
		if err != nil {
			return r, err
		}
		made := r.SplitOff(taken, tx.Now)
		title, priority := change.TitleAndPriority(c.Account, change.FirstPublicMessage(taken).HTML)
		made.Title, made.TitleBy, made.Priority, made.PriorityBy = title, desk.ByRules, priority, desk.ByRules
		if split.Title != nil {
			made.Title, made.TitleBy = *split.Title, desk.ByPerson
		}
		if err := tx.AddRequest(&made); err != nil {
			return made, err
		}
		moved, err := change.MoveMessages(tx, r.ID, made.ID, taken)
		if err != nil {
			return made, err
		}
		r.Release(taken, tx.Now)
		r.Messages = nil
		if err := s.change.Suggest(tx, &r); err != nil {
			return made, err
		}
		if made, err = s.splitOff(tx, c, r, made, &moved); err != nil {
			return made, err
		}
		e := desk.NewHistoryEntry(c.Actor, desk.RequestSplit, before, r, tx.Now)
		e.Links = []desk.FieldChange{{Field: "split_into", To: made.ID}}
		e.Moved = &moved
		return made, change.SaveChange(tx, &e, before, &r)
	})
}

// splitOff records the new request. It gets a ticket if the request that it comes
// from was created through the API.
func (s *Service) splitOff(tx *store.Tx, c Caller, from, made desk.Request, moved *desk.Moved) (desk.Request, error) {
	var ticket *desk.Ticket
	if from.Source.Posted() {
		account, err := tx.ThisAccount()
		if err != nil {
			return made, err
		}
		t, err := s.change.AddNativeTicket(tx, account, made.ID, nil)
		if err != nil {
			return made, err
		}
		ticket, made.Tickets = &t, []desk.Ticket{t}
	}
	if err := s.change.Suggest(tx, &made); err != nil {
		return made, err
	}
	if err := change.StartClocks(tx, &made, true); err != nil {
		return made, err
	}
	made, err := tx.Request(made.ID, desk.Everything)
	if err != nil {
		return made, err
	}
	if err := change.Record(tx, c.Actor, desk.RequestCreated, nil, made); err != nil {
		return made, err
	}
	e := desk.NewHistoryEntry(c.Actor, desk.RequestSplit, made, made, tx.Now)
	e.Links = []desk.FieldChange{{Field: "split_from", To: from.ID}}
	if err := tx.AddHistory(&e); err != nil {
		return made, err
	}
	moved.Entries = append(moved.Entries, e.ID)
	if ticket == nil {
		return made, nil
	}
	return made, tx.Record(change.TicketChange(c.Actor, made.ID, *ticket))
}
