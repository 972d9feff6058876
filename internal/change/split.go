package change

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Split puts messages that were taken from a request into a new one, which it
// returns. before is the request as it was. title is the new request's, or nil for
// one that is derived from the messages.
func (s Setup) Split(tx *store.Tx, by desk.Actor, before, r desk.Request, taken []desk.Message, title *string) (desk.Request, error) {
	made := r.SplitOff(taken, tx.Now)
	suggested, priority := TitleAndPriority(tx.Account, firstPublicMessage(taken).HTML)
	made.Title, made.TitleBy, made.Priority, made.PriorityBy = suggested, desk.ByRules, priority, desk.ByRules
	if title != nil {
		made.Title, made.TitleBy = *title, desk.ByPerson
	}
	if err := tx.AddRequest(&made); err != nil {
		return made, err
	}
	moved, err := moveMessages(tx, r.ID, made.ID, taken)
	if err != nil {
		return made, err
	}
	r.Release(taken, tx.Now)
	r.Messages = nil
	if err := s.Suggest(tx, &r); err != nil {
		return made, err
	}
	if made, err = s.splitOff(tx, by, r, made, &moved); err != nil {
		return made, err
	}
	e := desk.NewHistoryEntry(by, desk.RequestSplit, before, r, tx.Now)
	e.Links = []desk.FieldChange{{Field: "split_into", To: made.ID}}
	e.Moved = &moved
	return made, SaveChange(tx, &e, before, &r)
}

// splitOff records the new request. It gets a ticket if the request that it comes
// from was created through the API.
func (s Setup) splitOff(tx *store.Tx, by desk.Actor, from, made desk.Request, moved *desk.Moved) (desk.Request, error) {
	var ticket *desk.Ticket
	if from.Source.Posted() {
		t, err := s.AddNativeTicket(tx, made, nil)
		if err != nil {
			return made, err
		}
		ticket, made.Tickets = &t, []desk.Ticket{t}
	}
	if err := s.Suggest(tx, &made); err != nil {
		return made, err
	}
	if err := StartClocks(tx, &made, true); err != nil {
		return made, err
	}
	made, err := tx.Request(made.ID, desk.Everything)
	if err != nil {
		return made, err
	}
	if err := Record(tx, by, desk.RequestCreated, nil, made); err != nil {
		return made, err
	}
	e := desk.NewHistoryEntry(by, desk.RequestSplit, made, made, tx.Now)
	e.Links = []desk.FieldChange{{Field: "split_from", To: from.ID}}
	if err := tx.AddHistory(&e); err != nil {
		return made, err
	}
	moved.Entries = append(moved.Entries, e.ID)
	if ticket == nil {
		return made, nil
	}
	return made, tx.Record(TicketChange(by, made.ID, *ticket))
}

// firstPublicMessage returns the first message that is not private, or an empty one
// if there is none.
func firstPublicMessage(messages []desk.Message) (first desk.Message) {
	for _, m := range messages {
		if !m.Private {
			return m
		}
	}
	return first
}

// moveMessages moves messages to the request that is split off, and returns what an
// undo needs.
func moveMessages(tx *store.Tx, from, to desk.RequestID, messages []desk.Message) (desk.Moved, error) {
	all, err := tx.Belongings([]desk.RequestID{from})
	if err != nil {
		return desk.Moved{}, err
	}
	one := desk.MovedRequest{Request: to}
	for _, m := range messages {
		one.Messages = append(one.Messages, m.ID)
	}
	return desk.Moved{Requests: []desk.MovedRequest{one}, Last: lastMessage(all)}, tx.Move(one, from, to)
}
