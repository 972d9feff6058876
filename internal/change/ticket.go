package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AddNativeTicket adds a ticket of our own to a request. The first one has the number
// and key of the request, further ones have their own. form is the form that it was
// created with, or nil.
func (s Setup) AddNativeTicket(tx *store.Tx, r desk.Request, form *desk.TicketFormID) (t desk.Ticket, err error) {
	t = s.NativeTicket(tx, r)
	t.Form = form
	// The ticket of a merged request is at another one, and comes back if that is undone.
	if r.Number == 0 || r.MergedInto != nil || slices.ContainsFunc(r.Tickets, func(t desk.Ticket) bool { return t.Type == desk.Native }) {
		key, err := tx.NextKeys(1)
		if err != nil {
			return t, err
		}
		t.ID, t.Key = key.Number, key.String()
	}
	return t, tx.AddTicket(r.ID, t)
}

// NativeTicket returns the first ticket of our own of a request, without saving it.
func (s Setup) NativeTicket(tx *store.Tx, r desk.Request) desk.Ticket {
	return desk.Ticket{ID: r.Number, Type: desk.Native, Key: r.Key, CreatedAt: tx.Now, URL: s.RequestURL(r)}
}

// RequestURL returns the address of a request in the web app.
func (s Setup) RequestURL(r desk.Request) string { return s.PublicURL + "/requests/" + r.Key }

// TicketChange returns the change to record when a request gets a ticket.
func TicketChange(by desk.Actor, id desk.RequestID, t desk.Ticket) desk.Change {
	return desk.Change{By: by, Action: string(desk.TicketCreated), Event: desk.TicketCreated, After: t, Request: id}
}
