package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/timeline"
	"frontdesk/internal/wire"
)

// CustomerNotes returns a page of the notes about a customer that the caller may see.
func (s *Service) CustomerNotes(ctx context.Context, c Caller, id desk.CustomerID, p desk.Page) (desk.List[desk.CustomerNote], error) {
	return read(ctx, s, c, desk.ListCustomerNotes, func(tx *store.Tx) (desk.List[desk.CustomerNote], error) {
		if _, err := change.CustomerInReach(tx, c.reach(desk.ListCustomerNotes), id); err != nil {
			return desk.List[desk.CustomerNote]{}, err
		}
		return tx.CustomerNotes(id, p)
	})
}

// CreateCustomerNote adds a note about a customer. It returns Invalid if there are too
// many.
func (s *Service) CreateCustomerNote(ctx context.Context, c Caller, id desk.CustomerID, g desk.NewCustomerNote) (desk.CustomerNote, error) {
	return write(ctx, s, c, desk.CreateCustomerNote, func(tx *store.Tx) (n desk.CustomerNote, err error) {
		if _, err := change.CustomerInReach(tx, c.reach(desk.CreateCustomerNote), id); err != nil {
			return n, err
		}
		if n, err = g.Note(id, c.Actor, tx.Now); err != nil {
			return n, err
		}
		return added(tx, c, "customer_note.created", n, tx.AddCustomerNote)
	})
}

var errNotYourNote = desk.Errorf(desk.Forbidden, "Only its author or an admin can delete a note.")

// DeleteCustomerNote removes a note about a customer. It returns Forbidden for one of
// somebody else, unless the caller is an admin.
func (s *Service) DeleteCustomerNote(ctx context.Context, c Caller, customer desk.CustomerID, id desk.CustomerNoteID) (None, error) {
	find := func(tx *store.Tx, id desk.CustomerNoteID) (desk.CustomerNote, error) {
		if _, err := change.CustomerInReach(tx, c.reach(desk.DeleteCustomerNote), customer); err != nil {
			return desk.CustomerNote{}, err
		}
		n, err := tx.CustomerNote(customer, id)
		if err == nil && n.Author != c.Actor.ID && c.Role != desk.Admin {
			err = errNotYourNote
		}
		return n, err
	}
	return remove(ctx, s, c, desk.DeleteCustomerNote, "customer_note.deleted", id, find, (*store.Tx).RemoveCustomerNote)
}

// CustomerTimeline returns a page of what happened to a customer that the caller may
// see, of what they may see of it.
func (s *Service) CustomerTimeline(ctx context.Context, c Caller, id desk.CustomerID, p desk.Page) (desk.List[wire.TimelineEntry], error) {
	reach := c.reach(desk.GetCustomerTimeline)
	return read(ctx, s, c, desk.GetCustomerTimeline, func(tx *store.Tx) (desk.List[wire.TimelineEntry], error) {
		if _, err := change.CustomerInReach(tx, reach, id); err != nil {
			return desk.List[wire.TimelineEntry]{}, err
		}
		return timeline.Of(tx, id, reach, p)
	})
}
