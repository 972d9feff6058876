package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// TicketForms returns a page of the account's ticket forms.
func (s *Service) TicketForms(ctx context.Context, c Caller, f desk.FormFilter, p desk.Page) (desk.List[desk.TicketForm], error) {
	return read(ctx, s, c, desk.ListTicketForms, func(tx *store.Tx) (desk.List[desk.TicketForm], error) { return tx.TicketForms(f, p) })
}

// TicketForm returns one form of the account. This may be a deleted one, because
// tickets that were created with it name it forever.
func (s *Service) TicketForm(ctx context.Context, c Caller, id desk.TicketFormID) (desk.TicketForm, error) {
	return read(ctx, s, c, desk.GetTicketForm, func(tx *store.Tx) (desk.TicketForm, error) { return tx.TicketFormOnceMade(id) })
}

// CreateTicketForm adds a form.
func (s *Service) CreateTicketForm(ctx context.Context, c Caller, g desk.GivenForm) (desk.TicketForm, error) {
	return write(ctx, s, c, desk.CreateTicketForm, func(tx *store.Tx) (f desk.TicketForm, err error) {
		if g.Known, err = tx.CustomFieldsNamed(g.CustomFields()); err != nil {
			return f, err
		}
		if f, err = g.TicketForm(tx.Now); err != nil {
			return f, err
		}
		return added(tx, c, "ticket_form.created", f, tx.AddTicketForm)
	})
}

// UpdateTicketForm changes a form. Tickets that were created with it do not change.
func (s *Service) UpdateTicketForm(ctx context.Context, c Caller, id desk.TicketFormID, g desk.GivenForm) (desk.TicketForm, error) {
	return update(ctx, s, c, desk.UpdateTicketForm, "ticket_form.updated", id, (*store.Tx).TicketForm, func(tx *store.Tx, _ desk.TicketForm, f *desk.TicketForm) (err error) {
		if g.Known, err = tx.CustomFieldsNamed(g.CustomFields()); err != nil {
			return err
		}
		if err := f.Apply(g, tx.Now); err != nil {
			return err
		}
		return tx.SaveTicketForm(*f)
	})
}

// DeleteTicketForm takes a form out of use. Tickets that were created with it do
// not change, and can still show its name.
func (s *Service) DeleteTicketForm(ctx context.Context, c Caller, id desk.TicketFormID) (None, error) {
	return remove(ctx, s, c, desk.DeleteTicketForm, "ticket_form.deleted", id, (*store.Tx).TicketForm, (*store.Tx).RemoveTicketForm)
}

// CreateTicket creates a request with a form, and its native ticket. The request
// goes to the account's API collection and belongs to the caller. Everything else
// is as in CreateRequest.
func (s *Service) CreateTicket(ctx context.Context, c Caller, n desk.NewFormTicket) (desk.CreatedTicket, error) {
	return write(ctx, s, c, desk.CreateTicket, func(tx *store.Tx) (made desk.CreatedTicket, err error) {
		account, err := tx.ThisAccount()
		if err != nil {
			return made, err
		}
		col, err := targetOf(tx, c, desk.CreateTicket, account, nil)
		if err != nil {
			return made, err
		}
		facts, err := formFacts(tx, c, account, col, n)
		if err != nil {
			return made, err
		}
		asked, err := n.Request(facts)
		if err != nil {
			return made, err
		}
		if col.ID == 0 {
			return made, errNoAPICollection
		}
		r, t, err := s.makeRequest(tx, c, col, asked)
		return desk.CreatedTicket{Ticket: t, Request: r.ID}, err
	})
}

// formFacts looks up everything that a new ticket is checked against.
func formFacts(tx *store.Tx, c Caller, a desk.Account, col desk.Collection, n desk.NewFormTicket) (facts desk.FormFacts, err error) {
	facts.OnHoldAllowed = a.OnHoldAllowed
	form, err := tx.TicketForm(n.Form)
	switch {
	case desk.KindOf(err) == desk.NotFound:
		return facts, nil
	case err != nil:
		return facts, err
	}
	facts.Form = &form
	if facts.Fields, err = tx.CustomFieldsNamed(form.CustomFields()); err != nil {
		return facts, err
	}
	if facts.Users, err = tx.UsersByEmail(n.Emails(facts.Fields)); err != nil {
		return facts, err
	}
	if team := n.Team(); team != "" {
		if facts.Teams, err = tx.TeamsBySource([]string{team}); err != nil {
			return facts, err
		}
	}
	facts.Responder, err = isResponder(tx, c, col)
	return facts, err
}

// isResponder reports whether the caller, as a chat user, is a responder of a
// collection.
func isResponder(tx *store.Tx, c Caller, col desk.Collection) (bool, error) {
	user, err := tx.UserIDByEmail(c.Actor.Email)
	if err != nil || user == nil {
		return false, err
	}
	person, _, err := tx.Responding(*user)
	return col.IsResponder(person), err
}
