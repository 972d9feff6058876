package change

import (
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AddNativeTicket adds a ticket of our own to a request. form is the form that it
// was created with, or nil.
func (s Setup) AddNativeTicket(tx *store.Tx, a desk.Account, request desk.RequestID, form *desk.TicketFormID) (t desk.Ticket, err error) {
	number, err := tx.NextTicketNumbers(1)
	if err != nil {
		return t, err
	}
	t = s.NativeTicket(tx, a, number, request)
	t.Form = form
	return t, tx.AddTicket(request, t)
}

// NativeTicket returns a new ticket of our own for a request, without saving it.
// The caller has reserved number.
func (s Setup) NativeTicket(tx *store.Tx, a desk.Account, number int64, request desk.RequestID) desk.Ticket {
	return desk.Ticket{ID: number, Type: desk.Native, Key: desk.TicketKey(a.KeyPrefix, number), CreatedAt: tx.Now,
		URL: s.PublicURL + "/requests/" + strconv.FormatInt(int64(request), 10)}
}

// TicketChange returns the change to record when a request gets a ticket.
func TicketChange(by desk.Actor, id desk.RequestID, t desk.Ticket) desk.Change {
	return desk.Change{By: by, Action: string(desk.TicketCreated), Event: desk.TicketCreated, After: t, Request: id}
}
