package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SplitRequest makes a request of its own from some messages of one that the
// caller may see. It gives Refused for what is closed or merged.
func (s *Service) SplitRequest(ctx context.Context, c Caller, id desk.RequestID, split desk.Split) (desk.Request, error) {
	if err := c.may(desk.SplitRequest); err != nil {
		return desk.Request{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (desk.Request, error) {
		split := split // Check trims it, and this may run again
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
		title, priority := suggested(tx.Context(), c.Account, firstPublic(taken).HTML)
		made.Title, made.TitleBy, made.Priority, made.PriorityBy = title, desk.ByRules, priority, desk.ByRules
		if split.Title != nil {
			made.Title, made.TitleBy = *split.Title, desk.ByPerson
		}
		if err := tx.AddRequest(&made); err != nil {
			return made, err
		}
		moved, err := moveOut(tx, r.ID, made.ID, taken)
		if err != nil {
			return made, err
		}
		r.Release(taken, tx.Now)
		r.Messages = nil
		if err := s.consider(tx, &r); err != nil {
			return made, err
		}
		if made, err = s.splitOff(tx, c, r, made, &moved); err != nil {
			return made, err
		}
		e := desk.NewHistoryEntry(c.Actor, desk.RequestSplit, before, r, tx.Now)
		e.Links = []desk.FieldChange{{Field: "split_into", To: made.ID}}
		e.Moved = &moved
		return made, keepChange(tx, &e, before, &r)
	})
}

func firstPublic(messages []desk.Message) (first desk.Message) {
	for _, m := range messages {
		if !m.Private {
			return m
		}
	}
	return first
}

// moveOut moves messages to the request that they become.
func moveOut(tx *store.Tx, from, to desk.RequestID, messages []desk.Message) (desk.Moved, error) {
	all, err := tx.Belongings([]desk.RequestID{from})
	if err != nil {
		return desk.Moved{}, err
	}
	one := desk.MovedRequest{Request: to}
	for _, m := range messages {
		one.Messages = append(one.Messages, m.ID)
	}
	return desk.Moved{Requests: []desk.MovedRequest{one}, Last: lastOf(all)}, tx.Move(one, from, to)
}

// splitOff gives the new request its ticket, where the one that it comes from was
// made through the API, and writes down its making.
func (s *Service) splitOff(tx *store.Tx, c Caller, from, made desk.Request, moved *desk.Moved) (desk.Request, error) {
	var ticket *desk.Ticket
	if from.Source == desk.FromAPI {
		account, err := tx.ThisAccount()
		if err != nil {
			return made, err
		}
		t, err := s.addNativeTicket(tx, account, made.ID, nil)
		if err != nil {
			return made, err
		}
		ticket, made.Tickets = &t, []desk.Ticket{t}
	}
	if err := s.consider(tx, &made); err != nil {
		return made, err
	}
	if err := startClocks(tx, &made, true); err != nil {
		return made, err
	}
	made, err := tx.Request(made.ID, desk.Everything)
	if err != nil {
		return made, err
	}
	if err := tx.Record(requestChange(c.Actor, desk.RequestCreated, nil, &made)); err != nil {
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
	return made, tx.Record(ticketMade(c.Actor, made.ID, *ticket))
}
