package rest

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

// newCustomerNote reads a new note.
func newCustomerNote(b object) desk.NewCustomerNote {
	return desk.NewCustomerNote{Text: b.required("text")}
}

// ofCustomer calls an operation that lists something of the customer in the path.
func ofCustomer[N, W any](name string, form func(N) W, op func(context.Context, service.Caller, desk.CustomerID, desk.Page) (desk.List[N], error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		customer, err := id[desk.CustomerID](c, "id")
		if err != nil {
			return nil, err
		}
		return paged(name, form, func(ctx context.Context, caller service.Caller, p desk.Page) (desk.List[N], error) {
			return op(ctx, caller, customer, p)
		})(c)
	}
}

func (s *Server) listCustomerNotes(c *call) (any, error) {
	return ofCustomer("customer_notes", wire.NewShownCustomerNote, s.service.CustomerNotes)(c)
}

func (s *Server) getCustomerTimeline(c *call) (any, error) {
	return ofCustomer("timeline", func(e wire.TimelineEntry) wire.TimelineEntry { return e }, s.service.CustomerTimeline)(c)
}
